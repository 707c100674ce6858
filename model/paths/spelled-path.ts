/**
 * What the text of a path says before a schema is asked: names, qualifiers and predicates with their offsets. Our own
 * text form and the instance-identifiers of RFC 7950 and RFC 7951 share one syntax and are scanned here; the other
 * encodings have scanners of their own (`codec/path`), and `resolve-path.ts` reads what all of them give.
 */
import { type PathResult, pathOk, readProblem, syntaxProblem } from "./path-diagnostic.ts";

export interface SpelledValue {
  readonly at: number;
  readonly value: string;
}

export interface SpelledKey extends SpelledValue {
  /** As written: a prefix or a module name. */
  readonly qualifier: string | undefined;
  readonly name: string;
}

export type SpelledPredicate =
  /** `[name='eth0'][..]`, in any order. */
  | { readonly kind: "keys"; readonly keys: readonly SpelledKey[] }
  /** `[.='value']`: an entry of a leaf-list; in our own text with the place among equal ones, `[.='value'][2]`. */
  | ({ readonly kind: "value"; readonly position: SpelledPosition | undefined } & SpelledValue)
  /** `[3]`: an entry of a list without keys. */
  | ({ readonly kind: "position" } & SpelledPosition)
  /** `=a,b`: values in the order of the key statement, or the value of a leaf-list. */
  | { readonly kind: "positional"; readonly at: number; readonly values: readonly SpelledValue[] };

export interface SpelledPosition {
  readonly at: number;
  /** From 1. */
  readonly position: number;
}

export interface SpelledSegment {
  readonly at: number;
  /** As written: a prefix or a module name. */
  readonly qualifier: string | undefined;
  readonly name: string;
  readonly predicate: SpelledPredicate | undefined;
}

export interface SpelledPath {
  readonly text: string;
  readonly segments: readonly SpelledSegment[];
}

/**
 * - `xpath`: XPath 1.0 literals (section 3.7), which cannot hold both kinds of quotes.
 * - `doubling`: a quote that stands twice inside its own kind of quotes is one character of the value.
 */
export type LiteralStyle = "xpath" | "doubling";

const NAME = /[A-Za-z_][A-Za-z0-9_.-]*/y;
const BLANKS = /[ \t]*/y;
/** positive-integer-value of RFC 7950 section 14, as far as a number holds it exactly. */
const POSITION = /[1-9][0-9]{0,14}(?![0-9])/y;

/** Needs no schema. `/` is the path without segments. Wildcards are refused by name. */
export function scanPath(text: string, literals: LiteralStyle): PathResult<SpelledPath> {
  if (text === "/") return pathOk({ text, segments: [] });
  return new PathScanner(text, literals).path();
}

/** A match of a sticky pattern. */
export function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** `prefix:name` or `name`. */
export interface QualifiedName {
  readonly qualifier: string | undefined;
  readonly name: string;
  readonly end: number;
}

export function scanName(text: string, at: number): QualifiedName | undefined {
  const first = matchAt(NAME, text, at);
  if (first === undefined) return undefined;
  const end = at + first.length;
  if (text[end] !== ":") return { qualifier: undefined, name: first, end };
  const second = matchAt(NAME, text, end + 1);
  return second === undefined ? undefined : { qualifier: first, name: second, end: end + 1 + second.length };
}

type Predicate =
  | ({ readonly kind: "key" } & SpelledKey)
  | ({ readonly kind: "value" } & SpelledValue)
  | ({ readonly kind: "position" } & SpelledPosition);

function gather(predicates: readonly Predicate[]): SpelledPredicate | undefined {
  const [first, second] = predicates;
  if (first === undefined) return undefined;
  if (first.kind === "position") return first;
  if (first.kind === "value") return { ...first, position: second?.kind === "position" ? second : undefined };
  return { kind: "keys", keys: predicates.flatMap((each) => (each.kind === "key" ? [each] : [])) };
}

class PathScanner {
  readonly #text: string;
  readonly #literals: LiteralStyle;
  #at = 0;

