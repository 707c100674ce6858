import { join } from "node:path";
import type { FileOperations } from "../files.ts";
import type { ChainPosition } from "./record-line.ts";

/** One journal file. Its name is the number of its first record, so that a record's file is found without reading. */
export interface Segment {
  readonly first: number;
  readonly name: string;
  readonly path: string;
}

/** A segment and what its first record follows. */
export interface ChainedSegment {
  readonly segment: Segment;
  readonly after: ChainPosition;
}

const NAME = /^\d{12}\.jsonl$/;

export function segmentOf(folder: string, first: number): Segment {
  const name = `${String(first).padStart(12, "0")}.jsonl`;
  return { first, name, path: join(folder, name) };
}

/** Segments of a folder, oldest first. */
export async function listSegments(folder: string, files: FileOperations): Promise<readonly Segment[]> {
  return (await files.list(folder))
    .filter((name) => NAME.test(name))
    .map((name) => segmentOf(folder, Number.parseInt(name, 10)));
}

const NEWLINE = 0x0a;

/** Complete lines with the offset behind each; what stands behind the last newline comes as `rest`. */
export function* completeLines(
  bytes: Uint8Array,
): Generator<{ readonly text: string; readonly end: number }, { readonly rest: number }> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  for (;;) {
    const newline = buffer.indexOf(NEWLINE, start);
    if (newline < 0) return { rest: buffer.length - start };
    yield { text: buffer.toString("utf8", start, newline), end: newline + 1 };
    start = newline + 1;
  }
}
