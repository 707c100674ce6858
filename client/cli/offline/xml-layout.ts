import type { DataSchemaNode, Schema } from "../../../model/schema.ts";
import { type XmlElement, type XmlNode, childElements, xmlElement, xmlText } from "../../../codec/xml/xml-element.ts";

const ENVELOPE = "urn:ietf:params:xml:ns:netconf:base:1.0";

/** Around the top-level elements: nothing, or one element of NETCONF. */
export const ENVELOPES = ["none", "data", "config"] as const;
export type Envelope = (typeof ENVELOPES)[number];

/**
 * The documents to write: the elements themselves, or one that holds them; with a line and an indent for each element.
 * Blanks are put only where they mean nothing, between the children of containers and lists: values and opaque content
 * stay what they are.
 */
export function layOut(schema: Schema, elements: readonly XmlElement[], envelope: Envelope): readonly XmlElement[] {
  const depth = envelope === "none" ? 1 : 2;
  const laidOut = elements.map((element) => indented(schema, schema.roots, element, depth));
  if (envelope === "none") return laidOut;
  return [xmlElement({ namespace: ENVELOPE, name: envelope, children: onLines(laidOut, 1) })];
}

function indented(
  schema: Schema,
  siblings: ReadonlyMap<string, DataSchemaNode>,
  element: XmlElement,
  depth: number,
): XmlElement {
  const node = siblings.get(`${schema.namespaces.get(element.namespace) ?? ""}:${element.name}`);
  if (node?.kind !== "container" && node?.kind !== "list") return element;
  const children = childElements(element).map((child) => indented(schema, node.children, child, depth + 1));
  return { ...element, children: onLines(children, depth) };
}

/** The elements each on a line, and the end tag on one of its own. */
function onLines(elements: readonly XmlElement[], depth: number): readonly XmlNode[] {
  if (elements.length === 0) return [];
  const before = `\n${"  ".repeat(depth)}`;
  return [...elements.flatMap((element) => [xmlText(before), element]), xmlText(`\n${"  ".repeat(depth - 1)}`)];
}
