import { describe, expect, it } from "vitest";
import type { WhenConstraint } from "../../model/schema.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";
import { compiled, findings, leafAt, leafListAt, listAt, nodeAt, paths, yangModule } from "./yang-fixture.ts";

function codes(body: string): readonly string[] {
  return findings([yangModule("m", body)]).map((each) => each.replaceAll("m.yang:", ""));
}

function whens(list: readonly WhenConstraint[]): readonly string[] {
  return list.map(({ expression, context }) => `${context} ${expression.module} ${expression.text}`);
}

describe("uses (RFC 7950 section 7.13)", () => {
  const lib = yangModule(
    "lib",
    `typedef t { type string { length 1..9; } }
     grouping inner { leaf a { type t; must "lib:x"; } list l { key k; leaf k { type t; } leaf v { type int8; } } }
     grouping outer { typedef own { type int16; } uses inner { refine l { min-elements 1; } } leaf b { type own; } container c; }`,
  );

  it("puts nodes of nested groupings into the using module", () => {
    const user = yangModule("u", "import lib { prefix x; } container top { uses x:outer; }");
    const schema = compiled([lib, user]);
    expect(paths(schema)).toEqual(
      ["", "/u:a", "/u:l", "/u:l/u:k", "/u:l/u:v", "/u:b", "/u:c"].map((path) => `/u:top${path}`),
    );
    expect(leafAt(schema, "/u:top/u:a")).toMatchObject({
      module: "u",
      namespace: "urn:t:u",
      type: { typedefs: ["lib:t"] },
    });
    expect(listAt(schema, "/u:top/u:l")).toMatchObject({ minElements: 1, keys: [{ name: "k", isKey: true }] });
    // Prefixes stay those of the text, unprefixed names are those of the using module.
    const [must] = nodeAt(schema, "/u:top/u:a").musts;
    expect(must?.expression.prefixes.get("lib")).toBe("lib");
    expect(must?.expression.module).toBe("u");
  });

  it("refines and augments one use and leaves the other alone", () => {
    const schema = compiled([
      yangModule(
        "m",
        `grouping g { leaf a { type string; } container c { leaf n { type int8; } } leaf-list ll { type string; } choice ch { case one { leaf o { type empty; } } } }
         container plain { uses g; }
         container changed { uses g {
           when "w"; refine a { default x; config false; must "m1"; description d; m:tag on; } refine c { presence yes; } refine ll { default p; default q; }
           refine c/n { mandatory true; }
           augment c { when "v"; leaf extra { type string; } } augment ch { leaf two { type empty; } } } }`,
      ),
    ]);
    expect(leafAt(schema, "/m:changed/m:a")).toMatchObject({
      defaultText: "x",
      config: false,
      description: "d",
      musts: [{ expression: { text: "m1" } }],
      extensions: [{ module: "m", name: "tag", argument: "on" }],
    });
    expect(nodeAt(schema, "/m:changed/m:c")).toMatchObject({ presence: true });
    expect(leafListAt(schema, "/m:changed/m:ll").defaultTexts).toEqual(["p", "q"]);
    expect(leafAt(schema, "/m:changed/m:c/m:n").mandatory).toBe(true);
    expect(nodeAt(schema, "/m:changed/m:two").cases).toEqual([{ choice: "m:ch", case: "m:two" }]);
    expect(whens(nodeAt(schema, "/m:changed/m:a").whens)).toEqual(["parent m w"]);
    expect(whens(nodeAt(schema, "/m:changed/m:c/m:extra").whens)).toEqual(["parent m v"]);
    expect(leafAt(schema, "/m:plain/m:a")).toMatchObject({ defaultText: undefined, config: true, whens: [] });
    expect(nodeAt(schema, "/m:plain/m:c")).toMatchObject({ presence: false });
    expect(paths(schema)).not.toContain("/m:plain/m:c/m:extra");
  });

  it("reports circles, unknown groupings and bad refinements", () => {
    expect(codes("grouping a { uses b; }\ngrouping b { container c { uses a; } }")).toEqual([
      "circular-grouping 3:28 2:1 3:1",
    ]);
    expect(codes("uses nothing;")).toEqual(["unknown-grouping 2:1"]);
    expect(
      codes(
        "grouping g { leaf a { type string; } }\nuses g {\nrefine b { config true; }\nrefine a { presence p; }\naugment a { leaf x { type string; } } }",
      ),
    ).toEqual(["refine-target-not-found 4:1", "refine-not-allowed 5:12 2:14", "augment-not-allowed 6:1 2:14"]);
    // Nobody uses it, and it is wrong all the same.
    expect(codes("grouping g { leaf a { type nothing; } }")).toEqual(["unknown-type 2:23"]);
    expect(codes("typedef t { type string; }\ncontainer c { typedef t { type int8; } }")).toEqual([
      "duplicate-definition 3:15 2:1",
    ]);
  });

  it("bounds what doubling groupings make", () => {
    const doubling = Array.from({ length: 40 }, (_, index) => {
      const below = `uses g${String(index)};`;
      return `grouping g${String(index + 1)} { container a { ${below} } container b { ${below} } }`;
    });
    const module = yangModule("m", `grouping g0 { leaf l { type string; } }\n${doubling.join("\n")}\nuses g40;`);
    const [first] = findings([module], { implement: "all", features: "all", maxNodes: 10_000 });
    expect(first).toMatch(/^schema-too-large/);
  });
});

