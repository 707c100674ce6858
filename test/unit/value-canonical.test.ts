import { describe, expect, it } from "vitest";
import { parseCanonicalPath, parseValue, type ValueForm } from "../../model/values/canonical-value.ts";
import { compareValues } from "../../model/values/canonical-order.ts";
import { formatInstancePath } from "../../model/path.ts";
import type { TypeSchema } from "../../model/schema.ts";
import { plainValue, valuesEqual } from "../../model/value.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { buildSchema, types } from "../support/schema-builder.ts";
import { problemsOf, valueOf, warningsOf } from "../support/results.ts";
import { compiled, leafAt, yangModule } from "./yang-fixture.ts";

const schema = buildSchema([
  {
    name: "lab",
    identities: { role: [], time: ["lab:role"], "secure-time": ["lab:time"], other: [] },
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          {
            kind: "list",
            name: "peer",
            keys: ["address", "role"],
            children: [
              { kind: "leaf", name: "role", type: types.identityref("lab:role") },
              { kind: "leaf", name: "address", type: types.string({ typedefs: ["ietf-inet-types:ipv6-address"] }) },
              { kind: "leaf", name: "share", type: types.decimal64(2) },
            ],
          },
          { kind: "leaf-list", name: "share", type: types.decimal64(2) },
          { kind: "leaf", name: "copy", type: types.leafref("/lab:c/lab:share") },
        ],
      },
    ],
  },
  { name: "more", namespace: "urn:more", identities: { log: ["lab:role"], time: ["lab:other"] } },
]);

const canonical: ValueForm = { kind: "canonical" };
const xml: ValueForm = { kind: "xml", moduleOf: (prefix) => ({ "": "lab", l: "lab", m: "more" })[prefix] };

function text(type: TypeSchema, lexical: string, form: ValueForm = canonical): string {
  return valueOf(parseValue(type, lexical, { schema, form })).text;
}
function code(type: TypeSchema, lexical: string, form: ValueForm = canonical): string | undefined {
  return problemsOf(parseValue(type, lexical, { schema, form }))[0];
}

describe("equal values", () => {
  it("are of one type: a union may hold the number and the text", () => {
    expect(valuesEqual(plainValue("uint8", "7"), plainValue("uint8", "7"))).toBe(true);
    expect(valuesEqual(plainValue("uint8", "7"), plainValue("string", "7"))).toBe(false);
    expect(valuesEqual(plainValue("string", "7"), plainValue("string", "07"))).toBe(false);
  });

  it("of secrets are equal fingerprints by one key, and never the text", () => {
    const sealed = { kind: "sealed", type: "string", keyId: "k", hmac: "0a" } as const;
    expect(valuesEqual(sealed, { ...sealed })).toBe(true);
    expect(valuesEqual(sealed, { ...sealed, keyId: "l" })).toBe(false);
    expect(valuesEqual(sealed, { ...sealed, hmac: "0b" })).toBe(false);
    expect(valuesEqual(sealed, plainValue("string", "k:0a"))).toBe(false);
    expect(valuesEqual(plainValue("string", "k:0a"), sealed)).toBe(false);
  });
});

describe("integers", () => {
  it.each([
    ["uint16", " 9000 ", "9000"],
    ["int8", "-0", "0"],
    ["int8", "+007", "7"],
    ["uint64", "18446744073709551615", "18446744073709551615"],
    ["int64", "-9223372036854775808", "-9223372036854775808"],
  ] as const)("reads %s %j as %s", (kind, lexical, expected) => {
    expect(text(types.integer(kind), lexical, xml)).toBe(expected);
  });

  it("refuses what lies outside of the type, without losing a digit", () => {
    expect(code(types.integer("uint64"), "18446744073709551616")).toBe("value-range");
    expect(code(types.integer("int64"), "-9223372036854775809")).toBe("value-range");
    expect(code(types.integer("uint8"), "256")).toBe("value-range");
    expect(code(types.integer("uint8"), "9".repeat(100_000))).toBe("value-range");
  });

  it.each(["", "1.0", "1e3", "0x10", "ten", "--1", "1 2"])("refuses %j", (lexical) => {
    expect(code(types.integer("int32"), lexical)).toBe("value-syntax");
  });

  it("knows every part of a range", () => {
    const type = types.integer("int16", "-5..-1 | 7 | 100..200");
    for (const good of ["-5", "-1", "7", "100", "200"]) expect(text(type, good)).toBe(good);
    for (const bad of ["-6", "0", "6", "8", "99", "201"]) expect(code(type, bad)).toBe("value-range");
  });

  it("reads hexadecimal and octal in module text only (RFC 7950 section 9.2.1)", () => {
    const yang: ValueForm = { kind: "yang", moduleOf: () => undefined };
    expect(text(types.integer("int32"), "-0x1F", yang)).toBe("-31");
    expect(text(types.integer("int32"), "017", yang)).toBe("15");
    expect(text(types.integer("int32"), "017")).toBe("17");
    const long = `${"0".repeat(20)}17`;
    expect(text(types.integer("int32"), long, xml)).toBe("17");
    expect(text(types.integer("int32"), long, yang)).toBe("15");
    expect(code(types.integer("int32"), "0x1F")).toBe("value-syntax");
  });
});

