/**
 * Reads JSON (RFC 8259) strictly: a duplicate member is an error and not "the last one wins" (RFC 7493 section 2.3),
 * numbers keep their digits, and what is wrong is told with its line and column.
 */
import { type Diagnostic, type Result, failure, ok } from "../../model/diagnostic.ts";
import { TextLines } from "../text-lines.ts";
import type { JsonCursor, JsonScalar } from "./json-cursor.ts";
import type { JsonMember, JsonValue } from "./json-value.ts";

export type JsonDiagnosticCode = "json-syntax" | "json-duplicate-member" | "json-limit";

/**
 * Upper bounds on what a text can make the reader hold, far above honest documents. Passing one is an error that names
 * it, never a cut.
 */
export interface JsonLimits {
  /** Length of the whole text in UTF-16 units. Default 256 Mi (a V8 string ends near 512 Mi). */
  readonly maxLength: number;
  /** Nesting of arrays and objects, the outermost being 1. Default 512. */
  readonly maxDepth: number;
  /** Values in the whole text, nested ones too. Default 8 Mi: they fit into the memory that Node gives by itself. */
  readonly maxValues: number;
}

export const defaultJsonLimits: JsonLimits = {
  maxLength: 256 * 1024 * 1024,
  maxDepth: 512,
  maxValues: 8 * 1024 * 1024,
};

export interface ParseJsonOptions {
  /** Name of the text in diagnostics, such as a file name. */
  readonly source: string;
  readonly limits?: Partial<JsonLimits>;
}

/** Reads one JSON text. Stops at the first syntax error; reports every duplicate member before it. */
export function parseJson(text: string, options: ParseJsonOptions): Result<JsonValue> {
  return readJson(text, options, (cursor) => ok(cursor.value()));
}

/**
 * Hands a text to `read`, which reads one value of it. What `read` gives is the result, unless the text is no JSON:
 * then the errors are those of the text alone.
 */
export function readJson<T>(
  text: string,
  options: ParseJsonOptions,
  read: (cursor: JsonCursor, lines: TextLines) => Result<T>,
): Result<T> {
  const reader = new JsonReader(text, options);
  try {
    reader.begin();
    const value = read(reader, reader.lines);
    reader.end();
    return reader.duplicates.length > 0 ? failure(reader.duplicates) : value;
  } catch (error) {
    if (error instanceof JsonFailure) return failure([...reader.duplicates, error.diagnostic]);
    throw error;
  }
}

