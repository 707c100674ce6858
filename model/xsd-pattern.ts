/**
 * XSD regular expressions, the language of YANG patterns (RFC 7950 section 9.4.5; XML Schema part 2, appendix F).
 *
 * Almost every pattern translates to a JavaScript `RegExp` with the `v` flag, which has class subtraction and Unicode
 * categories and is a hundred times faster than a matcher written in JavaScript. What it has no word for (Unicode
 * blocks, the XML name classes) is left to `xspattern`.
 */
import { compile } from "xspattern";

export type PatternMatcher = (text: string) => boolean;

const matchers = new Map<string, PatternMatcher | undefined>();

/** A matcher for the whole text, or undefined when this is no XSD regular expression. Compiled once a pattern. */
export function patternMatcher(pattern: string): PatternMatcher | undefined {
  if (matchers.has(pattern)) return matchers.get(pattern);
  const matcher = compilePattern(pattern);
  matchers.set(pattern, matcher);
  return matcher;
}

function compilePattern(pattern: string): PatternMatcher | undefined {
  const source = regExpSource(pattern);
  if (source !== undefined) {
    try {
      const expression = new RegExp(`^(?:${source})$`, "v");
      return (text) => expression.test(text);
    } catch {
      // For example a range whose end comes before its start: xspattern has the last word on what is a pattern.
    }
  }
  try {
    return compile(pattern, { language: "xsd" });
  } catch {
    return undefined;
  }
}

/** The source of a `v`-flag RegExp that matches the same texts; undefined when there is none or the pattern is wrong. */
export function regExpSource(pattern: string): string | undefined {
  try {
    const reader = new PatternReader(pattern);
    return reader.read();
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

class Untranslatable extends Error {}

const CLASS_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["s", "[\\t\\n\\r\\u{20}]"],
  ["S", "[^\\t\\n\\r\\u{20}]"],
  ["d", "\\p{Nd}"],
  ["D", "\\P{Nd}"],
  ["w", "[^\\p{P}\\p{Z}\\p{C}]"],
  ["W", "[\\p{P}\\p{Z}\\p{C}]"],
]);
const CHARACTER_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ...Array.from("\\|.?*+(){}-[]^", (character): [string, string] => [character, character]),
]);
const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/;
/** Characters that stand for themselves both in a RegExp and in its classes. */
const PLAIN = /^[A-Za-z0-9_]$/;

function literal(character: string): string {
  const code = character.codePointAt(0);
  if (code === undefined) throw new Untranslatable();
  return PLAIN.test(character) ? character : `\\u{${code.toString(16)}}`;
}

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  read(): string {
    const source = this.#alternatives();
    if (this.#at < this.#characters.length) throw new Untranslatable();
    return source;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #next(): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new Untranslatable();
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #alternatives(): string {
    const branches = [this.#branch()];
    while (this.#take("|")) branches.push(this.#branch());
    return branches.join("|");
  }

  #branch(): string {
    let source = "";
    for (let character = this.#peek(); character !== undefined && character !== "|" && character !== ")"; ) {
      source += this.#atom() + this.#quantifier();
      character = this.#peek();
    }
    return source;
  }

  #atom(): string {
    const character = this.#next();
    switch (character) {
      case "(": {
        const inner = this.#alternatives();
        if (!this.#take(")")) throw new Untranslatable();
        return `(?:${inner})`;
      }
      case "[":
        return this.#characterClass();
      case "\\":
        return this.#escape().source;
      case ".":
        return "[^\\n\\r]";
      case "?":
      case "*":
      case "+":
      case "{":
      case "}":
      case "]":
        throw new Untranslatable();
      default:
        return literal(character);
    }
  }

  #quantifier(): string {
    const character = this.#peek();
    if (character === "?" || character === "*" || character === "+") return this.#next();
    if (character !== "{") return "";
    let text = "";
    do text += this.#next();
    while (!text.endsWith("}"));
    const bounds = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(text);
    if (bounds === null) throw new Untranslatable();
    return text;
  }

  /** What follows a backslash: a class, or the one character it stands for. */
  #escape(): { readonly source: string; readonly character: string | undefined } {
    const name = this.#next();
    if (name === "p" || name === "P") {
      let property = "";
      if (!this.#take("{")) throw new Untranslatable();
      while (!this.#take("}")) property += this.#next();
      if (!CATEGORY.test(property)) throw new Untranslatable();
      return { source: `\\${name}{${property}}`, character: undefined };
    }
    const shorthand = CLASS_ESCAPES.get(name);
    if (shorthand !== undefined) return { source: shorthand, character: undefined };
    const character = CHARACTER_ESCAPES.get(name);
    if (character === undefined) throw new Untranslatable();
    return { source: literal(character), character };
  }

  /** After `[`: members, ranges and at the end perhaps a subtraction, `[a-z-[aeiou]]`. */
  #characterClass(): string {
    const negated = this.#take("^") ? "^" : "";
    let members = "";
    for (let first = true; ; first = false) {
      if (this.#take("]")) {
        if (first) throw new Untranslatable();
        return `[${negated}${members}]`;
      }
      if (!first && this.#peek() === "-" && this.#characters[this.#at + 1] === "[") {
        this.#at += 2;
        const subtracted = this.#characterClass();
        if (!this.#take("]")) throw new Untranslatable();
        return `[[${negated}${members}]--${subtracted}]`;
      }
      members += this.#classMember();
    }
  }

  #classMember(): string {
    const startsWithHyphen = this.#peek() === "-";
    const start = this.#classCharacter();
    const follows = this.#characters[this.#at + 1];
    const isRange = this.#peek() === "-" && follows !== "]" && follows !== "[";
    if (start.character === undefined || !isRange) return start.source;
    this.#at += 1;
    // Whether a hyphen that is not escaped can be the end of a range is left to the matcher that knows XML Schema best.
    if (startsWithHyphen || this.#peek() === "-") throw new Untranslatable();
    const end = this.#classCharacter();
    if (end.character === undefined) throw new Untranslatable();
    return `${start.source}-${end.source}`;
  }

  #classCharacter(): { readonly source: string; readonly character: string | undefined } {
    const character = this.#next();
    if (character === "\\") return this.#escape();
    if (character === "[" || character === "]") throw new Untranslatable();
    return { source: literal(character), character };
  }
}
