/** XPath 1.0 by sections of the Recommendation; what a table cannot show by chance is in test/property/xpath-peer. */
import { describe, expect, it } from "vitest";
import { compileXPath } from "../../model/xpath/compile-xpath.ts";
import { numberToString, stringToNumber } from "../../model/xpath/xpath-value.ts";
import { valueOf } from "../support/results.ts";
import { documentOf, evaluate, expressionOf, nodeAt } from "./xpath-fixture.ts";
import { compiled, listAt, yangModule } from "./yang-fixture.ts";

const schema = compiled([
  yangModule(
    "m",
    `container c {
       leaf title { type string; }
       list item { key k; leaf k { type string; } leaf n { type int32; } leaf-list tag { type string; ordered-by user; }
         container in { leaf deep { type string; } } }
       leaf after { type string; }
     }`,
  ),
]);
const item = (k: string, n: number, more: object = {}): object => ({ k, n, ...more });
const document = documentOf(schema, {
  "m:c": {
    title: "x\u{1F600}y",
    item: [item("a", 1, { tag: ["q", "p"] }), item("b", 10, { in: { deep: "1" } }), item("c", -3)],
    after: "10",
  },
});
const at = (k: string): string => `/m:c/item[k='${k}']`;

type Row = readonly [expression: string, value: readonly string[] | string | number | boolean];
function table(section: string, rows: readonly Row[], context = "/m:c"): void {
  describe(`section ${section}`, () => {
    it.each(rows)("%s", (expression, value) => {
      expect(evaluate(document, expression, context)).toEqual(value);
    });
  });
}

