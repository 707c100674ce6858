import { describe, expect, it } from "vitest";
import type { DataTree } from "../../model/tree.ts";
import type { PolicyExemption, PolicyRule, ValidationPolicy } from "../../model/validation/policy.ts";
import { describeFinding } from "../../plan/summarise-plan.ts";
import { judgeChange, refusedBy, validationFindings } from "../../plan/validation-findings.ts";
import { net } from "./plan-model.ts";

const broken = { name: "e0", vrf: "red" };
const other = { name: "e1", vrf: "blue" };
const reference = "/plan-net:net/interface[name='e0']/vrf";
const otherReference = "/plan-net:net/interface[name='e1']/vrf";

const findings = (before: DataTree, after: DataTree, policy?: ValidationPolicy) =>
  validationFindings(judgeChange(before, after, policy), policy);

describe("what a plan does to the rules of the modules", () => {
  it("is nothing where the configuration keeps them all", () => {
    const kept = net({ vrf: [{ name: "red" }], interface: [broken] });
    expect(findings(net({}), kept)).toEqual([]);
  });

  it("names each rule that the plan breaks, as a server would answer", () => {
    const found = findings(net({ vrf: [{ name: "red" }], interface: [broken] }), net({ interface: [broken] }));
    expect(found).toMatchObject([
      { kind: "validation", code: "reference-missing", path: reference, errorAppTag: "instance-required" },
    ]);
    expect(found.map((each) => describeFinding(each, "change"))).toEqual([
      expect.stringMatching(/^breaks a rule of the device's modules: .*\/vrf: .*\(instance-required\)$/),
    ]);
  });

  it("counts what was broken before and stays so, and says nothing of what it mends", () => {
    expect(findings(net({ interface: [broken] }), net({ interface: [broken, other] }))).toMatchObject([
      { kind: "validation", path: otherReference },
      { kind: "validation-standing", count: 1 },
    ]);
    expect(findings(net({ interface: [broken, other] }), net({ interface: [broken] }))).toEqual([
      { kind: "validation-standing", path: "/", count: 1 },
    ]);
    expect(findings(net({ interface: [broken] }), net({}))).toEqual([]);
  });
});

describe("what a policy makes of it", () => {
  const policy = (rules: readonly PolicyRule[], exemptions: readonly PolicyExemption[] = []): ValidationPolicy => ({
    name: "site",
    rules,
    exemptions,
  });
  const strict = policy([{ codes: ["reference-missing"], severity: "error" }]);
  const refused = (before: DataTree, after: DataTree, by: ValidationPolicy) =>
    refusedBy(judgeChange(before, after, by)).map(({ code, path, severity }) => [severity, code, path]);
  const [nothing, one, both] = [net({}), net({ interface: [broken] }), net({ interface: [broken, other] })];

  it("error: the change is refused, with the rule and the path", () => {
    expect(refused(nothing, both, strict)).toEqual([
      ["error", "reference-missing", reference],
      ["error", "reference-missing", otherReference],
    ]);
  });

  it("never for what was broken before", () => {
    expect(refused(one, one, strict)).toEqual([]);
    expect(refused(one, both, strict)).toEqual([["error", "reference-missing", otherReference]]);
    expect(refused(both, one, strict)).toEqual([]);
  });

  it("warning, ignore and an exemption: it passes, and what is ignored or exempted is not shown", () => {
    const warns = policy([{ severity: "warning" }]);
    const ignores = policy([{ codes: ["reference-missing"], severity: "ignore" }]);
    const exempts = policy(strict.rules, [{ paths: [reference], reason: "the VRF is made by hand" }]);
    for (const each of [warns, ignores]) expect(refused(nothing, both, each)).toEqual([]);
    expect(findings(nothing, one, warns)).toEqual(findings(nothing, one));
    expect(findings(nothing, one, ignores)).toEqual([]);
    expect(refused(nothing, both, exempts)).toEqual([["error", "reference-missing", otherReference]]);
    // Neither among what stands: nobody is to look at it.
    expect(findings(one, one, ignores)).toEqual([]);
    expect(findings(one, one, exempts)).toEqual([]);
  });

  it("is said of a finding that a plan carries all the same (enforce, accept)", () => {
    const [found, ...rest] = findings(nothing, one, strict);
    expect([found, rest]).toMatchObject([{ severity: "error" }, []]);
    if (found === undefined) throw new Error("no finding");
    expect(describeFinding(found, "enforce")).toContain("an error by the validation policy");
  });
});