describe("case 22: decimal64", () => {
  it.each([
    ["0.0000", "0.0"],
    ["0.0", "0.0"],
    ["+0", "0.0"],
    ["-0.0", "0.0"],
    ["13.0000", "13.0"],
    ["13", "13.0"],
    ["007.50", "7.5"],
    ["-0.0500", "-0.05"],
    ["1.50000000", "1.5"],
  ])("reads %s as %s", (lexical, expected) => {
    expect(text(types.decimal64(4), lexical)).toBe(expected);
  });

  it("is exact at the bounds", () => {
    expect(text(types.decimal64(18), "9.223372036854775807")).toBe("9.223372036854775807");
    expect(code(types.decimal64(18), "9.223372036854775808")).toBe("value-range");
    expect(text(types.decimal64(18), "-9.223372036854775808")).toBe("-9.223372036854775808");
    expect(text(types.decimal64(1), "922337203685477580.7")).toBe("922337203685477580.7");
    expect(code(types.decimal64(1), "922337203685477580.8")).toBe("value-range");
  });

  it("refuses more digits than the type has, and anything that is no decimal", () => {
    expect(code(types.decimal64(2), "1.005")).toBe("value-range");
    for (const bad of ["13.", ".5", "1e2", "", "1,5"]) expect(code(types.decimal64(2), bad)).toBe("value-syntax");
  });

  it("checks ranges by number, not by text", () => {
    const type = types.decimal64(2, "0.0..100.0");
    expect(text(type, "99.99")).toBe("99.99");
    expect(text(type, "100")).toBe("100.0");
    expect(code(type, "100.01")).toBe("value-range");
    expect(code(type, "-0.01")).toBe("value-range");
  });

  it("finds a key that is spelled with another number of zeros", () => {
    const path = valueOf(parseCanonicalPath(schema, "/lab:c/share[.='2.50']")).path;
    expect(formatInstancePath(path)).toBe("/lab:c/share[.='2.5']");
  });
});

