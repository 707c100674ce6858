import { formatOpaqueXml } from "../codec/xml/data-opaque.ts";
import { type XmlElement, textOf } from "../codec/xml/xml-element.ts";
import { parseValue } from "../model/values/canonical-value.ts";
import type { AnydataSchema, LeafListSchema, LeafSchema, Schema, TypeSchema } from "../model/schema.ts";
import type { AnydataNode } from "../model/tree.ts";
import type { PlainValue } from "../model/value.ts";

export type ReadValue =
  | { readonly kind: "ok"; readonly value: PlainValue }
  | { readonly kind: "error"; readonly message: string };

/** The value of a leaf element; prefixes in it are those in scope of the element. The message quotes no string: it may be a secret. */
export function readLeafValue(schema: Schema, type: TypeSchema, element: XmlElement): ReadValue {
  const moduleOf = (prefix: string): string | undefined => schema.namespaces.get(element.scope.get(prefix) ?? "");
  const result = parseValue(type, textOf(element), { schema, form: { kind: "xml", moduleOf } });
  if (result.kind === "ok") return { kind: "ok", value: result.value };
  return { kind: "error", message: result.diagnostics.map((each) => each.message).join("; ") };
}

/** A default of the schema as a value. Throws when it does not fit its own type: the compiler lets no such schema through. */
export function defaultValue(schema: Schema, node: LeafSchema | LeafListSchema, text: string): PlainValue {
  const result = parseValue(node.type, text, { schema, form: { kind: "canonical" } });
  if (result.kind === "ok") return result.value;
  throw new TypeError(`the default of ${node.schemaPath} is not of its type`);
}

/** An anydata or anyxml element, opaque. Undefined where it cannot be written as XML of its own. */
export function readAnydata(schema: AnydataSchema, element: XmlElement): AnydataNode | undefined {
  const content = formatOpaqueXml(element);
  return content.kind === "ok" ? { kind: "anydata", schema, encoding: "xml", content: content.value } : undefined;
}
