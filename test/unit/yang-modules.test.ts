import { describe, expect, it } from "vitest";
import { compileYang, missingModules, schemaModuleSet } from "../../model/yang/compile-yang.ts";
import { valueOf, warningsOf } from "../support/results.ts";
import { EVERYTHING, compiled, findings, leafAt, paths, yangModule } from "./yang-fixture.ts";

const base = yangModule("base", "identity kind; typedef name { type string; } container top { leaf a { type name; } }");

describe("import", () => {
  it("links the asked revision beside the implemented one", () => {
    const older = {
      name: "b-old",
      text: "module b { namespace urn:b; prefix b; revision 2020-01-01; typedef t { type uint8; } }",
    };
    const newer = {
      name: "b-new",
      text: "module b { namespace urn:b; prefix b; revision 2024-01-01; typedef t { type string; } leaf l { type t; } }",
    };
    const exact = yangModule("exact", "import b { prefix b; revision-date 2020-01-01; } leaf x { type b:t; }");
    const open = yangModule("open", "import b { prefix b; } leaf x { type b:t; }");
    const schema = compiled([older, newer, exact, open]);
    expect(leafAt(schema, "/exact:x").type.kind).toBe("uint8");
    expect(leafAt(schema, "/open:x").type.kind).toBe("string");
    expect([...schema.modules].map(([key, module]) => [key, module.revision, module.importOnly])).toEqual([
      ["b", "2024-01-01", false],
      ["exact", undefined, false],
      ["open", undefined, false],
      ["b@2020-01-01", "2020-01-01", true],
    ]);
  });

  it("gives an import-only module identities and typedefs, but no data nodes", () => {
    const user = yangModule("user", "import base { prefix b; } leaf x { type b:name; } identity more { base b:kind; }");
    const schema = compiled([base, user], { implement: [{ name: "user" }], features: "all" });
    expect(paths(schema)).toEqual(["/user:x"]);
    expect(schema.modules.get("base")?.importOnly).toBe(true);
    expect([...(schema.identities.get("base:kind")?.derived ?? [])]).toEqual(["user:more"]);
    expect(schema.namespaces.get("urn:t:base")).toBe("base");
  });

  it("implements what an implemented module augments (RFC 7950 section 5.6.5)", () => {
    const user = yangModule("user", 'import base { prefix b; } augment "/b:top" { leaf x { type string; } }');
    const schema = compiled([base, user], { implement: [{ name: "user" }], features: "all" });
    expect(paths(schema)).toEqual(["/base:top", "/base:top/base:a", "/base:top/user:x"]);
  });

  it("names what is missing, wrong or circular, with its places", () => {
    const wrong = yangModule("wrong", "import base { prefix b; revision-date 1999-01-01; }\nimport none { prefix n; }");
    expect(findings([base, wrong])).toEqual([
      "missing-module wrong.yang:2:1 base.yang:1:1",
      "missing-module wrong.yang:3:1",
    ]);
    const [a, b] = [yangModule("a", "import b { prefix b; }"), yangModule("b", "import a { prefix a; }")];
    expect(findings([a, b])).toEqual(["circular-import b.yang:2:1 a.yang:1:1"]);
    expect(
      findings([
        yangModule("a", "import b { prefix b; }\nimport c { prefix b; }"),
        yangModule("b", ""),
        yangModule("c", ""),
      ]),
    ).toEqual(["duplicate-prefix a.yang:3:1 a.yang:2:1"]);
    expect(findings([base, { ...base, name: "other", text: `${base.text} ` }])).toEqual([
      "duplicate-module other:1:1 base.yang:1:1",
    ]);
    const squatter = { name: "s.yang", text: "module s { namespace urn:t:base; prefix s; }" };
    expect(findings([base, squatter])).toEqual(["duplicate-namespace s.yang:1:1 base.yang:1:1"]);
  });
});

describe("submodules (RFC 7950 section 5.1)", () => {
  const main = yangModule("main", "include part; leaf x { type shared; } uses grouped;");
  const part = {
    name: "part.yang",
    text: "submodule part { yang-version 1.1; belongs-to main { prefix m; } typedef shared { type int8; } grouping grouped { leaf y { type m:shared; } } container c; }",
  };

  it("carry the module's name", () => {
    expect(paths(compiled([main, part]))).toEqual(["/main:x", "/main:y", "/main:c"]);
  });

  it("are errors when missing, of another module, in a circle or in conflict", () => {
    expect(findings([main])).toEqual(["missing-submodule main.yang:2:1"]);
    const other = yangModule("other", "include part;");
    expect(findings([main, part, other])).toEqual(["wrong-belongs-to other.yang:2:1 part.yang:1:1"]);
    const circular = [
      yangModule("main", "include a;", { version: "1" }),
      { name: "a.yang", text: "submodule a { belongs-to main { prefix m; } include b; }" },
      { name: "b.yang", text: "submodule b { belongs-to main { prefix m; } include a; }" },
    ];
    expect(findings(circular)[0]).toMatch(/^circular-include b.yang:1:\d+ a.yang:1:1/);
    expect(findings([yangModule("main", "include part;\ntypedef shared { type string; }"), part])).toEqual([
      "duplicate-definition part.yang:1:66 main.yang:3:1",
    ]);
  });
});

it("tells a loader what else is needed", () => {
  const a = yangModule("a", "import b { prefix b; revision-date 2020-01-01; } import c { prefix c; } include s;");
  const d = yangModule("d", "import c { prefix c; }");
  const e = { name: "e", text: "submodule e { belongs-to f { prefix f; } }" };
  expect(missingModules([a, d, e, { name: "junk", text: "junk" }])).toEqual([
    { kind: "module", name: "b", revision: "2020-01-01", neededBy: ["a"] },
    { kind: "module", name: "c", revision: undefined, neededBy: ["a", "d"] },
    { kind: "module", name: "f", revision: undefined, neededBy: ["e"] },
    { kind: "submodule", name: "s", revision: undefined, neededBy: ["a"] },
  ]);
});

