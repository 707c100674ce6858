/**
 * Text to tokens (RFC 7950 sections 6.1.1 to 6.1.3): comments, quoted and unquoted strings, `+`. What YANG 1 allows and
 * YANG 1.1 does not (unknown escapes, quotes within unquoted strings) is noted with its place, because the version is
 * known only after the text was read.
 */
import type { SourcePosition } from "../diagnostic.ts";
import type { YangSource } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** `at` is the offset in the text; `positionOf` makes a place of it. */
export type Token =
  | { readonly kind: "string"; readonly text: string; readonly form: "quoted" | "unquoted"; readonly at: number }
  | { readonly kind: "open" | "close" | "semicolon" | "end"; readonly at: number };

const TAB_WIDTH = 8;
/** Runs of characters, each as far as it goes; the engine's own loops over characters are the quickest there are. */
const LAYOUT = /[ \t\n\r]*/y;
const BLANKS = / */y;
const WORD = /[^ \t\n\r;{}]*/y;
const QUOTE_OR_SLASH = /["'/]/;

const CODE = {
  quote: 34,
  apostrophe: 39,
  plus: 43,
  slash: 47,
  semicolon: 59,
  open: 123,
  close: 125,
} as const;
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
    const at = this.#at;
    if (at >= this.#text.length) return { kind: "end", at };
    switch (this.#text.charCodeAt(at)) {
      case CODE.open:
        this.#at += 1;
        return { kind: "open", at };
      case CODE.close:
        this.#at += 1;
        return { kind: "close", at };
      case CODE.semicolon:
        this.#at += 1;
        return { kind: "semicolon", at };
      case CODE.quote:
      case CODE.apostrophe:
        return { kind: "string", text: this.#quotedParts(), form: "quoted", at };
      default:
        return { kind: "string", text: this.#unquoted(), form: "unquoted", at };
    }
  }

  /** The place of an offset. Quick when asked in ascending order. */
  positionOf(offset: number): SourcePosition {
    if (offset < this.#lineStart) {
      this.#line = 1;
      this.#counted = this.#lineStart = this.#text.startsWith("\uFEFF") ? 1 : 0;
    }
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
      this.#at = endOf(LAYOUT, this.#text, this.#at);
      if (this.#at >= this.#text.length || this.#text.charCodeAt(this.#at) !== CODE.slash) return;
      if (this.#text.startsWith("//", this.#at)) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end + 1;
      } else if (this.#text.startsWith("/*", this.#at)) {
        const end = this.#text.indexOf("*/", this.#at + 2);
        if (end < 0) {
          this.#report.error("unterminated-comment", "the comment has no end", this.positionOf(this.#at), {
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

  #unquoted(): string {
    const start = this.#at;
    const end = endOf(WORD, this.#text, start + 1);
    const text = this.#text.slice(start, end);
    this.#at = end;
    if (!QUOTE_OR_SLASH.test(text)) return text;
    if (/\/\/|\/\*|\*\//.test(text)) {
      this.#report.error(
        "statement-syntax",
        `an unquoted string cannot hold a comment mark: ${text}`,
        this.positionOf(start),
        { remedy: "quote it" },
      );
    } else if (/["']/.test(text)) {
      this.#onlyVersion1.push({
        message: `an unquoted string cannot hold a quote: ${text}`,
        position: this.positionOf(start),
      });
    }
    return text;
  }

  /** `"a" + 'b' + ...`; stands at the first quote. */
  #quotedParts(): string {
    let text = this.#quoted();
    for (;;) {
      this.#skipBlanksAndComments();
      if (this.#at >= this.#text.length || this.#text.charCodeAt(this.#at) !== CODE.plus) return text;
      const plus = this.#at;
      this.#at += 1;
      this.#skipBlanksAndComments();
      const mark = this.#text[this.#at];
      if (mark !== '"' && mark !== "'") {
        this.#report.error("statement-syntax", "'+' joins quoted strings only", this.positionOf(plus), {
          expected: "a quoted string",
        });
        return text;
      }
      text += this.#quoted();
    }
  }

  #quoted(): string {
    const start = this.#at;
    const quote = this.#text[start] === "'" ? "'" : '"';
    let end = this.#text.indexOf(quote, start + 1);
    while (quote === '"' && end >= 0 && this.#isEscaped(end, start)) end = this.#text.indexOf(quote, end + 1);
    if (end < 0) {
      this.#report.error("unterminated-string", "the quoted string has no end", this.positionOf(start), {
        expected: quote,
      });
      this.#at = this.#text.length;
      return this.#text.slice(start + 1);
    }
    const raw = this.#text.slice(start + 1, end);
    this.#at = end + 1;
    if (quote === "'") return raw;
    return this.#unescape(raw.includes("\n") ? this.#trimLines(raw, start) : raw, start);
  }

  /** Does an odd number of backslashes stand before `at`, in the string that begins at `start`? */
  #isEscaped(at: number, start: number): boolean {
    let before = at - 1;
    while (before > start && this.#text[before] === "\\") before -= 1;
    return (at - 1 - before) % 2 === 1;
  }

  /** Indentation up to the opening quote's column and blanks before a line break are layout (RFC 7950 section 6.1.3). */
  #trimLines(raw: string, start: number): string {
    let width = 1;
    const lineStart = Math.max(this.#text.lastIndexOf("\n", start) + 1, this.#text.startsWith("\uFEFF") ? 1 : 0);
    for (let index = lineStart; index < start; index += 1) width += this.#text[index] === "\t" ? TAB_WIDTH : 1;
    const lines = raw.split("\n");
    return lines
      .map((line, index) => {
        const inner = index === 0 ? line : stripIndent(line, width);
        return index === lines.length - 1 ? inner : stripTrailingBlanks(inner);
      })
      .join("\n");
  }

  #unescape(text: string, start: number): string {
    if (!text.includes("\\")) return text;
    return text.replace(/\\(.?)/gsu, (whole, character: string) => {
      const value = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined;
      if (value !== undefined) return value;
      this.#onlyVersion1.push({
        message: `${whole} is no escape of a double-quoted string`,
        position: this.positionOf(start),
      });
      return whole;
    });
  }
}

/** Where a run of characters ends; `run` is sticky and matches nothing as well. */
function endOf(run: RegExp, text: string, start: number): number {
  run.lastIndex = start;
  run.test(text);
  return run.lastIndex;
}

function stripTrailingBlanks(line: string): string {
  let end = line.length;
  if (line[end - 1] === "\r") end -= 1;
  while (line[end - 1] === " " || line[end - 1] === "\t") end -= 1;
  return line.slice(0, end);
}

function stripIndent(line: string, width: number): string {
  const blanks = endOf(BLANKS, line, 0);
  if (blanks >= width || line[blanks] !== "\t") return line.slice(Math.min(blanks, width));
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
