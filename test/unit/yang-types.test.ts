import { describe, expect, it } from "vitest";
import { compiled, findings, leafAt, leafListAt, typeFindings, typeOf, yangModule } from "./yang-fixture.ts";

describe("restrictions along a typedef chain (RFC 7950 sections 9.2.4, 9.3.4, 9.4)", () => {
  it("gathers them, base first, with typedef names outermost first", () => {
    const definitions = `typedef a { type uint8 { range "1..10 | 20..max" { error-app-tag tag; error-message text; } } }
      typedef b { type a { range "2..5|30..40"; } }`;
    expect(typeOf('type b { range "min..3 | max"; }', definitions)).toEqual({
      kind: "uint8",
      typedefs: ["m:b", "m:a"],
      ranges: [
        {
          parts: [
            { min: "1", max: "10" },
            { min: "20", max: "255" },
          ],
          errorMessage: "text",
          errorAppTag: "tag",
        },
        {
          parts: [
            { min: "2", max: "5" },
            { min: "30", max: "40" },
          ],
          errorMessage: undefined,
          errorAppTag: undefined,
        },
        {
          parts: [
            { min: "2", max: "3" },
            { min: "40", max: "40" },
          ],
          errorMessage: undefined,
          errorAppTag: undefined,
        },
      ],
    });
    expect(
      typeOf(
        "type s { length 2..4; pattern '[a-z]*' { modifier invert-match; } }",
        "typedef s { type string { length 1..5; pattern x; } }",
      ),
    ).toMatchObject({
      kind: "string",
      lengths: [{ parts: [{ min: "1", max: "5" }] }, { parts: [{ min: "2", max: "4" }] }],
      patterns: [
        { pattern: "x", invert: false },
        { pattern: "[a-z]*", invert: true },
      ],
    });
    expect(
      typeOf("type d { range '-0.50 .. 1'; }", "typedef d { type decimal64 { fraction-digits 2; } }"),
    ).toMatchObject({
      kind: "decimal64",
      fractionDigits: 2,
      ranges: [{ parts: [{ min: "-0.5", max: "1.0" }] }],
    });
    expect(typeOf("type uint64 { range '9007199254740993..max'; }")).toMatchObject({
      ranges: [{ parts: [{ min: "9007199254740993", max: "18446744073709551615" }] }],
    });
  });

  it.each([
    ["type uint8 { range 1..256; }", "", "restriction-wider"],
    ["type t { range 0..5; }", "typedef t { type uint8 { range 1..9; } }", "restriction-wider"],
    ["type uint8 { range 5..1; }", "", "restriction-invalid"],
    ["type uint8 { range '1..5 | 5..9'; }", "", "restriction-invalid"],
    ["type decimal64 { fraction-digits 1; range 0.25; }", "", "restriction-invalid"],
    ["type string { range 1..2; }", "", "restriction-not-allowed"],
    ["type t { fraction-digits 2; }", "typedef t { type decimal64 { fraction-digits 1; } }", "restriction-not-allowed"],
    ["type boolean { length 1; }", "", "restriction-not-allowed"],
    ["type decimal64;", "", "restriction-missing"],
    ["type enumeration;", "", "restriction-missing"],
    ["type identityref;", "", "restriction-missing"],
    ["type union;", "", "restriction-missing"],
    ["type leafref;", "", "restriction-missing"],
    ["type nothing;", "", "unknown-type"],
    ["type p:t;", "", "unknown-prefix"],
    ["type enumeration { enum a; enum a; }", "", "duplicate-enum-or-bit"],
    ["type enumeration { enum a { value 1; } enum b { value 1; } }", "", "duplicate-enum-or-bit"],
    ["type enumeration { enum a { value 2147483647; } enum b; }", "", "restriction-invalid"],
    ["type e { enum b; }", "typedef e { type enumeration { enum a; } }", "restriction-wider"],
  ])("%s %s is an error", (type, definitions, code) => {
    expect(typeFindings(type, definitions)).toEqual([code]);
  });
});

describe("enumeration and bits (RFC 7950 sections 9.6, 9.7)", () => {
  it("counts numbers on, also past names that a feature takes away", () => {
    const module = yangModule(
      "m",
      `feature f; leaf x { type enumeration { enum a; enum b { if-feature f; } enum c; enum d { value -5; } enum e; } }
       leaf y { type bits { bit p { position 4; } bit q; } }`,
    );
    const schema = compiled([module], { implement: "all", features: new Map() });
    expect(leafAt(schema, "/m:x").type).toMatchObject({
      enums: [
        { name: "a", value: 0 },
        { name: "c", value: 2 },
        { name: "d", value: -5 },
        { name: "e", value: 3 },
      ],
    });
    expect(leafAt(schema, "/m:y").type).toMatchObject({
      bits: [
        { name: "p", position: 4 },
        { name: "q", position: 5 },
      ],
    });
  });

  it("keeps numbers in a narrower type", () => {
    expect(
      typeOf("type e { enum c; enum a; }", "typedef e { type enumeration { enum a; enum b; enum c; } }"),
    ).toMatchObject({
      enums: [
        { name: "a", value: 0 },
        { name: "c", value: 2 },
      ],
    });
  });
});