describe("augment (RFC 7950 section 7.17)", () => {
  it("reaches across modules, onto augmented nodes, choices and cases, in any order", () => {
    const a = yangModule(
      "a",
      "container top { choice ch { leaf s { type string; } } } rpc r { input { leaf i { type string; } } }",
    );
    const b = yangModule(
      "b",
      'import a { prefix a; } import c { prefix c; } augment "/a:top/c:mid" { leaf deep { type string; } }',
    );
    const c = yangModule(
      "c",
      `import a { prefix aa; }
       augment /aa:top { when "aa:s"; container mid { config false; } }
       augment "/aa:top/aa:ch" { case more { leaf m1 { type string; } leaf m2 { type string; } } }
       augment "/aa:top/aa:ch/aa:s" { leaf s2 { type string; } }
       augment "/aa:r/aa:input" { leaf j { type string; } } augment "/aa:r/aa:output" { leaf k { type string; } }`,
    );
    for (const sources of [
      [a, b, c],
      [c, b, a],
    ]) {
      const schema = compiled(sources);
      expect([...paths(schema)].sort()).toEqual(
        ["", "/a:s", "/c:m1", "/c:m2", "/c:mid", "/c:mid/b:deep", "/c:s2"].map((path) => `/a:top${path}`),
      );
      expect(nodeAt(schema, "/a:top/c:mid/b:deep")).toMatchObject({ module: "b", namespace: "urn:t:b", config: false });
      expect(nodeAt(schema, "/a:top/c:s2").cases).toEqual([{ choice: "a:ch", case: "a:s" }]);
      expect(whens(nodeAt(schema, "/a:top/c:mid").whens)).toEqual(["parent c aa:s"]);
    }
  });

  it("reports targets that are not there or hold no children, and duplicates", () => {
    expect(
      codes(
        "container c { leaf l { type string; } }\naugment /c/none { leaf x { type string; } }\naugment /c/l { leaf x { type string; } }\naugment /c { leaf l { type string; } }",
      ),
    ).toEqual(["augment-not-allowed 4:1 2:15", "duplicate-node 5:14 2:15", "augment-target-not-found 3:1"]);
  });
});