table("2.2 axes", [
  ["item/parent::*", ["/m:c"]],
  ["item[2]/preceding-sibling::item", [at("a")]],
  [
    "item[2]/preceding::*",
    [
      "/m:c/title",
      at("a"),
      `${at("a")}/k`,
      `${at("a")}/n`,
      `${at("a")}/tag[.='q']`,
      `${at("a")}/tag[.='p']`,
      `${at("a")}/in`,
    ],
  ],
  ["item[3]/preceding::item[1]", [at("b")]],
  ["item[1]/following::item[1]", [at("b")]],
  ["item[3]/n/following::*", [`${at("c")}/in`, "/m:c/after"]],
  ["item[3]/in/following::*", ["/m:c/after"]],
  ["item[1]/tag[1]/ancestor::*", ["/m:c", at("a")]],
  ["item[1]/tag[1]/ancestor::node()[2]", ["/m:c"]],
  ["item[1]/tag[1]/ancestor-or-self::node()[last()]", ["/"]],
  ["item/@k", []],
  ["item/namespace::*", []],
  ["self::item", []],
  ["self::c", ["/m:c"]],
  ["item[2]/in/descendant-or-self::node()", [`${at("b")}/in`, `${at("b")}/in/deep`, `${at("b")}/in/deep/text()`]],
  ["title/following-sibling::item[2]", [at("b")]],
  ["after/preceding-sibling::item[1]", [at("c")]],
  ["after/preceding-sibling::*[1]", [at("c")]],
  ["title/text()/..", ["/m:c/title"]],
  ["title/text()/following-sibling::node()", []],
  ["title/text()/following::after", ["/m:c/after"]],
]);
table("2.3 node tests", [
  ["title/node()", ["/m:c/title/text()"]],
  ["text()", []],
  ["item[1]/tag/text()", [`${at("a")}/tag[.='q']/text()`, `${at("a")}/tag[.='p']/text()`]],
  ["comment()", []],
  ["//processing-instruction()", []],
  ["count(m:*)", 5],
  ["count(o:*)", 0],
]);
table("2.4 predicates", [
  ["item[1]", [at("a")]],
  ["item[last()]", [at("c")]],
  ["item[position() > 1]", [at("b"), at("c")]],
  ["item[0]", []],
  ["item[1.5]", []],
  ["item['1']", [at("a"), at("b"), at("c")]],
  ["item['']", []],
  ["item[n][2]", [at("b")]],
  ["item[n > 0][2]", [at("b")]],
  ["item[2][n > 0]", [at("b")]],
  ["item[tag]/k", [`${at("a")}/k`]],
  ["//tag[1]", [`${at("a")}/tag[.='q']`]],
  ["/descendant::item[2]", [at("b")]],
  ["//item[k='b']", [at("b")]],
  ["//k[../n = 10]", [`${at("b")}/k`]],
  ["item[3]/preceding-sibling::item[1]", [at("b")]],
  ["(item[3]/preceding-sibling::item)[1]", [at("a")]],
  ["item[3]/preceding-sibling::*[2]", [at("a")]],
]);
table("3.3 node-sets", [
  ["after | title | item[1]/k | title", ["/m:c/title", `${at("a")}/k`, "/m:c/after"]],
  ["(item | item)[2]", [at("b")]],
  ["(//n)[last()]", [`${at("c")}/n`]],
  ["count(item/..)", 1],
  ["count(item/ancestor::*)", 1],
  ["(item/in | .)//deep", [`${at("b")}/in/deep`]],
  ["count(//node())", 29],
]);
table("3.4 booleans", [
  ["1 = '1'", true],
  ["'10' = 10", true],
  ["'1.0' = '1'", false],
  ["true() = 'x'", true],
  ["true() = '0'", true],
  ["false() = ''", true],
  ["0 = false()", true],
  ["'abc' > 9", false],
  ["'abc' < 9", false],
  ["'a' < 'b'", false],
  ["'9' < '10'", true],
  ["number('x') = number('x')", false],
  ["number('x') != number('x')", true],
  ["item/n = 10", true],
  ["item/n != 10", true],
  ["not(item/n = 10)", false],
  ["item/n > 9 and item/n < 0", true],
  ["item/n = after", true],
  ["10 < item/n", false],
  ["9 < item/n", true],
  ["'-3' >= item/n", true],
  ["item/k = item/tag", false],
  ["item/n < after", true],
  ["(item/k | item/n) > item[1]/n", true],
  ["nothing = nothing", false],
  ["nothing != nothing", false],
  ["nothing = ''", false],
  ["nothing != 'a'", false],
  ["nothing = false()", true],
  ["nothing != true()", true],
  ["nothing < true()", true],
  ["item = true()", true],
  ["item >= 1", false],
  ["title != title", false],
  ["item/k != item/k", true],
  ["after < item/n", false],
  ["after <= item/n", true],
  ["item/k < item/k", false],
  ["true() or nonsense()".replace("nonsense()", "1 div 0"), true],
  ["1 < 2 < 0", false],
  ["3 > 2 > 0", true],
  ["2 > 3 = false()", true],
]);
table("3.5 numbers", [
  ["1 + '2'", 3],
  ["'x' + 1", Number.NaN],
  ["1 div 0", Number.POSITIVE_INFINITY],
  ["-1 div 0", Number.NEGATIVE_INFINITY],
  ["0 div 0", Number.NaN],
  ["5 mod 2", 1],
  ["5 mod -2", 1],
  ["-5 mod 2", -1],
  ["1.5 mod 0.5", 0],
  ["1 mod 0", Number.NaN],
  ["2 * 3 - 4 div 2", 4],
  ["-item/n", -1],
  ["item[3]/n - 1", -4],
  ["1 div -0", Number.NEGATIVE_INFINITY],
  ["true() + true()", 2],
]);
table("4.1 node-set functions", [
  ["last()", 1],
  ["position()", 1],
  ["count(item)", 3],
  ["count(item[1]/tag | item[1]/tag)", 2],
  ["id('a')", []],
  ["local-name()", "c"],
  ["local-name(item)", "item"],
  ["local-name(nothing)", ""],
  ["local-name(/)", ""],
  ["local-name(title/text())", ""],
  ["namespace-uri()", "urn:t:m"],
  ["namespace-uri(/)", ""],
  ["name(item/k)", "k"],
]);
table("4.2 string functions", [
  ["string(item)", "a1qp"],
  ["string(nothing)", ""],
  ["string(item[2])", "b101"],
  ["string(0.0000001)", "0.0000001"],
  ["string(100000000000000000000000)", "100000000000000000000000"],
  ["string(-0)", "0"],
  ["string(1 div 0)", "Infinity"],
  ["string(-(1 div 0))", "-Infinity"],
  ["string(0 div 0)", "NaN"],
  ["string(1.50)", "1.5"],
  ["string(true())", "true"],
  ["string(1 = 2)", "false"],
  ["concat(1, true(), 'x', nothing)", "1truex"],
  ["starts-with('abc', 'ab')", true],
  ["starts-with('abc', '')", true],
  ["contains('abc', 'd')", false],
  ["contains('', '')", true],
  ["substring-before('1999/04/01', '/')", "1999"],
  ["substring-before('abc', 'x')", ""],
  ["substring-after('1999/04/01', '19')", "99/04/01"],
  ["substring-after('abc', '')", "abc"],
  ["substring-after('abc', 'x')", ""],
  ["substring('12345', 2, 3)", "234"],
  ["substring('12345', 2)", "2345"],
  ["substring('12345', 1.5, 2.6)", "234"],
  ["substring('12345', 0, 3)", "12"],
  ["substring('12345', 0 div 0, 3)", ""],
  ["substring('12345', 1, 0 div 0)", ""],
  ["substring('12345', -42, 1 div 0)", "12345"],
  ["substring('12345', -1 div 0, 1 div 0)", ""],
  ["substring('12345', -1 div 0)", "12345"],
  ["substring('12345', 3, -1)", ""],
  ["substring(title, 2, 1)", "\u{1F600}"],
  ["string-length(title)", 3],
  ["string-length(nothing)", 0],
  ["string-length()", 16],
  ["normalize-space('  a \t b\n')", "a b"],
  ["normalize-space('\u00a0a')", "\u00a0a"],
  ["translate('bar','abc','AB')", "BAr"],
  ["translate('--aaa--','abc-','ABC')", "AAA"],
  ["translate('aab','aa','xy')", "xxb"],
  ["translate(title, '\u{1F600}', '-')", "x-y"],
]);
table("4.3 boolean functions", [
  ["boolean('false')", true],
  ["boolean(0 div 0)", false],
  ["boolean(-0)", false],
  ["boolean(nothing)", false],
  ["boolean(item)", true],
  ["not(nothing)", true],
  ["lang('en')", false],
]);
table("4.4 number functions", [
  ["number(' 12 ')", 12],
  ["number('+1')", Number.NaN],
  ["number('1e3')", Number.NaN],
  ["number('')", Number.NaN],
  ["number('- 1')", Number.NaN],
  ["number('0x10')", Number.NaN],
  ["number('5.')", 5],
  ["number('.')", Number.NaN],
  ["number('Infinity')", Number.NaN],
  ["number(true())", 1],
  ["number(item/n)", 1],
  ["number(nothing)", Number.NaN],
  ["sum(item/n)", 8],
  ["sum(nothing)", 0],
  ["sum(item/k)", Number.NaN],
  ["floor(-1.5)", -2],
  ["ceiling(-1.5)", -1],
  ["ceiling(-0.5)", -0],
  ["round(1.5)", 2],
  ["round(-1.5)", -1],
  ["round(-0.4)", -0],
  ["round(0 div 0)", Number.NaN],
  ["round(-(1 div 0))", Number.NEGATIVE_INFINITY],
]);

