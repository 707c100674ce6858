import { describe, expect, it } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { type YangModule, type YangStatement, parseYangModule } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";
import { yangModule } from "./yang-fixture.ts";

function parse(text: string): YangModule {
  return valueOf(parseYangModule({ name: "m.yang", text }));
}

/** `code line:column` of each finding. */
function problems(text: string): readonly string[] {
  const result = parseYangModule({ name: "m.yang", text });
  if (result.kind === "ok") throw new Error("the text is a module");
  return result.diagnostics.map(({ code, places }) =>
    [code, ...places.map((place) => formatPlace(place).replace("m.yang:", ""))].join(" "),
  );
}

function description(argument: string, version: "1" | "1.1" = "1.1"): string | undefined {
  const { text } = yangModule("m", `description ${argument};`, { version });
  return parse(text).statement.children.find((child) => child.keyword === "description")?.argument;
}

describe("strings (RFC 7950 section 6.1.3)", () => {
  it.each([
    ["unquoted", "plain", "plain"],
    ["single quotes keep backslashes", String.raw`'a\n"b'`, String.raw`a\n"b`],
    ["escapes", String.raw`"a\n\t\"\\b"`, 'a\n\t"\\b'],
    ["joined", `"a" + 'b'\n /* between */ + "c"`, "abc"],
    ["comment marks within quotes", '"http://x /* y */"', "http://x /* y */"],
    ["blanks before a line break go", '"a  \t\n b"', "a\nb"],
    // The quote stands in column 13 (`description `), so 13 blanks are layout.
    ["indentation up to the quote goes", `"a\n${" ".repeat(15)}b"`, "a\n  b"],
    ["a tab is eight blanks", '"a\n\t\tb"', "a\n   b"],
    ["escaped blanks stay", String.raw`"a\t` + '\n b"', "a\t\nb"],
    ["the empty string", '""', ""],
    ["a backslash before the closing quote", String.raw`"a\\"`, "a\\"],
    ["a quote behind an escaped backslash", String.raw`"a\\\"b\\"`, 'a\\"b\\'],
    ["a tab behind blanks, within the indentation", '"a\n   \tb"', "a\nb"],
    ["a tab behind blanks, beyond it", `"a\n${" ".repeat(10)}\tb"`, "a\n     b"],
    ["a line of fewer blanks", '"a\n   b"', "a\nb"],
  ])("%s", (_title, argument, expected) => {
    expect(description(argument)).toBe(expected);
  });

  it("keeps unknown escapes in YANG 1 and refuses them in YANG 1.1", () => {
    expect(description(String.raw`"\d"`, "1")).toBe(String.raw`\d`);
    expect(problems(yangModule("m", String.raw`description "\d";`).text)).toEqual(["illegal-escape 2:13"]);
  });
});

it("gives every statement its line and column", () => {
  const { statement } = parse(
    'module m {\n  namespace "urn:m"; prefix m;\n\n  /* two\n lines */ leaf a {\n\ttype string; }\n}',
  );
  const places = (each: YangStatement): readonly string[] => [
    `${each.keyword} ${String(each.position.line)}:${String(each.position.column)}`,
    ...each.children.flatMap(places),
  ];
  expect(places(statement)).toEqual(["module 1:1", "namespace 2:3", "prefix 2:22", "leaf 5:11", "type 6:2"]);
});

it("reads the header that a loader needs", () => {
  const text = `submodule s { yang-version 1.1; belongs-to m { prefix mm; }
    import a { prefix a; revision-date 2020-01-02; } include t;
    revision 2021-05-06; revision 2024-01-01; }`;
  expect(parse(text)).toMatchObject({
    kind: "submodule",
    name: "s",
    revision: "2024-01-01",
    yangVersion: "1.1",
    prefix: "mm",
    belongsTo: "m",
    imports: [{ name: "a", prefix: "a", revision: "2020-01-02" }],
    includes: [{ name: "t", revision: undefined }],
  });
});

describe("several errors in one run", () => {
  it("goes on after syntax errors", () => {
    expect(problems('module m {\n leaf a { type string }\n "leaf" b;\n leaf c "d" { ; }\n')).toEqual([
      "statement-syntax 2:23",
      "statement-syntax 3:2",
      "statement-syntax 4:9",
      "statement-syntax 4:15",
      "statement-syntax 5:1 1:1",
    ]);
  });

  it("names grammar errors together, both places for repetitions and order", () => {
    const text = yangModule(
      "m",
      [
        "leaf a { config yes; config true; colour red; }",
        "leaf b { type string; leaf c { type string; } }",
        "revision 2024-02-30x;",
        "container;",
        "rpc r { input x { leaf a { type string; } } }",
      ].join("\n"),
    ).text;
    expect(problems(text)).toEqual([
      "argument-invalid 2:10",
      "statement-repeated 2:22 2:10",
      "unknown-statement 2:35",
      "statement-missing 2:1",
      "statement-not-allowed 3:23 3:1",
      "argument-invalid 4:1",
      "argument-missing 5:1",
      "argument-unexpected 6:9",
      "statement-order 4:1 3:1",
    ]);
  });
});

describe("what YANG 1 does not have (RFC 7950 section 1.1)", () => {
  it.each([
    "anydata a;",
    "container c { action x; }",
    "leaf-list l { type string; default a; }",
    "identity i { if-feature f; }",
  ])("%s", (body) => {
    expect(problems(yangModule("m", body, { version: "1" }).text)[0]).toMatch(/^statement-not-allowed/);
    expect(parseYangModule(yangModule("m", body)).kind).toBe("ok");
  });
});

describe("hostile texts end with an error", () => {
  it.each([
    ["nothing", "", "not-a-module 1:1"],
    ["something else", "leaf a;", "not-a-module 1:1"],
    ["two modules", `${yangModule("m", "").text}\n${yangModule("n", "").text}`, "statement-syntax 4:1 1:1"],
    ["an open string", 'module m { prefix "m;', "unterminated-string 1:19"],
    ["an open comment", "module m { /* ", "unterminated-comment 1:12"],
    ["a NUL", "module m {\n x\u0000 }", "illegal-character 2:3"],
    ["a lone surrogate", "module m { prefix \ud800; }", "illegal-character 1:19"],
    ["10,000 levels", `module m ${"{ container c ".repeat(10_000)}`, "nesting-too-deep 1:2810"],
    ["prototype names", "module m { __proto__ x; constructor y; }", "unknown-statement 1:12"],
  ])("%s", (_title, text, first) => {
    expect(problems(text)).toContain(first);
  });
});

it("keeps extension statements and all that is in them", () => {
  const { statement } = parse(yangModule("m", "x:thing 1 { leaf a { nonsense; } }").text);
  expect(statement.children.at(-1)).toMatchObject({
    keyword: "x:thing",
    argument: "1",
    children: [{ keyword: "leaf" }],
  });
});
