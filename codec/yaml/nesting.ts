/**
 * How deep a text nests and how much is in it, told from its tokens alone: the parser works by recursion, and a text of
 * some kilobytes that is nothing but brackets would end the process; and it spends 20 us on each value, so that a text
 * of some megabytes that is nothing but numbers would keep it busy for half a minute.
 */
import { Lexer } from "yaml";

/** 1-based. */
export interface TooMuch {
  readonly what: "levels" | "tokens";
  readonly line: number;
  readonly column: number;
}

/**
 * Where a text stands more than `levels` deep, or has more than `tokens` names, values and signs; undefined where it
 * never does. Levels of flow style are its brackets. Block style needs one more column or one more indicator on a line for each level, so a line's indent
 * beyond what people write is too deep as well.
 */
export function tooMuchAt(
  text: string,
  limits: { readonly levels: number; readonly tokens: number },
): TooMuch | undefined {
  let line = 1;
  let column = 1;
  let brackets = 0;
  let indicators = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (token === "-" || token === "?") indicators += 1;
    const blank = column === 1 && /^ +$/.test(token) ? token.length : 0;
    if (brackets + indicators > limits.levels || blank > 4 * limits.levels) return { what: "levels", line, column };
    if (/[^\s\u0002\u0018\u001f]/.test(token)) tokens += 1;
    if (tokens > limits.tokens) return { what: "tokens", line, column };
    for (const character of token) {
      if (character === "\n") {
        line += 1;
        column = 1;
        indicators = 0;
      } else if (character !== "\u0002" && character !== "\u0018" && character !== "\u001f") column += 1;
    }
  }
  return undefined;
}
