import { expect, it } from "vitest";
import { compile } from "xspattern";
import { patternMatcher, regExpSource } from "../../model/xsd-pattern.ts";

/** Patterns in the manner of published modules, and every construct of the language, with texts on either side. */
const patterns: readonly (readonly [string, readonly string[]])[] = [
  ["[a-zA-Z_][a-zA-Z0-9\\-_.]*", ["a", "_9", "9a", "a-b.c", "", "a b"]],
  ["\\d{4}-\\d{2}-\\d{2}", ["2026-01-01", "2026-1-1", "\u0661\u0662\u0663\u0664-01-01"]],
  [
    "(([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])\\.){3}([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])(%[\\p{N}\\p{L}]+)?",
    ["1.2.3.4", "256.1.1.1", "1.2.3.4%eth0", "1.2.3"],
  ],
  ["[a-z-[aeiou]]+", ["bcd", "abc", "b-c"]],
  ["[^a-z-[x]]", ["x", "A", "a", "-"]],
  ["[\\p{L}-[\\p{Lu}]]+", ["abc", "aBc", "\u00e9"]],
  [".", ["a", "\n", "\r", "\u2028", "\u{1F600}", ""]],
  ["\\s+\\S", [" \t\n\ra", "\u00a0a", " a"]],
  ["\\w+", ["abc", "a b", "a.b", "\u00e9_", "_", "\u{1F600}"]],
  ["\\W", [".", "a", "_"]],
  ["\\D", ["a", "1"]],
  ["^a$", ["^a$", "a"]],
  ["a^b|c$", ["a^b", "c$", "ab", "c"]],
  ["[\\^$.|?*+(){}\\[\\]\\\\/&~!#%,:;<=>@`'\"-]+", ["^$.|?*+(){}[]\\/&~!#%,:;<=>@`'\"-", "a"]],
  ["[a&&b]+", ["a&b", "&&", "c"]],
  ["[-a]", ["-", "a", "b"]],
  ["[a-]", ["-", "a", "b"]],
  ["a{2}b{1,}c{0,3}d{0}", ["aab", "aabbccc", "ab", "aabd", "aabcccc"]],
  ["(a|b|)c", ["ac", "bc", "c", "dc"]],
  ["", ["", "a"]],
  ["()", ["", "a"]],
  ["\\n\\r\\t\\-\\.", ["\n\r\t-.", "nrt-."]],
  ["\\p{IsBasicLatin}+", ["abc", "\u00e9"]],
  ["\\P{IsBasicLatin}", ["a", "\u00e9"]],
  ["\\i\\c*", ["a1-.", "1a", ":x"]],
  ["\\p{Zs}|\\P{L}", [" ", "\u2003", "a", "1"]],
  ["\u{1F600}+", ["\u{1F600}\u{1F600}", "\ude00"]],
  ["[\u{1F600}-\u{1F64F}]", ["\u{1F60A}", "\u{1F650}"]],
  ["<a/>&%~", ["<a/>&%~", "<a/>"]],
];

it.each(patterns)("reads %s as XML Schema does", (pattern, texts) => {
  const oracle = compile(pattern, { language: "xsd" });
  const matches = patternMatcher(pattern);
  for (const text of texts) expect([text, matches?.(text)]).toEqual([text, oracle(text)]);
});

it.each([
  "(",
  "a)",
  "[",
  "[]",
  "a**",
  "*a",
  "{2}",
  "a{,2}",
  "a{2",
  "[z-a]",
  "\\q",
  "[a-\\d]",
  "\\p{Xx}",
  "\\p{L",
  "]",
  "}",
  "a{2,1}",
  "[+--]",
])("refuses %s, as XML Schema does", (pattern) => {
  expect(() => compile(pattern, { language: "xsd" })).toThrow();
  expect(patternMatcher(pattern)).toBeUndefined();
});

it("uses RegExp for all but blocks and XML name classes", () => {
  const slow = patterns.map(([pattern]) => pattern).filter((pattern) => regExpSource(pattern) === undefined);
  expect(slow).toEqual(["\\p{IsBasicLatin}+", "\\P{IsBasicLatin}", "\\i\\c*"]);
});