it("loses no set for a text that nobody needs", () => {
  const broken = { name: "broken.yang", text: "module broken { leaf }" };
  const only = { implement: [{ name: "base" }], features: "all" } as const;
  const result = compileYang([base, broken], only);
  expect(warningsOf(result)).toEqual(["statement-syntax"]);
  expect(findings([base, broken])).not.toEqual([]);
  const needs = yangModule("needs", "import broken { prefix b; }");
  const [first] = findings([needs, broken], { implement: [{ name: "needs" }], features: "all" });
  expect(first).toMatch(/ broken\.yang:1:/);
});

it("describes a module set the same way whatever the order of sources", () => {
  const user = yangModule("user", "import base { prefix b; } feature f; feature g;");
  const options = { implement: [{ name: "user" }], features: new Map([["user", new Set(["g"])]]) };
  const set = valueOf(schemaModuleSet([base, user], options));
  expect(set).toEqual(valueOf(schemaModuleSet([user, base], options)));
  expect(set.modules).toEqual([
    { name: "base", revision: undefined, namespace: "urn:t:base", role: "imported", submodules: [], features: [] },
    {
      name: "user",
      revision: undefined,
      namespace: "urn:t:user",
      role: "implemented",
      submodules: [],
      features: ["g"],
    },
  ]);
});

describe("features (RFC 7950 section 7.20)", () => {
  const text = yangModule(
    "f",
    `feature a; feature b; feature c { if-feature "a and b"; }
     leaf both { if-feature "a and b"; type string; }
     leaf either { if-feature "a or not b"; type string; }
     leaf order { if-feature "not (a or b) or c"; type string; }
     container off { if-feature "not a"; leaf below { type string; } }
     augment /off { leaf more { type string; } }`,
  );
  const having = (...names: readonly string[]) =>
    paths(compiled([text], { implement: "all", features: new Map([["f", new Set(names)]]) }));

  it("evaluates expressions and drops nodes", () => {
    expect(having("a", "b")).toEqual(["/f:both", "/f:either"]);
    expect(having("a", "b", "c")).toEqual(["/f:both", "/f:either", "/f:order"]);
    // c needs b, so naming it is not enough.
    expect(having("a", "c")).toEqual(["/f:either"]);
    expect(having()).toEqual(["/f:either", "/f:order", "/f:off", "/f:off/f:below", "/f:off/f:more"]);
  });

  it("reports unreadable, unknown and circular ones", () => {
    const wrong = yangModule(
      "w",
      'feature a { if-feature b; } feature b { if-feature a; }\nleaf x { type string;\nif-feature "a and";\nif-feature c; }',
    );
    const found = findings([wrong]);
    expect(found).toContain("invalid-if-feature w.yang:4:1");
    expect(found).toContain("unknown-feature w.yang:5:1");
    expect(found.some((each) => each.startsWith("circular-feature w.yang:2:"))).toBe(true);
    const old = yangModule("o", 'feature a;\nleaf x { if-feature "a or a"; type string; }', { version: "1" });
    expect(findings([old], EVERYTHING)).toEqual(["invalid-if-feature o.yang:3:10"]);
  });
});

it("names what is wrong in texts, types, groupings and augments in one run", () => {
  const wrong = yangModule(
    "w",
    `leaf a { must "("; type string; }
     leaf b { type nothing; }
     leaf c { type string { pattern '['; } }
     uses none;
     augment /w:none { leaf x { type string; } }
     leaf d { if-feature e; type leafref { path 'd'; } }`,
  );
  expect([...findings([wrong])].sort()).toEqual([
    "augment-target-not-found w.yang:6:6",
    "path-invalid w.yang:7:50",
    "pattern-invalid w.yang:4:29",
    "unknown-feature w.yang:7:15",
    "unknown-grouping w.yang:5:6",
    "unknown-type w.yang:3:15",
    "xpath-invalid w.yang:2:16",
  ]);
});

it("says which name may have been meant", () => {
  const result = compileYang(
    [
      yangModule(
        "m",
        "typedef percent { type string; } identity kind; leaf a { type precent; } identity b { base kidn; }",
      ),
    ],
    EVERYTHING,
  );
  expect(result.kind === "error" && result.diagnostics.map(({ code, expected }) => [code, expected])).toEqual([
    ["unknown-type", "percent"],
    ["unknown-identity", "kind"],
  ]);
  const misspelt = compileYang([yangModule("m", "contianer c; leaf a { tpye string; type string; }")], EVERYTHING);
  expect(misspelt.kind === "error" && misspelt.diagnostics.map(({ expected }) => expected)).toEqual([
    "container",
    "type",
  ]);
});

it("keeps what other specifications define at the top of a module", () => {
  const shapes = yangModule("shapes", "extension shape { argument name; } extension plain;");
  const user = yangModule(
    "user",
    "import shapes { prefix s; } s:shape error-info { container info { leaf code { type string; } s:plain; } } s:plain;",
  );
  const schema = compiled([shapes, user]);
  expect(paths(schema)).toEqual([]);
  expect(schema.modules.get("user")?.extensions).toMatchObject([
    {
      module: "shapes",
      name: "shape",
      argument: "error-info",
      children: [
        {
          module: "",
          name: "container",
          argument: "info",
          children: [{ name: "leaf", children: [{ name: "type", argument: "string" }] }, { module: "shapes" }],
        },
      ],
    },
    { module: "shapes", name: "plain", argument: undefined, children: [] },
  ]);
});