describe("identities (RFC 7950 section 7.18)", () => {
  it("derive over several bases and modules", () => {
    const a = yangModule("a", "identity x; identity y; identity xy { base x; base y; }");
    const b = yangModule(
      "b",
      "import a { prefix p; } identity z { base p:xy; } leaf l { type identityref { base p:x; base p:y; } default z; }",
    );
    const { identities, roots } = compiled([a, b]);
    expect([...(identities.get("a:x")?.derived ?? [])].sort()).toEqual(["a:xy", "b:z"]);
    expect(identities.get("a:xy")).toMatchObject({ module: "a", name: "xy", bases: ["a:x", "a:y"] });
    expect(roots.get("b:l")).toMatchObject({ type: { bases: ["a:x", "a:y"] }, defaultText: "b:z" });
  });

  it("must not derive from themselves", () => {
    expect(findings([yangModule("m", "identity a { base b; }\nidentity b { base a; }")])).toEqual([
      "circular-identity m.yang:2:1 m.yang:3:1",
    ]);
    expect(typeFindings("type identityref { base none; }")).toEqual(["unknown-identity"]);
  });
});

it("refuses circular typedefs, also in unions and unused ones", () => {
  expect(typeFindings("type a;", "typedef a { type b; } typedef b { type a; }")).toEqual(["circular-typedef"]);
  expect(typeFindings("type string;", "typedef a { type union { type string; type a; } }")).toEqual([
    "circular-typedef",
  ]);
});

describe("bounds on time and stack", () => {
  const numbers = Array.from({ length: 5000 }, (_, index) => index);
  const chain = (length: number, link: (from: number, to: number) => string) =>
    numbers
      .slice(0, length)
      .map((index) => link(index + 1, index))
      .reverse()
      .join(" ");

  it.each([
    [
      "typedefs in a chain",
      `typedef t0 { type string; } ${chain(5000, (a, b) => `typedef t${a} { type t${b}; }`)}`,
      "nesting-too-deep",
    ],
    [
      "unions that double",
      `typedef t0 { type string; } ${chain(40, (a, b) => `typedef t${a} { type union { type t${b}; type t${b}; } }`)}`,
      "schema-too-large",
    ],
    [
      "features in a chain",
      `feature f0; ${chain(5000, (a, b) => `feature f${a} { if-feature f${b}; }`)} leaf y { if-feature f5000; type string; }`,
      "nesting-too-deep",
    ],
    [
      "empty groupings that double",
      `grouping g0; ${chain(60, (a, b) => `grouping g${a} { uses g${b}; uses g${b}; }`)} uses g60;`,
      "schema-too-large",
    ],
    [
      "leafrefs in a chain",
      `leaf l0 { type string; } ${chain(200, (a, b) => `leaf l${a} { type leafref { path ../l${b}; } }`)}`,
      "nesting-too-deep",
    ],
  ])("%s", (_title, definitions, code) => {
    const options = { implement: "all", features: "all", maxNodes: 10_000 } as const;
    const [first] = findings([yangModule("m", definitions)], options);
    expect(first?.split(" ")[0]).toBe(code);
  });

  it("imports and includes in a chain", () => {
    const modules = numbers
      .slice(0, 3000)
      .map((index) => yangModule(`m${index}`, index === 0 ? "" : `import m${index - 1} { prefix p; }`));
    expect(findings(modules.reverse())[0]).toMatch(/^nesting-too-deep/);
    const submodules = numbers.slice(0, 3000).map((index) => ({
      name: `s${index}`,
      text: `submodule s${index} { belongs-to m { prefix m; } ${index === 0 ? "" : `include s${index - 1};`} }`,
    }));
    expect(findings([...submodules, yangModule("m", "include s2999;", { version: "1" })])[0]).toMatch(
      /^nesting-too-deep/,
    );
  });
});

