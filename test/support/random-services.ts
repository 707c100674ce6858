/**
 * A module full of constraints, and random configurations of it: order that the user gives, numbers of entries, unions of
 * references, paths with predicates, choices in choices with defaults, `when` on every kind of statement that may have one.
 */
import fc from "fast-check";
import type { Json } from "../verdicts/verdict-case.ts";
import { maybe, present, rarely } from "./random-data.ts";

export const SERVICES_YANG = `
grouping extras {
  leaf e1 { type uint8; default 2; }
  container more { leaf depth { type uint8; must ". < 9 or ../../e1 > 3" { error-app-tag "too-deep"; } } }
}
container sys {
  presence "There is a system.";
  leaf mode { type enumeration { enum on; enum off; } default on; }
  leaf-list dns {
    type uint8; ordered-by user; min-elements 1; max-elements 3;
    must "not(. = ../blocked)" { error-app-tag "blocked"; }
  }
  leaf-list blocked { type uint8; max-elements 2; }
  list hop {
    key "a b"; ordered-by user; max-elements 4; unique "cost"; unique "tag/v b";
    must "count(../hop[a = current()/a]) <= 2" { error-app-tag "fan-out"; }
    must "not(preceding-sibling::hop[1]/a > a + 2)" { error-app-tag "order"; }
    leaf a { type uint8; }
    leaf b { type uint8; }
    leaf cost { when "../a > 2"; type uint8; }
    container tag { leaf v { type uint8; } }
    leaf-list via { type leafref { path "/sys/hop/a"; } must "count(../via) < 3 or . != ../a"; }
  }
  leaf target {
    type union { type leafref { path "../hop/a"; } type leafref { path "../dns"; } type enumeration { enum none; } }
  }
  leaf pair { type leafref { path "../hop[a = current()/../target]/b"; } }
  leaf point { type instance-identifier; must "deref(.)/../b = 0 or deref(.) > 0 or deref(.)/b"; }
  leaf anywhere { type instance-identifier { require-instance false; } }
  choice plan {
    default simple;
    case simple { leaf s1 { type uint8; default 4; must "count(../dns) < 3 or . > 4"; } leaf s2 { type uint8; } }
    case complex {
      leaf c1 { type uint8; mandatory true; }
      choice inner {
        mandatory true;
        case left { leaf l1 { type uint8; } leaf l2 { type uint8; mandatory true; } }
        case right { when "mode = 'on'"; container r { leaf-list rr { type uint8; min-elements 2; } } }
      }
      choice soft { default d1; leaf d1 { type uint8; default 7; must ". != ../c1"; } leaf d2 { type uint8; } }
    }
    case bare { when "hop"; leaf bare { type empty; } }
  }
  container stats {
    when "../mode = 'on'";
    must "min <= max" { error-app-tag "min-max"; }
    leaf min { type uint8; default 2; }
    leaf max { type uint8; default 5; must ". >= count(../../hop)"; }
  }
  uses extras { when "count(dns) > 1"; augment more { when "../e1 = 2"; leaf reach { type uint8; } } }
}`;

const digit = fc.integer({ min: 0, max: 4 });
const often = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(1, 3) }, { weight: 1, arbitrary: digit });

const hops = fc.uniqueArray(
  fc
    .record({
      a: often,
      b: fc.constantFrom(0, 1),
      cost: rarely(digit),
      tag: maybe(fc.record({ v: fc.integer({ min: 0, max: 9 }) })),
      via: rarely(fc.uniqueArray(often, { minLength: 1, maxLength: 3 })),
    })
    .map(present),
  { minLength: 1, maxLength: 5, selector: (entry) => JSON.stringify([entry["a"], entry["b"]]) },
);

const inner = fc.oneof(
  fc.record({ l1: maybe(digit), l2: digit }).map(present),
  fc.record({ r: fc.record({ rr: fc.uniqueArray(digit, { minLength: 2, maxLength: 3 }) }) }),
  { weight: 1, arbitrary: fc.constantFrom<{ readonly [name: string]: Json }>({}, { l1: 1 }, { r: { rr: [1] } }) },
);
const plan: fc.Arbitrary<{ readonly [name: string]: Json | undefined }> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ s1: rarely(digit), s2: rarely(digit) }) },
  {
    weight: 3,
    arbitrary: fc
      .record({ c1: fc.constantFrom(5, 6, 6, 6, 7), inner, d1: rarely(digit), d2: rarely(digit) })
      .map(({ inner: chosen, ...rest }) => ({ ...rest, ...chosen })),
  },
  { weight: 1, arbitrary: fc.constantFrom({ bare: [null] }, { d1: 1 }, { s1: 5, c1: 1, l2: 1 }) },
);

const points = fc.constantFrom(
  "/v:sys/dns[.='1']",
  "/v:sys/dns[.='0']",
  "/v:sys/hop[a='1'][b='0']",
  "/v:sys/hop[a='3'][b='1']/cost",
  "/v:sys/e1",
  "/v:sys/s1",
);

export const servicesData: fc.Arbitrary<{ readonly [name: string]: Json }> = fc
  .record({
    mode: rarely(fc.constantFrom("on", "off")),
    dns: fc.uniqueArray(digit, { minLength: 1, maxLength: 3 }),
    blocked: rarely(fc.uniqueArray(digit, { minLength: 1, maxLength: 2 })),
    hop: maybe(hops),
    target: rarely(fc.oneof(often, fc.constant("none"))),
    pair: rarely(fc.constantFrom(0, 1)),
    point: rarely(points),
    anywhere: rarely(points),
    plan,
    stats: rarely(fc.record({ min: maybe(digit), max: maybe(digit) }).map(present)),
    e1: rarely(digit),
    more: rarely(fc.record({ depth: maybe(fc.constantFrom(3, 9)), reach: maybe(digit) }).map(present)),
  })
  .map(({ plan: chosen, ...rest }) => ({ "v:sys": present({ ...rest, ...chosen }) }));
