/**
 * What a server deletes by itself: nodes whose `when` becomes false by an edit of something else (RFC 7950, section 8.2).
 *
 * A node that the edit itself writes stays, and the check of the whole configuration refuses it (section 8.3.1).
 */
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import { type DataSchemaNode, type Schema, isParentSchema } from "../model/schema.ts";
import { type Children, type DataTree, hasChildren, segmentOf } from "../model/tree.ts";
import { validateTree } from "../model/validation/validate-tree.ts";
import { type EditNode, removes } from "./edit.ts";

/**
 * The tree that `edits` left of `before`, without the nodes that stood before, that no edit writes, and whose `when` is
 * false now; what depends on those is deleted too. The same tree where there are none.
 */
export function deleteWhereWhenFails(before: DataTree, after: DataTree, edits: readonly EditNode[]): DataTree {
  if (before.roots.size === 0 || before.roots === after.roots || !hasWhen(after.schema)) return after;
  const written = new Set<string>();
  for (const edit of edits) collectWritten(edit, written);
  let tree = after;
  for (;;) {
    let roots = tree.roots;
    for (const { code, path } of validateTree(tree, { limit: Infinity })) {
      const found = code === "when-false" ? parseInstancePath(tree.schema, path) : undefined;
      if (found?.kind === "ok") roots = withoutInstances(roots, found.value.path, 0, { before: before.roots, written });
    }
    if (roots === tree.roots) return tree;
    tree = { schema: tree.schema, roots };
  }
}

/** Gathers the paths of what an edit writes, and of all around it; tells whether it writes anything. */
function collectWritten(edit: EditNode, into: Set<string>): boolean {
  if (removes(edit.operation)) return false;
  let writes = edit.operation !== "none";
  if ("children" in edit) for (const child of edit.children) if (collectWritten(child, into)) writes = true;
  if (writes) into.add(formatInstancePath(edit.path));
  return writes;
}

/** One finding stands for all instances of its node below one parent. */
function withoutInstances(
  children: Children,
  path: InstancePath,
  depth: number,
  kept: { readonly before: Children; readonly written: ReadonlySet<string> },
): Children {
  const segment = path[depth];
  const key = segment && segmentKey(segment);
  const node = key === undefined ? undefined : children.get(key);
  if (key === undefined || node === undefined) return children;
  const rest = new Map(children);
  if (depth < path.length - 1) {
    const stood = kept.before.get(key);
    if (!hasChildren(node) || stood === undefined || !hasChildren(stood)) return children;
    const below = withoutInstances(node.children, path, depth + 1, { ...kept, before: stood.children });
    if (below === node.children) return children;
    if (below.size === 0 && node.kind === "container" && !node.schema.presence) rest.delete(key);
    else rest.set(key, { ...node, children: below });
    return rest;
  }
  const parent = path.slice(0, depth);
  for (const [each, sibling] of children) {
    if (sibling.schema !== node.schema || !kept.before.has(each)) continue;
    if (!kept.written.has(formatInstancePath([...parent, segmentOf(sibling)]))) rest.delete(each);
  }
  return rest.size === children.size ? children : rest;
}

const known = new WeakMap<Schema, boolean>();

/** Most schemas of small devices have none, and then nothing need be evaluated. */
function hasWhen(schema: Schema): boolean {
  let has = known.get(schema);
  if (has === undefined) known.set(schema, (has = anyWhen(schema.roots)));
  return has;
}

function anyWhen(nodes: ReadonlyMap<string, DataSchemaNode>): boolean {
  for (const node of nodes.values()) {
    if (node.whens.length > 0 || (isParentSchema(node) && anyWhen(node.children))) return true;
  }
  return false;
}
