/** Reading expressions: XPath 1.0 section 3 and the closed set of functions of RFC 7950 section 6.4. */
import { describe, expect, it } from "vitest";
import type { XPathExpression, XPathStep } from "../../model/xpath/expression.ts";
import { parseXPath } from "../../model/xpath/parse-xpath.ts";
import { valueOf } from "../support/results.ts";

/** The tree as text with every operand in brackets and every step written out. */
function outline(expression: XPathExpression): string {
  switch (expression.kind) {
    case "or":
    case "and":
    case "union":
      return `(${expression.operands.map(outline).join(` ${expression.kind} `)})`;
    case "comparison":
    case "arithmetic":
      return `(${outline(expression.left)} ${expression.operator} ${outline(expression.right)})`;
    case "negate":
      return `(- ${outline(expression.operand)})`;
    case "path": {
      const start = typeof expression.start === "object" ? outline(expression.start) : expression.start;
      return [start, ...expression.steps.map(outlineStep)].join("/");
    }
    case "filter":
      return outline(expression.primary) + expression.predicates.map((each) => `[${outline(each)}]`).join("");
    case "literal":
      return JSON.stringify(expression.value);
    case "number":
      return String(expression.value);
    case "call":
      return `${expression.name}(${expression.arguments.map(outline).join(", ")})`;
  }
}

function outlineStep({ axis, test, predicates }: XPathStep): string {
  const prefix = "prefix" in test && test.prefix !== undefined ? `${test.prefix}:` : "";
  const name =
    test.kind === "name"
      ? prefix + test.name
      : test.kind === "any-name"
        ? `${prefix}*`
        : `${test.kind}(${"target" in test ? (test.target ?? "") : ""})`;
  return `${axis}::${name}${predicates.map((each) => `[${outline(each)}]`).join("")}`;
}

const read: readonly (readonly [section: string, text: string, tree: string])[] = [
  ["2.5", "a", "context/child::a"],
  ["2.5", "*", "context/child::*"],
  ["2.5", "p:*", "context/child::p:*"],
  ["2.5", "/", "root"],
  ["2.5", "/a/b", "root/child::a/child::b"],
  ["2.5", "//a", "root/descendant-or-self::node()/child::a"],
  ["2.5", "a//b", "context/child::a/descendant-or-self::node()/child::b"],
  ["2.5", ".//a", "context/self::node()/descendant-or-self::node()/child::a"],
  ["2.5", "../@a", "context/parent::node()/attribute::a"],
  ["2.1", "ancestor-or-self :: p:a [ 1 ]", "context/ancestor-or-self::p:a[1]"],
  ["2.3", "text()", "context/child::text()"],
  ["2.3", "processing-instruction ( 'x' )", "context/child::processing-instruction(x)"],
  ["2.3", "node", "context/child::node"],
  ["3.1", "current()/../a", "current()/parent::node()/child::a"],
  ["3.3", "(a)[1]/b", "context/child::a[1]/child::b"],
  ["3.3", "a[1][2]", "context/child::a[1][2]"],
  ["3.3", "a | b | c", "(context/child::a union context/child::b union context/child::c)"],
  ["3.4", "1 = 2 < 3 != 4", "((1 = (2 < 3)) != 4)"],
  ["3.4", "a or b and c", "(context/child::a or (context/child::b and context/child::c))"],
  ["3.5", "1 - 2 - 3", "((1 - 2) - 3)"],
  ["3.5", "1 + 2 * 3 div 4 mod 5", "(1 + (((2 * 3) div 4) mod 5))"],
  ["3.5", "- 1 + 2", "((- 1) + 2)"],
  ["3.5", "---1", "(- 1)"],
  ["3.5", "--a", "(- (- context/child::a))"],
  ["3.5", "-a | b", "(- (context/child::a union context/child::b))"],
  ["3.7", "* * *", "(context/child::* * context/child::*)"],
  ["3.7", "div div div", "(context/child::div div context/child::div)"],
  ["3.7", "or or or", "(context/child::or or context/child::or)"],
  ["3.7", "a-b", "context/child::a-b"],
  ["3.7", "a -b", "(context/child::a - context/child::b)"],
  ["3.7", "a[mod]", "context/child::a[context/child::mod]"],
  ["3.7", "(and)", "context/child::and"],
  ["3.7", "@or", "context/attribute::or"],
  ["3.7", "child::and", "context/child::and"],
  ["3.7", "p:div", "context/child::p:div"],
  ["3.7", "2.", "2"],
  ["3.7", ".5", "0.5"],
  ["3.7", "'a\"b'", '"a\\"b"'],
  ["3.7", '"it\'s"', '"it\'s"'],
  ["3.7", "a.b_c", "context/child::a.b_c"],
  ["3.7", "\t1\n<\r2 ", "(1 < 2)"],
  ["4.2", "concat('a', b, 1)", 'concat("a", context/child::b, 1)'],
];

