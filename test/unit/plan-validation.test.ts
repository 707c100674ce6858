import { describe, expect, it } from "vitest";
import { describeFinding } from "../../plan/summarise-plan.ts";
import { validationFindings } from "../../plan/validation-findings.ts";
import { net } from "./plan-model.ts";

const broken = { name: "e0", vrf: "red" };
const reference = "/plan-net:net/interface[name='e0']/vrf";

describe("what a plan does to the rules of the modules", () => {
  it("is nothing where the configuration keeps them all", () => {
    const kept = net({ vrf: [{ name: "red" }], interface: [broken] });
    expect(validationFindings(net({}), kept)).toEqual([]);
  });

  it("names each rule that the plan breaks, as a server would answer", () => {
    const findings = validationFindings(
      net({ vrf: [{ name: "red" }], interface: [broken] }),
      net({ interface: [broken] }),
    );
    expect(findings).toMatchObject([
      { kind: "validation", code: "reference-missing", path: reference, errorAppTag: "instance-required" },
    ]);
    expect(findings.map((each) => describeFinding(each, "change"))).toEqual([
      expect.stringMatching(/^breaks a rule of the device's modules: .*\/vrf: .*\(instance-required\)$/),
    ]);
  });

  it("counts what was broken before and stays so, and says nothing of what it mends", () => {
    const other = { name: "e1", vrf: "blue" };
    expect(validationFindings(net({ interface: [broken] }), net({ interface: [broken, other] }))).toMatchObject([
      { kind: "validation", path: "/plan-net:net/interface[name='e1']/vrf" },
      { kind: "validation-standing", count: 1 },
    ]);
    expect(validationFindings(net({ interface: [broken, other] }), net({ interface: [broken] }))).toEqual([
      { kind: "validation-standing", path: "/", count: 1 },
    ]);
    expect(validationFindings(net({ interface: [broken] }), net({}))).toEqual([]);
  });
});