describe("predicates that an index answers give what comparing gives", () => {
  const long = documentOf(schema, {
    "m:c": { item: Array.from({ length: 20 }, (_, index) => item(`k${String(index)}`, index % 5)) },
  });
  it.each([
    ["item[n = 1][2]", ["k6"]],
    ["item[n = 1][1 + 1]", ["k6"]],
    ["item[position() > 5][n = 1][1]", ["k6"]],
    ["item[n = 1][position() > 1][1]", ["k6"]],
    ["item[n = 1 and position() > 5][1]", ["k6"]],
    ["item[n = '1' and k != 'k1'][1]", ["k6"]],
    ["item[n = 1 and k = 'k6']", ["k6"]],
    ["item[n = 1 and k = 'k2']", []],
    ["item[k = 'k6' and n = current()/item[2]/n]", ["k6"]],
    ["item[n = position()]", []],
    ["item[n = 1 and last() > 5][1]", ["k1"]],
    ["item[n = last() - 19][1]", ["k1"]],
    ["item[k = number('x')]", []],
    ["item[n = '01']", []],
    ["item[n = 01][1]", ["k1"]],
    ["(item[n = ../item[position() = 4 or position() = 1]/n])[position() < 4]", ["k0", "k3", "k5"]],
    ["/c/item[n = /c/item[position() = 4 or position() = 1]/n][position() < 4]", ["k0", "k3", "k5"]],
    ["item[k = current()/item[7]/k]", ["k6"]],
    ["item[3 < n][1]", ["k4"]],
    ["item[../item/n < n][1]", ["k1"]],
  ])("%s", (expression, keys) => {
    expect(evaluate(long, expression, "/m:c")).toEqual(keys.map(at));
  });
});

