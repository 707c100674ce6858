/** What can be put one instance after the other, in some order, is never refused as a cycle when it comes at once. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEVICES, instanceOf, step } from "../support/ownership-histories.ts";
import { OwnershipStory, type StoryService } from "../support/ownership-story.ts";

const NAMES = ["d", "e", "f"];

/** Instances that wait for others more than they write. */
const instances = fc
  .uniqueArray(instanceOf(fc.constantFrom(...NAMES)), { minLength: 2, maxLength: 3, selector: (each) => each.name })
  .chain((services) =>
    fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }).map((turned) =>
      services.map((service, index) => ({
        ...service,
        rules: service.rules.map((rule, at) =>
          turned[index * 4 + at] === true ? { path: rule.path, relation: "depends" as const } : rule,
        ),
      })),
    ),
  );

function ordersOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first, at) => ordersOf(all.filter((_, index) => index !== at)).map((rest) => [first, ...rest]));
}

/** Puts what comes before, as far as it is accepted. */
function begin(
  steps: readonly { readonly kind: string; readonly services?: readonly StoryService[] }[],
): OwnershipStory {
  const story = new OwnershipStory({ devices: DEVICES });
  for (const { services = [] } of steps) {
    const proposed = story.propose(...services);
    if (services.length > 0 && proposed.kind === "ok") story.commit(proposed.value);
  }
  return story;
}

test("accepted one by one is accepted together", { timeout: 120_000 }, () => {
  const mix = { cycles: 0, accepted: 0, conflicts: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3 }), instances, (before, services) => {
      const codes = codesOf(begin(before).propose(...services));
      if (codes.includes("conflict")) {
        mix.conflicts += 1;
        return;
      }
      if (codes.length === 0) {
        mix.accepted += 1;
        return;
      }
      mix.cycles += 1;
      expect(codes).toEqual(["dependency-cycle"]);
      for (const order of ordersOf(services)) {
        const story = begin(before);
        const refused = order.some((service) => {
          const proposed = story.propose(service);
          if (proposed.kind === "ok") story.commit(proposed.value);
          return proposed.kind === "error";
        });
        expect(refused, order.map((each) => each.name).join(" ")).toBe(true);
      }
    }),
    { numRuns: 800 },
  );
  process.stdout.write(`cycles: ${JSON.stringify(mix)}\n`);
  for (const [what, times] of Object.entries(mix)) expect(times, what).toBeGreaterThan(0);
});

function codesOf(proposed: ReturnType<OwnershipStory["propose"]>): readonly string[] {
  return proposed.kind === "ok" ? [] : [...new Set(proposed.diagnostics.map((each) => each.code))];
}