describe("strings", () => {
  it.each(["00", "00:01:02", "0E68", "1e3", "0x1F", "true", "1.10", "+5"])("case 17: keeps %s", (each) => {
    expect(text(types.string(), each, xml)).toBe(each);
  });

  it("case 08: keeps blanks of strings and drops those around other values in XML", () => {
    expect(text(types.string(), "  two blanks each side  ", xml)).toBe("  two blanks each side  ");
    expect(text(types.integer("uint16"), " 9000 ", xml)).toBe("9000");
    expect(text(types.boolean, "\n true ", xml)).toBe("true");
    expect(code(types.boolean, " true ", canonical)).toBe("value-syntax");
  });

  it("counts characters, not UTF-16 units", () => {
    const type = types.string({ length: "2" });
    expect(text(type, "\u{1F600}\u{1F600}")).toBe("\u{1F600}\u{1F600}");
    expect(code(type, "\u{1F600}")).toBe("value-length");
  });

  it("wants all patterns, and none that is inverted", () => {
    const type = types.string({ patterns: ["[a-z]+", ".{3}"], not: ["x.*"] });
    expect(text(type, "abc")).toBe("abc");
    for (const bad of ["ab", "ABC", "xyz", "abcd"]) expect(code(type, bad)).toBe("value-pattern");
  });

  it.each(["\u0000", "\u001f", "\ud800", "\ufffe", "\u{1ffff}", "\ufdd0"])("refuses the character %j", (character) => {
    expect(code(types.string(), `a${character}b`)).toBe("value-character");
  });

  it("does not repeat a string in its error, since it may be a secret", () => {
    const result = parseValue(types.union(types.string({ length: "1" }), types.binary()), "hunter2!", {
      schema,
      form: canonical,
    });
    expect(JSON.stringify(result)).not.toContain("hunter2");
    expect(
      JSON.stringify(parseValue(types.string({ patterns: ["a"] }), "hunter2", { schema, form: canonical })),
    ).not.toContain("hunter2");
  });

  it("costs time in proportion to its length, whatever the type and the form", () => {
    const long = 300_000;
    const hostile: readonly (readonly [TypeSchema, string])[] = [
      [types.string({ length: "1..1000000", patterns: ["(a+)+b", "(a|a)*"] }), "a".repeat(long)],
      [types.integer("int64"), `${"0".repeat(long)}x`],
      [types.integer("int64"), "9".repeat(long)],
      [types.decimal64(2), `0.${"0".repeat(long)}1`],
      [types.decimal64(2), "0".repeat(long)],
      [types.bits("a"), "a ".repeat(long)],
      [types.bits("a"), " ".repeat(long)],
      [types.binary(), `${"A".repeat(long)}*`],
      [types.binary(), "A \n".repeat(long)],
      [types.identityref("lab:role"), `${"l".repeat(long)} `],
      [types.boolean, " ".repeat(long)],
      [types.instanceIdentifier, `/l:${"c".repeat(long)}`],
      [types.instanceIdentifier, "/l:c".repeat(long)],
      [types.instanceIdentifier, "l".repeat(long)],
      [types.instanceIdentifier, `/l:c/l:peer${"[l:role='".repeat(long)}`],
      [types.instanceIdentifier, `/l:c/l:peer[${" ".repeat(long)}`],
      [types.union(types.integer("int8"), types.string({ patterns: ["x*y"] })), `${" ".repeat(long)}x`],
    ];
    for (const [type, lexical] of hostile) {
      const start = cpuTimeMs();
      parseValue(type, lexical, { schema, form: xml });
      expect([type.kind, cpuTimeMs() - start < 1000]).toEqual([type.kind, true]);
    }
  });

  it("warns of a pattern that is none, and restricts nothing by it", () => {
    const result = parseValue(types.string({ patterns: ["(["] }), "x", { schema, form: canonical });
    expect(warningsOf(result)).toEqual(["pattern-not-readable"]);
  });
});

describe("boolean, empty, enumeration, bits, binary", () => {
  it("case 25: only true and false are booleans", () => {
    expect(text(types.boolean, "false")).toBe("false");
    for (const bad of ["True", "1", "", "yes"]) expect(code(types.boolean, bad)).toBe("value-syntax");
  });

  it("case 23: a leaf of type empty has no text", () => {
    expect(text(types.empty, "")).toBe("");
    expect(code(types.empty, "x", xml)).toBe("value-syntax");
  });

  it("case 27: an enum is its name, not its number", () => {
    const type: TypeSchema = {
      kind: "enumeration",
      typedefs: [],
      enums: [
        { name: "25", value: 1 },
        { name: "50", value: 2 },
      ],
    };
    expect(text(type, "50", xml)).toBe("50");
    expect(code(type, "2", xml)).toBe("value-enum");
  });

  it.each([
    ["b a", "a b"],
    ["a  b", "a b"],
    [" a b ", "a b"],
    ["", ""],
    ["\n c\ta", "a c"],
  ])("case 66: the bits %j are the set %j", (lexical, expected) => {
    expect(text(types.bits("a", "b", "c"), lexical)).toBe(expected);
  });

  it("case 66: no bit twice, none that is unknown", () => {
    expect(code(types.bits("a", "b"), "a a")).toBe("value-bits");
    expect(code(types.bits("a", "b"), "A")).toBe("value-bits");
  });

  it("reads base64 over several lines and measures it in octets", () => {
    expect(text(types.binary("5"), "aGVs\r\n  bG8=\n")).toBe("aGVsbG8=");
    expect(text(types.binary(), "aGVsbG9=")).toBe("aGVsbG8=");
    // Two bits in front of one sign of padding, four in front of two.
    for (const last of "IJKL") expect(text(types.binary(), `QU${last}=`)).toBe("QUI=");
    for (const last of "QRSTXYZaf") expect(text(types.binary(), `Q${last}==`)).toBe("QQ==");
    expect(text(types.binary(), "")).toBe("");
    expect(code(types.binary("4"), "aGVsbG8=")).toBe("value-length");
    for (const bad of ["a", "aGVsbG8", "a===", "aG=s", "****"]) expect(code(types.binary(), bad)).toBe("value-syntax");
  });
});

