/** Texts that want to break the compiler get an error with a place, or simply compile; always soon and without a throw. */
import { describe, expect, it } from "vitest";
import { compileYang, missingModules } from "../../model/yang/compile-yang.ts";
import { schemaFromDocument, schemaToDocument } from "../../model/yang/schema-document.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { valueOf } from "../support/results.ts";
import { EVERYTHING, compiled, findings, leafAt, paths, yangModule } from "./yang-fixture.ts";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const first = (body: string): string => (findings([yangModule("m", body)])[0] ?? "").replaceAll("m.yang:", "");

const rich = yangModule(
  "m",
  `feature f; identity i; typedef t { type string { pattern '[a-z]+'; length 1..9; } default "abc"; }
   grouping g { leaf a { type t; must "../b = 'x' + 'y'"; } leaf b { type leafref { path "/m:c/m:l/m:k"; } } }
   container c { list l { key "k"; unique 'v'; leaf k { type string; } leaf v { if-feature "f and (not f)"; type int8 { range "1 .. 5 | 9"; } } } uses g { refine a { default "x" + "yz"; } } }
   augment "/c" { leaf more { type enumeration { enum "one two" { value 3; } } } } /* end */ // more
   rpc r { input { leaf p { type empty; } } }`,
).text;

describe("truncated texts", () => {
  it("are errors wherever they end, with a place within what is there", () => {
    for (let length = 0; length < rich.trimEnd().length; length += 1) {
      const text = rich.slice(0, length);
      const result = compileYang([{ name: "m.yang", text }], EVERYTHING);
      if (result.kind === "ok") throw new Error(`${JSON.stringify(text.slice(-40))} compiles`);
      const [place] = result.diagnostics[0]?.places ?? [];
      if (place?.kind !== "source") throw new Error(`no place: ${JSON.stringify(result.diagnostics[0])}`);
      const line = text.split("\n")[place.position.line - 1];
      expect(line).toBeDefined();
      expect(place.position.column).toBeLessThanOrEqual((line ?? "").length + 1);
      missingModules([{ name: "m.yang", text }]);
    }
    expect(compileYang([{ name: "m.yang", text: rich }], EVERYTHING).kind).toBe("ok");
  });
});

describe("10,000 levels", () => {
  const deep = (open: string, inner: string, close: string): string =>
    open.repeat(10_000) + inner + close.repeat(10_000);

  it.each([
    ["of parentheses in a must", `leaf a { must "${deep("(", "1", ")")}"; type string; }`, "xpath-invalid"],
    ["of predicates in a when", `leaf a { when "${deep("a[", "1", "]")}"; type string; }`, "xpath-invalid"],
    ["of calls in a must", `leaf a { must "${deep("not(", "1", ")")}"; type string; }`, "xpath-invalid"],
    ["of signs and operators", `leaf a { must "${"1 - ".repeat(10_000)} 1"; type string; }`, "xpath-invalid"],
    ["of predicates in a path", `leaf a { type leafref { path "${deep("../a[", "1", "]")}"; } }`, "path-invalid"],
    ["of deref in a path", `leaf a { type leafref { path "${deep("deref(", "../a", ")/..")}/b"; } }`, "path-invalid"],
    [
      "of parentheses in an if-feature",
      `feature f; leaf a { if-feature "${deep("(", "f", ")")}"; type string; }`,
      "invalid-if-feature",
    ],
    [
      "of unions",
      `leaf a { ${"type union { ".repeat(10_000)} type string; ${"} ".repeat(10_000)} }`,
      "nesting-too-deep",
    ],
    ["of containers", `${"container c { ".repeat(10_000)}${"} ".repeat(10_000)}`, "nesting-too-deep"],
    ["within an extension", `m:x { ${"m:y { ".repeat(10_000)}${"} ".repeat(10_000)} }`, "nesting-too-deep"],
  ])("%s", (_title, body, code) => {
    expect(first(body).split(" ")[0]).toBe(code);
  });

  it("of not in an if-feature are only long", () => {
    const body = `feature f; leaf a { if-feature "${"not ".repeat(10_000)}f"; type string; }`;
    expect(paths(compiled([yangModule("m", body)]))).toEqual(["/m:a"]);
  });

  it("of parentheses in a pattern", () => {
    const result = compileYang(
      [yangModule("m", `leaf a { type string { pattern "${deep("(", "a", ")")}"; } }`)],
      EVERYTHING,
    );
    expect(["ok", "error"]).toContain(result.kind);
  });
});

