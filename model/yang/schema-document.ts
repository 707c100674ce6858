/**
 * A compiled schema as text, to be kept instead of compiled again.
 *
 * The problem it owns: compiling a large module set takes seconds, its schema is the same as long as the set is, and
 * most programs ask for a small part of it. So the text is compact (names, expressions and types stand once, in
 * tables), and reading builds the nodes of a container or list when somebody first looks into it.
 *
 *     {"format":"tenure-schema","version":2,"checksum":N}
 *     {..}
 *
 * Two lines, each JSON. The second is what `schema-writer` writes and `schema-reader` reads. The checksum guards against a damaged store, not
 * against forgery: whoever may write the store may also write another schema.
 */
import { type Diagnostic, type Result, failure } from "../diagnostic.ts";
import type { Schema } from "../schema.ts";
import type { SchemaBody } from "./schema-body.ts";
import { readSchema } from "./schema-reader.ts";
import { writeSchema } from "./schema-writer.ts";

const FORMAT = "tenure-schema";
/** To be raised whenever the body, or what `schema.ts` says of a schema, changes. */
const VERSION = 2;
/** Longer than any header; a text without line breaks is not read as one. */
const MAX_HEADER = 200;

export type SchemaDocumentCode = "schema-document-damaged" | "schema-document-version";
export type SchemaDocumentDiagnostic = Diagnostic<SchemaDocumentCode>;

/**
 * The document of a schema. Guarantee: the same schema gives the same text, and `schemaFromDocument`
 * gives a schema of it that no reader can tell from the first one.
 */
export function schemaToDocument(schema: Schema): string {
  const body = JSON.stringify(writeSchema(schema));
  return `${JSON.stringify({ format: FORMAT, version: VERSION, checksum: checksum(body) })}\n${body}`;
}

/**
 * The schema of a document. Needs: the text is one that `schemaToDocument` of the same version made; anything else,
 * a byte changed or cut off included, is an error that says so, and the remedy is to compile again. Never throws.
 */
export function schemaFromDocument(text: string): Result<Schema, SchemaDocumentDiagnostic> {
  const end = text.indexOf("\n");
  const header = parseHeader(text.slice(0, Math.max(0, Math.min(end, MAX_HEADER))));
  if (header === undefined) return refuse("schema-document-damaged", "the text is no schema document");
  if (header["version"] !== VERSION)
    return refuse("schema-document-version", `the schema document is of version ${String(header["version"])}`);
  const body = text.slice(end + 1);
  if (checksum(body) !== header["checksum"])
    return refuse("schema-document-damaged", "the schema document is not as it was written");
  return { kind: "ok", value: readSchema(JSON.parse(body) as SchemaBody), warnings: [] };
}

function parseHeader(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    const header: Readonly<Record<string, unknown>> = { ...value };
    return header["format"] === FORMAT ? header : undefined;
  } catch {
    return undefined;
  }
}

function refuse(code: SchemaDocumentCode, message: string): Result<never, SchemaDocumentDiagnostic> {
  return failure([
    {
      code,
      severity: "error",
      message,
      places: [],
      expected: `a document of format ${FORMAT}, version ${String(VERSION)}`,
      remedy: "compile the modules again",
    },
  ]);
}

/** FNV-1a over UTF-16 units, 32 bits. */
function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
