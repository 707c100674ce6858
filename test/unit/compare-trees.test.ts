import { describe, expect, it } from "vitest";
import { applyOperations } from "../../plan/apply-operations.ts";
import { compare } from "../../plan/compare.ts";
import { emptyTree } from "../../model/tree.ts";
import { content, explicit, linesFor, net, operationsFor, schema } from "./plan-model.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

/** Applies what `compare` says and looks at the outcome. */
function outcome(desired: object, observed: object): unknown {
  return content(applyOperations(net(observed), operationsFor(desired, observed)));
}

describe("what is a difference", () => {
  it("gives nothing for equal trees, whatever the order of system-ordered lists", () => {
    const one = { vrf: [{ name: "a" }, { name: "b" }], dns: ["1.1.1.1", "8.8.8.8"], search: ["x", "y"] };
    const two = { dns: ["8.8.8.8", "1.1.1.1"], search: ["x", "y"], vrf: [{ name: "b" }, { name: "a" }] };
    expect(compare(net(one), net(two), explicit)).toEqual({ operations: [], findings: [] });
  });

  it("replaces a leaf, creates and deletes entries with all below them as one operation each", () => {
    const desired = {
      interface: [
        { name: "e0", mtu: 9000 },
        { name: "e1", mtu: 1400, ipv4: { forwarding: true } },
      ],
    };
    const observed = {
      interface: [
        { name: "e0", mtu: 1400 },
        { name: "e2", description: "old" },
      ],
    };
    expect(linesFor(desired, observed)).toEqual([
      { op: "delete", path: "interface[name='e2']", before: { name: "e2", description: "old" } },
      { op: "replace", path: "interface[name='e0']/mtu", before: 1400, after: 9000 },
      { op: "create", path: "interface[name='e1']", after: { name: "e1", mtu: 1400, ipv4: { forwarding: true } } },
    ]);
  });

  it("shows which default goes out of use and which comes into use", () => {
    expect(linesFor({ interface: [{ name: "e0", mtu: 9000 }] }, { interface: [{ name: "e0" }] })).toEqual([
      { op: "create", path: "interface[name='e0']/mtu", after: 9000, default: 1500 },
    ]);
    expect(linesFor({ interface: [{ name: "e0" }] }, { interface: [{ name: "e0", mtu: 9000 }] })).toEqual([
      { op: "delete", path: "interface[name='e0']/mtu", before: 9000, default: 1500 },
    ]);
  });

  it("never operates on a non-presence container: its children come and go", () => {
    const lines = linesFor({ options: { first: "a", second: "b" } }, {});
    expect(lines.map(({ op, path }) => [op, path])).toEqual([
      ["create", "options/first"],
      ["create", "options/second"],
    ]);
    expect(linesFor({}, { options: { first: "a" } }).map(({ path }) => path)).toEqual(["options/first"]);
  });

  it("never edits a key: another key is another entry", () => {
    expect(linesFor({ vrf: [{ name: "b" }] }, { vrf: [{ name: "a" }] }).map(({ op, path }) => [op, path])).toEqual([
      ["delete", "vrf[name='a']"],
      ["create", "vrf[name='b']"],
    ]);
  });

  it("compares opaque content by its bytes, and not across encodings", () => {
    const opaque = (encoding: string, text: string): object => ({ extra: { encoding, content: text } });
    const [operation] = operationsFor(opaque("json", "1"), opaque("json", "2"));
    expect(operation?.op).toBe("replace");
    expect(operationsFor(opaque("json", "1"), opaque("json", "1"))).toEqual([]);
    const across = compare(net(opaque("json", "1")), net(opaque("xml", "<a/>")), explicit);
    expect(across.operations).toEqual([]);
    expect(across.findings).toEqual([{ kind: "unverifiable", path: "/plan-net:net/extra", reason: "opaque-encoding" }]);
  });

  it("compares secrets by their fingerprint and cannot compare those of two keys", () => {
    const secret = (keyId: string, hmac: string): object => ({ password: { keyId, hmac } });
    expect(operationsFor(secret("k1", "aa"), secret("k1", "aa"))).toEqual([]);
    expect(linesFor(secret("k1", "bb"), secret("k1", "aa"))).toEqual([
      { op: "replace", path: "password", before: { keyId: "k1", hmac: "aa" }, after: { keyId: "k1", hmac: "bb" } },
    ]);
    const across = compare(net(secret("k2", "bb")), net(secret("k1", "aa")), explicit);
    expect(across.operations).toEqual([]);
    expect(across.findings).toEqual([{ kind: "unverifiable", path: "/plan-net:net/password", reason: "secret-key" }]);
  });

  it("refuses trees of two schemas", () => {
    expect(() => compare(emptyTree(schema), emptyTree({ ...schema }), explicit)).toThrow(RangeError);
  });
});

