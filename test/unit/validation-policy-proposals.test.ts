/** What a validation policy lets services do: refused is what breaks a rule that was kept, and nothing else. */
import { describe, expect, test } from "vitest";
import { findingsOf, judgeProposal, policyDocument, refuseByPolicy } from "../../activities/validation-policy.ts";
import { RefusedError } from "../../activities/to-application-failure.ts";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import type { ValidationPolicy } from "../../model/validation/policy.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { type Proposal, propose } from "../../services/propose.ts";
import { OwnershipStory } from "../support/ownership-story.ts";
import { valueOf } from "../support/results.ts";

const schema = valueOf(
  compileYang(
    [
      {
        name: "rules.yang",
        text: `module rules {
  namespace "urn:t:rules"; prefix r;
  container top {
    list port {
      key name;
      leaf name { type string; }
      leaf vlan { type leafref { path "/r:top/r:vlan/r:id"; } }
      leaf mtu { type uint16; must ". < 9000"; }
    }
    list vlan { key id; leaf id { type uint16; } }
    container login { presence "logins"; leaf method { type string; mandatory true; } }
  }
}`,
      },
    ],
    { implement: "all", features: "all" },
  ),
);
const port = "/rules:top/port[name='e1']";
const strict: ValidationPolicy = {
  name: "strict",
  rules: [{ codes: ["reference-missing", "must-false", "mandatory-missing"], severity: "error" }],
  exemptions: [],
};
const vlan = { path: `${port}/vlan`, value: "7" };
const made = { path: "/rules:top/vlan[id='7']" };
const story = (): OwnershipStory => new OwnershipStory({ schema });

/** `code path` of everything for which the policy refuses. */
async function refusal(on: OwnershipStory, proposal: Result<Proposal>, policy = strict): Promise<readonly string[]> {
  const schemas = new Map([...on.state.devices.keys()].map((id) => [id, schema]));
  try {
    refuseByPolicy(policy, await judgeProposal({ state: on.state, proposal: valueOf(proposal), schemas }, policy));
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    expect(error.message).toContain(`policy ${policy.name}`);
    const told = error.diagnostics.map((each) => {
      expect(each).toMatchObject({ severity: "error", message: expect.stringMatching(/^on r1: /) as string });
      return `${each.code} ${each.places.map(formatPlace)[0] ?? ""}`;
    });
    return told.sort();
  }
  return [];
}
const put = (on: OwnershipStory, ...rules: readonly { readonly path: string; readonly value?: string }[]) =>
  on.propose({ name: "s", rules });
const removal = (on: OwnershipStory, name: string): Result<Proposal> =>
  propose(on.state, new Map([["id-r1", schema]]), [{ kind: "remove", name }], []);

describe("a put", () => {
  test("that breaks rules is refused with all of them", async () => {
    const on = story();
    expect(
      await refusal(on, put(on, vlan, { path: `${port}/mtu`, value: "9000" }, { path: "/rules:top/login" })),
    ).toEqual([
      "mandatory-missing /rules:top/login/method",
      `must-false ${port}/mtu`,
      `reference-missing ${port}/vlan`,
    ]);
  });

  test("that keeps them passes, what it needs being there before or coming along", async () => {
    const on = story();
    expect(await refusal(on, put(on, vlan, made))).toEqual([]);
    on.import("r1", { set: [[made.path]] });
    expect(await refusal(on, put(on, vlan))).toEqual([]);
  });

  test("is not refused for what was broken before, nor for what it leaves broken", async () => {
    const on = story().import("r1", { set: [[port], [vlan.path, "7"], [`${port}/mtu`, "9100"]] });
    expect(await refusal(on, put(on, { path: `${port}/mtu`, value: "9200" }))).toEqual([]);
    expect(await refusal(on, put(on, { path: "/rules:top/vlan[id='8']" }))).toEqual([]);
    expect(await refusal(on, put(on, { path: "/rules:top/login" }))).toEqual([
      "mandatory-missing /rules:top/login/method",
    ]);
  });

  test("passes where the policy warns, ignores or exempts", async () => {
    const on = story();
    for (const severity of ["warning", "ignore"] as const)
      expect(await refusal(on, put(on, vlan), { ...strict, rules: [{ severity }] })).toEqual([]);
    const exempt = { paths: [port], reason: "made by hand" };
    expect(await refusal(on, put(on, vlan), { ...strict, exemptions: [exempt] })).toEqual([]);
  });
});

describe("what a proposal says of the rules that it breaks", () => {
  const judged = (on: OwnershipStory, proposal: Result<Proposal>, policy?: ValidationPolicy) => {
    const schemas = new Map([...on.state.devices.keys()].map((id) => [id, schema]));
    return judgeProposal({ state: on.state, proposal: valueOf(proposal), schemas }, policy);
  };

  test("without a policy each is a warning, with its device, by path", async () => {
    const on = story();
    const device = { device: "id-r1", name: "r1", severity: "warning" };
    expect(findingsOf(await judged(on, put(on, vlan, { path: "/rules:top/login" })))).toMatchObject({
      findings: [
        { ...device, code: "mandatory-missing", path: "/rules:top/login/method" },
        { ...device, code: "reference-missing", path: `${port}/vlan`, errorAppTag: "instance-required" },
      ],
    });
  });

  test("is nothing where none is broken, or the policy ignores it", async () => {
    const on = story();
    const ignoring: ValidationPolicy = { ...strict, rules: [{ severity: "ignore" }] };
    expect(findingsOf(await judged(on, put(on, vlan, made)))).toBeUndefined();
    expect(findingsOf(await judged(on, put(on, vlan), ignoring))).toBeUndefined();
  });

  test("is the first thousand, and how many more", async () => {
    const on = story();
    const many = (await judged(on, put(on, vlan))).map((each) => ({
      ...each,
      introduced: Array.from({ length: 1_003 }, () => each.introduced).flat(),
    }));
    const said = findingsOf(many);
    expect([said?.findings?.length, said?.moreFindings]).toEqual([1_000, 3]);
  });
});

describe("a removal", () => {
  const method = { path: "/rules:top/login/method", value: "local" };

  test("that takes away what a rule needs is refused", async () => {
    const on = story().import("r1", { set: [["/rules:top/login"], [method.path, method.value]] });
    on.put({ name: "s", rules: [method] });
    expect(await refusal(on, removal(on, "s"))).toEqual([`mandatory-missing ${method.path}`]);
  });

  test("that takes the whole with it is not", async () => {
    const on = story().put({ name: "s", rules: [{ path: "/rules:top/login" }, method] });
    expect(await refusal(on, removal(on, "s"))).toEqual([]);
  });
});

test("equal policies are equal documents, whatever the order of their fields", () => {
  const { name, rules, exemptions } = strict;
  expect(policyDocument({ exemptions, rules, name })).toBe(policyDocument(strict));
});