describe("identityref", () => {
  const role = types.identityref("lab:role");

  it("is named by its module, whatever the prefix", () => {
    expect(text(role, "m:log", xml)).toBe("more:log");
    expect(text(role, " l:time\n", xml)).toBe("lab:time");
    expect(text(role, "time", xml)).toBe("lab:time");
    expect(text(role, "secure-time", { kind: "json", module: "lab" })).toBe("lab:secure-time");
    expect(text(role, "lab:secure-time", { kind: "json", module: "more" })).toBe("lab:secure-time");
  });

  it("has no empty prefix, and one colon", () => {
    for (const bad of [":time", "l:", "l:time:", "l: time", ":", ""]) expect(code(role, bad, xml)).toBe("value-syntax");
  });

  it("is looked up in the schema at hand", () => {
    const other = buildSchema([{ name: "lab", identities: { role: [], late: ["lab:role"] } }]);
    const read = (lexical: string, within: typeof schema): string =>
      parseValue(role, lexical, { schema: within, form: canonical }).kind;
    expect([read("lab:time", schema), read("lab:time", other), read("lab:late", other)]).toEqual(["ok", "error", "ok"]);
    expect([read("lab:late", schema), read("lab:time", schema)]).toEqual(["error", "ok"]);
  });

  it("has to derive from the base, and from all where there are several", () => {
    expect(code(role, "lab:role")).toBe("value-identity");
    expect(code(role, "lab:other")).toBe("value-identity");
    expect(code(role, "more:time")).toBe("value-identity");
    expect(code(role, "log", xml)).toBe("value-identity");
    expect(code(role, "x:log", xml)).toBe("value-identity");
    expect(code(role, "time")).toBe("value-identity");
    expect(code(types.identityref("lab:role", "lab:other"), "lab:time")).toBe("value-identity");
    expect(text(types.identityref("lab:role", "lab:time"), "lab:secure-time")).toBe("lab:secure-time");
  });
});

describe("union and leafref", () => {
  const union = types.union(
    types.integer("uint8"),
    types.enumeration("unlimited", " odd "),
    types.string({ patterns: ["x-.*| .*"] }),
  );

  it("takes the first member that accepts the text", () => {
    const read = (lexical: string): unknown => valueOf(parseValue(union, lexical, { schema, form: xml }));
    expect(read("07")).toEqual(plainValue("uint8", "7"));
    expect(read("unlimited")).toEqual(plainValue("enumeration", "unlimited"));
    expect(read("x-256")).toEqual(plainValue("string", "x-256"));
    expect(read("\n7\n")).toEqual(plainValue("uint8", "7"));
  });

  it("lets a string member keep blanks that another member would have dropped", () => {
    expect(valueOf(parseValue(union, " 7", { schema, form: xml }))).toEqual(plainValue("string", " 7"));
  });

  it("reads a value of known type as that type", () => {
    const any = types.union(types.integer("uint8"), types.string());
    expect(valueOf(parseValue(any, "7", { schema, form: canonical, as: "string" }))).toEqual(plainValue("string", "7"));
    expect(problemsOf(parseValue(any, "7", { schema, form: canonical, as: "boolean" }))).toEqual(["value-type"]);
  });

  it("refuses what no member accepts", () => {
    expect(code(union, "limited")).toBe("value-union");
  });

  it("reads a leafref as what it points at", () => {
    const copy = schema.roots.get("lab:c");
    const leaf = copy?.kind === "container" ? copy.children.get("lab:copy") : undefined;
    expect(leaf?.kind === "leaf" && text(leaf.type, "1.50")).toBe("1.5");
  });
});

