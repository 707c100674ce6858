/** Whole XML documents that carry data, read while they go by. */
import { type Result, failure } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import type { ReadDataOptions } from "../data-reading.ts";
import { TextLines } from "../text-lines.ts";
import { XmlDataReader } from "./data-from-xml.ts";
import { type XmlElementStart, type XmlHandler, type XmlLimits, readXml, startOfTag } from "./read-xml.ts";
import { xmlDiagnostic } from "./xml-result.ts";

export interface DataFromXmlTextOptions extends ReadDataOptions {
  /** Name of the text: findings point into it too. */
  readonly source: string;
  readonly limits?: Partial<XmlLimits>;
}

const netconfBase = "urn:ietf:params:xml:ns:netconf:base:1.0";

/** Elements that stand around data: RFC 6241 sections 4.2, 7.1 and 7.2, RFC 8526 section 3.1, RFC 8040 section 3.3. */
const wrappers: ReadonlySet<string> = new Set([
  `${netconfBase} rpc-reply`,
  `${netconfBase} data`,
  `${netconfBase} config`,
  "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda data",
  "urn:ietf:params:xml:ns:yang:ietf-restconf data",
]);

/**
 * Reads one document: a top-level data node, or what NETCONF and RESTCONF put around any number of them (`<data>`,
 * `<config>`, `<rpc-reply>`). Guarantees and errors: as `dataFromXml`, each finding with its place in the text too, the
 * start tag of its element; what is no XML at all, or not all of it, gives that one error alone; `no-data` where a
 * reply carries no data.
 */
export function dataFromXmlText(schema: Schema, text: string, options: DataFromXmlTextOptions): Result<DataTree> {
  const lines = new TextLines(text, options.source);
  const locate = (end: number): ReturnType<TextLines["positionOf"]> => lines.positionOf(startOfTag(text, end));
  const reader = new DocumentReader(new XmlDataReader(schema, { ...options, locate }));
  const read = readXml(text, reader, options.limits === undefined ? {} : { limits: options.limits });
  if (read.kind === "failed") return failure([xmlDiagnostic(read.error, options.source)]);
  if (reader.found === "nothing") {
    const places = [{ kind: "source", position: lines.positionOf(0) }] as const;
    return failure([{ code: "no-data", severity: "error", message: "the reply carries no data", places }]);
  }
  return reader.data.result();
}

/** Passes on what stands within the wrappers. */
class DocumentReader implements XmlHandler {
  readonly data: XmlDataReader;
  found: "nothing" | "data" = "nothing";

  constructor(data: XmlDataReader) {
    this.data = data;
  }

  open(start: XmlElementStart, end: number): void {
    if (this.data.isAtTop && wrappers.has(`${start.namespace} ${start.name}`)) {
      if (start.name !== "rpc-reply") this.found = "data";
    } else {
      this.found = "data";
      this.data.open(start, end);
    }
  }

  text(value: string): void {
    this.data.text(value);
  }

  close(): void {
    if (!this.data.isAtTop) this.data.close();
  }
}
