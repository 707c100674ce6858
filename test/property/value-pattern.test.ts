import fc from "fast-check";
import { expect, it } from "vitest";
import { compile } from "xspattern";
import { checkXsdPattern, patternMatcher } from "../../model/patterns/xsd-pattern.ts";

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
  "\\i",
  "\\C",
  "\\-",
  "\\.",
  "\\\\",
  "\\p{L}",
  "\\P{Lu}",
  "\\p{IsBasicLatin}",
  "1",
  " ",
  "&",
  "&&",
  "--",
  "~",
];

const anyPattern = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((each) => each.join(""));
const character = fc.constantFrom("a", "b", "A", "1", "-", "^", "$", ".", " ", "&", "~", "\\", "\u00e9", "\u{1F600}");
const anyText = fc.string({ unit: character, maxLength: 5 });

/** A pattern and a text that it matches. */
interface Sample {
  readonly pattern: string;
  readonly text: string;
}

const sets: readonly Sample[] = [
  { pattern: "a", text: "a" },
  { pattern: "\\.", text: "." },
  { pattern: ".", text: "\u{1F600}" },
  { pattern: "[a-c]", text: "b" },
  { pattern: "[^a-c]", text: "A" },
  { pattern: "[a-z-[aeiou]]", text: "k" },
  { pattern: "[^\\s-[a-f-[c]]]", text: "c" },
  { pattern: "[-a]", text: "-" },
  { pattern: "[\\d.^]", text: "^" },
  { pattern: "\\d", text: "\u0667" },
  { pattern: "\\D", text: "b" },
  { pattern: "\\s", text: "\t" },
  { pattern: "\\S", text: "\u00e9" },
  { pattern: "\\w", text: "\u00e9" },
  { pattern: "\\W", text: "-" },
  { pattern: "\\i", text: ":" },
  { pattern: "\\c", text: "." },
  { pattern: "\\p{Lu}", text: "Q" },
  { pattern: "\\P{L}", text: "1" },
  { pattern: "\\p{IsLatin-1Supplement}", text: "\u00e9" },
];

const sample: fc.Arbitrary<Sample> = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...sets),
    fc.array(tie("sample"), { maxLength: 4 }).map((each) => ({
      pattern: each.map((part) => part.pattern).join(""),
      text: each.map((part) => part.text).join(""),
    })),
    fc.tuple(fc.array(tie("sample"), { minLength: 1, maxLength: 3 }), fc.nat(2)).map(([each, index]) => ({
      pattern: `(${each.map((part) => part.pattern).join("|")})`,
      text: each[index % each.length]?.text ?? "",
    })),
    fc.tuple(tie("sample"), fc.nat(2), fc.nat(1), fc.nat(1)).map(([part, min, more, spare]) => ({
      pattern: `(${part.pattern}){${String(min)},${String(min + more + spare)}}`,
      text: part.text.repeat(min + more),
    })),
    fc.tuple(tie("sample"), fc.constantFrom("*", "+", "?", "{2}", "{1,}")).map(([part, quantifier]) => ({
      pattern: `(${part.pattern})${quantifier}`,
      text: quantifier === "*" ? "" : part.text.repeat(quantifier === "{2}" ? 2 : 1),
    })),
  ),
})).sample;

/** The text with one character more or less, or turned around. */
const spoilt = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(), character, fc.constantFrom("insert", "replace", "remove", "reverse"))
    .map(([place, other, change]) => {
      const characters = Array.from(text);
      if (change === "reverse") return characters.reverse().join("");
      characters.splice(
        place % (characters.length + 1),
        change === "insert" ? 0 : 1,
        ...(change === "remove" ? [] : [other]),
      );
      return characters.join("");
    });

const oracleFor = (source: string): ((text: string) => boolean) | undefined => {
  try {
    return compile(source, { language: "xsd" });
  } catch {
    return undefined;
  }
};

// The other implementation takes its time.
const timeout = 60_000;

it(
  "agrees with another implementation on what is a pattern and what it matches",
  () => {
    const seen = { patterns: 0, matches: 0 };
    fc.assert(
      fc.property(anyPattern, fc.array(anyText, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const oracle = oracleFor(source);
        const matcher = patternMatcher(source);
        expect(matcher === undefined).toBe(oracle === undefined);
        expect(checkXsdPattern(source) === undefined).toBe(oracle !== undefined);
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
  },
  timeout,
);

it(
  "matches what a pattern was made from, and else what another implementation matches",
  () => {
    const seen = { refused: 0 };
    fc.assert(
      fc.property(
        sample.chain((each) =>
          fc.tuple(fc.constant(each), fc.array(spoilt(each.text), { minLength: 3, maxLength: 3 })),
        ),
        ([{ pattern, text }, others]) => {
          const oracle = oracleFor(pattern);
          const matcher = patternMatcher(pattern);
          expect([oracle?.(text), matcher?.(text)]).toEqual([true, true]);
          for (const other of others) {
            if (oracle?.(other) === false) seen.refused += 1;
            expect([other, matcher?.(other)]).toEqual([other, oracle?.(other)]);
          }
        },
      ),
      { numRuns: 5000 },
    );
    expect(seen.refused).toBeGreaterThan(1000);
  },
  timeout,
);
