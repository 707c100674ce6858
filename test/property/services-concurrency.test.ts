/**
 * Two submissions planned on the same state: the second is stale, or it is what it would be if it were planned only now.
 * So whatever was judged is in the basis of a write set, and no order of commits makes what no order of submissions does.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Proposal } from "../../services/propose.ts";
import { DEVICES, instanceOf, service, step, takeStep } from "../support/ownership-histories.ts";
import { at } from "../support/ownership-network.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

const RUNS = 700;

const mix = new Map<string, number>();
const count = (what: string): void => void mix.set(what, (mix.get(what) ?? 0) + 1);

const submission = fc.oneof(
  { weight: 2, arbitrary: instanceOf(service).map((one) => [one]) },
  { weight: 1, arbitrary: service },
);

/**
 * All but the basis, and but for one thing that no basis tells: an item that waits, since then, for nothing but a
 * reference which the submission removes. It stays where it could go.
 */
function written({ body: { basis: _basis, ...rest } }: Proposal, { state }: OwnershipStory): unknown {
  const waits = (id: string, path: string): boolean =>
    VLANS.includes(path) && state.devices.get(id)?.items.get(path)?.retained === true;
  const devices = rest.devices.map((each) => ({
    ...each,
    remove: each.remove.filter((path) => !waits(each.device, path)),
  }));
  return { ...rest, devices };
}

/** The only items of the network that references point at. */
const VLANS = ["7", "8"].map(at.vlan);

test("what is committed late is stale, or what it would be if it were made now", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), step, submission, (steps, between, late) => {
      const story = new OwnershipStory({ devices: DEVICES });
      for (const each of steps) takeStep(story, each);
      if (typeof late === "string" && !story.state.services.has(late)) return;
      const propose = () => (typeof late === "string" ? story.proposeRemoval(late) : story.propose(...late));
      const early = propose();
      const { revision } = story;
      takeStep(story, between);
      if (early.kind === "error" || story.revision === revision) return;
      const reasons = story.staleness(early.value);
      count(
        `${typeof late === "string" ? "remove" : "put"} after ${between.kind} ${reasons.length > 0 ? "stale" : "holds"}`,
      );
      if (reasons.length > 0) return;
      const now = propose();
      if (now.kind === "error") throw new Error(now.diagnostics.map((each) => each.message).join());
      expect(written(early.value, story)).toEqual(written(now.value, story));
    }),
    { numRuns: RUNS },
  );
  process.stdout.write(
    `mix: ${[...mix]
      .sort()
      .map(([what, times]) => `${what} ${String(times)}`)
      .join(", ")}\n`,
  );
  // A mix without one of these would prove little.
  for (const kind of ["put after", "remove after", "after put", "after remove", "after import"])
    for (const outcome of ["stale", "holds"])
      expect(
        [...mix.keys()].some((each) => each.includes(kind) && each.endsWith(outcome)),
        `${kind} ${outcome}`,
      ).toBe(true);
});