describe("what is read", () => {
  it.each(read)("section %s: %s", (_section, text, tree) => {
    expect(outline(valueOf(parseXPath(text)))).toBe(tree);
  });
});

const refused: readonly (readonly [text: string, code: string, offset: number])[] = [
  ["", "xpath-syntax", 0],
  ["   ", "xpath-syntax", 3],
  ["a b", "xpath-syntax", 2],
  ["a =", "xpath-syntax", 3],
  ["a[1", "xpath-syntax", 3],
  ["a]", "xpath-syntax", 1],
  ["(a", "xpath-syntax", 2],
  ["a/", "xpath-syntax", 2],
  ["//", "xpath-syntax", 2],
  ["/ and b", "xpath-syntax", 6],
  ["'abc", "xpath-syntax", 0],
  ["a = \"b'", "xpath-syntax", 4],
  ["a # b", "xpath-syntax", 2],
  ["a ! b", "xpath-syntax", 2],
  ["p : a", "xpath-syntax", 2],
  ["p: a", "xpath-syntax", 1],
  ["p:", "xpath-syntax", 2],
  [":a", "xpath-syntax", 0],
  ["sideways::a", "xpath-syntax", 0],
  ["1 2", "xpath-syntax", 2],
  ["text(1)", "xpath-syntax", 5],
  ["comment('a')", "xpath-syntax", 8],
  ["concat('a',)", "xpath-syntax", 11],
  ["$a", "xpath-variable", 0],
  ["1 + $p:a", "xpath-variable", 4],
  ["frobnicate()", "xpath-unknown-function", 0],
  ["p:count(a)", "xpath-syntax", 7],
  ["not()", "xpath-argument-count", 0],
  ["not(1, 2)", "xpath-argument-count", 0],
  ["concat('a')", "xpath-argument-count", 0],
  ["substring('a', 1, 2, 3)", "xpath-argument-count", 0],
  ["current(.)", "xpath-argument-count", 0],
  ["count(1)", "xpath-type", 6],
  ["sum('a')", "xpath-type", 4],
  ["deref('a')", "xpath-type", 6],
  ["derived-from('a', 'b')", "xpath-type", 13],
  ["'a' | b", "xpath-type", 0],
  ["b | 1", "xpath-type", 4],
  ["'a'[1]", "xpath-type", 0],
  ["true()/a", "xpath-type", 0],
  ["\u0000", "xpath-syntax", 0],
];

describe("what is refused, and where", () => {
  it.each(refused)("%j: %s at %i", (text, code, offset) => {
    const result = parseXPath(text);
    if (result.kind === "ok") throw new Error(`read as ${outline(result.value)}`);
    expect(result.diagnostics.map((each) => [each.code, each.offset])).toEqual([[code, offset]]);
  });

  it("names the prefixes that there are", () => {
    const result = parseXPath("a/q:b", { prefixes: new Map([["p", "m"]]) });
    expect(result).toMatchObject({
      kind: "error",
      diagnostics: [{ code: "xpath-unknown-prefix", offset: 2, expected: "one of p" }],
    });
  });
});

it.each([".[1]", "..[1]"])("%s is read, though section 2.5 does not allow it, with a warning", (text) => {
  const result = parseXPath(text);
  expect(result).toMatchObject({ kind: "ok", warnings: [{ code: "xpath-syntax", severity: "warning" }] });
});

describe("expressions made to exhaust the stack", () => {
  const deep: readonly (readonly [string, string])[] = [
    ["parentheses", `${"(".repeat(10_000)}1${")".repeat(10_000)}`],
    ["calls", `${"not(".repeat(10_000)}1${")".repeat(10_000)}`],
    ["predicates", `${"a[".repeat(10_000)}1${"]".repeat(10_000)}`],
    ["sums", "1+".repeat(10_000) + "1"],
    ["comparisons", "1=".repeat(10_000) + "1"],
    ["sums within parentheses", `${"(".repeat(150)}1${"+1".repeat(9)}${`)${"+1".repeat(9)}`.repeat(150)}`],
  ];
  it.each(deep)("are refused: %s", (_what, text) => {
    expect(parseXPath(text)).toMatchObject({ kind: "error", diagnostics: [{ code: "xpath-too-deep" }] });
  });

  const long: readonly (readonly [string, string])[] = [
    ["or", Array.from({ length: 10_000 }, () => "a").join(" or ")],
    ["union", Array.from({ length: 10_000 }, () => "a").join("|")],
    ["steps", Array.from({ length: 1900 }, () => "a").join("/")],
    ["minus", `${"-".repeat(10_000)}1`],
    ["predicates", `a${"[1]".repeat(10_000)}`],
    ["150 levels", `${"(".repeat(150)}1${")".repeat(150)}`],
  ];
  it.each(long)("may be long where they are flat: %s", (_what, text) => {
    expect(parseXPath(text).kind).toBe("ok");
  });
});
