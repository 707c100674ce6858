/**
 * Random configurations of a module that is full of constraints: ours and libyang agree on which are valid, and the
 * error-app-tag of the one error that libyang gives is among ours.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { validateTree } from "../../model/validation/validate-tree.ts";
import { valueOf } from "../support/results.ts";
import { caseSchema, readCase } from "../verdicts/our-verdict.ts";
import { type Json, type VerdictCase, moduleText } from "../verdicts/verdict-case.ts";
import { libyangAnswers, missingYanglint } from "../verdicts/yanglint-verdicts.ts";

const DOCUMENTS = 2000;

const yang = `
identity kind; identity ethernet { base kind; } identity fast { base ethernet; } identity loop { base kind; }
container net {
  presence "There is a network.";
  leaf limit { type uint8; default 2; }
  leaf strict { type boolean; }
  list if {
    key name; unique "mac"; unique "slot port"; max-elements 4;
    must "not(../strict = 'true') or mac" { error-app-tag "strict-needs-mac"; }
    leaf name { type string; }
    leaf kind { type identityref { base kind; } mandatory true; }
    leaf mac { type uint8; }
    leaf slot { type uint8; }
    leaf port { type uint8; }
    leaf mtu { when "derived-from-or-self(../kind, 'v:ethernet')"; type uint16; must ". >= 2 * ../../limit"; }
    container link {
      leaf peer { type leafref { path "../../../if/name"; } must ". != ../../name"; }
      leaf speed { type uint8; default 5; must "not(../peer) or . <= 5"; }
    }
    choice mode {
      leaf access { type uint8; must "/net/vlan[id = current()]" { error-app-tag "no-such-vlan"; } }
      leaf-list trunk { type leafref { path "/net/vlan/id"; } max-elements 2; }
      case off { leaf off { type uint8; mandatory true; } leaf why { when "../kind != 'v:loop'"; type string; } }
    }
  }
  list vlan {
    key id;
    must "count(member) <= ../limit";
    leaf id { type uint8; }
    leaf-list member { type leafref { path "/net/if/name"; } }
    leaf main { type leafref { path "../../if/name"; } must "deref(.)/../kind != 'v:loop'"; }
    leaf slot { type leafref { path "/net/if[name = current()/../main]/slot"; } }
    container guard { when "../main"; presence "It is guarded."; leaf level { type uint8; mandatory true; } }
  }
  choice owner { when "strict = 'true'"; mandatory true; leaf person { type string; } leaf team { type string; } }
  leaf primary { type instance-identifier; must "re-match(local-name(deref(.)), 'if|vlan')"; }
}`;

const missing = missingYanglint();
const small = fc.integer({ min: 0, max: 4 });
const name = fc.constantFrom("a", "b", "c", "d", "e");
/** Most references should lead somewhere, or nothing else would ever be wrong. */
const reference = fc.oneof({ weight: 30, arbitrary: fc.constantFrom("a", "b") }, { weight: 1, arbitrary: name });
const vlanId = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: small });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 3 });

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Leaves out what is undefined, and containers without content, which libyang takes for instances. */
function present(value: { readonly [name: string]: Json | undefined }): { readonly [name: string]: Json } {
  const kept: Record<string, Json> = {};
  for (const [each, content] of Object.entries(value)) {
    if (content === undefined || (typeof content === "object" && JSON.stringify(content) === "{}")) continue;
    kept[each] = content;
  }
  return kept;
}

const link = fc.record({ peer: rarely(reference), speed: rarely(fc.constantFrom(4, 6)) }).map(present);
const mode = fc.oneof(
  fc.constant({}),
  fc.record({ access: vlanId }),
  fc.record({ trunk: fc.uniqueArray(vlanId, { minLength: 1, maxLength: 3 }) }),
  fc.record({ off: small, why: rarely(fc.constant("x")) }),
);
const interfaces = fc.uniqueArray(
  fc
    .record({
      name: reference,
      kind: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom("v:ethernet", "v:fast", "v:loop") },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      mac: maybe(fc.integer({ min: 0, max: 9 })),
      slot: maybe(small),
      port: maybe(small),
      mtu: rarely(fc.constantFrom(5, 9)),
      link,
      mode,
    })
    .map(({ mode: chosen, ...rest }) => present({ ...rest, ...chosen })),
  { minLength: 2, maxLength: 5, selector: (entry) => entry["name"] },
);
const vlans = fc.uniqueArray(
  fc
    .record({
      id: vlanId,
      member: fc.uniqueArray(reference, { maxLength: 3 }),
      main: rarely(reference),
      slot: rarely(small),
      guard: rarely(fc.record({ level: small })),
    })
    .map(present),
  { minLength: 2, maxLength: 5, selector: (entry) => entry["id"] },
);
const network = fc
  .record({
    limit: maybe(fc.integer({ min: 1, max: 4 })),
    if: interfaces,
    vlan: vlans,
    owner: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom({}, { strict: false }) },
      { weight: 3, arbitrary: fc.constantFrom({ strict: true, person: "p" }, { strict: true, team: "t" }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom({ strict: true }, { team: "t" }, { strict: true, person: "p", team: "t" }),
      },
    ),
    primary: maybe(reference.map((each) => `/v:net/if[name='${each}']`)),
  })
  .map(({ owner, ...rest }) => present({ ...rest, ...owner }));

describePeer("random configurations", missing, () => {
  it(`${String(DOCUMENTS)} have the verdict of libyang`, () => {
    const cases = fc
      .sample(network, { seed: 7950, numRuns: DOCUMENTS })
      .map((net): VerdictCase => ({ title: "random", rfc: "8", yang, data: { "v:net": net }, verdict: "valid" }));
    const [first] = cases;
    if (first === undefined) throw new Error("no documents");
    const schema = caseSchema(first);
    const answers = libyangAnswers(
      moduleText(first),
      cases.map((each) => JSON.stringify(each.data)),
    );
    let valid = 0;
    const tags = new Map<string, number>();
    for (const [index, each] of cases.entries()) {
      const findings = validateTree(valueOf(readCase(each, schema)));
      const answer = answers[index];
      const place = JSON.stringify(each.data);
      expect({ valid: findings.length === 0, place }, answer?.message).toEqual({ valid: answer?.valid, place });
      if (findings.length === 0) valid += 1;
      else {
        const tag = answer?.errorAppTag ?? "";
        tags.set(tag, (tags.get(tag) ?? 0) + 1);
        expect(
          findings.map(({ errorAppTag }) => errorAppTag ?? ""),
          place,
        ).toContain(tag);
      }
    }
    const counts = [...tags].map(([tag, count]) => `${tag === "" ? "no error-app-tag" : tag} ${String(count)}`);
    process.stdout.write(`random configurations: ${String(valid)} valid; ${counts.sort().join(", ")}\n`);
    // Documents of one kind only would prove nothing.
    expect(valid).toBeGreaterThan(DOCUMENTS / 20);
    expect(tags.size).toBeGreaterThan(6);
  });
});
