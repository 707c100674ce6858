/** A module full of constraints, and random configurations of it: interfaces and VLANs that refer to each other. */
import fc from "fast-check";
import type { Json } from "../verdicts/verdict-case.ts";
import { maybe, present, rarely } from "./random-data.ts";

export const NETWORK_YANG = `
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

const small = fc.integer({ min: 0, max: 4 });
const name = fc.constantFrom("a", "b", "c", "d", "e");
/** Most references should lead somewhere, or nothing else would ever be wrong. */
const reference = fc.oneof({ weight: 30, arbitrary: fc.constantFrom("a", "b") }, { weight: 1, arbitrary: name });
const vlanId = fc.oneof({ weight: 30, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: small });
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
export const networkData: fc.Arbitrary<{ readonly [name: string]: Json }> = fc
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
  .map(({ owner, ...rest }) => ({ "v:net": present({ ...rest, ...owner }) }));
