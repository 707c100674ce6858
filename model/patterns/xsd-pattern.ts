/**
 * XSD regular expressions, the language of YANG patterns (RFC 7950 section 9.4.5; XML Schema part 2, appendix F).
 *
 * The problem it owns: patterns come with the modules of devices and texts from devices too, every string of a
 * configuration passes through here, and neither may cost more than its length. So patterns run on an automaton of our
 * own, which does a name or an address in a tenth of a microsecond. A translation to JavaScript's RegExp is as fast or up
 * to twice as fast, but tries one way after the other: `(a+)+b` takes it 0.8 s for 28 letters and an hour for forty.
 */
import { automatonOf, isTooLarge } from "./automaton.ts";
import { type PatternError, type PatternNode, parsePattern } from "./syntax.ts";

export type { PatternError };

/** Does the whole text match? Time is linear in the length of the text, memory is bounded. */
export type PatternMatcher = (text: string) => boolean;

/**
 * What is wrong with a pattern: where (in UTF-16 units) and why. Undefined: it is an expression of the language, and
 * `patternMatcher` has a matcher for it. The one restriction of ours is on size: 10,000 UTF-16 units, nesting of 200
 * levels, 2,000 different characters and classes, and 20,000 of them after counts are multiplied out.
 */
export function checkXsdPattern(pattern: string): PatternError | undefined {
  if (matchers.get(pattern) !== undefined) return undefined;
  const read = readPattern(pattern);
  return read.kind === "error" ? { offset: read.offset, reason: read.reason } : undefined;
}

const MAX_KEPT = 5_000;
const matchers = new Map<string, PatternMatcher | undefined>();

/** A matcher for the whole text, or undefined when `checkXsdPattern` finds something wrong. Made once a pattern. */
export function patternMatcher(pattern: string): PatternMatcher | undefined {
  if (matchers.has(pattern)) return matchers.get(pattern);
  const read = readPattern(pattern);
  const matcher = read.kind === "error" ? undefined : madeWhenUsed(read.node);
  if (matchers.size >= MAX_KEPT) matchers.clear();
  matchers.set(pattern, matcher);
  return matcher;
}

/** Schemas have more patterns than texts ever meet. */
function madeWhenUsed(node: PatternNode): PatternMatcher {
  let matches: PatternMatcher | undefined;
  return (text) => {
    matches ??= automatonOf(node);
    return matches(text);
  };
}

type ReadPattern =
  | { readonly kind: "pattern"; readonly node: PatternNode }
  | ({ readonly kind: "error" } & PatternError);

function readPattern(pattern: string): ReadPattern {
  const read = parsePattern(pattern);
  return read.kind === "pattern" && isTooLarge(read.node)
    ? { kind: "error", offset: 0, reason: "the pattern is too large once its counts are multiplied out" }
    : read;
}