describe("errors", () => {
  const restrictions = compiled([
    yangModule(
      "m",
      `leaf number { type int8 { range "1..5" { error-message "too much"; error-app-tag "much"; } } }
       leaf share { type decimal64 { fraction-digits 2; range "1..5" { error-app-tag "much"; } } }
       typedef word { type string { length "1..5" { error-message "too long"; error-app-tag "long"; } } }
       leaf word { type word { pattern "[a-z]*" { error-app-tag "spelling"; } pattern "x.*" { modifier invert-match; error-message "no x"; } } }
       leaf octets { type binary { length "2" { error-app-tag "octets"; } } }
       leaf plain { type int8 { range "1..5"; } }
       leaf any { type union { type int8 { range "1..5"; } type enumeration { enum all; enum none; } type word { pattern "[a-z]*"; } } }`,
    ),
  ]);
  const errorOf = (leaf: string, lexical: string): unknown => {
    const result = parseValue(leafAt(restrictions, `/m:${leaf}`).type, lexical, {
      schema: restrictions,
      form: canonical,
    });
    return result.kind === "error" ? result.diagnostics : result;
  };

  it.each([
    ["number", "6", { code: "value-range", message: "too much", errorAppTag: "much", expected: "1..5" }],
    ["share", "6", { code: "value-range", errorAppTag: "much", expected: "1.0..5.0" }],
    ["word", "abcdef", { code: "value-length", message: "too long", errorAppTag: "long", expected: "1..5 characters" }],
    ["word", "ABC", { code: "value-pattern", errorAppTag: "spelling", expected: "m:word, a text that matches [a-z]*" }],
    ["word", "xyz", { code: "value-pattern", message: "no x", expected: "m:word, a text that does not match x.*" }],
    ["octets", "AA==", { code: "value-length", errorAppTag: "octets", expected: "2 octets" }],
  ])("of %s %j carry what the schema says of the restriction (RFC 7950 section 8.3.1)", (leaf, lexical, expected) => {
    expect(errorOf(leaf, lexical)).toMatchObject([{ severity: "error", places: [], ...expected }]);
  });

  it("carry no tag where the schema has none", () => {
    expect(errorOf("plain", "6")).toEqual([expect.not.objectContaining({ errorAppTag: expect.anything() as unknown })]);
    expect(errorOf("word", "xyz")).toEqual([
      expect.not.objectContaining({ errorAppTag: expect.anything() as unknown }),
    ]);
  });

  it("of a union say what each member wanted", () => {
    expect(errorOf("any", "ALL")).toMatchObject([
      {
        code: "value-union",
        expected: "an integer (int8), or one of all, none, or m:word, a text that matches [a-z]*",
      },
    ]);
    expect(errorOf("any", "6")).toMatchObject([
      { expected: "1..5, or one of all, none, or m:word, a text that matches [a-z]*" },
    ]);
  });

  it("stay short for long values and for unions and enumerations of many", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `name-${String(index)}`);
    const many = types.union(...names.map((name) => types.enumeration(name)), types.enumeration(...names));
    for (const type of [many, types.integer("int8"), types.bits(...names)])
      expect(JSON.stringify(parseValue(type, "x".repeat(100_000), { schema, form: canonical })).length).toBeLessThan(
        1500,
      );
  });
});

describe("instance-identifier", () => {
  it("has one form, whatever prefixes and spellings it came with", () => {
    const expected = "/lab:c/peer[address='2001:db8::1'][role='more:log']/share";
    const lexical = "/l:c/l:peer[ l:role = 'm:log' ][l:address=\"2001:DB8:0::1\"]/l:share";
    expect(text(types.instanceIdentifier, lexical, xml)).toBe(expected);
    expect(text(types.instanceIdentifier, expected, { kind: "json", module: "more" })).toBe(expected);
    expect(text(types.instanceIdentifier, expected)).toBe(expected);
  });

  it.each(["/", "", "/x:c", "/l:c/l:peer[l:role='m:log']", "/l:c/l:none", "/l:c/l:share[1]"])(
    "refuses %j",
    (lexical) => {
      expect(code(types.instanceIdentifier, lexical, xml)).toBe("value-instance");
    },
  );

  it("case 36: cannot hold a key with both kinds of quotes", () => {
    const quotes = buildSchema([{ name: "q", nodes: [{ kind: "leaf-list", name: "word", type: types.string() }] }]);
    const read = (lexical: string): unknown =>
      parseValue(types.instanceIdentifier, lexical, { schema: quotes, form: canonical });
    expect(read(`/q:word[.="O'Brien"]`)).toMatchObject({ kind: "ok" });
    expect(read(`/q:word[.='it''s "x"']`)).toMatchObject({ kind: "error", diagnostics: [{ code: "value-instance" }] });
  });
});

