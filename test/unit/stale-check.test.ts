import { describe, expect, it } from "vitest";
import { fewReasons } from "../../activities/stale-reasons.ts";
import { MAX_LINE_BYTES } from "../../graph/journal/record-line.ts";
import { applyOperations } from "../../plan/apply-operations.ts";
import { type StaleInput, type Staleness, checkStale } from "../../plan/stale.ts";
import { explicit, net, operationsFor } from "./plan-model.ts";

interface Story {
  /** What the plan saw and wants, and what the device shows now. */
  readonly observed: object;
  readonly desired: object;
  readonly live: object;
  readonly unrelated?: "refuse" | "allow";
  readonly live2?: Partial<Omit<StaleInput["live"], "tree">>;
  readonly sinceGoal?: StaleInput["sinceGoal"];
}

/** Digests are the content itself: equal exactly for equal content. */
function check(story: Story): Staleness {
  const observed = net(story.observed);
  const operations = operationsFor(story.desired, story.observed);
  return checkStale({
    planned: {
      observationDigest: JSON.stringify(story.observed),
      moduleSet: "m1",
      observed,
      expected: applyOperations(observed, operations),
      operations,
    },
    live: {
      observationDigest: JSON.stringify(story.live),
      moduleSet: "m1",
      completeness: "complete",
      tree: net(story.live),
      ...story.live2,
    },
    ...(story.sinceGoal === undefined ? {} : { sinceGoal: story.sinceGoal }),
    unrelated: story.unrelated ?? "refuse",
    compare: explicit,
  });
}

const fresh: Staleness = { kind: "fresh", alreadyApplied: [], unrelated: [] };

const show = (value: unknown): string => (value === undefined ? "absent" : JSON.stringify(value));

/** A stale answer in short: `path: expected -> found`. */
function reasons(staleness: Staleness): readonly string[] {
  if (staleness.kind === "fresh") return ["fresh"];
  return staleness.reasons.flatMap((reason) =>
    reason.kind === "observation-changed"
      ? reason.paths.map(
          ({ path, expected, found }) => `${path.replace("/plan-net:net/", "")}: ${show(expected)} -> ${show(found)}`,
        )
      : [reason.kind],
  );
}

const observed = { interface: [{ name: "e0", mtu: 1400, description: "d" }, { name: "e1" }] };
const desired = { interface: [{ name: "e0", mtu: 9000, description: "d" }, { name: "e1" }] };

describe("case 76: the world changed since the plan was made", () => {
  it("nothing changed", () => {
    expect(check({ observed, desired, live: observed })).toEqual(fresh);
  });

  it("a: a touched leaf changed, and is named with what was expected and found", () => {
    const live = { interface: [{ name: "e0", mtu: 1300, description: "d" }, { name: "e1" }] };
    const expected = ["interface[name='e0']/mtu: 1400 -> 1300"];
    expect(reasons(check({ observed, desired, live }))).toEqual(expected);
    expect(reasons(check({ observed, desired, live, unrelated: "allow" }))).toEqual(expected);
  });

  it("b: an unrelated leaf changed: stale by default, allowed and noted where unrelated changes are", () => {
    const live = { interface: [{ name: "e0", mtu: 1400, description: "other" }, { name: "e1" }] };
    expect(reasons(check({ observed, desired, live }))).toEqual(['interface[name=\'e0\']/description: "d" -> "other"']);
    expect(check({ observed, desired, live, unrelated: "allow" })).toEqual({
      ...fresh,
      unrelated: [
        { path: "/plan-net:net/interface[name='e0']/description", op: "replace", expected: "d", found: "other" },
      ],
    });
  });

  it("c: a touched leaf has its planned value already: stale by default, success without doing where allowed", () => {
    const live = { interface: [{ name: "e0", mtu: 9000, description: "d" }, { name: "e1" }] };
    expect(reasons(check({ observed, desired, live }))).toEqual(["interface[name='e0']/mtu: 1400 -> 9000"]);
    expect(check({ observed, desired, live, unrelated: "allow" })).toEqual({
      ...fresh,
      alreadyApplied: ["/plan-net:net/interface[name='e0']/mtu"],
    });
  });

  it("c: an entry that the plan creates or deletes is there or gone already", () => {
    const two = { vrf: [{ name: "a", description: "x" }] };
    const create = check({ observed: {}, desired: two, live: two, unrelated: "allow" });
    expect(create).toEqual({ ...fresh, alreadyApplied: ["/plan-net:net/vrf[name='a']"] });
    const other = { vrf: [{ name: "a", description: "y" }] };
    expect(reasons(check({ observed: {}, desired: two, live: other, unrelated: "allow" }))).toHaveLength(1);
    expect(check({ observed: two, desired: {}, live: {}, unrelated: "allow" })).toEqual({
      ...fresh,
      alreadyApplied: ["/plan-net:net/vrf[name='a']"],
    });
  });
});