describe("choice (RFC 7950 section 7.9)", () => {
  it("folds nested choices and short-hand cases into memberships", () => {
    const schema = compiled([
      yangModule(
        "m",
        `container c { choice outer { default a; when "w1";
           leaf a { type string; }
           case b { when "w2"; leaf b1 { type string; } choice inner { mandatory true; container d; case e { leaf e1 { type string; } list e2 { key k; leaf k { type string; } } } } }
           choice direct { leaf f { when "w3"; type string; } } } }
         choice top { leaf t { type string; } }`,
      ),
    ]);
    const c = nodeAt(schema, "/m:c");
    if (c.kind !== "container") throw new Error("no container");
    expect([...c.children.keys()]).toEqual(["m:a", "m:b1", "m:d", "m:e1", "m:e2", "m:f"]);
    expect(nodeAt(schema, "/m:c/m:e1").cases).toEqual([
      { choice: "m:outer", case: "m:b" },
      { choice: "m:inner", case: "m:e" },
    ]);
    expect(whens(nodeAt(schema, "/m:c/m:d").whens)).toEqual(["parent m w1", "parent m w2"]);
    expect(whens(nodeAt(schema, "/m:c/m:f").whens)).toEqual(["parent m w1", "self m w3"]);
    expect(nodeAt(schema, "/m:c/m:e2/m:k").cases).toEqual([]);
    const outer = c.choices.get("m:outer");
    expect([...c.choices.keys()]).toEqual(["m:outer"]);
    expect(outer).toMatchObject({ mandatory: false, defaultCase: "m:a", config: true });
    expect(outer?.cases.map(({ id, nodes, choices }) => [id, nodes, choices.map((each) => each.id)])).toEqual([
      ["m:a", ["m:a"], []],
      ["m:b", ["m:b1", "m:d", "m:e1", "m:e2"], ["m:inner"]],
      ["m:direct", ["m:f"], ["m:direct"]],
    ]);
    expect(outer?.cases[1]?.choices[0]?.mandatory).toBe(true);
    expect([...schema.rootChoices.keys()]).toEqual(["m:top"]);
    expect([...schema.roots.keys()]).toEqual(["m:c", "m:t"]);
  });

  it("refuses names that two cases share and defaults that are no case", () => {
    expect(codes("choice c { case a { leaf x { type string; } }\ncase b { leaf x { type string; } } }")).toEqual([
      "duplicate-node 3:10 2:21",
    ]);
    expect(codes("choice c { default z; leaf a { type string; } }")).toEqual(["default-case-invalid 2:12 2:1"]);
    expect(codes("choice c { mandatory true; default a; leaf a { type string; } }")).toEqual([
      "mandatory-with-default 2:28 2:12",
    ]);
  });
});

describe("lists, config and order (RFC 7950 sections 7.8, 7.21.1)", () => {
  it("keeps keys in the order of the key statement", () => {
    const schema = compiled([
      yangModule(
        "m",
        `list l { key " b  a "; unique "c/d ch/e/e"; ordered-by user; max-elements 7; leaf a { type string; default x; } leaf b { type string; } container c { leaf d { type string; } } choice ch { leaf e { type string; } } }
         list state { config false; ordered-by user; leaf x { type string; } container y { leaf z { type string; } } }`,
      ),
    ]);
    const list = listAt(schema, "/m:l");
    expect(list.keys.map((key) => key.name)).toEqual(["b", "a"]);
    expect(list.keys.every((key) => key === list.children.get(key.id))).toBe(true);
    // RFC 7950 section 7.8.2: a default of a key is ignored.
    expect(leafAt(schema, "/m:l/m:a").defaultText).toBeUndefined();
    expect(list).toMatchObject({ orderedBy: "user", minElements: 0, maxElements: 7, uniques: [["m:c/m:d", "m:e"]] });
    expect(listAt(schema, "/m:state")).toMatchObject({ keys: [], orderedBy: "system", config: false });
    expect(nodeAt(schema, "/m:state/m:y/m:z").config).toBe(false);
  });

  it.each([
    ["list l { leaf a { type string; } }", "key-invalid 2:1"],
    ["list l { key b; leaf a { type string; } }", "key-invalid 2:10 2:1"],
    ["list l { key 'a a'; leaf a { type string; } }", "key-invalid 2:10 2:1"],
    ["list l { key a; leaf a { type string; config false; } }", "key-invalid 2:10 2:17"],
    ["list l { key a; unique b; leaf a { type string; } }", "unique-invalid 2:17 2:1"],
    ["list l { key a; leaf a { type string; } min-elements 3; max-elements 2; }", "min-above-max 2:41 2:57"],
    ["container c { config false; leaf a { type string; config true; } }", "config-below-state 2:51 2:15"],
    ["leaf a { type string; } container a;", "duplicate-node 2:25 2:1"],
    ["leaf a { type string; default x; mandatory true; }", "mandatory-with-default 2:23 2:34"],
    ["leaf a { none:x; type string; }", "unknown-prefix 2:10"],
  ])("refuses %s", (body, finding) => {
    expect(codes(body)).toEqual([finding]);
  });
});

