/** Tokens of XPath 1.0 (section 3.7), with the rules that tell `*` from `*` and `div` from `div`. */

export type XPathTokenKind =
  | "symbol"
  /** `and`, `or`, `mod`, `div` and the `*` of multiplication. */
  | "operator"
  | "name"
  | "literal"
  | "number"
  | "end"
  /** A character that begins no token, or a literal that does not end. */
  | "wrong";

/** `text` is the token as written; of a literal it is what stands between the quotes. */
export interface XPathToken {
  readonly kind: XPathTokenKind;
  readonly text: string;
  readonly offset: number;
}

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /[0-9]+(?:\.[0-9]*)?|\.[0-9]+/y;
const NAME = /[\p{L}_][\p{L}\p{N}\p{M}_.\u00b7-]*/uy;
const SYMBOL = /::|\/\/|\.\.|!=|<=|>=|[()[\].@,/|+\-=<>*:$]/y;
const OPERATOR_NAMES: ReadonlySet<string> = new Set(["and", "or", "mod", "div"]);
/** After one of these, or at the start, a `*` is a name test and a name is a name. */
const OPENING: ReadonlySet<string> = new Set([
  "@",
  "::",
  "(",
  "[",
  ",",
  "/",
  "//",
  "|",
  "+",
  "-",
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  ":",
  "$",
]);

function scan(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** All tokens up to the first that is wrong; the last is of kind `end` or `wrong`. */
export function lexXPath(text: string): readonly XPathToken[] {
  const tokens: XPathToken[] = [];
  let at = scan(BLANKS, text, 0)?.length ?? 0;
  while (at < text.length) {
    const token = readToken(text, at, tokens.at(-1));
    tokens.push(token);
    if (token.kind === "wrong") return tokens;
    at += token.kind === "literal" ? token.text.length + 2 : token.text.length;
    at += scan(BLANKS, text, at)?.length ?? 0;
  }
  tokens.push({ kind: "end", text: "", offset: text.length });
  return tokens;
}

function readToken(text: string, offset: number, before: XPathToken | undefined): XPathToken {
  const first = text.charAt(offset);
  if (first === '"' || first === "'") {
    const close = text.indexOf(first, offset + 1);
    return close < 0
      ? { kind: "wrong", text: text.slice(offset), offset }
      : { kind: "literal", text: text.slice(offset + 1, close), offset };
  }
  const number = scan(NUMBER, text, offset);
  if (number !== undefined) return { kind: "number", text: number, offset };
  const endsOperand =
    before !== undefined && before.kind !== "operator" && !(before.kind === "symbol" && OPENING.has(before.text));
  const name = scan(NAME, text, offset);
  if (name !== undefined)
    return { kind: endsOperand && OPERATOR_NAMES.has(name) ? "operator" : "name", text: name, offset };
  const symbol = scan(SYMBOL, text, offset);
  if (symbol === undefined) return { kind: "wrong", text: first, offset };
  return { kind: symbol === "*" && endsOperand ? "operator" : "symbol", text: symbol, offset };
}
