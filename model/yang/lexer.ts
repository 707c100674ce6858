/**
 * Text to tokens (RFC 7950 sections 6.1.1 to 6.1.3): comments, quoted and unquoted strings, `+`. What YANG 1 allows and
 * YANG 1.1 does not (unknown escapes, quotes within unquoted strings) is noted with its place, because the version is
 * known only after the text was read.
 */
import type { SourcePosition } from "../diagnostic.ts";
import type { YangSource } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export type Token =
  | {
      readonly kind: "string";
      readonly text: string;
      readonly form: "quoted" | "unquoted";
      readonly position: SourcePosition;
    }
  | { readonly kind: "open" | "close" | "semicolon" | "end"; readonly position: SourcePosition };

const TAB_WIDTH = 8;
const BLANK = /[ \t\r\n]*/y;
const UNQUOTED = /[^ \t\r\n;{}]+/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

export class YangLexer {
  readonly #text: string;
  readonly #name: string;
  readonly #report: YangReport;
  readonly #onlyVersion1: { readonly message: string; readonly position: SourcePosition }[] = [];
  #at = 0;
  #line = 1;
  #lineStart = 0;
  /** Up to where line breaks are counted. */
  #counted = 0;

  constructor(source: YangSource, report: YangReport) {
    this.#text = source.text;
    this.#name = source.name;
    this.#report = report;
    if (this.#text.startsWith("\uFEFF")) {
      this.#at = 1;
      this.#lineStart = 1;
      this.#counted = 1;
    }
  }

  /** Places of what only YANG 1 allows. */
  get onlyVersion1(): readonly { readonly message: string; readonly position: SourcePosition }[] {
    return this.#onlyVersion1;
  }

  /** The next token; `end` again and again after the last one. Always moves on, so a caller's loop ends. */
  next(): Token {
    this.#skipBlanksAndComments();
    const position = this.#position(this.#at);
    const character = this.#text[this.#at];
    switch (character) {
      case undefined:
        return { kind: "end", position };
      case "{":
        this.#at += 1;
        return { kind: "open", position };
      case "}":
        this.#at += 1;
        return { kind: "close", position };
      case ";":
        this.#at += 1;
        return { kind: "semicolon", position };
      case '"':
      case "'":
        return { kind: "string", text: this.#quotedParts(), form: "quoted", position };
      default:
        return { kind: "string", text: this.#unquoted(position), form: "unquoted", position };
    }
  }

  /** Offsets must not decrease from call to call. */
  #position(offset: number): SourcePosition {
    for (;;) {
      const newline = this.#text.indexOf("\n", this.#counted);
      if (newline < 0 || newline >= offset) break;
      this.#line += 1;
      this.#lineStart = newline + 1;
      this.#counted = newline + 1;
    }
    return { source: this.#name, line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #skipBlanksAndComments(): void {
    for (;;) {
      BLANK.lastIndex = this.#at;
      BLANK.exec(this.#text);
      this.#at = BLANK.lastIndex;
      if (this.#text.startsWith("//", this.#at)) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end + 1;
      } else if (this.#text.startsWith("/*", this.#at)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) {
          this.#report.error("unterminated-comment", "the comment has no end", this.#position(this.#at), {
            expected: "*/",
          });
          this.#at = this.#text.length;
        } else {
          this.#at = end + 2;
        }
      } else {
        return;
      }
    }
  }

  #unquoted(position: SourcePosition): string {
    UNQUOTED.lastIndex = this.#at;
    const text = UNQUOTED.exec(this.#text)?.[0] ?? "";
    this.#at += text.length;
    if (/\/\/|\/\*|\*\//.test(text)) {
      this.#report.error("statement-syntax", `an unquoted string cannot hold a comment mark: ${text}`, position, {
        remedy: "quote it",
      });
    } else if (/["']/.test(text)) {
      this.#onlyVersion1.push({ message: `an unquoted string cannot hold a quote: ${text}`, position });
    }
    return text;
  }

  /** `"a" + 'b' + ...`; stands at the first quote. */
  #quotedParts(): string {
    let text = this.#quoted();
    for (;;) {
      this.#skipBlanksAndComments();
      if (this.#text[this.#at] !== "+") return text;
      const plus = this.#position(this.#at);
      this.#at += 1;
      this.#skipBlanksAndComments();
      const mark = this.#text[this.#at];
      if (mark !== '"' && mark !== "'") {
        this.#report.error("statement-syntax", "'+' joins quoted strings only", plus, { expected: "a quoted string" });
        return text;
      }
      text += this.#quoted();
    }
  }

  #quoted(): string {
    const start = this.#at;
    const mark = this.#text[start];
    let end = start + 1;
    if (mark === "'") {
      end = this.#text.indexOf("'", end);
    } else {
      while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
      if (end >= this.#text.length) end = -1;
    }
    if (end < 0) {
      this.#report.error("unterminated-string", "the quoted string has no end", this.#position(start), {
        expected: mark === "'" ? "'" : '"',
      });
      this.#at = this.#text.length;
      return this.#text.slice(start + 1);
    }
    const raw = this.#text.slice(start + 1, end);
    this.#at = end + 1;
    if (mark === "'") return raw;
    const position = this.#position(start);
    return this.#unescape(raw.includes("\n") ? this.#trimLines(raw, start) : raw, position);
  }

  /** Indentation up to the opening quote's column and blanks before a line break are layout (RFC 7950 section 6.1.3). */
  #trimLines(raw: string, start: number): string {
    let width = 1;
    for (let index = this.#lineStart; index < start; index += 1) width += this.#text[index] === "\t" ? TAB_WIDTH : 1;
    const lines = raw.split("\n");
    return lines
      .map((line, index) => {
        const inner = index === 0 ? line : stripIndent(line, width);
        return index === lines.length - 1 ? inner : stripTrailingBlanks(inner);
      })
      .join("\n");
  }

  #unescape(text: string, position: SourcePosition): string {
    if (!text.includes("\\")) return text;
    return text.replace(/\\(.?)/gsu, (whole, character: string) => {
      const value = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined;
      if (value !== undefined) return value;
      this.#onlyVersion1.push({
        message: `${whole} is no escape of a double-quoted string`,
        position,
      });
      return whole;
    });
  }
}

function stripTrailingBlanks(line: string): string {
  let end = line.length;
  if (line[end - 1] === "\r") end -= 1;
  while (line[end - 1] === " " || line[end - 1] === "\t") end -= 1;
  return line.slice(0, end);
}

function stripIndent(line: string, width: number): string {
  let stripped = 0;
  let index = 0;
  while (stripped < width) {
    const character = line[index];
    if (character === " ") stripped += 1;
    else if (character === "\t") stripped += TAB_WIDTH;
    else break;
    index += 1;
  }
  // A tab counts as eight blanks; what it reaches beyond the column stays.
  return " ".repeat(Math.max(0, stripped - width)) + line.slice(index);
}
