/** A data tree as plain data that is equal exactly for equal trees: order counts only where the schema says so. */
import { segmentKey } from "../../model/path.ts";
import { type Children, type DataTree, hasChildren, isUserOrdered, segmentOf } from "../../model/tree.ts";

export function outlineOf(tree: DataTree): unknown {
  return outlineChildren(tree.roots);
}

function outlineChildren(children: Children): unknown {
  const orders: Record<string, string[]> = {};
  const nodes: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, node] of children) {
    if (key !== segmentKey(segmentOf(node))) throw new Error(`${key} is not the key of its node`);
    if (isUserOrdered(node.schema)) (orders[node.schema.id] ??= []).push(key);
    nodes[key] = {
      schema: node.schema.schemaPath,
      ...("keys" in node ? { keys: node.keys } : {}),
      ...("value" in node ? { value: node.value } : {}),
      ...("origin" in node ? { origin: node.origin } : {}),
      ...("content" in node ? { content: [node.encoding, node.content] } : {}),
      ...(hasChildren(node) ? { children: outlineChildren(node.children) } : {}),
    };
  }
  return { nodes: Object.entries(nodes).sort(([a], [b]) => (a < b ? -1 : 1)), orders };
}
