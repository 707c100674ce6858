/** Leaf-lists with default values (RFC 7950, 7.7.2): they are in use as long as there is no value at all. */
import type { DataSchemaNode, LeafListSchema } from "../model/schema.ts";
import type { Children, LeafListEntryNode } from "../model/tree.ts";

/** The leaf-lists among these children whose schema has defaults, with their values in order. */
export function defaultedLeafLists(children: Children): ReadonlyMap<LeafListSchema, readonly LeafListEntryNode[]> {
  const found = new Map<LeafListSchema, LeafListEntryNode[]>();
  for (const node of children.values()) {
    if (node.kind !== "leaf-list-entry" || node.schema.defaultTexts.length === 0) continue;
    const values = found.get(node.schema);
    if (values === undefined) found.set(node.schema, [node]);
    else values.push(node);
  }
  return found;
}

/** Is there any instance of the schema node? */
export function hasAny(children: Children, schema: DataSchemaNode): boolean {
  for (const node of children.values()) if (node.schema === schema) return true;
  return false;
}

/** Are these values just the defaults, in order where order counts? */
export function equalsDefaults(schema: LeafListSchema, values: readonly LeafListEntryNode[]): boolean {
  if (values.length !== schema.defaultTexts.length) return false;
  const texts = values.map(({ value }) => (value.kind === "plain" ? value.text : undefined));
  if (schema.orderedBy === "user") return texts.every((text, index) => text === schema.defaultTexts[index]);
  const defaults = new Set(schema.defaultTexts);
  return texts.every((text) => text !== undefined && defaults.has(text));
}
