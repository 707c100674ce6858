/** Octets to text, for everything that is read from files and standard input. */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { TextLines } from "./text-lines.ts";

export type DecodeDiagnosticCode = "not-utf8" | "text-too-long";

/**
 * Decodes UTF-8. A byte order mark at the beginning is dropped. Octets that are no UTF-8 are never replaced: they are
 * an error, with the line and column of the first; so is a text that is longer than JavaScript has any (V8 ends near
 * 512 Mi characters). `source` names the text.
 */
export function decodeText(bytes: Uint8Array, source: string): Result<string> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const length = validLength(bytes);
    if (length === bytes.length) return tooLong(length, source);
    const before = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length));
    const octet = bytes[length]?.toString(16).toUpperCase().padStart(2, "0") ?? "";
    const diagnostic: Diagnostic<DecodeDiagnosticCode> = {
      code: "not-utf8",
      severity: "error",
      message: `the octet 0x${octet} is no UTF-8 here`,
      places: [{ kind: "source", position: new TextLines(before, source).positionOf(before.length) }],
      remedy: "save the text in UTF-8",
    };
    return failure([diagnostic]);
  }
}

function tooLong(octets: number, source: string): Result<never, Diagnostic<DecodeDiagnosticCode>> {
  const message = `a text of ${String(octets)} octets is too long to be held`;
  const places = [{ kind: "source", position: { source, line: 1, column: 1 } }] as const;
  return failure([{ code: "text-too-long", severity: "error", message, places }]);
}

/** How many octets at the beginning are whole characters of UTF-8 (RFC 3629 section 4). */
function validLength(bytes: Uint8Array): number {
  let at = 0;
  for (;;) {
    const length = characterLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
}

/** Octets of the character at `at`; 0 where none stands. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  for (let index = 1; index < length; index += 1) {
    const octet = bytes[at + index] ?? 0;
    // The second octet also keeps out overlong forms, surrogates and what lies above U+10FFFF.
    const low = index > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = index > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (octet < low || octet > high) return 0;
  }
  return length;
}
