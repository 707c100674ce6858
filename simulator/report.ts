import { dataToXml } from "../codec/xml/data-to-xml.ts";
import type { XmlElement } from "../codec/xml/xml-element.ts";
import type { DataTree } from "../model/tree.ts";
import { type ReportMode, reported } from "./with-defaults.ts";

/** A configuration as the children of a `<data>` element, with defaults as the mode asks for (RFC 6243). */
export function reportXml(tree: DataTree, mode: ReportMode): readonly XmlElement[] {
  const defaults = mode === "report-all-tagged" ? "tag" : "write";
  const written = dataToXml(reported(tree, mode), { defaults });
  if (written.kind === "ok") return written.value;
  throw new TypeError(`a datastore cannot be written: ${written.diagnostics.map((each) => each.message).join("; ")}`);
}