describe("leafref (RFC 7950 section 9.9)", () => {
  function target(body: string, path = "/m:x"): string {
    const { type } = leafAt(compiled([yangModule("m", body)]), path);
    const found = type.kind === "union" ? type.members.find((each) => each.kind === "leafref") : type;
    if (found?.kind !== "leafref") throw new Error("no leafref");
    return found.target().schemaPath;
  }
  const list = "list l { key k; leaf k { type string; } leaf-list v { type int8; } }";

  it.each([
    ["absolute", `${list} leaf x { type leafref { path "/m:l/m:k"; } }`, "/m:l/m:k"],
    ["relative from the top", `${list} leaf x { type leafref { path "../l/v"; } }`, "/m:l/m:v"],
    [
      "with blanks and predicates",
      `${list} leaf y { type string; } leaf x { type leafref { path "../l[ k = current()/../y ]/v"; } }`,
      "/m:l/m:v",
    ],
    ["in a union", `${list} leaf x { type union { type leafref { path "/l/k"; } type int8; } }`, "/m:l/m:k"],
    [
      "through a typedef",
      `${list} typedef t { type leafref { path "/m:l/m:k"; require-instance false; } } leaf x { type t; }`,
      "/m:l/m:k",
    ],
    [
      "to a leafref",
      `${list} leaf y { type leafref { path "../x2"; } } leaf x2 { type string; } leaf x { type leafref { path "../y"; } }`,
      "/m:y",
    ],
  ])("%s", (_title, body, expected) => {
    expect(target(body)).toBe(expected);
  });

  it("passes over choices and cases, each use of a grouping by itself", () => {
    const body = `grouping g { choice c { case d { leaf n { type string; } } case e { leaf x { type leafref { path "../n"; } } } } }
      container one { uses g; } container two { uses g; }`;
    expect(target(body, "/m:one/m:x")).toBe("/m:one/m:n");
    expect(target(body, "/m:two/m:x")).toBe("/m:two/m:n");
  });

  it("reaches into modules that are only imported, with a warning", () => {
    const a = yangModule(
      "a",
      "typedef ref { type leafref { path '/a:top/a:k'; } } container top { leaf k { type uint8; } }",
    );
    const b = yangModule("b", "import a { prefix a; } leaf x { type a:ref; default 07; }");
    const schema = compiled([a, b], { implement: [{ name: "b" }], features: "all" });
    expect([...schema.roots.keys()]).toEqual(["b:x"]);
    expect(leafAt(schema, "/b:x")).toMatchObject({ defaultText: "7", type: { requireInstance: true } });
  });

  it.each([
    ["leaf x { type leafref { path ../none; } }", "leafref-target-not-found"],
    ["leaf x { type leafref { path ../../x; } }", "leafref-target-not-found"],
    ["container c; leaf x { type leafref { path /m:c; } }", "leafref-target-not-found"],
    ["leaf x { type leafref { path 'count(../y)'; } } leaf y { type string; }", "path-invalid"],
    ["leaf x { type leafref { path ../x; } default a; }", "circular-leafref"],
  ])("%s is an error", (body, code) => {
    expect(findings([yangModule("m", body)])[0]?.split(" ")[0]).toBe(code);
  });
});

describe("defaults are canonical (RFC 7950 section 9.1)", () => {
  it.each([
    ["type int32; default +0x1F;", "31"],
    ["type uint8; default 010;", "8"],
    ["type decimal64 { fraction-digits 3; } default 12.500;", "12.5"],
    ["type boolean; default true;", "true"],
    ["type bits { bit a; bit b; } default 'b  a';", "a b"],
    ["type string; default '';", ""],
    ["type union { type uint8; type string; } default 0x10;", "16"],
    ["type union { type uint8; type string; } default 0x100;", "0x100"],
    ["type instance-identifier; default '/m:y';", "/m:y"],
    ["type t;", "5"],
    ["type t; default 6;", "6"],
    ["type t; mandatory true;", undefined],
  ])("%s", (type, expected) => {
    const schema = compiled([
      yangModule("m", `typedef t { type uint8; default 05; units s; } leaf y { type int8; } leaf x { ${type} }`),
    ]);
    expect(leafAt(schema, "/m:x").defaultText).toBe(expected);
  });

  it.each([
    "type uint8; default 256;",
    "type enumeration { enum a; } default b;",
    "type empty; default '';",
    "type boolean; default yes;",
    "type string { length 1..2; } default abc;",
    "type string { pattern '[a-c]+'; } default d;",
    "type uint8 { range 1..5; } default 6;",
  ])("%s is an error", (type) => {
    expect(typeFindings(type)).toEqual(["default-invalid"]);
  });

  it("come from the typedef for leaf-lists of YANG 1.1 that may be empty only", () => {
    const body =
      "typedef t { type uint8; default 5; units s; } leaf-list a { type t; } leaf-list b { type t; min-elements 1; }";
    const schema = compiled([yangModule("m", body)]);
    expect(leafListAt(schema, "/m:a")).toMatchObject({ defaultTexts: ["5"], units: "s" });
    expect(leafListAt(schema, "/m:b").defaultTexts).toEqual([]);
    expect(leafListAt(compiled([yangModule("m", body, { version: "1" })]), "/m:a").defaultTexts).toEqual([]);
  });
});