class JsonFailure extends Error {
  readonly diagnostic: Diagnostic<JsonDiagnosticCode>;
  constructor(diagnostic: Diagnostic<JsonDiagnosticCode>) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What ends a run of characters that stand in a string as they are. */
const STRING_END = /["\\\u0000-\u001f]/g;
/** Up to here a string is looked through unit by unit, which for a short one is quicker than to start an expression. */
const SHORT_STRING = 64;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
/** More duplicate members are not listed. */
const MAX_DUPLICATES = 1000;

const TRUE: JsonScalar = { kind: "boolean", value: true };
const FALSE: JsonScalar = { kind: "boolean", value: false };
const NULL: JsonScalar = { kind: "null" };

const Character = {
  Tab: 9,
  LineFeed: 10,
  Return: 13,
  Blank: 32,
  Quote: 34,
  Comma: 44,
  Colon: 58,
  OpenBracket: 91,
  Backslash: 92,
  CloseBracket: 93,
  LowerF: 102,
  LowerN: 110,
  LowerT: 116,
  OpenBrace: 123,
  CloseBrace: 125,
} as const;

class JsonReader implements JsonCursor {
  readonly duplicates: Diagnostic<JsonDiagnosticCode>[] = [];
  readonly lines: TextLines;
  readonly #text: string;
  readonly #limits: JsonLimits;
  /** The names of each open object that is read as a value; who reads members one by one looks for duplicates too. */
  readonly #open: (Set<string> | undefined)[] = [];
  #at = 0;
  #name = 0;
  #values = 0;
  /** Right behind an opening bracket, where no comma stands. */
  #isFirst = false;

  constructor(text: string, options: ParseJsonOptions) {
    this.#text = text;
    this.#limits = { ...defaultJsonLimits, ...options.limits };
    this.lines = new TextLines(text, options.source);
  }

  begin(): void {
    const { maxLength } = this.#limits;
    if (this.#text.length > maxLength) this.#failLimit("maxLength", maxLength);
    this.#blanks();
  }

  end(): void {
    this.#blanks();
    if (this.#at < this.#text.length) this.#fail("the end of the text");
  }

  mark(): number {
    return this.#at;
  }

  kind(): JsonValue["kind"] {
    switch (this.#text.charCodeAt(this.#at)) {
      case Character.OpenBrace:
        return "object";
      case Character.OpenBracket:
        return "array";
      case Character.Quote:
        return "string";
      case Character.LowerT:
      case Character.LowerF:
        return "boolean";
      case Character.LowerN:
        return "null";
      default:
        return "number";
    }
  }

  enterObject(): void {
    this.#enter(undefined);
  }

  nextMember(): string | undefined {
    if (!this.#nextPart(Character.CloseBrace, "}")) return undefined;
    if (this.#text.charCodeAt(this.#at) !== Character.Quote) this.#fail("a member name in double quotes");
    this.#name = this.#at;
    const name = this.#string();
    this.#blanks();
    if (this.#text.charCodeAt(this.#at) !== Character.Colon) this.#fail("':' after the member name");
    this.#at += 1;
    this.#blanks();
    const names = this.#open[this.#open.length - 1];
    if (names !== undefined) {
      if (names.has(name)) this.#noteDuplicate(name);
      names.add(name);
    }
    return name;
  }

  nameMark(): number {
    return this.#name;
  }

  enterArray(): void {
    this.#enter(undefined);
  }

  nextItem(): boolean {
    return this.#nextPart(Character.CloseBracket, "]");
  }

  scalar(): JsonScalar {
    this.#count();
    const kind = this.kind();
    switch (kind) {
      case "string":
        return { kind, value: this.#string() };
      case "boolean":
        return this.#text.charCodeAt(this.#at) === Character.LowerT
          ? this.#word("true", TRUE)
          : this.#word("false", FALSE);
      case "null":
        return this.#word("null", NULL);
      case "number": {
        NUMBER.lastIndex = this.#at;
        if (!NUMBER.test(this.#text)) return this.#fail("a value");
        const text = this.#text.slice(this.#at, NUMBER.lastIndex);
        this.#at = NUMBER.lastIndex;
        return { kind, text };
      }
      default:
        throw new RangeError(`an ${kind} is no scalar`);
    }
  }

  value(): JsonValue {
    const kind = this.kind();
    if (kind === "object") {
      const members: JsonMember[] = [];
      this.#enter(new Set());
      for (let name = this.nextMember(); name !== undefined; name = this.nextMember()) {
        members.push({ name, value: this.value() });
      }
      return { kind, members };
    }
    if (kind === "array") {
      const items: JsonValue[] = [];
      this.enterArray();
      while (this.nextItem()) items.push(this.value());
      return { kind, items };
    }
    return this.scalar();
  }

  #noteDuplicate(name: string): void {
    if (this.duplicates.length === MAX_DUPLICATES) return;
    const message = `the member ${JSON.stringify(name)} stands twice in one object`;
    this.duplicates.push(this.#diagnostic("json-duplicate-member", message, this.#name));
  }

  #enter(names: Set<string> | undefined): void {
    this.#count();
    const { maxDepth } = this.#limits;
    if (this.#open.length === maxDepth) this.#failLimit("maxDepth", maxDepth);
    this.#open.push(names);
    this.#at += 1;
    this.#isFirst = true;
  }

  /** Is there another part before `close`? Moves to it, or behind `close`. */
  #nextPart(close: number, closeText: string): boolean {
    this.#blanks();
    const character = this.#text.charCodeAt(this.#at);
    if (character === close) {
      this.#at += 1;
      this.#open.pop();
      this.#isFirst = false;
      return false;
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      return true;
    }
    if (character !== Character.Comma) this.#fail(`',' or '${closeText}'`);
    this.#at += 1;
    this.#blanks();
    return true;
  }

  #count(): void {
    this.#values += 1;
    const { maxValues } = this.#limits;
    if (this.#values > maxValues) this.#failLimit("maxValues", maxValues);
  }

  #word(word: string, value: JsonScalar): JsonScalar {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("a value");
    this.#at += word.length;
    return value;
  }

  #string(): string {
    const start = this.#at + 1;
    const near = Math.min(this.#text.length, start + SHORT_STRING);
    for (let at = start; at < near; at += 1) {
      const unit = this.#text.charCodeAt(at);
      if (unit === Character.Quote) {
        this.#at = at + 1;
        return this.#text.slice(start, at);
      }
      if (unit === Character.Backslash || unit < Character.Blank) break;
    }
    return this.#longString(start);
  }

  /**
   * One that is long or has escapes. Checks it and leaves its making to JSON.parse: put together here, each escape would hold dozens of octets
   * until the end, and a text of nothing else would not fit into the memory.
   */
  #longString(from: number): string {
    const text = this.#text;
    let start = from;
    for (;;) {
      STRING_END.lastIndex = start;
      const end = STRING_END.exec(text)?.index ?? text.length;
      this.#at = end;
      const character = text[end];
      if (character === '"') {
        this.#at = end + 1;
        return JSON.parse(text.slice(from - 1, end + 1)) as string;
      }
      if (character !== "\\") this.#fail("a closing double quote (control characters are written as escapes)");
      ESCAPE.lastIndex = end;
      if (!ESCAPE.test(text)) this.#fail("an escape of JSON");
      start = ESCAPE.lastIndex;
    }
  }

  #blanks(): void {
    for (;;) {
      const character = this.#text.charCodeAt(this.#at);
      if (
        character !== Character.Blank &&
        character !== Character.LineFeed &&
        character !== Character.Return &&
        character !== Character.Tab
      )
        return;
      this.#at += 1;
    }
  }

  #diagnostic(
    code: JsonDiagnosticCode,
    message: string,
    offset: number,
    expected?: string,
  ): Diagnostic<JsonDiagnosticCode> {
    return {
      code,
      severity: "error",
      message,
      places: [{ kind: "source", position: this.lines.positionOf(offset) }],
      ...(expected === undefined ? {} : { expected }),
    };
  }

  #failLimit(name: keyof JsonLimits, limit: number): never {
    throw new JsonFailure(
      this.#diagnostic("json-limit", `the text exceeds the limit ${name} of ${String(limit)}`, this.#at),
    );
  }

  /** The text itself is not quoted beyond one character: it may hold secrets. */
  #fail(expected: string): never {
    const character = this.#text[this.#at];
    const found = character === undefined ? "the end of the text" : JSON.stringify(character);
    throw new JsonFailure(this.#diagnostic("json-syntax", `cannot read JSON at ${found}`, this.#at, expected));
  }
}
