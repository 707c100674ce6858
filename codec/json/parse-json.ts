/**
 * Reads JSON (RFC 8259) strictly: a duplicate member is an error and not "the last one wins", numbers keep their
 * digits, and every value knows where it stood.
 */
import { type Diagnostic, type Result, failure, ok } from "../../model/diagnostic.ts";
import type { JsonMember, JsonPosition, JsonValue } from "./json-value.ts";

export type JsonDiagnosticCode = "json-syntax" | "json-duplicate-member" | "json-too-deep";

export interface ParseJsonOptions {
  /** Name of the text in diagnostics, such as a file name. */
  readonly source: string;
  /** Levels of arrays and objects; 512 where left out. */
  readonly maxDepth?: number;
}

/** Reads one JSON text. Stops at the first syntax error; reports every duplicate member before it. */
export function parseJson(text: string, options: ParseJsonOptions): Result<JsonValue> {
  const reader = new JsonReader(text, options);
  try {
    const value = reader.document();
    return reader.duplicates.length > 0 ? failure(reader.duplicates) : ok(value);
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

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Characters that stand in a string as they are. */
const STRING_RUN = /[^"\\\u0000-\u001f]*/y;
const WORDS: readonly (readonly [string, (position: JsonPosition) => JsonValue])[] = [
  ["true", (position) => ({ kind: "boolean", value: true, position })],
  ["false", (position) => ({ kind: "boolean", value: false, position })],
  ["null", (position) => ({ kind: "null", position })],
];
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

class JsonReader {
  readonly duplicates: Diagnostic<JsonDiagnosticCode>[] = [];
  readonly #text: string;
  readonly #source: string;
  readonly #maxDepth: number;
  #at = 0;
  #depth = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string, options: ParseJsonOptions) {
    this.#text = text;
    this.#source = options.source;
    this.#maxDepth = options.maxDepth ?? 512;
  }

  document(): JsonValue {
    this.#blanks();
    const value = this.#value();
    this.#blanks();
    if (this.#at < this.#text.length) this.#fail("the end of the text");
    return value;
  }

  #value(): JsonValue {
    const position = this.#position();
    const character = this.#text[this.#at];
    if (character === "{") return this.#nested(() => this.#object(position));
    if (character === "[") return this.#nested(() => this.#array(position));
    if (character === '"') return { kind: "string", value: this.#string(), position };
    for (const [word, build] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return build(position);
      }
    }
    const number = this.#scan(NUMBER);
    if (number === "") this.#fail("a value");
    return { kind: "number", text: number, position };
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) {
      throw new JsonFailure(
        this.#diagnostic("json-too-deep", `more than ${String(this.#maxDepth)} levels`, this.#position()),
      );
    }
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(position: JsonPosition): JsonValue {
    const members: JsonMember[] = [];
    const names = new Set<string>();
    this.#sequence("}", () => {
      const namePosition = this.#position();
      if (this.#text[this.#at] !== '"') this.#fail("a member name in double quotes");
      const name = this.#string();
      this.#blanks();
      if (this.#text[this.#at] !== ":") this.#fail("':' after the member name");
      this.#at += 1;
      this.#blanks();
      const value = this.#value();
      if (names.has(name)) {
        const message = `the member ${JSON.stringify(name)} stands twice in one object`;
        this.duplicates.push(this.#diagnostic("json-duplicate-member", message, namePosition));
      }
      names.add(name);
      members.push({ name, value, position: namePosition });
    });
    return { kind: "object", members, position };
  }

  #array(position: JsonPosition): JsonValue {
    const items: JsonValue[] = [];
    this.#sequence("]", () => items.push(this.#value()));
    return { kind: "array", items, position };
  }

  /** From the opening bracket to behind `close`; parts are separated by commas. */
  #sequence(close: string, readPart: () => void): void {
    this.#at += 1;
    this.#blanks();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      readPart();
      this.#blanks();
      const character = this.#text[this.#at];
      if (character !== close && character !== ",") this.#fail(`',' or '${close}'`);
      this.#at += 1;
      if (character === close) return;
      this.#blanks();
    }
  }

  #string(): string {
    let value = "";
    this.#at += 1;
    for (;;) {
      value += this.#scan(STRING_RUN);
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return value;
      }
      if (character !== "\\") this.#fail("a closing double quote (control characters are written as escapes)");
      const escape = this.#text[this.#at + 1] ?? "";
      const hexadecimal = this.#text.slice(this.#at + 2, this.#at + 6);
      if (escape === "u" && /^[0-9A-Fa-f]{4}$/.test(hexadecimal)) {
        value += String.fromCharCode(Number.parseInt(hexadecimal, 16));
        this.#at += 6;
        continue;
      }
      const plain = ESCAPES.get(escape);
      if (plain === undefined) this.#fail("an escape of JSON");
      value += plain;
      this.#at += 2;
    }
  }

  #scan(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** Line breaks can stand between tokens only, so they are counted here. */
  #blanks(): void {
    const start = this.#at;
    const blanks = this.#scan(BLANKS);
    for (let index = blanks.indexOf("\n"); index >= 0; index = blanks.indexOf("\n", index + 1)) {
      this.#line += 1;
      this.#lineStart = start + index + 1;
    }
  }

  #position(): JsonPosition {
    return { line: this.#line, column: this.#at - this.#lineStart + 1 };
  }

  #diagnostic(
    code: JsonDiagnosticCode,
    message: string,
    position: JsonPosition,
    expected?: string,
  ): Diagnostic<JsonDiagnosticCode> {
    return {
      code,
      severity: "error",
      message,
      places: [{ kind: "source", position: { source: this.#source, ...position } }],
      ...(expected === undefined ? {} : { expected }),
    };
  }

  /** The text itself is not quoted beyond one character: it may hold secrets. */
  #fail(expected: string): never {
    const character = this.#text[this.#at];
    const found = character === undefined ? "the end of the text" : JSON.stringify(character);
    throw new JsonFailure(this.#diagnostic("json-syntax", `cannot read JSON at ${found}`, this.#position(), expected));
  }
}
