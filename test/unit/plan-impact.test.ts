import { describe, expect, it } from "vitest";
import type { InstancePath } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { attributeOperations, causeText } from "../../plan/attribute.ts";
import { compare } from "../../plan/compare.ts";
import { type ImpactRules, classifyOperations, countImpact, noImpactRules } from "../../plan/impact.ts";
import type { OperationCause } from "../../plan/operation.ts";
import { emptyTree } from "../../model/tree.ts";
import { valueOf } from "../support/results.ts";
import { explicit, net, operationsFor, schema } from "./plan-model.ts";

const at = (path: string): InstancePath => valueOf(parseInstancePath(schema, `/plan-net:net/${path}`)).path;

function classes(desired: object, observed: object, rules: Partial<ImpactRules> = {}): readonly string[] {
  return classifyOperations(operationsFor(desired, observed), { ...noImpactRules, ...rules }).map(
    ({ impact }) => impact,
  );
}

describe("impact", () => {
  const one = {
    interface: [
      { name: "e0", mtu: 1400 },
      { name: "e1", mtu: 1400 },
    ],
  };

  it("is ordinary, or delete where anything goes", () => {
    expect(classes({ hostname: "b" }, { hostname: "a" })).toEqual(["ordinary"]);
    expect(classes({}, { hostname: "a" })).toEqual(["delete"]);
    expect(classes({ size: 5 }, { seconds: 60 })).toEqual(["delete"]);
  });

  it("is management-path at, below and above the way that Tenure comes in", () => {
    const rules = { managementPaths: [at("interface[name='e0']")] };
    expect(
      classes(
        {
          interface: [
            { name: "e0", mtu: 9000 },
            { name: "e1", mtu: 9000 },
          ],
        },
        one,
        rules,
      ),
    ).toEqual(["management-path", "ordinary"]);
    expect(classes({}, one, rules)).toEqual(["management-path", "delete"]);
    const deep = { managementPaths: [at("interface[name='e0']/address[.='10.0.0.1']")] };
    expect(classes({ interface: [{ name: "e1", mtu: 1400 }] }, one, deep)).toEqual(["management-path"]);
    expect(classes({ size: 5 }, { seconds: 60 }, { managementPaths: [at("seconds")] })).toEqual(["management-path"]);
  });

  it("follows the schema paths of the profile, in subtrees too, strongest first", () => {
    const reset = { sessionReset: new Set(["/plan-net:net/plan-net:interface/plan-net:vrf"]) };
    const entry = { interface: [{ name: "e0", vrf: "a" }] };
    expect(classes(entry, {}, reset)).toEqual(["session-reset"]);
    expect(classes({}, entry, reset)).toEqual(["session-reset"]);
    expect(classes({ interface: [{ name: "e0" }] }, {}, reset)).toEqual(["ordinary"]);
    const whole = { ...reset, wholeDevice: new Set(["/plan-net:net/plan-net:hostname"]) };
    expect(classes({ hostname: "r" }, {}, whole)).toEqual(["whole-device"]);
    expect(
      countImpact(classifyOperations(operationsFor({ ...entry, hostname: "r" }, {}), { ...noImpactRules, ...whole })),
    ).toEqual([
      { impact: "whole-device", count: 1 },
      { impact: "session-reset", count: 1 },
    ]);
  });

  it("leaves a device that lost everything to be read from its deletes", () => {
    const { operations } = compare(emptyTree(schema), net(one), explicit);
    expect(operations.map(({ impact }) => impact)).toEqual(["delete", "delete"]);
  });
});

describe("causes", () => {
  const web: OperationCause = { kind: "service-put", service: "web" };
  const old: OperationCause = { kind: "service-remove", service: "old" };
  const causesOf = (
    desired: object,
    observed: object,
    attributions: readonly [string, OperationCause][],
  ): readonly string[] =>
    attributeOperations(
      operationsFor(desired, observed),
      attributions.map(([path, cause]) => ({ path: at(path), cause })),
      { kind: "drift" },
    ).map(({ causes }) => causes.map(causeText).join(", "));

  it("come from the path itself, from what the operation carries, from the subtree it belongs to, or are drift", () => {
    const created = { interface: [{ name: "e0", mtu: 9000, description: "x" }] };
    expect(
      causesOf(created, {}, [
        ["interface[name='e0']/mtu", web],
        ["interface[name='e0']/description", old],
        ["interface[name='e0']", web],
      ]),
    ).toEqual(["removal of service old, service web"]);
    const existing = { interface: [{ name: "e0", description: "y" }] };
    expect(causesOf({ interface: [{ name: "e0" }] }, existing, [["interface[name='e0']", old]])).toEqual([
      "removal of service old",
    ]);
    expect(causesOf({ hostname: "b" }, { hostname: "a" }, [["interface[name='e0']", web]])).toEqual(["drift"]);
  });
});
