import fc from "fast-check";
import { expect, it } from "vitest";
import { compile } from "xspattern";
import { patternMatcher } from "../../model/xsd-pattern.ts";

const pieces = [
  "a",
  "b",
  "-",
  "^",
  "$",
  ".",
  "|",
  "(",
  ")",
  "[",
  "]",
  "[^",
  "-[",
  "*",
  "+",
  "?",
  "{2}",
  "{0,1}",
  "\\d",
  "\\s",
  "\\w",
  "\\W",
  "\\-",
  "\\.",
  "\\\\",
  "\\p{L}",
  "\\P{Lu}",
  "1",
  " ",
  "&",
  "&&",
  "--",
  "~",
];

const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((each) => each.join(""));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", "1", "-", "^", "$", ".", " ", "&", "~", "\\", "\u00e9", "\u{1F600}"),
  maxLength: 5,
});

it("agrees with another implementation on what is a pattern and what it matches", () => {
  const seen = { patterns: 0, matches: 0 };
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
      const oracle = oracleFor(source);
      const matcher = patternMatcher(source);
      expect(matcher === undefined).toBe(oracle === undefined);
      if (matcher === undefined || oracle === undefined) return;
      seen.patterns += 1;
      for (const each of texts) {
        if (oracle(each)) seen.matches += 1;
        expect([each, matcher(each)]).toEqual([each, oracle(each)]);
      }
    }),
    { numRuns: 5000 },
  );
  expect(seen.patterns).toBeGreaterThan(200);
  expect(seen.matches).toBeGreaterThan(50);
});

function oracleFor(source: string): ((text: string) => boolean) | undefined {
  try {
    return compile(source, { language: "xsd" });
  } catch {
    return undefined;
  }
}
