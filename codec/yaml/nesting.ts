/**
 * How deep a text nests, told from its tokens alone: the parser works by recursion, and a text of some kilobytes that is
 * nothing but brackets would end the process.
 */
import { Lexer } from "yaml";

/**
 * Where (1-based) a text stands more than `limit` levels deep; undefined where it never does. Levels of flow style are
 * its brackets. Block style needs one more column or one more indicator on a line for each level, so a line's indent
 * beyond what people write is too deep as well.
 */
export function tooDeepAt(text: string, limit: number): { readonly line: number; readonly column: number } | undefined {
  let line = 1;
  let column = 1;
  let brackets = 0;
  let indicators = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (token === "-" || token === "?") indicators += 1;
    const blank = column === 1 && /^ +$/.test(token) ? token.length : 0;
    if (brackets + indicators > limit || blank > 4 * limit) return { line, column };
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