describe("case 65: addresses", () => {
  const inet = (name: string): TypeSchema => types.string({ typedefs: ["mine:neighbour", `ietf-inet-types:${name}`] });
  it.each([
    ["ipv6-address", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["ipv6-address", "2001:db8::1", "2001:db8::1"],
    ["ipv6-address", "fe80::1%eth0", "fe80::1%eth0"],
    ["ipv6-address", "FE80:0::1%Eth0", "fe80::1%Eth0"],
    ["ipv6-address", "::ffff:1.2.3.4", "::ffff:1.2.3.4"],
    ["ipv6-address", "::FFFF:0102:0304", "::ffff:1.2.3.4"],
    ["ipv6-address", "0:0:0:0:0:0:0:0", "::"],
    ["ipv6-address", "1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["ipv6-address", "1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
    ["ipv6-address", "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["ipv6-address", "1::2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["ipv6-address", "64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["ipv6-prefix", "2001:db8:1::/33", "2001:db8::/33"],
    ["ipv6-prefix", "2001:DB8:ffff::1/128", "2001:db8:ffff::1/128"],
    ["ipv6-prefix", "ff::1/0", "::/0"],
    ["ipv4-prefix", "10.1.2.3/24", "10.1.2.0/24"],
    ["ipv4-prefix", "10.1.2.255/25", "10.1.2.128/25"],
    ["ipv4-prefix", "10.1.2.3/32", "10.1.2.3/32"],
    ["ipv4-prefix", "10.1.2.3/0", "0.0.0.0/0"],
    ["domain-name", "Example.COM", "example.com"],
    ["ipv6-address-link-local", "FE80:0::1%eth0", "fe80::1%eth0"],
    ["ipv6-address-and-prefix", "2001:DB8::1/64", "2001:db8::1/64"],
    ["ipv4-address-and-prefix", "10.1.2.3/08", "10.1.2.3/8"],
  ])("%s %s is %s", (typedef, lexical, expected) => {
    expect(text(inet(typedef), lexical)).toBe(expected);
    expect(text(inet(typedef), expected)).toBe(expected);
  });

  it("makes MAC and physical addresses lower case", () => {
    expect(text(types.string({ typedefs: ["ietf-yang-types:mac-address"] }), "AA:BB:CC:00:11:22")).toBe(
      "aa:bb:cc:00:11:22",
    );
    expect(text(types.string({ typedefs: ["ietf-yang-types:phys-address"] }), "AA:BB")).toBe("aa:bb");
  });

  it("leaves a plain string alone", () => {
    for (const each of ["2001:DB8:0:0:0:0:0:1", "AA:BB", "10.1.2.3/24"]) expect(text(types.string(), each)).toBe(each);
  });

  it("holds in keys too", () => {
    const path = valueOf(parseCanonicalPath(schema, "/lab:c/peer[role='lab:time'][address='2001:DB8::0001']")).path;
    expect(formatInstancePath(path)).toBe("/lab:c/peer[address='2001:db8::1'][role='lab:time']");
  });
});

describe("order of values", () => {
  const sorted = (values: readonly [Parameters<typeof plainValue>[0], string][]): string[] =>
    values
      .map(([type, each]) => plainValue(type, each))
      .sort(compareValues)
      .map((value) => value.text);

  it("case 92: is that of numbers for numbers and of texts for texts", () => {
    expect(
      sorted([
        ["uint8", "10"],
        ["uint8", "9"],
        ["uint8", "1"],
      ]),
    ).toEqual(["1", "9", "10"]);
    expect(
      sorted([
        ["string", "9"],
        ["string", "10"],
        ["string", "1"],
      ]),
    ).toEqual(["1", "10", "9"]);
    expect(
      sorted([
        ["uint64", "18446744073709551615"],
        ["uint64", "18446744073709551614"],
      ]),
    ).toEqual(["18446744073709551614", "18446744073709551615"]);
    expect(
      sorted([
        ["decimal64", "10.0"],
        ["decimal64", "9.25"],
        ["decimal64", "-1.5"],
        ["decimal64", "-1.25"],
      ]),
    ).toEqual(["-1.5", "-1.25", "9.25", "10.0"]);
  });
});
