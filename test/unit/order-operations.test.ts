import { describe, expect, it } from "vitest";
import { applyOperations } from "../../plan/apply-operations.ts";
import { compare } from "../../plan/compare.ts";
import { orderOperations } from "../../plan/order.ts";
import { operationPath } from "../../plan/operation.ts";
import type { SoftReference } from "../../plan/references.ts";
import { content, explicit, net, operationsFor, schema } from "./plan-model.ts";

const soft: readonly SoftReference[] = [
  {
    from: "/plan-net:net/plan-net:interface/plan-net:soft-vrf",
    to: "/plan-net:net/plan-net:vrf/plan-net:name",
  },
];

/** `op path` in plan order, paths below `/plan-net:net`. */
function ordered(desired: object, observed: object, softReferences: readonly SoftReference[] = []): readonly string[] {
  const { operations, findings } = orderOperations(schema, operationsFor(desired, observed), { softReferences });
  expect(content(applyOperations(net(observed), operations))).toEqual(
    content(applyOperations(net(observed), operationsFor(desired, observed))),
  );
  return [
    ...operations.map((operation) => `${operation.op} ${operationPath(operation).replace("/plan-net:net/", "")}`),
    ...findings.map((finding) => finding.kind),
  ];
}

describe("case 69: what is referred to comes first and goes last", () => {
  const both = { vrf: [{ name: "V1" }], interface: [{ name: "e0", vrf: "V1" }] };

  it("creates the target before the referrer", () => {
    expect(ordered(both, {})).toEqual(["create vrf[name='V1']", "create interface[name='e0']"]);
  });

  it("deletes the referrer before the target", () => {
    expect(ordered({}, both)).toEqual(["delete interface[name='e0']", "delete vrf[name='V1']"]);
  });

  it("renames by creating the new one, pointing there, and deleting the old one", () => {
    const renamed = { vrf: [{ name: "V2" }], interface: [{ name: "e0", vrf: "V2" }] };
    expect(ordered(renamed, both)).toEqual([
      "create vrf[name='V2']",
      "replace interface[name='e0']/vrf",
      "delete vrf[name='V1']",
    ]);
  });

  it("does the same for a reference that only the profile knows", () => {
    const old = { vrf: [{ name: "V1" }], interface: [{ name: "e0", "soft-vrf": "V1" }] };
    const renamed = { vrf: [{ name: "V2" }], interface: [{ name: "e0", "soft-vrf": "V2" }] };
    expect(ordered(renamed, old, soft)).toEqual([
      "create vrf[name='V2']",
      "replace interface[name='e0']/soft-vrf",
      "delete vrf[name='V1']",
    ]);
    // Without the declaration nothing tells the order.
    expect(ordered(renamed, old)[0]).toBe("delete vrf[name='V1']");
  });

  it("reports a cycle, keeps its operations together and everything else in order", () => {
    const cycle = {
      vrf: [
        { name: "A", backup: "B" },
        { name: "B", backup: "A" },
      ],
      interface: [{ name: "e0", vrf: "A" }],
      hostname: "r1",
    };
    expect(ordered(cycle, {})).toEqual([
      "create hostname",
      "create vrf[name='A']",
      "create vrf[name='B']",
      "create interface[name='e0']",
      "reference-cycle",
    ]);
    const { findings } = orderOperations(schema, operationsFor(cycle, {}));
    expect(findings).toEqual([
      { kind: "reference-cycle", paths: ["/plan-net:net/vrf[name='A']", "/plan-net:net/vrf[name='B']"] },
    ]);
  });

  it("takes an entry that names itself for no cycle", () => {
    expect(ordered({ vrf: [{ name: "A", backup: "A" }] }, {})).toEqual(["create vrf[name='A']"]);
  });
});

describe("order without need", () => {
  it("puts deletes first, then paths in text order", () => {
    const observed = { interface: [{ name: "e0", address: ["10.0.0.1"] }, { name: "e1" }] };
    const desired = { interface: [{ name: "e0" }, { name: "e1", address: ["10.0.0.1"] }], hostname: "r1" };
    expect(ordered(desired, observed)).toEqual([
      "delete interface[name='e0']/address[.='10.0.0.1']",
      "create hostname",
      "create interface[name='e1']/address[.='10.0.0.1']",
    ]);
  });

  it("does not depend on the order in which operations come", () => {
    const desired = { vrf: [{ name: "V2" }], interface: [{ name: "e0", vrf: "V2" }, { name: "e1" }], hostname: "x" };
    const observed = { vrf: [{ name: "V1" }], interface: [{ name: "e0", vrf: "V1" }], dns: ["1.1.1.1"] };
    const operations = operationsFor(desired, observed);
    const expected = orderOperations(schema, operations).operations;
    expect(orderOperations(schema, [...operations].reverse()).operations).toEqual(expected);
  });

  it("keeps creates and moves of a user-ordered list in their order, against text order", () => {
    const rules = (...names: readonly string[]): object => ({ rule: names.map((name) => ({ name })) });
    expect(ordered(rules("z", "y", "a", "x"), rules("a", "z"))).toEqual([
      "create rule[name='y']",
      "move rule[name='a']",
      "create rule[name='x']",
    ]);
  });

  it("shows what goes by itself at the create that comes first", () => {
    // `peer` is created before `cipher` in the tree, but `cipher` comes first in the plan.
    const desired = { peer: [{ name: "p" }], cipher: ["x"] };
    const { operations } = orderOperations(
      schema,
      compare(net(desired), net({ size: 5, wait: 7 }), explicit).operations,
    );
    const implied = operations.map((operation) => [
      operationPath(operation),
      operation.op === "create" ? operation.implied.map(({ path }) => path.at(-1)?.name) : [],
      operation.impact,
    ]);
    expect(implied).toEqual([
      ["/plan-net:net/cipher[.='x']", ["size", "wait"], "delete"],
      ["/plan-net:net/peer[name='p']", [], "ordinary"],
    ]);
  });
});

it("orders a long chain of references without recursion", () => {
  const count = 5000;
  const name = (index: number): string => `v${String(index).padStart(5, "0")}`;
  const vrf = Array.from({ length: count }, (_each, index) =>
    index + 1 < count ? { name: name(index), backup: name(index + 1) } : { name: name(index) },
  );
  const { operations, findings } = orderOperations(schema, operationsFor({ vrf }, {}));
  expect(findings).toEqual([]);
  expect(operations.map(operationPath)[0]).toBe(`/plan-net:net/vrf[name='${name(count - 1)}']`);
  expect(operations.map(operationPath).at(-1)).toBe(`/plan-net:net/vrf[name='${name(0)}']`);
});