describe("what counts as related", () => {
  it("an ancestor that went", () => {
    const live = { interface: [{ name: "e1" }] };
    expect(reasons(check({ observed, desired, live, unrelated: "allow" }))).toEqual([
      'interface[name=\'e0\']: {"name":"e0","mtu":1400,"description":"d"} -> absent',
    ]);
  });

  it("something below a subtree that the plan deletes", () => {
    const live = {
      interface: [
        { name: "e0", mtu: 1400, description: "d" },
        { name: "e1", description: "new" },
      ],
    };
    const without = { interface: [{ name: "e0", mtu: 1400, description: "d" }] };
    expect(reasons(check({ observed, desired: without, live, unrelated: "allow" }))).toEqual([
      "interface[name='e1']/description: absent -> \"new\"",
    ]);
  });

  it("a leafref neighbour: the target that the plan points at, and a new referrer to what it deletes", () => {
    const base = { vrf: [{ name: "V1" }], interface: [{ name: "e0" }, { name: "e1" }] };
    const points = { vrf: [{ name: "V1" }], interface: [{ name: "e0", vrf: "V1" }, { name: "e1" }] };
    const gone = { interface: [{ name: "e0" }, { name: "e1" }] };
    expect(reasons(check({ observed: base, desired: points, live: gone, unrelated: "allow" }))).toEqual([
      'vrf[name=\'V1\']: {"name":"V1"} -> absent',
    ]);
    const referred = { vrf: [{ name: "V1" }], interface: [{ name: "e0" }, { name: "e1", vrf: "V1" }] };
    expect(reasons(check({ observed: base, desired: gone, live: referred, unrelated: "allow" }))).toEqual([
      "interface[name='e1']/vrf: absent -> \"V1\"",
    ]);
  });

  it("order and membership of a user-ordered list that the plan places entries in, not the content of its entries", () => {
    const rules = (...names: readonly string[]): object => ({ rule: names.map((name) => ({ name })) });
    const story = { observed: rules("a", "b"), desired: rules("a", "n", "b"), unrelated: "allow" } as const;
    expect(check({ ...story, live: rules("b", "a") }).kind).toBe("stale");
    expect(check({ ...story, live: rules("a", "x", "b") }).kind).toBe("stale");
    // Whether it stands at its planned place would need the whole order; a fresh plan is the safe answer.
    expect(check({ ...story, live: rules("a", "n", "b") }).kind).toBe("stale");
    expect(check({ ...story, live: { rule: [{ name: "a", action: "drop" }, { name: "b" }] } }).kind).toBe("fresh");
  });
});

describe("reasons beside the configuration", () => {
  it("another module set, an incomplete observation", () => {
    expect(reasons(check({ observed, desired, live: observed, live2: { moduleSet: "m2" } }))).toEqual(["module-set"]);
    expect(reasons(check({ observed, desired, live: {}, live2: { completeness: "incomplete" } }))).toEqual([
      "incomplete-observation",
    ]);
  });

  it("a failed import, a newer observation that differs", () => {
    const base = { observed, desired, live: observed };
    expect(reasons(check({ ...base, sinceGoal: { import: "failed" } }))).toEqual(["import-behind"]);
    expect(reasons(check({ ...base, sinceGoal: { newerObservation: "other" } }))).toEqual(["newer-observation"]);
    expect(check({ ...base, sinceGoal: { newerObservation: JSON.stringify(observed) } })).toEqual(fresh);
    expect(check({ ...base, unrelated: "allow", sinceGoal: { newerObservation: "other" } })).toEqual(fresh);
  });

  it("says all of them", () => {
    const live = { interface: [{ name: "e0", mtu: 1300 }] };
    const all = reasons(check({ observed, desired, live, sinceGoal: { import: "incomplete", newerObservation: "x" } }));
    expect(all).toHaveLength(5);
  });
});

it("however much has moved since a plan was made, its record takes the reason", () => {
  const reasons = Array.from(
    { length: 3000 },
    (_each, n) => `core-1 /test-net:interfaces/${"x".repeat(n)}: it changed`,
  );
  const few = fewReasons(reasons);
  expect(few.at(-1)).toBe("and 2980 more");
  expect(few[0]).toBe(reasons[0]);
  expect(Buffer.byteLength(fewReasons(reasons.reverse()).join("; "))).toBeLessThan(MAX_LINE_BYTES / 4);
  expect(fewReasons(["one", "two"])).toEqual(["one", "two"]);
});
