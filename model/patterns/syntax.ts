/**
 * The grammar of XSD regular expressions (XML Schema part 2, appendix F; the rules for hyphens in classes are those of
 * XML Schema 1.1, which say what the second edition left open). `^` and `$` are ordinary characters there.
 *
 * Two liberties, since published modules take them and mean one thing only: `{,m}` is `{0,m}`, and any punctuation of
 * ASCII may be escaped (`\/`, `\$`).
 */
import {
  type CharacterSet,
  CLASS_ESCAPES,
  WILDCARD,
  blockSet,
  categorySet,
  codeOf,
  complement,
  difference,
  range,
  single,
  unite,
} from "./characters.ts";

/** One regular expression or part of one. `max` undefined: without bound. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly branches: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number | undefined };

/** Where (in UTF-16 units) and why a text is no pattern. */
export interface PatternError {
  readonly offset: number;
  readonly reason: string;
}

export type ParsedPattern =
  | { readonly kind: "pattern"; readonly node: PatternNode }
  | ({ readonly kind: "error" } & PatternError);

/** Ten times the longest pattern of the public modules; a character new to a matcher costs as much as the classes are long. */
const MAX_LENGTH = 10_000;
/** Groups and class subtractions within each other; no pattern in use comes near, and reading recurses along them. */
const MAX_DEPTH = 200;
/** Keeps arithmetic on counts exact; the automaton has the limit that matters. */
const MAX_COUNT = 1_000_000;

const SINGLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ...Array.from("\\|.?*+(){}-[]^!\"#$%&',/:;<=>@_`~", (character): [string, string] => [character, character]),
]);

/** Never throws; takes time linear in the length of the pattern. */
export function parsePattern(pattern: string): ParsedPattern {
  if (pattern.length > MAX_LENGTH)
    return { kind: "error", offset: MAX_LENGTH, reason: `longer than ${String(MAX_LENGTH)} characters` };
  const reader = new PatternReader(pattern);
  try {
    return { kind: "pattern", node: reader.read() };
  } catch (error) {
    if (error instanceof Stop) return { kind: "error", offset: error.offset, reason: error.reason };
    throw error;
  }
}

type Escaped =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "character"; readonly character: string };

/** Unwinds the reader; never leaves this file. */
class Stop extends Error {
  readonly offset: number;
  readonly reason: string;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
    this.reason = reason;
  }
}

class PatternReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): PatternNode {
    const node = this.#alternatives();
    if (this.#at < this.#text.length) throw this.#stop("a ) without its (");
    return node;
  }

