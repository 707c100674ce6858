/** In what order the children of a node stand, and which may be there without being stored. */
import { type DataSchemaNode, type ParentSchemaNode, type Schema, childSchemas } from "../schema.ts";

export interface ChildOrder {
  /** Children that can be there without being stored. */
  readonly implied: readonly DataSchemaNode[];
  readonly rank: (schema: DataSchemaNode) => number;
}

const orders = new WeakMap<object, ChildOrder>();

/** Order of the children of a schema node; keys stand first (RFC 7950 section 7.8.5). */
export function childOrder(schema: Schema, parent: ParentSchemaNode | undefined): ChildOrder {
  const known = orders.get(parent ?? schema);
  if (known !== undefined) return known;
  const ranks = new Map<DataSchemaNode, number>();
  if (parent?.kind === "list") for (const key of parent.keys) ranks.set(key, ranks.size);
  const implied: DataSchemaNode[] = [];
  for (const child of childSchemas(schema, parent).values()) {
    if (!ranks.has(child)) ranks.set(child, ranks.size);
    if (
      (child.kind === "container" && !child.presence) ||
      (child.kind === "leaf" && child.defaultText !== undefined) ||
      (child.kind === "leaf-list" && child.defaultTexts.length > 0)
    )
      implied.push(child);
  }
  const order = { implied, rank: (child: DataSchemaNode): number => ranks.get(child) ?? 0 };
  orders.set(parent ?? schema, order);
  return order;
}
