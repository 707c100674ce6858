import { describe, expect, it } from "vitest";
import type { Item } from "../../model/item.ts";
import { plainValue } from "../../model/value.ts";
import { compare } from "../../plan/compare.ts";
import { operationPath } from "../../plan/operation.ts";
import { type DeviceChange, changeDrift, changeTarget } from "../../plan/target.ts";
import { content, explicit, net } from "./plan-model.ts";

const at = (path: string): string => `/plan-net:net/${path}`;
const mtu = (entry: string, value: string): Item => ({
  kind: "leaf",
  path: at(`interface[name='${entry}']/mtu`),
  value: plainValue("uint16", value),
  origin: "set",
});

/** The target, and the operations of the plan in short. */
function plan(observed: object, change: DeviceChange): { target: unknown; operations: readonly string[] } {
  const seen = net(observed);
  const target = changeTarget(seen, change);
  const { operations } = compare(target, seen, explicit);
  return {
    target: content(target),
    operations: operations.map((operation) => `${operation.op} ${operationPath(operation).slice(at("").length)}`),
  };
}

describe("the target of a change", () => {
  it("is the observation with the change on just its paths: drift elsewhere stays", () => {
    const observed = { interface: [{ name: "e0", mtu: 1400, description: "drifted" }], hostname: "drifted" };
    expect(plan(observed, { put: [mtu("e0", "9000")], remove: [] })).toEqual({
      target: { interface: [{ name: "e0", mtu: 9000, description: "drifted" }], hostname: "drifted" },
      operations: ["replace interface[name='e0']/mtu"],
    });
  });

  it("creates entries, presence containers and leaf-list entries, and keeps what is below existing ones", () => {
    const put: Item[] = [
      {
        kind: "leaf-list-entry",
        path: at("interface[name='e1']/address[.='10.0.0.1']"),
        value: plainValue("string", "10.0.0.1"),
      },
      { kind: "container", path: at("interface[name='e1']/ipv4") },
      { kind: "entry", path: at("interface[name='e1']"), keyTypes: ["string"] },
      { kind: "entry", path: at("interface[name='e0']"), keyTypes: ["string"] },
    ];
    expect(plan({ interface: [{ name: "e0", mtu: 1400 }] }, { put, remove: [] })).toEqual({
      target: {
        interface: [
          { name: "e0", mtu: 1400 },
          { name: "e1", ipv4: {}, address: ["10.0.0.1"] },
        ],
      },
      operations: ["create interface[name='e1']"],
    });
  });

  it("makes an entry again that the device lost, with its keys and what is put", () => {
    expect(plan({}, { put: [mtu("e0", "9000")], remove: [] })).toEqual({
      target: { interface: [{ name: "e0", mtu: 9000 }] },
      operations: ["create interface[name='e0']"],
    });
  });

  it("removes what vanishes from desired state with all below, and nothing where it is gone", () => {
    const observed = { interface: [{ name: "e0", mtu: 1400, description: "not ours" }], hostname: "r1" };
    const remove = [at("interface[name='e0']/mtu"), at("interface[name='e0']"), at("vrf[name='x']")];
    expect(plan(observed, { put: [], remove })).toEqual({
      target: { hostname: "r1" },
      operations: ["delete interface[name='e0']"],
    });
  });

  it("leaves others' children of a non-presence container alone", () => {
    const observed = { options: { first: "ours", second: "theirs" } };
    expect(plan(observed, { put: [], remove: [at("options"), at("options/first")] }).target).toEqual({
      options: { second: "theirs" },
    });
  });

  it("arranges a user-ordered list; an entry that only the device has stays behind its neighbour", () => {
    const observed = { rule: [{ name: "a" }, { name: "foreign" }, { name: "b" }] };
    const key = (name: string): string => `plan-net:rule[name='${name}']`;
    const put: Item[] = [
      { kind: "order", path: at("rule"), order: [key("n"), key("b"), key("a")] },
      { kind: "entry", path: at("rule[name='n']"), keyTypes: ["string"] },
    ];
    expect(plan(observed, { put, remove: [] })).toEqual({
      target: { rule: [{ name: "n" }, { name: "b" }, { name: "a" }, { name: "foreign" }] },
      operations: ["create rule[name='n']", "move rule[name='b']"],
    });
  });

  it("takes the old case away where the change selects another", () => {
    const size: Item = { kind: "leaf", path: at("size"), value: plainValue("uint32", "5"), origin: "set" };
    expect(plan({ seconds: 60 }, { put: [size], remove: [] })).toEqual({
      target: { size: 5 },
      operations: ["create size"],
    });
  });

  it("refuses paths that the schema does not have", () => {
    expect(() => changeTarget(net({}), { put: [], remove: [at("nothing")] })).toThrow(RangeError);
  });
});

describe("drift beside a change", () => {
  it("tells what the change overwrites from what it leaves alone", () => {
    const goal = net({
      interface: [
        { name: "e0", mtu: 1500, description: "a" },
        { name: "e1", description: "x" },
      ],
    });
    const observed = net({
      interface: [
        { name: "e0", mtu: 1400, description: "b" },
        { name: "e1", mtu: 1300 },
      ],
      hostname: "h",
    });
    const change: DeviceChange = { put: [mtu("e0", "9000")], remove: [at("interface[name='e1']")] };
    const findings = changeDrift(goal, observed, change, explicit).map((finding) =>
      finding.kind === "drift"
        ? [finding.scope, finding.path.slice(at("").length), finding.expected, finding.found]
        : [finding.kind],
    );
    expect(findings).toEqual([
      ["unrelated", "hostname", undefined, "h"],
      ["unrelated", "interface[name='e0']/description", "a", "b"],
      ["touched", "interface[name='e0']/mtu", 1500, 1400],
      ["touched", "interface[name='e1']/description", "x", undefined],
      ["touched", "interface[name='e1']/mtu", undefined, 1300],
    ]);
  });
});