describe("user order", () => {
  const rules = (...names: readonly string[]): object => ({ rule: names.map((name) => ({ name })) });

  it("moves as few entries as possible", () => {
    expect(linesFor(rules("b", "c", "d", "a"), rules("a", "b", "c", "d"))).toEqual([
      { op: "move", path: "rule[name='a']", insert: { where: "after", anchor: "rule[name='d']" } },
    ]);
  });

  it("places a new entry, first or behind its neighbour", () => {
    expect(linesFor(rules("x", "a", "y", "b"), rules("a", "b"))).toEqual([
      { op: "create", path: "rule[name='x']", after: { name: "x" }, insert: { where: "first" } },
      {
        op: "create",
        path: "rule[name='y']",
        after: { name: "y" },
        insert: { where: "after", anchor: "rule[name='a']" },
      },
    ]);
  });

  it("changes the content of an entry without moving it", () => {
    const desired = { rule: [{ name: "a", action: "drop" }, { name: "b" }] };
    const observed = { rule: [{ name: "a", action: "accept" }, { name: "b" }] };
    expect(linesFor(desired, observed)).toEqual([
      { op: "replace", path: "rule[name='a']/action", before: "accept", after: "drop" },
    ]);
  });

  it("case 55: never moves an entry relative to itself, and anchors on an entry that survives", () => {
    expect(linesFor(rules("a", "b"), rules("a", "b"))).toEqual([]);
    const lines = linesFor(rules("a", "c"), rules("a", "b"));
    expect(lines).toEqual([
      { op: "delete", path: "rule[name='b']", before: { name: "b" } },
      {
        op: "create",
        path: "rule[name='c']",
        after: { name: "c" },
        insert: { where: "after", anchor: "rule[name='a']" },
      },
    ]);
  });

  it("orders leaf-lists, too", () => {
    expect(outcome({ search: ["c", "a", "d"] }, { search: ["a", "b", "c"] })).toEqual({ search: ["c", "a", "d"] });
  });

  it("reverses a long list in n log n", () => {
    const names = Array.from({ length: 20_000 }, (_each, index) => `r${String(index)}`);
    const reversed = [...names].reverse();
    const operations = operationsFor({ search: reversed }, { search: names });
    expect(operations).toHaveLength(names.length - 1);
    expect(content(applyOperations(net({ search: names }), operations))).toEqual({ search: reversed });
  });
});

