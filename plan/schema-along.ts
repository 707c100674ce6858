import { type InstancePath, formatInstancePath } from "../model/path.ts";
import { type DataSchemaNode, type Schema, isParentSchema } from "../model/schema.ts";

/**
 * The schema nodes along an instance path, first to last, one for each segment.
 * Throws RangeError on a path that the schema does not have: paths of operations come from trees of the same schema.
 */
export function schemaAlong(schema: Schema, path: InstancePath): readonly DataSchemaNode[] {
  const along: DataSchemaNode[] = [];
  let children = schema.roots;
  for (const segment of path) {
    const node = children.get(`${segment.module}:${segment.name}`);
    if (node === undefined) throw new RangeError(`the schema has no node for ${formatInstancePath(path)}`);
    along.push(node);
    children = isParentSchema(node) ? node.children : NO_CHILDREN;
  }
  return along;
}

const NO_CHILDREN: ReadonlyMap<string, DataSchemaNode> = new Map();
