/** Offsets of a text as line and column. */
import type { SourcePosition } from "../model/diagnostic.ts";

/** A text with its name. Finding lines costs one pass over the text, and only when a place is asked for. */
export class TextLines {
  readonly text: string;
  readonly #source: string;
  #starts: readonly number[] | undefined;

  constructor(text: string, source: string) {
    this.text = text;
    this.#source = source;
  }

  /** `offset` in UTF-16 units; line and column from 1, the column in UTF-16 units, as editors count. */
  positionOf(offset: number): SourcePosition {
    this.#starts ??= lineStarts(this.text);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { source: this.#source, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