it("leaves operations and notifications out, and keeps unknown extensions", () => {
  const [schema] = [
    compiled([
      yangModule(
        "m",
        `rpc r { input { leaf a { type string; } } } notification n { leaf b { type string; } }
         container c { action x { output { leaf d { type string; } } } notification y; anydata e { mandatory true; } anyxml f; m:mark "q" { m:sub 1; leaf z; } }`,
      ),
    ]),
  ];
  expect(paths(schema)).toEqual(["/m:c", "/m:c/m:e", "/m:c/m:f"]);
  expect(nodeAt(schema, "/m:c/m:e")).toMatchObject({ kind: "anydata", mandatory: true });
  expect(nodeAt(schema, "/m:c").extensions).toEqual([
    {
      module: "m",
      name: "mark",
      argument: "q",
      children: [
        { module: "m", name: "sub", argument: "1", children: [] },
        { module: "", name: "leaf", argument: "z", children: [] },
      ],
    },
  ]);
});

describe("deviation (RFC 7950 section 7.20.3)", () => {
  const base = yangModule(
    "base",
    `container c { leaf a { type string; units u; must "one"; must "two"; } leaf b { type int8; default 1; } leaf-list d { type string; max-elements 4; }
     leaf gone { type string; } leaf points { type leafref { path "../gone"; } } }`,
  );
  const deviating = (body: string) => yangModule("dev", `import base { prefix b;\n}\n${body}`);

  it("applies not-supported, add, replace and delete", () => {
    const schema = compiled([
      base,
      deviating(`deviation /b:c/b:gone { deviate not-supported; }
        deviation /b:c/b:a { deviate delete { units u; must "one"; } deviate add { default dd; must "three"; } }
        deviation /b:c/b:b { deviate replace { type uint16; default 0x10; config false; } }
        deviation /b:c/b:d { deviate replace { max-elements 9; } deviate add { min-elements 2; } }`),
    ]);
    expect(paths(schema)).toEqual([
      "/base:c",
      "/base:c/base:a",
      "/base:c/base:b",
      "/base:c/base:d",
      "/base:c/base:points",
    ]);
    expect(leafAt(schema, "/base:c/base:a")).toMatchObject({ units: undefined, defaultText: "dd" });
    expect(nodeAt(schema, "/base:c/base:a").musts.map((must) => must.expression.text)).toEqual(["two", "three"]);
    expect(leafAt(schema, "/base:c/base:b")).toMatchObject({
      type: { kind: "uint16" },
      defaultText: "16",
      config: false,
    });
    expect(leafListAt(schema, "/base:c/base:d")).toMatchObject({ minElements: 2, maxElements: 9 });
    expect(schema.modules.get("base")?.deviatedBy).toEqual(["dev"]);
  });

  it("keeps the type of a leafref whose target went, with a warning", () => {
    const result = compileYang([base, deviating("deviation /b:c/b:gone { deviate not-supported; }")], {
      implement: [{ name: "base" }],
      deviations: [{ name: "dev" }],
      features: "all",
    });
    const type = leafAt(valueOf(result), "/base:c/base:points").type;
    expect(type.kind === "leafref" && type.target().type.kind).toBe("string");
    const warnings = result.kind === "ok" ? result.warnings : [];
    expect(warnings.map(({ code }) => code)).toEqual(["leafref-target-not-found"]);
    // Where the path stands, and where what it leads to.
    expect(warnings[0]?.places).toHaveLength(2);
  });

  it.each([
    ["/b:c/b:none { deviate not-supported; }", "deviation-target-not-found dev.yang:4:1"],
    ["/b:c/b:b { deviate add { default 2; } }", "deviation-conflict dev.yang:4:36 base.yang:2:92"],
    ["/b:c/b:a { deviate replace { default 2; } }", "deviation-conflict dev.yang:4:40 base.yang:2:15"],
    ["/b:c/b:a { deviate delete { units x; } }", "deviation-conflict dev.yang:4:39 base.yang:2:15"],
    ["/b:c { deviate add { mandatory true; } }", "deviation-conflict dev.yang:4:32 base.yang:2:1"],
  ])("refuses deviation %s", (body, finding) => {
    expect(findings([base, deviating(`deviation ${body}`)])).toEqual([finding]);
  });
});
