/**
 * From an offset in a statement's argument to its place in the text. An argument may be joined from several strings,
 * stripped of indentation and of escapes (RFC 7950 section 6.1.3). Nothing of that is kept while reading, because only
 * an error asks for it: the one statement is read again, here with the place of each character.
 */
import type { SourcePosition } from "../diagnostic.ts";
import type { YangSource, YangStatement } from "./statement.ts";

/** A character of the argument and where it stands. */
interface Placed {
  readonly character: string;
  readonly at: number;
}

const TAB_WIDTH = 8;
const GAP = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const WORD = /[^ \t\r\n;{}]+/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ['"', '"'],
  ["\\", "\\"],
]);

/**
 * The place of the UTF-16 unit `offset` of the statement's argument, or of its last one when the argument is shorter;
 * the keyword's place when there is no argument. Needs: the statement was read from `source` without an error.
 */
export function locateInArgument(source: YangSource, statement: YangStatement, offset: number): SourcePosition {
  const { text } = source;
  const marked = text.startsWith("\uFEFF") ? 1 : 0;
  let start = 0;
  for (let line = 1; line < statement.position.line; line += 1) start = text.indexOf("\n", start) + 1;
  if (start === 0) start = marked;
  const placed = readArgument(text, skip(WORD, text, start + statement.position.column - 1));
  const at = placed[Math.min(offset, placed.length - 1)]?.at;
  if (at === undefined) return statement.position;
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return {
    source: source.name,
    line: text.slice(0, at).split("\n").length,
    column: at - Math.max(lineStart, lineStart === 0 ? marked : 0) + 1,
  };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function readArgument(text: string, afterKeyword: number): readonly Placed[] {
  const start = skip(GAP, text, afterKeyword);
  const mark = text[start];
  if (mark !== '"' && mark !== "'") return slice(text, start, skip(WORD, text, start));
  const placed: Placed[] = [];
  for (let at = start; ; ) {
    const end = endOfQuoted(text, at);
    const raw = slice(text, at + 1, end);
    for (const each of text[at] === '"' ? unescape(withoutLayout(raw, widthBefore(text, at) + 1)) : raw)
      placed.push(each);
    const plus = skip(GAP, text, end + 1);
    if (text[plus] !== "+") return placed;
    at = skip(GAP, text, plus + 1);
    if (text[at] !== '"' && text[at] !== "'") return placed;
  }
}

function slice(text: string, from: number, to: number): readonly Placed[] {
  return Array.from({ length: to - from }, (_, index) => ({ character: text[from + index] ?? "", at: from + index }));
}

function endOfQuoted(text: string, start: number): number {
  const mark = text[start];
  let end = start + 1;
  while (end < text.length && text[end] !== mark) end += mark === '"' && text[end] === "\\" ? 2 : 1;
  return Math.min(end, text.length);
}

/** Columns before an offset, a tab counting as eight. */
function widthBefore(text: string, offset: number): number {
  let width = 0;
  for (let at = text.lastIndexOf("\n", offset - 1) + 1; at < offset; at += 1)
    width += text[at] === "\t" ? TAB_WIDTH : 1;
  return text.startsWith("\uFEFF") && !text.slice(0, offset).includes("\n") ? width - 1 : width;
}

/** Without the indentation up to the column of the opening quote and the blanks before line breaks. */
function withoutLayout(raw: readonly Placed[], indent: number): readonly Placed[] {
  const kept: Placed[] = [];
  let blanksUpTo = 0;
  for (const each of raw) {
    if (each.character === "\n") {
      if (kept.at(-1)?.character === "\r") kept.pop();
      while (kept.at(-1)?.character === " " || kept.at(-1)?.character === "\t") kept.pop();
      kept.push(each);
      blanksUpTo = indent;
    } else if (blanksUpTo > 0 && (each.character === " " || each.character === "\t")) {
      blanksUpTo -= each.character === "\t" ? TAB_WIDTH : 1;
      // What a tab reaches beyond the column stays, as blanks.
      for (; blanksUpTo < 0; blanksUpTo += 1) kept.push({ character: " ", at: each.at });
    } else {
      blanksUpTo = 0;
      kept.push(each);
    }
  }
  return kept;
}

function unescape(raw: readonly Placed[]): readonly Placed[] {
  const kept: Placed[] = [];
  for (let index = 0; index < raw.length; index += 1) {
    const each = raw[index];
    if (each === undefined) break;
    const escaped = each.character === "\\" ? ESCAPES.get(raw[index + 1]?.character ?? "") : undefined;
    if (escaped === undefined) kept.push(each);
    else {
      kept.push({ character: escaped, at: each.at });
      index += 1;
    }
  }
  return kept;
}
