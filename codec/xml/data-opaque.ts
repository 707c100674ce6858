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

/** Reverses `formatOpaqueXml`; the elements declare no more than they did, so that writing them again costs no more. */
export function parseOpaqueXml(content: string): Result<XmlElement> {
  const read = fromXmlResult(parseXml(content));
  return read.kind === "ok" ? ok(selfContained(read.value)) : read;
}

function selfContained(element: XmlElement): XmlElement {
  const { attributes, children, scope } = element;
  const used = new Map<string, string>();
  const use = (prefix: string): void => {
    const namespace = scope.get(prefix);
    if (namespace !== undefined) used.set(prefix, namespace);
  };
  for (const { namespace, prefix, value } of attributes) {
    // Its own prefix stays the one that it has, and needs no search among all the others.
    if (namespace !== "") use(prefix);
    for (const each of prefixesIn(value)) use(each);
  }
  for (const child of children) {
    if (child.kind === "text") for (const each of prefixesIn(child.value)) use(each);
  }
  return {
    ...element,
    scope: used,
    children: children.map((child) => (child.kind === "text" ? child : selfContained(child))),
  };
}

const NAME_CHARACTER = /[-.0-9A-Z_a-z\u0080-\uffff]/;
const NO_NAME_START = /^[-.0-9]+/;

/**
 * What may be a prefix in a text, be it an identity, a path or an expression: the names in front of colons (in `1-p:x`
 * it is `p`). Time is linear in the length of the text, whatever it declares.
 */
function prefixesIn(text: string): readonly string[] {
  const prefixes: string[] = [];
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let start = colon;
    while (start > 0 && NAME_CHARACTER.test(text.charAt(start - 1))) start -= 1;
    const name = text.slice(start, colon).replace(NO_NAME_START, "");
    if (name !== "") prefixes.push(name);
  }
  return prefixes;
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
