import { readFile } from "node:fs/promises";
import { decodeText } from "../codec/decode-text.ts";
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
  return { name, text: textOf(bytes, name) };
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

/** What the usual codes of the system mean to a person. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder, and a file is needed",
  ENOTDIR: "it is no folder, and a folder is needed",
  EACCES: "its permissions do not allow it",
};

export function unreadable(path: string, error: unknown): CliError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  return new CliError({ code: "unreadable", message: `${path} cannot be read: ${reason}` }, error);
}

function textOf(bytes: Uint8Array, name: string): string {
  const text = decodeText(bytes, name);
  if (text.kind === "ok") return text.value;
  const { diagnostics } = text;
  if (diagnostics[0]?.code === "not-utf8")
    throw new CliError({ code: "not-utf8", message: `${name} is not UTF-8`, diagnostics });
  throw new CliError({ code: "unreadable", message: `${name} cannot be read`, diagnostics });
}