describe("huge arguments", () => {
  it("are read", () => {
    const body = `description "${"long ".repeat(1_000_000)}"; leaf a { type string; must "${"../a or ".repeat(20_000)} true()"; }`;
    expect(paths(compiled([yangModule("m", body)]))).toEqual(["/m:a"]);
  });

  it.each([
    ["a key", `list l { key "${"a ".repeat(100_000)}"; leaf a { type string; } }`, "key-invalid 2:10 2:1"],
    ["a range", `leaf a { type int32 { range "${numbers(50_000).join("|")}|5"; } }`, "restriction-invalid 2:23"],
    ["a path", `leaf a { type leafref { path "${"../".repeat(100_000)}a"; } }`, "path-invalid 2:31"],
    ["a name", `leaf ${"a".repeat(1_000_000)} { type nothing; }`, "unknown-type 2:1000009"],
    ["a number", `leaf a { type int8 { range "1..${"9".repeat(100_000)}"; } }`, "restriction-invalid 2:22"],
    ["fraction digits", "leaf a { type decimal64 { fraction-digits 99999999999999999999; } }", "argument-invalid 2:27"],
    [
      "an enum's value",
      `leaf a { type enumeration { enum a { value ${"9".repeat(400)}; } } }`,
      "restriction-invalid 2:29",
    ],
  ])("%s", (_title, body, finding) => {
    expect(first(body)).toBe(finding);
  });
});

it("keeps 500 findings of 20,000, and says that there are more", () => {
  const typedefs = numbers(3_000).map((index) => `typedef name${String(index)} { type string; }`);
  const leafs = numbers(20_000).map((index) => `leaf a${String(index)} { type naem${String(index)}; must "("; }`);
  const found = findings([yangModule("m", [...typedefs, ...leafs].join("\n"))]);
  expect(found).toHaveLength(500);
  expect(found.at(-1)).toBe("too-many-findings");
});

it("takes no more than its share of time for more statements", () => {
  const text = (count: number) =>
    yangModule(
      "m",
      numbers(count)
        .map(
          (index) =>
            `container c${String(index)} { leaf a { type leafref { path "../b"; } must "../b > ${String(index)}"; } leaf b { type int8; } }`,
        )
        .join("\n"),
    );
  const [small, large] = [text(500), text(4_000)];
  const measure = (source: typeof small): number => {
    compiled([source]);
    // The shortest of three: garbage of what came before is collected in one of them.
    const times = numbers(3).map(() => {
      const start = cpuTimeMs();
      compiled([source]);
      return cpuTimeMs() - start;
    });
    return Math.min(...times);
  };
  // Eight times the statements; a quadratic step would show as 64.
  expect(measure(large) / Math.max(5, measure(small))).toBeLessThan(30);
});

describe("names that every object has", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];

  it("are names like any other", () => {
    const body = names
      .map(
        (
          name,
        ) => `feature ${name}; identity ${name}; extension ${name}; typedef ${name} { type string; default ${name}; }
          grouping ${name} { leaf ${name} { if-feature ${name}; type ${name}; } }
          container ${name} { uses ${name}; ${name}:${name}; list l { key ${name}; leaf ${name} { type enumeration { enum ${name}; } } unique ${name}; }
            leaf i { type identityref { base ${name}; } } leaf r { type leafref { path "../${name}"; } } choice x { case ${name} { leaf y { type bits { bit ${name}; } } } } }`,
      )
      .join("\n")
      .replaceAll(/(\w+):\1;/g, "m:$1;");
    const schema = compiled([yangModule("m", body)]);
    const document = schemaToDocument(schema);
    for (const each of [schema, valueOf(schemaFromDocument(document))]) {
      for (const name of names) {
        expect(leafAt(each, `/m:${name}/m:${name}`).defaultText).toBe(name);
        expect(each.identities.get(`m:${name}`)?.name).toBe(name);
      }
    }
  });

  it("may be those of modules and prefixes", () => {
    const [a, b] = [yangModule("__proto__", "typedef t { type int8; }"), yangModule("constructor", "")];
    const user = yangModule(
      "m",
      "import __proto__ { prefix toString; } import constructor { prefix __proto__; } leaf a { type toString:t; }",
    );
    expect(leafAt(compiled([a, b, user]), "/m:a").type.kind).toBe("int8");
  });

  it.each(names)("%s that nothing defines is an error", (name) => {
    expect(first(`leaf a { type ${name}; }`)).toBe("unknown-type 2:10");
    expect(first(`uses ${name};`)).toBe("unknown-grouping 2:1");
    expect(first(`leaf a { if-feature ${name}; type string; }`)).toBe("unknown-feature 2:10");
    expect(first(`leaf a { type ${name}:t; }`)).toBe("unknown-prefix 2:10");
    expect(first(`${name} a;`)).toBe("unknown-statement 2:1");
    expect(first(`leaf a { must "${name}(1)"; type string; }`)).toBe("xpath-invalid 2:16");
  });
});