  constructor(text: string, literals: LiteralStyle) {
    this.#text = text;
    this.#literals = literals;
  }

  path(): PathResult<SpelledPath> {
    const segments: SpelledSegment[] = [];
    do {
      const segment = this.#segment(segments.length === 0 ? "'/' before the first name" : "'/', '[' or the end");
      if (segment.kind === "error") return segment;
      segments.push(segment.value);
    } while (this.#at < this.#text.length);
    return pathOk({ text: this.#text, segments });
  }

  #segment(start: string): PathResult<SpelledSegment> {
    const text = this.#text;
    if (text[this.#at] !== "/") return syntaxProblem(text, this.#at, start);
    const at = this.#at + 1;
    if (text[at] === "*" || text[at] === "/" || text.startsWith("..", at)) return wildcard(text, at);
    const name = scanName(text, at);
    if (name === undefined) return syntaxProblem(text, at, "a node name");
    this.#at = name.end;
    const predicates: Predicate[] = [];
    while (text[this.#at] === "[") {
      const opened = this.#at;
      const predicate = this.#predicate();
      if (predicate.kind === "error") return predicate;
      if (!this.#mayFollow(predicates.at(-1), predicate.value))
        return syntaxProblem(text, opened, "a predicate for each key, or one for a value or a position");
      predicates.push(predicate.value);
    }
    return pathOk({ at, qualifier: name.qualifier, name: name.name, predicate: gather(predicates) });
  }

  #mayFollow(before: Predicate | undefined, next: Predicate): boolean {
    if (before === undefined) return true;
    if (before.kind === "key") return next.kind === "key";
    return before.kind === "value" && next.kind === "position" && this.#literals === "doubling";
  }

  #predicate(): PathResult<Predicate> {
    const text = this.#text;
    this.#at += 1;
    this.#skipBlanks();
    const at = this.#at;
    const digits = matchAt(POSITION, text, at);
    if (digits !== undefined) {
      this.#at += digits.length;
      return this.#closed({ kind: "position", at, position: Number(digits) });
    }
    const name = text[at] === "." ? undefined : scanName(text, at);
    if (text[at] === "*") return wildcard(text, at);
    if (name === undefined && text[at] !== ".") return syntaxProblem(text, at, "a key name, '.' or a position");
    this.#at = name?.end ?? at + 1;
    this.#skipBlanks();
    if (text[this.#at] !== "=") return syntaxProblem(text, this.#at, "'='");
    this.#at += 1;
    this.#skipBlanks();
    const valueAt = this.#at;
    const value = this.#literal();
    if (value === undefined) return syntaxProblem(text, valueAt, "a value in quotes");
    return this.#closed(
      name === undefined
        ? { kind: "value", at, value }
        : { kind: "key", at, qualifier: name.qualifier, name: name.name, value },
    );
  }

  #closed(predicate: Predicate): PathResult<Predicate> {
    this.#skipBlanks();
    if (this.#text[this.#at] !== "]") return syntaxProblem(this.#text, this.#at, "']'");
    this.#at += 1;
    return pathOk(predicate);
  }

  #literal(): string | undefined {
    const text = this.#text;
    const mark = text[this.#at];
    if (mark !== "'" && mark !== '"') return undefined;
    let value = "";
    let from = this.#at + 1;
    for (;;) {
      const close = text.indexOf(mark, from);
      if (close < 0) return undefined;
      value += text.slice(from, close);
      if (this.#literals === "xpath" || text[close + 1] !== mark) {
        this.#at = close + 1;
        return value;
      }
      value += mark;
      from = close + 2;
    }
  }

  #skipBlanks(): void {
    this.#at += matchAt(BLANKS, this.#text, this.#at)?.length ?? 0;
  }
}

/** Whole subtrees and several nodes at once are another kind of path, which nothing here may take for an instance. */
export function wildcard(text: string, at: number): PathResult<never> {
  return readProblem(text, at, {
    code: "path-wildcard",
    message: "the path selects nodes by a wildcard; an instance path names each node",
    expected: "names from the top down, with every key",
  });
}
