import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues } from "../../model/values/canonical-order.ts";
import { parseValue } from "../../model/values/canonical-value.ts";
import type { TypeSchema } from "../../model/schema.ts";
import {
  BUILT_IN_TYPES,
  type BuiltInType,
  type PlainValue,
  type Value,
  plainValue,
  valuesEqual,
} from "../../model/value.ts";
import { buildSchema, types } from "../support/schema-builder.ts";

const schema = buildSchema([
  {
    name: "lab",
    identities: { role: [], time: ["lab:role"], "secure-time": ["lab:time"] },
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          {
            kind: "list",
            name: "peer",
            keys: ["address", "weight"],
            children: [
              { kind: "leaf", name: "address", type: types.string({ typedefs: ["ietf-inet-types:ipv6-address"] }) },
              { kind: "leaf", name: "weight", type: types.decimal64(2) },
            ],
          },
          { kind: "leaf-list", name: "word", type: types.string() },
        ],
      },
    ],
  },
  { name: "more", namespace: "urn:more", identities: { log: ["lab:role"], time: ["lab:role"] } },
]);
const form = { kind: "canonical" } as const;

function read(type: TypeSchema, lexical: string, as?: BuiltInType): PlainValue | undefined {
  const result = parseValue(type, lexical, { schema, form, ...(as === undefined ? {} : { as }) });
  return result.kind === "ok" ? result.value : undefined;
}

/** A text with the value that it has to become. */
interface Spelled {
  readonly type: TypeSchema;
  readonly lexical: string;
  readonly canonical: string;
}

const sign = fc.constantFrom("", "+", "-");
const zeros = fc.nat(3).map((count) => "0".repeat(count));

const INTEGERS = {
  int8: 8n,
  int16: 16n,
  int32: 32n,
  int64: 64n,
  uint8: 8n,
  uint16: 16n,
  uint32: 32n,
  uint64: 64n,
} as const;

const integer: fc.Arbitrary<Spelled> = fc
  .constantFrom(...(Object.keys(INTEGERS) as (keyof typeof INTEGERS)[]))
  .chain((kind) => {
    const bits = INTEGERS[kind];
    const [min, max] = kind.startsWith("u") ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    return fc.tuple(fc.bigInt({ min, max }), zeros, fc.constantFrom("", "+")).map(([number, padding, plus]) => ({
      type: types.integer(kind),
      lexical: number < 0n ? `-${padding}${String(-number)}` : `${plus}${padding}${String(number)}`,
      canonical: String(number),
    }));
  });

function decimalOf(fractionDigits: number): fc.Arbitrary<Spelled> {
  return fc
    .tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(62), zeros, zeros)
    .map(([large, shift, before, after]) => {
      // Small numbers as often as large ones.
      const number = large / 2n ** BigInt(shift);
      const digits = String(number < 0n ? -number : number).padStart(fractionDigits + 1, "0");
      const [whole, fraction] = [digits.slice(0, -fractionDigits), digits.slice(-fractionDigits)];
      const minus = number < 0n ? "-" : "";
      return {
        type: types.decimal64(fractionDigits),
        lexical: `${minus}${before}${whole}.${fraction}${after}`,
        canonical: `${minus}${whole}.${fraction.replace(/0+$/, "") || "0"}`,
      };
    });
}
const decimal = fc.integer({ min: 1, max: 18 }).chain(decimalOf);

const binary: fc.Arbitrary<Spelled> = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 20 }))
  .map(([octets, width]) => {
    const canonical = Buffer.from(octets).toString("base64");
    return {
      type: types.binary(),
      lexical: canonical.replace(new RegExp(`.{${String(width)}}`, "g"), "$&\r\n"),
      canonical,
    };
  });

const bits: fc.Arbitrary<Spelled> = fc
  .tuple(fc.shuffledSubarray(["a", "b", "c", "d"]), fc.constantFrom(" ", "  ", "\n\t"))
  .map(([names, blank]) => ({
    type: types.bits("a", "b", "c", "d"),
    lexical: names.join(blank),
    canonical: [...names].sort().join(" "),
  }));

