import { readFile } from "node:fs/promises";
import type { SourcePosition } from "../model/diagnostic.ts";
import { CliError } from "./cli-error.ts";

export interface TextFile {
  /** As a person named it; `-` is `standard input`. */
  readonly name: string;
  readonly text: string;
}

/**
 * A text that a person named; `-` is standard input. A byte order mark is dropped. Throws `unreadable` where there is no
 * such file, and `not-utf8` with the place of the first octet that is none: nothing is ever replaced.
 */
export async function readTextFile(path: string): Promise<TextFile> {
  const name = path === "-" ? "standard input" : path;
  const bytes = path === "-" ? await readStandardInput() : await readBytes(path);
  return { name, text: decodeText(bytes, name) };
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readStandardInput(): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

export function unreadable(path: string, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError({ code: "unreadable", message: `${path} cannot be read: ${reason}` }, error);
}

function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const at = validUtf8Length(bytes);
    const position = endOf(new TextDecoder("utf-8").decode(bytes.subarray(0, at)), source);
    const octet = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
    throw new CliError({
      code: "not-utf8",
      message: `${source} is not UTF-8`,
      diagnostics: [
        {
          code: "not-utf8",
          severity: "error",
          message: `the octet 0x${octet} is no UTF-8 here`,
          places: [{ kind: "source", position }],
          remedy: "save the file in UTF-8",
        },
      ],
    });
  }
}

/** How many octets from the start are whole characters. */
function validUtf8Length(bytes: Uint8Array): number {
  const decodes = (length: number, end: "may be cut" | "whole"): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: end === "may be cut" });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle, "may be cut")) good = middle;
    else bad = middle;
  }
  while (!decodes(good, "whole")) good -= 1;
  return good;
}

function endOf(text: string, source: string): SourcePosition {
  const lines = text.split("\n");
  return { source, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
