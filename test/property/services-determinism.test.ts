/** The same submission on the same state is the same proposal, to the letter: plans are approved by their digest. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../graph/canonical-json.ts";
import type { Proposal } from "../../services/propose.ts";
import type { DesiredState } from "../../services/desired-state.ts";
import { DEVICES, instanceOf, service, step, takeStep } from "../support/ownership-histories.ts";
import { OwnershipStory, type StoryService } from "../support/ownership-story.ts";

const RUNS = 250;

/** A proposal as the pipeline stores it: the body, and beside it what is only told. */
function textOf({ body, explanations, wishes, devices }: Proposal): string {
  return [body, { explanations }, { wishes }, { devices }].map((each) => canonicalJson(each)).join("\n");
}

/** The same state, whose maps were filled the other way round. */
function reversed(state: DesiredState): DesiredState {
  const backwards = <V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> => new Map([...map].reverse());
  return {
    ...state,
    devices: backwards(
      new Map([...state.devices].map(([id, device]) => [id, { ...device, items: backwards(device.items) }])),
    ),
    services: backwards(state.services),
    definitions: backwards(state.definitions),
  };
}

const elsewhere = (each: StoryService): StoryService => ({ ...each, targets: [...(each.targets ?? ["r1"])].reverse() });

const submission = fc.uniqueArray(instanceOf(service), { minLength: 1, maxLength: 3, selector: (each) => each.name });

test("a proposal depends on no order of files, targets or maps", { timeout: 240_000 }, () => {
  let [accepted, several] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), submission, (steps, services) => {
      const story = new OwnershipStory({ devices: DEVICES });
      for (const each of steps) takeStep(story, each);
      const again = new OwnershipStory({ state: reversed(story.state) });
      const one = story.propose(...services);
      const other = again.propose(...services.map(elsewhere).reverse());
      expect(other.kind).toBe(one.kind);
      if (one.kind === "error" || other.kind === "error") return;
      accepted += 1;
      if (services.length > 1) several += 1;
      expect(textOf(other.value)).toBe(textOf(one.value));
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(accepted, several)).toBeGreaterThan(0);
});
