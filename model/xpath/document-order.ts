/** Order and identity of nodes (XPath 1.0 sections 2.4 and 5). */
import { isParentSchema } from "../schema.ts";
import { childOrder } from "./child-order.ts";
import type { XPathNode } from "./xpath-node.ts";

/** Nodes that can have element children are one object each; the others are one when they stand in the same place. */
export function isSameNode(a: XPathNode, b: XPathNode): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.schema !== b.schema || a.index !== b.index) return false;
  if (a.kind === "element" && (a.schema === undefined || isParentSchema(a.schema))) return false;
  return a.parent !== undefined && b.parent !== undefined && isSameNode(a.parent, b.parent);
}

/** Negative when `a` comes first in document order, 0 when they are the same node. An ancestor comes first. */
export function compareOrder(a: XPathNode, b: XPathNode): number {
  if (isSameNode(a, b)) return 0;
  let left = a;
  let right = b;
  let difference = depthOf(a) - depthOf(b);
  for (; difference > 0 && left.parent !== undefined; difference -= 1) left = left.parent;
  for (; difference < 0 && right.parent !== undefined; difference += 1) right = right.parent;
  if (isSameNode(left, right)) return depthOf(a) - depthOf(b);
  while (left.parent !== undefined && right.parent !== undefined && !isSameNode(left.parent, right.parent)) {
    left = left.parent;
    right = right.parent;
  }
  if (left.schema === right.schema) return left.index - right.index;
  const { schema: parent } = left.parent ?? left;
  const { rank } = childOrder(
    left.document.schema,
    parent !== undefined && isParentSchema(parent) ? parent : undefined,
  );
  return left.schema === undefined || right.schema === undefined ? 0 : rank(left.schema) - rank(right.schema);
}

/** Sorts into document order and drops what stands twice; changes the array. */
export function sortUnique(nodes: XPathNode[]): readonly XPathNode[] {
  if (nodes.length < 2) return nodes;
  nodes.sort(compareOrder);
  let kept = 1;
  for (let at = 1; at < nodes.length; at += 1) {
    const node = nodes[at];
    const before = nodes[kept - 1];
    if (node === undefined || before === undefined || isSameNode(node, before)) continue;
    nodes[kept] = node;
    kept += 1;
  }
  nodes.length = kept;
  return nodes;
}

function depthOf(node: XPathNode): number {
  let depth = 0;
  for (let at = node.parent; at !== undefined; at = at.parent) depth += 1;
  return depth;
}
