/** Random histories with returns in them: after a return to N the state is that of N, but for who set it and when. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { valueOf } from "../support/results.ts";
import { RollbackStory, picture } from "../support/rollback-story.ts";
import { type HistoryStep, historySteps, takeStep } from "../support/random-histories.ts";

const DEVICES = ["r1", "r2"];

type Step = HistoryStep | { readonly kind: "rollback"; readonly back: number; readonly devices?: readonly string[] };

const back = fc.integer({ min: 0, max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: historySteps(DEVICES) },
  { weight: 2, arbitrary: back.map((each) => ({ kind: "rollback" as const, back: each })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(back, fc.constantFrom(...DEVICES))
      .map(([each, device]) => ({ kind: "rollback" as const, back: each, devices: [device] })),
  },
);

const seen = new Map<string, number>();
const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

function take(story: RollbackStory, each: Step): void {
  if (each.kind !== "rollback") {
    story.then((told) => {
      count(takeStep(told, each));
    });
    return;
  }
  const { revisions } = story;
  const to = revisions[revisions.length - 1 - (each.back % revisions.length)] ?? 0;
  const before = story.story.state;
  const proposed = story.propose(to, each.devices === undefined ? {} : { devices: each.devices });
  if (proposed.kind === "error") {
    // Nothing else can refuse here: both devices are there and typed as they were.
    expect([each.devices?.length, ...new Set(proposed.diagnostics.map(({ code }) => code))]).toEqual([
      1,
      "rollback-outside",
    ]);
    count("refused");
    return;
  }
  expect(valueOf(proposed)).toEqual(
    valueOf(story.propose(to, each.devices === undefined ? {} : { devices: each.devices })),
  );
  story.rollback(to, each.devices === undefined ? {} : { devices: each.devices });
  const [after, then] = [story.story.state, story.at(to)];
  if (each.devices === undefined) {
    expect(picture(after)).toEqual(picture(then));
    // Once there, there is nothing left to return.
    expect(valueOf(story.propose(to)).body).toMatchObject({ devices: [], services: [], definitions: [], statuses: [] });
    count("whole");
    return;
  }
  for (const device of DEVICES) {
    const expected = each.devices.includes(device) ? then : before;
    expect(picture(only(after, device))).toEqual(picture(only(expected, device)));
  }
  count("one device");
}

/** One device with what stands on it; statuses of services that reach further are of both times. */
function only(state: RollbackStory["story"]["state"], name: string) {
  const devices = new Map([...state.devices].filter(([, device]) => device.name === name));
  const services = new Map([...state.services].filter(([, { targets }]) => targets.every((id) => devices.has(id))));
  return { ...state, devices, services, definitions: new Map() };
}

test("after a return to a revision the state is the one of that revision", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const story = new RollbackStory({ devices: DEVICES });
      for (const each of steps) take(story, each);
    }),
    { numRuns: 80 },
  );
  const mix = ["put", "override", "remove", "import", "whole", "one device", "refused"];
  process.stdout.write(`rollbacks: ${mix.map((what) => `${what} ${String(seen.get(what) ?? 0)}`).join(", ")}\n`);
  for (const what of mix) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
});
