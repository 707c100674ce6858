/** Data from a file, whatever of the usual shapes it has. */
import { dataFromJson, dataFromJsonText } from "../../../codec/json/data-from-json.ts";
import { memberOf } from "../../../codec/json/json-value.ts";
import { parseJson } from "../../../codec/json/parse-json.ts";
import { dataFromXmlText } from "../../../codec/xml/data-from-xml-text.ts";
import type { ReadDataOptions } from "../../../codec/data-reading.ts";
import type { Diagnostic, Result } from "../../../model/diagnostic.ts";
import type { Schema } from "../../../model/schema.ts";
import type { DataTree } from "../../../model/tree.ts";
import { usageError } from "../../cli-error.ts";
import type { TextFile } from "../../text-file.ts";

export const DATA_FORMATS = ["xml", "json"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

/** By the first character, which settles it for both; by the name of an empty file. */
export function formatOfFile({ name, text }: TextFile): DataFormat {
  const first = /[^ \t\r\n]/.exec(text)?.[0];
  if (first === "<") return "xml";
  if (first === "{" || first === "[") return "json";
  if (name.endsWith(".xml")) return "xml";
  if (name.endsWith(".json")) return "json";
  throw usageError(`${name} is neither XML nor JSON: it begins with ${JSON.stringify(first ?? "")}`);
}

/**
 * Reads a file.
 * - XML: one top-level node, or several one after another as `yanglint` writes them, or what NETCONF and RESTCONF put
 *   around data.
 * - JSON: RFC 7951, or the datastore resource of RESTCONF (`ietf-restconf:data`).
 * An empty configuration is `<data/>`, `<config/>` or `{}`, never an empty file.
 * Errors: those of the readers, each with its place in the file.
 */
export function readData(
  schema: Schema,
  { name, text }: TextFile,
  options: { readonly format: DataFormat; readonly nodes: ReadDataOptions["nodes"] },
): Result<DataTree> {
  const reading = { unknown: "error", nodes: options.nodes, defaultsMode: "report-all-tagged", source: name } as const;
  if (options.format === "json") {
    return /^\s*\{\s*"ietf-restconf:data"/.test(text)
      ? readRestconfJson(schema, text, reading)
      : dataFromJsonText(schema, text, reading);
  }
  const document = dataFromXmlText(schema, text, reading);
  // A file without any element is no empty configuration but a reading that went wrong.
  if (!/<[^?!]/.test(text)) return document;
  if (document.kind === "ok" || document.diagnostics[0]?.code !== "xml-syntax") return document;
  // More than one element at the top is no XML document, but a usual data file: tried before it is refused.
  const several = dataFromXmlText(schema, WRAP_START + withoutDeclaration(text) + WRAP_END, reading);
  if (several.kind === "ok") return several;
  return several.diagnostics[0]?.code === "xml-syntax" ? document : unshifted(several.diagnostics);
}

type Reading = ReadDataOptions & { readonly source: string };

function readRestconfJson(schema: Schema, text: string, reading: Reading): Result<DataTree> {
  const json = parseJson(text, reading);
  if (json.kind === "error") return json;
  const data = json.value.kind === "object" ? memberOf(json.value, "ietf-restconf:data") : undefined;
  return dataFromJson(schema, data ?? json.value, reading);
}

const WRAP_START = '<nc:data xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0">';
const WRAP_END = "</nc:data>";

/** A declaration may stand at the very beginning only; blanks in its place keep every column. */
function withoutDeclaration(text: string): string {
  return text.replace(/^<\?xml[ \t\r\n][^>]*\?>/, (declaration) => declaration.replace(/[^\r\n]/g, " "));
}

function unshifted(diagnostics: readonly Diagnostic[]): Result<never> {
  const moved = diagnostics.map((each) => ({
    ...each,
    places: each.places.map((place) =>
      place.kind === "source" && place.position.line === 1
        ? { ...place, position: { ...place.position, column: Math.max(1, place.position.column - WRAP_START.length) } }
        : place,
    ),
  }));
  return { kind: "error", diagnostics: moved };
}
