import { describe, expect, it } from "vitest";
import { compile } from "xspattern";
import { checkXsdPattern, patternMatcher } from "../../model/patterns/xsd-pattern.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

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
  ["[\\p{IsCyrillic}\\p{IsGreekandCoptic}]+", ["\u0436\u03b1", "a"]],
  ["\\i\\c*", ["a1-.", "1a", ":x", "\u00e9\u00b7"]],
  ["\\I\\C", ["1 ", "a ", "11"]],
  ["[\\i-[:]][\\c-[:]]*", ["a1", ":a", "a:"]],
  ["[^\\d-[a-f-[c]]]", ["c", "a", "g", "1"]],
  ["[a-z-9]+", ["a-9", "8"]],
  ["[\\d-x]+", ["1-x", "w"]],
  ["[--]", ["-", "a"]],
  ["[a--[a]]", ["-", "a"]],
  ["(a*)*b", ["aab", "b", "a"]],
  ["(a|ab)(c|bcd)(d*)", ["abcd", "acd", "abc", "abd"]],
  ["(a?){3}b{2,}", ["aabb", "bb", "aaaabb", "aab"]],
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

const refused: readonly (readonly [string, number])[] = [
  ["(", 0],
  ["a)", 1],
  ["[", 1],
  ["[]", 0],
  ["a**", 2],
  ["*a", 0],
  ["{2}", 0],
  ["a{,}", 2],
  ["a{2", 1],
  ["a{x}", 2],
  ["a{2,1}", 1],
  ["[z-a]", 1],
  ["\\q", 0],
  ["\\", 1],
  ["[a-\\d]", 1],
  ["\\p{Xx}", 0],
  ["\\p{L", 0],
  ["\\pL", 0],
  ["]", 0],
  ["}", 0],
  ["[+--]", 1],
  ["[--a]", 1],
  ["[a-z-[b]c]", 8],
  ["[a[b]", 0],
  ["x(?:a)", 2],
  ["\\bx", 0],
];

describe("what is no pattern", () => {
  it.each(refused)("%s is refused at offset %i, and by XML Schema", (pattern, offset) => {
    expect(() => compile(pattern, { language: "xsd" })).toThrow();
    expect(checkXsdPattern(pattern)).toMatchObject({ offset });
    expect(patternMatcher(pattern)).toBeUndefined();
  });

  it("is told from what is one", () => {
    for (const [pattern] of patterns) expect([pattern, checkXsdPattern(pattern)]).toEqual([pattern, undefined]);
  });

  it("does not name a block that Unicode does not have, or a count without end", () => {
    expect(checkXsdPattern("\\p{IsNowhere}")).toMatchObject({ offset: 0 });
    expect(checkXsdPattern(`a{${"9".repeat(9_000)}}`)).toMatchObject({ offset: 2 });
  });

  it("takes two liberties that published modules take", () => {
    expect([0, 3, 4].map((count) => patternMatcher("xa{,3}")?.(`x${"a".repeat(count)}`))).toEqual([true, true, false]);
    expect(patternMatcher("\\$a\\/b\\@[\\_]")?.("$a/b@_")).toBe(true);
  });
});

describe("hostile patterns and texts", () => {
  it.each([
    ["(a+)+b", "a"],
    ["(a|a)*b", "a"],
    ["(a|aa)+", "ab"],
    ["(.*,){12}x", "1,"],
    ["(([a-z])+.)+[A-Z]([a-z])+", "a"],
    ["(x{0,400})*y", "x"],
  ])("%s takes time in proportion to the text", (pattern, repeated) => {
    const matches = patternMatcher(pattern);
    const time = (count: number): number => {
      const text = repeated.repeat(count);
      const start = cpuTimeMs();
      matches?.(text);
      return cpuTimeMs() - start;
    };
    const short = time(20_000);
    // Ten times the text; the allowance is for the machine. One way after the other would never end.
    expect(time(200_000)).toBeLessThan(Math.max(short * 40, 400));
  });

  it("nested deeply or multiplied out beyond measure are no patterns", () => {
    expect(checkXsdPattern("(".repeat(9_000))).toMatchObject({ offset: 200 });
    expect(checkXsdPattern("[a-".repeat(3_000))).toMatchObject({ offset: 598 });
    expect(checkXsdPattern("a".repeat(1_000_000))).toMatchObject({ offset: 10_000 });
    expect(checkXsdPattern("((a{999}){999}){999}")).toBeDefined();
    expect(checkXsdPattern("(){999}")).toBeUndefined();
    expect(
      checkXsdPattern(Array.from({ length: 3000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("")),
    ).toBeDefined();
  });

  it("keep the memory of an automaton bounded, and its verdicts right, when every text leads to new states", () => {
    const matches = patternMatcher("[ax]*a[ax]{300}b?");
    let seed = 7;
    const text = Array.from({ length: 3000 }, () =>
      (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) > 2 ** 30 ? "a" : "x",
    );
    for (let round = 0; round < 20; round += 1) {
      const cut = text.slice(round * 17).join("");
      expect(matches?.(cut)).toBe(cut.at(-301) === "a");
      expect(matches?.(`${cut}b`)).toBe(cut.at(-301) === "a");
    }
    const many = patternMatcher("[\\p{L}\\d]+");
    for (let code = 0x4e00; code < 0x9fa5; code += 1) expect(many?.(String.fromCodePoint(code, 0x31))).toBe(true);
  });
});