/** An address from its groups in one of the ways RFC 4291 section 2.2 allows; the canonical form is that of WHATWG URL. */
const ipv6: fc.Arbitrary<Spelled> = fc
  .tuple(
    fc.array(fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
      minLength: 8,
      maxLength: 8,
    }),
    fc.boolean(),
    fc.boolean(),
    fc.constantFrom("", "%1", "%Eth0"),
  )
  .map(([groups, padded, mixed, zone]) => {
    const written = groups.map((group) =>
      group
        .toString(16)
        .toUpperCase()
        .padStart(padded ? 4 : 1, "0"),
    );
    const [high = 0, low = 0] = groups.slice(6);
    if (mixed) written.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join("."));
    const canonical = new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]/`).hostname.slice(1, -1);
    return {
      type: types.string({ typedefs: ["ietf-inet-types:ipv6-address"] }),
      lexical: written.join(":") + zone,
      canonical: canonical + zone,
    };
  })
  .filter(({ canonical }) => !canonical.startsWith("::ffff:"));

const ipv4Prefix: fc.Arbitrary<Spelled> = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 32 }))
  .map(([address, length]) => {
    const dotted = (number: number): string => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
    const mask = length === 0 ? 0 : -1 << (32 - length);
    return {
      type: types.string({ typedefs: ["ietf-inet-types:ipv4-prefix"] }),
      lexical: `${dotted(address)}/${String(length)}`,
      canonical: `${dotted(address & mask)}/${String(length)}`,
    };
  });

const identity: fc.Arbitrary<Spelled> = fc
  .constantFrom("lab:time", "lab:secure-time", "more:log", "more:time")
  .map((id) => ({ type: types.identityref("lab:role"), lexical: id, canonical: id }));

const instance: fc.Arbitrary<Spelled> = fc.tuple(ipv6, decimalOf(2), fc.boolean()).map(([address, weight, swapped]) => {
  const keys = [`[address='${address.lexical}']`, `[weight = "${weight.lexical}"]`];
  return {
    type: types.instanceIdentifier,
    lexical: `/lab:c/peer${(swapped ? keys.reverse() : keys).join("")}`,
    canonical: `/lab:c/peer[address='${address.canonical}'][weight='${weight.canonical}']`,
  };
});

describe("spellings of one value", () => {
  it.each([
    ["integers", integer],
    ["decimal64", decimal],
    ["binary", binary],
    ["bits", bits],
    ["identities", identity],
    ["IPv6 addresses", ipv6],
    ["IPv4 prefixes", ipv4Prefix],
    ["instance-identifiers", instance],
  ])("of %s become its canonical form, which stays", (_name, spelled) => {
    fc.assert(
      fc.property(spelled, ({ type, lexical, canonical }) => {
        expect(read(type, lexical)?.text).toBe(canonical);
        expect(read(type, canonical)?.text).toBe(canonical);
      }),
      { numRuns: 1000 },
    );
  });
});

const simple: readonly TypeSchema[] = [
  types.string(),
  types.string({ length: "0..3 | 6..9", patterns: ["[^x]*"], not: ["a.*"] }),
  ...[
    "ipv6-address",
    "ipv6-prefix",
    "ipv4-prefix",
    "ipv4-address-and-prefix",
    "ipv6-address-and-prefix",
    "domain-name",
  ].map((name) => types.string({ typedefs: [`ietf-inet-types:${name}`] })),
  types.string({ typedefs: ["ietf-yang-types:mac-address"] }),
  ...(Object.keys(INTEGERS) as (keyof typeof INTEGERS)[]).map((kind) => types.integer(kind)),
  types.integer("int16", "-5..5 | 100..200"),
  types.decimal64(1),
  types.decimal64(18),
  types.decimal64(2, "-1.0..1.0"),
  types.boolean,
  types.empty,
  types.enumeration("up", "down", "10", "a b"),
  types.bits("b", "a"),
  types.binary("0..6"),
  types.identityref("lab:role"),
  types.instanceIdentifier,
];
const anyType = fc.oneof(
  fc.constantFrom(...simple),
  fc.array(fc.constantFrom(...simple), { minLength: 2, maxLength: 5 }).map((members) => types.union(...members)),
);
const addressLike = fc.string({ unit: fc.constantFrom("0", "1", "f", "F", ":", "::", ".", "/", "%"), maxLength: 9 });
const anyLexical = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 4 }),
  addressLike,
  fc
    .tuple(sign, fc.nat(300), fc.constantFrom("", ".0", ".5", ".125", "e1"))
    .map(([first, number, rest]) => `${first}${String(number)}${rest}`),
  fc.oneof(integer, decimal, binary, bits, identity, ipv6, ipv4Prefix, instance).map(({ lexical }) => lexical),
  fc.constantFrom(
    "true",
    "false",
    "",
    "up",
    "10",
    "a b",
    "b a",
    " a",
    "/lab:c",
    "/lab:c/word[.='x']",
    "__proto__",
    "constructor",
  ),
);

const spelledPair = fc
  .tuple(fc.oneof(integer, decimal, binary, bits, identity, instance), fc.constantFrom(...simple))
  .map(([{ type, lexical }, other]): readonly [TypeSchema, string] => [types.union(other, type), lexical]);
const wordPair = fc.constantFrom<readonly [TypeSchema, string]>(
  [types.boolean, "true"],
  [types.union(types.boolean, types.empty), ""],
  [types.union(types.integer("int8"), types.enumeration("10", "300")), "300"],
);
const anyPair = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(anyType, anyLexical) },
  { weight: 3, arbitrary: spelledPair },
  { weight: 1, arbitrary: wordPair },
);

describe("whatever the text", () => {
  it("what is accepted is canonical: it reads as itself, as its own type and as the first that accepts it", () => {
    const accepted = new Map<string, number>();
    fc.assert(
      fc.property(anyPair, ([type, lexical]) => {
        const value = read(type, lexical);
        if (value === undefined) return;
        accepted.set(value.type, (accepted.get(value.type) ?? 0) + 1);
        expect(read(type, value.text, value.type)).toEqual(value);
        if (type.kind !== "union") expect(read(type, value.text)).toEqual(value);
      }),
      { numRuns: 20_000 },
    );
    expect([...accepted.keys()].sort()).toEqual([...BUILT_IN_TYPES].sort());
    for (const count of accepted.values()) expect(count).toBeGreaterThan(20);
  });

  it("what is refused is refused with a reason that does not show it where it may be a secret", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          types.string({ patterns: ["never"] }),
          types.binary("1"),
          types.union(types.string({ length: "0" }), types.binary("1"), types.integer("int8"), types.decimal64(2)),
        ),
        fc.stringMatching(/^[g-z]{12}[!?][G-Z]{12}$/),
        (type, secret) => {
          const result = parseValue(type, secret, { schema, form });
          expect(result.kind).toBe("error");
          expect(JSON.stringify(result)).not.toContain(secret);
        },
      ),
    );
  });
});

const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  decimal64: decimal.map(({ canonical }) => canonical),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
};
const smallNumber = fc.integer({ min: 0, max: 120 }).map(String);
const plain: fc.Arbitrary<PlainValue> = fc
  .constantFrom(...BUILT_IN_TYPES)
  .chain((type) =>
    (TEXTS[type] ?? (/^u?int/.test(type) ? smallNumber : fc.string({ unit: "binary", maxLength: 3 }))).map((text) =>
      plainValue(type, text),
    ),
  );
const sealed: fc.Arbitrary<Value> = fc
  .tuple(fc.constantFrom("k1", "k2"), fc.constantFrom("00", "0a", "ff"), fc.constantFrom(...BUILT_IN_TYPES))
  .map(([keyId, hmac, type]) => ({ kind: "sealed", type, keyId, hmac }));
const anyValue: fc.Arbitrary<Value> = fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: sealed });

describe("the order of values", () => {
  it("is total: antisymmetric, transitive, and equal for equal values only", () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        expect(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a))).toBe(0);
        expect(compareValues(a, b) === 0).toBe(valuesEqual(a, b));
        if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) expect(compareValues(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 10_000 },
    );
  });

  it("is that of numbers", () => {
    for (const type of ["int64", "uint64"] as const)
      fc.assert(
        fc.property(TEXTS[type]!, TEXTS[type]!, (a, b) => {
          const expected = BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
          expect(Math.sign(compareValues(plainValue(type, a), plainValue(type, b)))).toBe(expected);
        }),
      );
    fc.assert(
      fc.property(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -9999, max: 9999 }), (a, b) => {
        const value = (number: number): PlainValue =>
          plainValue("decimal64", (number / 100).toFixed(2).replace(/0$/, ""));
        expect(Math.sign(compareValues(value(a), value(b)))).toBe(Math.sign(a - b));
      }),
    );
  });
});