  #stop(reason: string, offset = this.#at): Stop {
    return new Stop(offset, reason);
  }

  #peek(distance = 0): string | undefined {
    return this.#text[this.#at + distance];
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** The next character, whole where it takes two UTF-16 units. */
  #next(missing: string): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw this.#stop(missing);
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#stop(`nested deeper than ${String(MAX_DEPTH)} levels`);
  }

  #alternatives(): PatternNode {
    this.#deeper();
    const first = this.#branch();
    const branches = [first];
    while (this.#take("|")) branches.push(this.#branch());
    this.#depth -= 1;
    return branches.length === 1 ? first : { kind: "choice", branches };
  }

  #branch(): PatternNode {
    const parts: PatternNode[] = [];
    for (let character = this.#peek(); character !== undefined && character !== "|" && character !== ")"; ) {
      parts.push(this.#quantified(this.#atom()));
      character = this.#peek();
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: "sequence", parts };
  }

  #atom(): PatternNode {
    const start = this.#at;
    const character = this.#next("a character");
    switch (character) {
      case "(": {
        const inner = this.#alternatives();
        if (!this.#take(")")) throw this.#stop("the group has no )", start);
        return inner;
      }
      case "[":
        return { kind: "set", set: this.#characterClass(start) };
      case "\\": {
        const escaped = this.#escape();
        return { kind: "set", set: escaped.kind === "set" ? escaped.set : single(escaped.character) };
      }
      case ".":
        return { kind: "set", set: WILDCARD };
      case "?":
      case "*":
      case "+":
      case "{":
        throw this.#stop(`${character} has nothing to repeat`, start);
      case "}":
      case "]":
        throw this.#stop(`${character} has no opening bracket and is not escaped`, start);
      default:
        return { kind: "set", set: single(character) };
    }
  }

  #quantified(part: PatternNode): PatternNode {
    switch (this.#peek()) {
      case "?":
        this.#at += 1;
        return { kind: "repeat", part, min: 0, max: 1 };
      case "*":
        this.#at += 1;
        return { kind: "repeat", part, min: 0, max: undefined };
      case "+":
        this.#at += 1;
        return { kind: "repeat", part, min: 1, max: undefined };
      case "{":
        return this.#counted(part);
      default:
        return part;
    }
  }

  #counted(part: PatternNode): PatternNode {
    const start = this.#at;
    this.#at += 1;
    const min = this.#peek() === "," && this.#peek(1) !== "}" ? 0 : this.#count();
    let max: number | undefined = min;
    if (this.#take(",")) max = this.#peek() === "}" ? undefined : this.#count();
    if (!this.#take("}")) throw this.#stop("the count has no }", start);
    if (max !== undefined && max < min) throw this.#stop("the count ends before it begins", start);
    return { kind: "repeat", part, min, max };
  }

  #count(): number {
    const start = this.#at;
    let count = 0;
    for (let digit = this.#peek(); digit !== undefined && digit >= "0" && digit <= "9"; digit = this.#peek()) {
      count = count * 10 + Number(digit);
      if (count > MAX_COUNT) throw this.#stop(`a count of more than ${String(MAX_COUNT)}`, start);
      this.#at += 1;
    }
    if (this.#at === start) throw this.#stop("a number has to stand here");
    return count;
  }

  /** What follows a backslash: a class, or the one character it stands for. */
  #escape(): Escaped {
    const start = this.#at - 1;
    const name = this.#next("a backslash ends the pattern");
    if (name === "p" || name === "P") {
      const set = this.#property(start);
      return { kind: "set", set: name === "p" ? set : complement(set) };
    }
    const shorthand = CLASS_ESCAPES.get(name);
    if (shorthand !== undefined) return { kind: "set", set: shorthand };
    const character = SINGLE_ESCAPES.get(name);
    if (character === undefined) throw this.#stop(`\\${name} is no escape of XML Schema`, start);
    return { kind: "character", character };
  }

  #property(start: number): CharacterSet {
    const end = this.#text.indexOf("}", this.#at);
    if (!this.#take("{") || end < 0) throw this.#stop("a property stands in braces", start);
    const name = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    const set = name.startsWith("Is") ? blockSet(name.slice(2)) : categorySet(name);
    if (set === undefined) throw this.#stop(`no Unicode category or block ${name.slice(0, 60)}`, start);
    return set;
  }

  /** After `[`: members, ranges and at the end perhaps a subtraction, `[a-z-[aeiou]]`. */
  #characterClass(start: number): CharacterSet {
    this.#deeper();
    const negated = this.#take("^");
    const members: CharacterSet[] = [];
    let subtracted: CharacterSet | undefined;
    while (subtracted === undefined && !this.#take("]")) {
      if (members.length > 0 && this.#peek() === "-" && this.#peek(1) === "[") {
        const inner = this.#at + 1;
        this.#at += 2;
        subtracted = this.#characterClass(inner);
        if (!this.#take("]")) throw this.#stop("nothing may follow what is subtracted from a class");
      } else {
        members.push(this.#classMember(start));
      }
    }
    if (members.length === 0) throw this.#stop("an empty class", start);
    this.#depth -= 1;
    const set = negated ? complement(unite(members)) : unite(members);
    return subtracted === undefined ? set : difference(set, subtracted);
  }

  #classMember(start: number): CharacterSet {
    const at = this.#at;
    const first = this.#classCharacter(start);
    if (first.kind === "set") return first.set;
    // A hyphen before the end of the class or before a subtraction is a character; any other one makes a range.
    const ends = this.#peek(1) === "]" || this.#peek(1) === "[" || (this.#peek(1) === "-" && this.#peek(2) === "[");
    if (this.#peek() !== "-" || ends) return single(first.character);
    const startsWithHyphen = this.#text[at] === "-";
    this.#at += 1;
    if (startsWithHyphen || this.#peek() === "-")
      throw this.#stop("a hyphen at an end of a range has to be escaped", at);
    const last = this.#classCharacter(start);
    if (last.kind === "set") throw this.#stop("a range ends with a class of characters", at);
    if (codeOf(last.character) < codeOf(first.character)) throw this.#stop("a range ends before it begins", at);
    return range(first.character, last.character);
  }

  #classCharacter(start: number): Escaped {
    const character = this.#next("the class has no ]");
    if (character === "\\") return this.#escape();
    if (character === "[") throw this.#stop("a [ in a class has to be escaped", start);
    return { kind: "character", character };
  }
}
