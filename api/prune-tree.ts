import { type InstancePath, segmentKey } from "../model/path.ts";
import { type Children, type DataNode, type DataTree, hasChildren } from "../model/tree.ts";

/**
 * The tree with only what stands at or below the path, and the entries and containers on the way. A path that ends at a
 * list or leaf-list without saying which entry keeps all of them. Undefined where the tree has nothing there.
 */
export function pruneTree(tree: DataTree, path: InstancePath): DataTree | undefined {
  const roots = pruneChildren(tree.roots, path);
  return roots === undefined ? undefined : { ...tree, roots };
}

function pruneChildren(children: Children, path: InstancePath): Children | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return children;
  const key = segmentKey(segment);
  const exact = children.get(key);
  if (exact !== undefined) {
    const kept = pruneNode(exact, rest);
    return kept === undefined ? undefined : new Map([[key, kept]]);
  }
  const isWholeList = segment.kind === "node" && rest.length === 0;
  const entries = isWholeList
    ? [...children].filter(([, { schema }]) => schema.module === segment.module && schema.name === segment.name)
    : [];
  return entries.length === 0 ? undefined : new Map(entries);
}

function pruneNode(node: DataNode, rest: InstancePath): DataNode | undefined {
  if (rest.length === 0) return node;
  if (!hasChildren(node)) return undefined;
  const children = pruneChildren(node.children, rest);
  return children === undefined ? undefined : { ...node, children };
}