describe("choice", () => {
  it("creates the new case and shows what goes by itself", () => {
    expect(linesFor({ size: 5, wait: 7 }, { seconds: 60 })).toEqual([
      { op: "create", path: "size", after: 5, implied: [{ path: "seconds", before: 60 }] },
      { op: "create", path: "wait", after: 7 },
    ]);
    expect(outcome({ size: 5, wait: 7 }, { seconds: 60 })).toEqual({ size: 5, wait: 7 });
  });

  it("shows what goes at the first create of a list, a user-ordered leaf-list, or below a container", () => {
    const gone = [{ path: "size", before: 5 }];
    expect(linesFor({ peer: [{ name: "p" }] }, { size: 5 })[0]).toMatchObject({ op: "create", implied: gone });
    expect(linesFor({ cipher: ["x"] }, { size: 5 })[0]).toMatchObject({ op: "create", implied: gone });
    expect(linesFor({ queue: { depth: 3 } }, { seconds: 60 })[0]).toMatchObject({
      path: "queue/depth",
      implied: [{ path: "seconds", before: 60 }],
    });
  });

  it("deletes the case when nothing comes in its place", () => {
    expect(linesFor({}, { size: 5 })).toEqual([{ op: "delete", path: "size", before: 5 }]);
  });

  it("sends a default that selects its case, and one whose case is not the default case", () => {
    expect(outcome({ seconds: 30 }, { size: 5 })).toEqual({ seconds: 30 });
    expect(outcome({ wait: 100 }, { size: 5, wait: 5 })).toEqual({ wait: 100 });
    expect(linesFor({ wait: 100 }, { size: 5 }).map(({ op, path }) => [op, path])).toEqual([
      ["delete", "size"],
      ["create", "wait"],
    ]);
  });
});

