/**
 * Regular expressions of definitions (`pattern` of a parameter, `matches` in an expression), in time linear in the text.
 * JavaScript's RegExp tries one way after the other and can be kept busy for years by a short pattern, so these run on
 * the automaton that runs the patterns of YANG. It takes what is regular: no look-around, no back reference, `^` and `$`
 * at the ends only.
 */
import { checkXsdPattern, patternMatcher } from "../model/patterns/xsd-pattern.ts";

export type LinearPattern =
  | { readonly kind: "pattern"; readonly test: (text: string) => boolean }
  | { readonly kind: "error"; readonly reason: string };

/** Anything, line ends too. */
const ANYTHING = "[\\s\\S]*";
/** What ECMAScript means by these; XSD counts the digits and letters of all scripts. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["w", "A-Za-z0-9_"],
  ["s", " \\t\\n\\r"],
]);

/** Does the pattern match anywhere in a text, as in ECMAScript and CEL? */
export function linearPattern(pattern: string): LinearPattern {
  const start = pattern.startsWith("^") ? 1 : 0;
  const end = /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern.slice(start)) ? pattern.length - 1 : pattern.length;
  const body = translate(pattern.slice(start, end));
  if (body.kind === "error") return body;
  const anchored = start > 0 || end < pattern.length;
  if (anchored && body.hasTopChoice)
    return { kind: "error", reason: "`^` or `$` beside a choice: put the choice in parentheses" };
  const whole = `${start > 0 ? "" : ANYTHING}(${body.text})${end < pattern.length ? "" : ANYTHING}`;
  const wrong = checkXsdPattern(whole);
  const test = wrong === undefined ? patternMatcher(whole) : undefined;
  return test === undefined
    ? { kind: "error", reason: wrong?.reason ?? "it cannot be read" }
    : { kind: "pattern", test };
}

type Translated =
  | { readonly kind: "text"; readonly text: string; readonly hasTopChoice: boolean }
  | { readonly kind: "error"; readonly reason: string };

function translate(pattern: string): Translated {
  let text = "";
  let depth = 0;
  let inClass = false;
  let hasTopChoice = false;
  let quantified = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    const isQuantifier = !inClass && /[*+?}]/.test(character);
    // Lazy or not, a text matches or it does not.
    const isLazy: boolean = quantified && character === "?";
    quantified = isQuantifier && !isLazy;
    if (isLazy) continue;
    if (character === "\\") {
      at += 1;
      const escaped = pattern[at] ?? "";
      const set = CLASSES.get(escaped.toLowerCase());
      if (set !== undefined && escaped !== escaped.toLowerCase()) {
        if (inClass) return { kind: "error", reason: `\\${escaped} within a class` };
        text += `[^${set}]`;
      } else if (set !== undefined) {
        text += inClass ? set : `[${set}]`;
        // Behind several characters a hyphen is one itself.
        if (inClass && pattern[at + 1] === "-") {
          text += "\\-";
          at += 1;
        }
      } else if (/[bB0-9kux]/.test(escaped)) return { kind: "error", reason: `\\${escaped} is not taken` };
      else text += `\\${escaped}`;
    } else if (inClass) {
      if (character === "]") inClass = false;
      text += character === "[" ? "\\[" : character;
    } else if (character === "[") {
      inClass = true;
      text += pattern[at + 1] === "^" ? "[^" : "[";
      if (pattern[at + 1] === "^") at += 1;
    } else if (character === "^" || character === "$") {
      return { kind: "error", reason: `\`${character}\` stands at the ends only` };
    } else if (character === "(") {
      depth += 1;
      text += "(";
      if (pattern.startsWith("(?:", at)) at += 2;
      else if (pattern[at + 1] === "?") return { kind: "error", reason: "look-around and named groups are not taken" };
    } else {
      if (character === ")") depth -= 1;
      if (character === "|" && depth === 0) hasTopChoice = true;
      if (character === "?" && /[*+?}]/.test(pattern[at - 1] ?? "")) continue; // Lazy or not, a text matches or it does not.
      text += character === "." ? "[^\\n\\r]" : character;
    }
  }
  return { kind: "text", text, hasTopChoice };
}
