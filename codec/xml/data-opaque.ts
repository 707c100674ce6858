/** The opaque content of anydata and anyxml nodes: one XML element, readable without the document it was cut from. */
import { type Diagnostic, type Result, failure, ok } from "../../model/diagnostic.ts";
import { formatXml } from "./format-xml.ts";
import { parseXml } from "./read-xml.ts";
import type { XmlElement } from "./xml-element.ts";
import { type XmlResult, describeXmlError } from "./xml-result.ts";

/**
 * The whole element, its own tag included. Each element declares the prefixes that its own text and attribute values
 * may refer to, and no other: what the surrounding document declared does not change the result.
 */
export function formatOpaqueXml(element: XmlElement): Result<string> {
  return fromXmlResult(formatXml(selfContained(element)));
}

/** Reverses `formatOpaqueXml`. */
export function parseOpaqueXml(content: string): Result<XmlElement> {
  return fromXmlResult(parseXml(content));
}

function selfContained(element: XmlElement): XmlElement {
  const values = [
    ...element.attributes.map((attribute) => attribute.value),
    ...element.children.flatMap((child) => (child.kind === "text" ? [child.value] : [])),
  ];
  const used = (prefix: string): boolean => prefix !== "" && values.some((value) => value.includes(`${prefix}:`));
  return {
    ...element,
    scope: new Map([...element.scope].filter(([prefix]) => prefix !== "xml" && used(prefix))),
    children: element.children.map((child) => (child.kind === "text" ? child : selfContained(child))),
  };
}

function fromXmlResult<T>(result: XmlResult<T>): Result<T> {
  if (result.kind === "ok") return ok(result.value);
  const diagnostic: Diagnostic = {
    code: "opaque-content",
    severity: "error",
    message: `opaque content: ${describeXmlError(result.error)}`,
    places: [],
  };
  return failure([diagnostic]);
}
