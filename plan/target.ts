/**
 * What a device should look like after a change plan. The proposal says what it puts and removes; everything else stays as it was observed,
 * so a change never carries somebody's unrelated drift to the device. The operations of the plan are then `compare(target, observed)`, and its
 * expected state is the target.
 */
import type { Item } from "../model/item.ts";
import type { InstancePath } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import type { DataNode, DataTree, ParentNode } from "../model/tree.ts";
import type { BuiltInType } from "../model/value.ts";
import { type CompareOptions, compare } from "./compare.ts";
import { type Finding, sortFindings } from "./finding.ts";
import { keyValues } from "./key-values.ts";
import { nodeToJson } from "./node-json.ts";
import { type Operation, operationPath } from "./operation.ts";
import { PathIndex } from "./path-index.ts";
import { schemaAlong } from "./schema-along.ts";
import { TreeDraft, implicitAncestors } from "./tree-draft.ts";

/** The part of a proposal that is about one device. */
export interface DeviceChange {
  /** Values and existence that the proposal asserts; in any order. */
  readonly put: readonly Item[];
  /** Paths that vanish from desired state with all below them. */
  readonly remove: readonly string[];
}

/**
 * The observed tree with the change made on just its paths: removals first, then puts, then the orders of user-ordered lists. An entry above
 * a put leaf that the device has lost is made again with its keys alone (the drift finding of `changeDrift` shows the loss). In a user-ordered list
 * the entries that desired state knows take its order; an entry that only the device has stays behind the one it stood behind.
 *
 * Needs paths and canonical values of the tree's schema (items come from desired state, which was checked on its way in); throws RangeError
 * otherwise.
 */
export function changeTarget(observed: DataTree, change: DeviceChange): DataTree {
  const { schema } = observed;
  const draft = new TreeDraft(observed);
  const makeAncestor = (path: InstancePath, node: DataSchemaNode): ParentNode | undefined =>
    implicitAncestors(path, node) ?? emptyParent(schema, path, node);
  for (const text of change.remove) {
    const path = requirePath(schema, text);
    const node = draft.node(path);
    // A non-presence container goes with its children, and others may have children there.
    if (node !== undefined && !(node.kind === "container" && !node.schema.presence)) draft.remove(path);
  }

  const puts = change.put
    .filter((item) => item.kind !== "order")
    .map((item) => ({ item, path: requirePath(schema, item.path) }))
    .sort((a, b) => a.path.length - b.path.length);
  for (const { item, path } of puts) {
    const existing = draft.node(path);
    const node = itemNode(schema, item, path, existing);
    if (node !== undefined && node !== existing) draft.put(path, node, { makeAncestor });
  }
  for (const item of change.put) {
    if (item.kind === "order") draft.arrange(requirePath(schema, item.path), item.order);
  }
  return draft.tree();
}

/**
 * How the device differs from the goal that the change starts from. On paths that the change writes, and below what it removes, its operations
 * overwrite what was found (`touched`); elsewhere the difference is left alone and has to be shown (`unrelated`). `--include-drift` makes all
 * of it operations by taking the whole goal as target; then there is nothing to find.
 */
export function changeDrift(
  goalBefore: DataTree,
  observed: DataTree,
  change: DeviceChange,
  options: CompareOptions,
): readonly Finding[] {
  const { schema } = observed;
  const puts = new PathIndex<"put">();
  const removes = new PathIndex<"remove">();
  for (const item of change.put) puts.add(requirePath(schema, item.path), "put");
  for (const path of change.remove) removes.add(requirePath(schema, path), "remove");
  const { operations } = compare(goalBefore, observed, { ...options, explicitness: "finding" });
  const isTouched = ({ path, op }: Operation): boolean =>
    puts.at(path).length > 0 ||
    puts.below(path).length > 0 ||
    removes.atOrAbove(path).length > 0 ||
    (op === "move" && puts.at(listPath(path)).length > 0);
  return sortFindings(
    operations.map((operation) => driftFinding(operation, isTouched(operation) ? "touched" : "unrelated")),
  );
}

/** The path under which the order of an entry's list stands in desired state. */
function listPath(path: InstancePath): InstancePath {
  const last = path.at(-1);
  return last === undefined ? path : [...path.slice(0, -1), { kind: "node", module: last.module, name: last.name }];
}

function driftFinding(operation: Operation, scope: "touched" | "unrelated"): Finding {
  const base = { kind: "drift", scope, op: operation.op, path: operationPath(operation) } as const;
  switch (operation.op) {
    case "create":
      return { ...base, expected: nodeToJson(operation.after) };
    case "delete":
      return { ...base, found: nodeToJson(operation.before) };
    case "replace":
      return { ...base, expected: nodeToJson(operation.after), found: nodeToJson(operation.before) };
    case "move":
      return base;
  }
}

/** Throws RangeError: paths of desired state were resolved against this schema when they came in. */
function requirePath(schema: Schema, text: string): InstancePath {
  const parsed = parseInstancePath(schema, text);
  if (parsed.kind === "error")
    throw new RangeError(`${text}: ${parsed.diagnostics.map(({ message }) => message).join("; ")}`);
  return parsed.value.path;
}

/** The node an item stands for; what exists below a container or entry is kept. */
function itemNode(
  schema: Schema,
  item: Item,
  path: InstancePath,
  existing: DataNode | undefined,
): DataNode | undefined {
  const node = schemaAlong(schema, path).at(-1);
  if (node === undefined) throw new RangeError("an item is never the whole device");
  switch (item.kind) {
    case "container":
      if (existing?.kind === "container") return existing;
      return emptyParent(schema, path, node);
    case "entry":
      if (existing?.kind === "entry") return existing;
      return emptyParent(schema, path, node, item.keyTypes);
    case "leaf":
      if (node.kind !== "leaf") break;
      return { kind: "leaf", schema: node, value: item.value, origin: item.origin };
    case "leaf-list-entry":
      if (node.kind !== "leaf-list") break;
      return existing ?? { kind: "leaf-list-entry", schema: node, value: item.value };
    case "anydata":
      if (node.kind !== "anydata" && node.kind !== "anyxml") break;
      return { kind: "anydata", schema: node, encoding: item.encoding, content: item.content };
    case "order":
      return undefined;
  }
  throw new RangeError(`${item.path} is a ${node.kind} in the schema, not a ${item.kind}`);
}

function emptyParent(
  schema: Schema,
  path: InstancePath,
  node: DataSchemaNode,
  keyTypes?: readonly BuiltInType[],
): ParentNode | undefined {
  if (node.kind === "container") return { kind: "container", schema: node, children: new Map() };
  const segment = path.at(-1);
  if (node.kind !== "list" || segment?.kind !== "entry") return undefined;
  return { kind: "entry", schema: node, keys: keyValues(schema, node, segment.keys, keyTypes), children: new Map() };
}