describe("public cases", () => {
  it("case 19: the way from a text to the empty text is an update", () => {
    expect(linesFor({ options: { first: "" } }, { options: { first: "aa" } })).toEqual([
      { op: "replace", path: "options/first", before: "aa", after: "" },
    ]);
  });

  it("case 24: a leaf-list is cleared by a delete of each value; an empty array is no entries on either side", () => {
    const cleared = [{ op: "delete", path: "dns[.='1.1.1.1']", before: "1.1.1.1" }];
    for (const nothing of [{ dns: [] }, {}]) {
      expect(linesFor(nothing, { dns: ["1.1.1.1"] })).toEqual(cleared);
      expect(operationsFor(nothing, { dns: [] })).toEqual([]);
      expect(outcome(nothing, { dns: ["1.1.1.1"] })).toEqual({});
    }
  });

  it("case 56: one value leaves a leaf-list, one comes, the others stay untouched", () => {
    expect(linesFor({ dns: ["18", "25", "34"] }, { dns: ["1", "18", "25"] })).toEqual([
      { op: "delete", path: "dns[.='1']", before: "1" },
      { op: "create", path: "dns[.='34']", after: "34" },
    ]);
  });

  it("case 60: an empty presence container is data, an empty non-presence container is not", () => {
    const one = (content: object): object => ({ interface: [{ name: "e0", ...content }] });
    expect(linesFor(one({ ipv4: {} }), one({}))).toEqual([
      { op: "create", path: "interface[name='e0']/ipv4", after: {} },
    ]);
    expect(linesFor({ options: {} }, {})).toEqual([]);
    expect(linesFor(one({ ipv4: {} }), one({ ipv4: { forwarding: true } }))).toEqual([
      { op: "delete", path: "interface[name='e0']/ipv4/forwarding", before: true, default: false },
    ]);
    expect(outcome(one({ ipv4: {} }), one({ ipv4: { forwarding: true } }))).toEqual(one({ ipv4: {} }));
  });

  it("case 61: nothing desired and nothing there is nothing to do", () => {
    expect(compare(net({}), net({}), explicit)).toEqual({ operations: [], findings: [] });
    expect(linesFor({ hostname: "r1" }, { hostname: "r1" })).toEqual([]);
    expect(linesFor({}, { quiet: [null] })).toEqual([{ op: "delete", path: "quiet", before: [null] }]);
  });

  it("case 64: what means the same is no difference, and an operation carries the desired value as written", () => {
    const equivalent = (
      _leaf: unknown,
      a: { kind: string; text?: string },
      b: { kind: string; text?: string },
    ): boolean => a.text?.trim() === b.text?.trim();
    const options = { ...explicit, equivalent };
    expect(linesFor({ banner: "hi\n" }, { banner: "hi" }, options)).toEqual([]);
    expect(linesFor({ banner: "hi\n" }, { banner: "CHANGED" }, options)).toEqual([
      { op: "replace", path: "banner", before: "CHANGED", after: "hi\n" },
    ]);
  });

  it("case 68: one removal for a list that goes with its entries", () => {
    const group = { "object-group": [{ name: "L", member: [{ address: "e1" }] }] };
    const lines = linesFor({}, group);
    expect(lines.map(({ op, path }) => [op, path])).toEqual([["delete", "object-group[name='L']"]]);
  });

  it("case 68: deleting what a device pruned already gives the same result", () => {
    const group = { "object-group": [{ name: "L", member: [{ address: "e1" }] }], hostname: "r" };
    const operations = operationsFor({ hostname: "r" }, group);
    expect(content(applyOperations(net({ hostname: "r" }), operations))).toEqual({ hostname: "r" });
  });

  it("case 70: entries are matched by key, never by position", () => {
    const aces = (...sequences: readonly number[]): object => ({
      ace: sequences.map((sequence) => ({ sequence, action: `a${String(sequence)}` })),
    });
    expect(linesFor(aces(10, 20, 40), aces(10, 20, 30, 40))).toEqual([
      { op: "delete", path: "ace[sequence='30']", before: { sequence: 30, action: "a30" } },
    ]);
  });

  it("case 71: state is no part of any operation", () => {
    const observed = { interface: [{ name: "e0", counters: { packets: "7" } }] };
    expect(linesFor({ interface: [{ name: "e0" }] }, observed)).toEqual([]);
    expect(linesFor({}, observed)).toEqual([{ op: "delete", path: "interface[name='e0']", before: { name: "e0" } }]);
    expect(linesFor(observed, {})).toEqual([{ op: "create", path: "interface[name='e0']", after: { name: "e0" } }]);
  });

  it("case 72: a wider desired state than intended shows each entry that would go", () => {
    const ten = Array.from({ length: 10 }, (_each, index) => ({ name: `e${String(index)}` }));
    const lines = linesFor({ interface: ten.slice(0, 1) }, { interface: ten });
    expect(lines.filter(({ op }) => op === "delete")).toHaveLength(9);
    expect(lines).toHaveLength(9);
  });

  it("case 73: a change of one leaf names that leaf alone", () => {
    const observed = { interface: [{ name: "e1", mtu: 1400, description: "of another owner" }] };
    const desired = { interface: [{ name: "e1", mtu: 9000, description: "of another owner" }] };
    expect(linesFor(desired, observed).map(({ path }) => path)).toEqual(["interface[name='e1']/mtu"]);
  });

  it("case 92: document order does not matter to a lookup, and documents sort by typed keys", () => {
    const observed = { ace: [10, 9, 1].map((sequence) => ({ sequence })), vrf: [{ name: "b" }, { name: "a" }] };
    const desired = { ace: [1, 9, 10].map((sequence) => ({ sequence })), vrf: [{ name: "a" }, { name: "b" }] };
    expect(linesFor(desired, observed)).toEqual([]);
    const members = ["b", "a"].map((address) => ({ address }));
    expect(linesFor({ "object-group": [{ name: "g", member: members }] }, {})[0]?.after).toEqual({
      name: "g",
      member: [{ address: "a" }, { address: "b" }],
    });
  });

  it("case 93: an eighth of a long list goes, in time that grows with the list and no faster", () => {
    const vlans = (count: number): { sequence: number; action: string }[] =>
      Array.from({ length: count }, (_each, index) => ({ sequence: index + 1, action: "p" }));
    const run = (count: number): number => {
      const observed = net({ ace: vlans(count) });
      const desired = net({ ace: vlans(count).filter(({ sequence }) => sequence % 8 !== 0) });
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 7; round += 1) {
        const start = cpuTimeMs();
        const { operations } = compare(desired, observed, explicit);
        applyOperations(observed, operations);
        best = Math.min(best, cpuTimeMs() - start);
        expect(operations).toHaveLength(Math.floor(count / 8));
      }
      return best;
    };
    // 16 times the list: 16 times the time, where looking through the list for each entry would take 256 times.
    run(1000);
    expect(run(32_000) / Math.max(run(2000), 1)).toBeLessThan(64);
  });
});