describe("what is kept from one node to the next is no answer for another", () => {
  const long = documentOf(schema, {
    "m:c": {
      item: Array.from({ length: 20 }, (_, index) =>
        item(`k${String(index)}`, index % 5, {
          tag: [`k${String(index % 5)}`, "x"],
          in: { deep: `d${String(index)}` },
        }),
      ),
    },
  });
  const c = nodeAt(long, "/m:c");
  it.each([
    ["count(../item/tag[. = current()/k]/..)", [4, 4, 0]],
    ["count(../item/tag[. = current()/k])", [4, 4, 0]],
    ["../item/tag[. = current()/k]/../k = 'k6'", [false, true, false]],
    ["sum(../item[n = current()/n]/in/deep/../../n)", [0, 4, 8]],
    ["count(../item[k != current()/k]/tag[. = 'k1'])", [4, 3, 4]],
    ["../item[n > current()/n]/k = 'k2'", [true, true, false]],
    ["string(../item[tag = current()/k][2]/k)", ["k5", "k6", ""]],
    ["count(/c/item/tag[. = current()/tag])", [24, 24, 24]],
    ["count(../item/tag[. = current()/k or . = 'x'])", [24, 24, 20]],
    ["count((../item)[n = current()/n])", [4, 4, 4]],
    ["string(../item[position() = current()/n]/k)", ["", "k0", "k1"]],
    ["count(ancestor::c/item[in/deep = concat('d', current()/n)])", [1, 1, 1]],
    ["count(../item/in[deep != concat('d', current()/n)]/deep)", [19, 19, 19]],
  ] as const)("%s", (expression, values) => {
    const test = valueOf(compileXPath(expressionOf(expression), schema, listAt(schema, "/m:c/m:item")));
    const items = [0, 1, 7].map((index) => long.childrenOf(c, listAt(schema, "/m:c/m:item"))[index]!);
    expect(items.map((node) => test.evaluate(node))).toMatchObject(values.map((value) => ({ value })));
    expect(items.reverse().map((node) => test.evaluate(node))).toMatchObject(
      [...values].reverse().map((value) => ({ value })),
    );
  });
});

describe("numbers and their texts", () => {
  it.each([0, 1, -1, 0.1, 123456789012345680000, 1e21, -1e21, 1.5e300, 1e-6, 1e-7, -1.25e-10, 5e-324, 2 ** 53])(
    "%d is written without exponent and read back",
    (value) => {
      const text = numberToString(value);
      expect(text).toMatch(/^-?\d+(?:\.\d+)?$/);
      expect(stringToNumber(text)).toBe(value);
    },
  );

  it.each(["1234567890123456789", "0123", "-5", "3.14", "18446744073709551615"])("%s is read as a double", (text) => {
    expect(stringToNumber(text)).toBe(Number(text));
  });
});

describe("what can be seen without data", () => {
  const warnings = (text: string): readonly (readonly [string, number])[] => {
    const result = compileXPath(expressionOf(text), schema, schema.roots.get("m:c"));
    if (result.kind === "error") throw new Error(result.diagnostics.map((each) => each.message).join("; "));
    return result.warnings.map((each) => [each.code, each.offset]);
  };

  it.each([
    ["item/nothing", 5],
    ["../elsewhere", 3],
    ["item[lacks = 1]", 5],
    ["title/k", 6],
    ["/c/item/in/deep/..//k", 20],
    ["item/@k", 5],
    ["item/parent::title", 5],
    ["../..", 3],
  ])("warns of a step that no data matches: %s", (text, offset) => {
    expect(warnings(text)).toEqual([["xpath-never-matches", offset]]);
  });

  it.each([
    "item/k",
    "//deep",
    ".//k/../../title",
    "ancestor-or-self::c",
    "//item[in/deep]",
    "*/k",
    "title/text()",
    ".",
  ])("says nothing about %s", (text) => {
    expect(warnings(text)).toEqual([]);
  });

  it("places errors at the statement", () => {
    expect(compileXPath(expressionOf("a = "), schema, undefined)).toMatchObject({
      kind: "error",
      diagnostics: [{ code: "xpath-syntax", offset: 4, places: [{ position: { source: "m.yang", line: 3 } }] }],
    });
  });

  it("refuses a prefix that is not declared", () => {
    expect(compileXPath(expressionOf("q:c"), schema, undefined)).toMatchObject({
      kind: "error",
      diagnostics: [{ code: "xpath-unknown-prefix" }],
    });
  });
});
