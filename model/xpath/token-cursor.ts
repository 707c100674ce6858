/** A place among the tokens of an expression, and how reading stops where they make none. */
import { type XPathToken, lexXPath } from "./lex-xpath.ts";
import { type XPathDiagnostic, type XPathDiagnosticCode, xpathDiagnostic } from "./xpath-diagnostic.ts";

/** Carries the one error out of the recursion; never leaves the parser. */
export class Refusal extends Error {
  readonly diagnostic: XPathDiagnostic;

  constructor(diagnostic: XPathDiagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

export class TokenCursor {
  readonly #tokens: readonly XPathToken[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = lexXPath(text);
  }

  /** The one to be read; at the end, the end. */
  get token(): XPathToken {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (token === undefined) throw new TypeError("the lexer gives at least one token");
    return token;
  }

  peek(ahead: number): XPathToken | undefined {
    return this.#tokens[this.#at + ahead];
  }

  skip(count: number): void {
    this.#at += count;
  }

  /** Is it this symbol? */
  is(text: string): boolean {
    const { kind, text: own } = this.token;
    return kind === "symbol" && own === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.unexpected(`'${text}'`);
  }

  /** Throws the `Refusal`. */
  fail(code: XPathDiagnosticCode, message: string, offset: number, expected?: string): never {
    throw new Refusal(xpathDiagnostic(code, message, { offset, ...(expected === undefined ? {} : { expected }) }));
  }

  unexpected(expected: string): never {
    const { kind, text, offset } = this.token;
    const short = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    const message =
      kind === "end"
        ? "the expression ends too early"
        : kind === "wrong" && /^["']/.test(text)
          ? `a literal without its closing quote: ${short}`
          : `unexpected ${JSON.stringify(short)} at character ${String(offset + 1)}`;
    return this.fail("xpath-syntax", message, offset, expected);
  }
}
