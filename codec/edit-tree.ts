/**
 * Single edits of a tree. Each returns a new tree that shares with the old one everything off the path of the edit.
 * They copy the children of every parent on the way: right for one edit, too slow for thousands in one list.
 */
import { parseValue } from "../model/values/canonical-value.ts";
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, type PathSegment, formatInstancePath, segmentKey } from "../model/path.ts";
import { type DataSchemaNode, type ParentSchemaNode, type Schema, isParentSchema } from "../model/schema.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  type LeafOrigin,
  type ParentNode,
  hasChildren,
  isUserOrdered,
} from "../model/tree.ts";
import type { PlainValue, Value } from "../model/value.ts";

export type EditDiagnosticCode = "edit-path" | "edit-value" | "edit-anchor";

/** Where a new or moved entry of a user-ordered list goes; `anchor` is the segment key of another entry. */
export type EntryPosition =
  | { readonly where: "first" }
  | { readonly where: "last" }
  | { readonly where: "before"; readonly anchor: string }
  | { readonly where: "after"; readonly anchor: string };

export interface SetItemOptions {
  /**
   * Value of a leaf or leaf-list entry. Not given for containers and list entries; a leaf-list entry takes it from the
   * path where it is not given.
   */
  readonly value?: Value;
  /** Of a leaf; `set` where left out. */
  readonly origin?: LeafOrigin;
  /** In a user-ordered list or leaf-list; a new entry goes last where left out, a standing one stays. */
  readonly position?: EntryPosition;
}

/**
 * Makes what the path names exist, with every ancestor that is missing. Entries and containers that exist keep what is
 * below them. Nodes of other cases of the same choice go (RFC 7950 section 7.9).
 * Needs a path in the schema with canonical keys (`parseCanonicalPath`). Errors: `edit-path` (not in the schema, a key
 * leaf, a whole list, or anydata), `edit-value` (a leaf without value, a key that is no value of its type),
 * `edit-anchor`.
 */
export function setItem(tree: DataTree, path: InstancePath, options: SetItemOptions = {}): Result<DataTree> {
  return edit(tree, () => ({
    ...tree,
    roots: setBelow(tree.schema, tree.roots, tree.schema.roots, path, path, options),
  }));
}

/** Puts a whole node in place of what stands at its path; everything else as `setItem`. `path` must be the node's own. */
export function setNode(
  tree: DataTree,
  path: InstancePath,
  node: DataNode,
  options: Pick<SetItemOptions, "position"> = {},
): Result<DataTree> {
  return edit(tree, () => ({
    ...tree,
    roots: setBelow(tree.schema, tree.roots, tree.schema.roots, path, path, { ...options, node }),
  }));
}

/**
 * Takes away what stands at the path, with all below it. Non-presence containers that are empty afterwards go too. The
 * same tree comes back where nothing stands there. A path to a list without predicate takes away all entries.
 */
export function removeAt(tree: DataTree, path: InstancePath): DataTree {
  const roots = removeBelow(tree.roots, path);
  return roots === tree.roots ? tree : { ...tree, roots };
}

interface Edit extends SetItemOptions {
  readonly node?: DataNode;
}

class EditFailure extends Error {
  readonly code: EditDiagnosticCode;
  constructor(code: EditDiagnosticCode, message: string) {
    super(message);
    this.code = code;
  }
}

function edit(tree: DataTree, make: () => DataTree): Result<DataTree> {
  try {
    return ok(make());
  } catch (error) {
    if (!(error instanceof EditFailure)) throw error;
    const diagnostic: Diagnostic<EditDiagnosticCode> = {
      code: error.code,
      severity: "error",
      message: error.message,
      places: [],
    };
    return failure([diagnostic]);
  }
}

function setBelow(
  schema: Schema,
  children: Children,
  schemas: ReadonlyMap<string, DataSchemaNode>,
  rest: InstancePath,
  path: InstancePath,
  change: Edit,
): Children {
  const [segment, ...below] = rest;
  if (segment === undefined) throw new EditFailure("edit-path", "the whole device is no item");
  const nodeSchema = schemas.get(`${segment.module}:${segment.name}`);
  if (nodeSchema === undefined) throw new EditFailure("edit-path", `${formatInstancePath(path)} is not in the schema`);
  const key = segmentKey(segment);
  const standing = children.get(key);
  if (below.length === 0) {
    const node = change.node ?? leafOrBranch(schema, nodeSchema, segment, standing, change);
    return place(withoutOtherCases(children, nodeSchema), key, node, change.position);
  }
  if (!isParentSchema(nodeSchema)) throw new EditFailure("edit-path", `${nodeSchema.name} has nothing below it`);
  const parent = standing !== undefined && hasChildren(standing) ? standing : branch(schema, nodeSchema, segment);
  const inner = setBelow(schema, parent.children, nodeSchema.children, below, path, change);
  return place(withoutOtherCases(children, nodeSchema), key, { ...parent, children: inner }, undefined);
}

function leafOrBranch(
  schema: Schema,
  nodeSchema: DataSchemaNode,
  segment: PathSegment,
  standing: DataNode | undefined,
  change: Edit,
): DataNode {
  switch (nodeSchema.kind) {
    case "container":
    case "list":
      return standing ?? branch(schema, nodeSchema, segment);
    case "leaf": {
      if (nodeSchema.isKey) throw new EditFailure("edit-path", `${nodeSchema.name} is a key: set its entry`);
      if (change.value === undefined) throw new EditFailure("edit-value", `${nodeSchema.name} needs a value`);
      return { kind: "leaf", schema: nodeSchema, value: change.value, origin: change.origin ?? "set" };
    }
    case "leaf-list": {
      if (segment.kind !== "leaf-list-entry")
        throw new EditFailure("edit-path", `${nodeSchema.name} as a whole is no item`);
      const value = change.value ?? readValue(schema, nodeSchema, segment.value);
      return { kind: "leaf-list-entry", schema: nodeSchema, value };
    }
    case "anydata":
    case "anyxml":
      throw new EditFailure("edit-path", `${nodeSchema.name} is opaque: put it as a node`);
  }
}

function branch(schema: Schema, nodeSchema: ParentSchemaNode, segment: PathSegment): ParentNode {
  if (nodeSchema.kind === "container") return { kind: "container", schema: nodeSchema, children: new Map() };
  if (segment.kind !== "entry") throw new EditFailure("edit-path", `list ${nodeSchema.name} as a whole is no item`);
  const keys = nodeSchema.keys.map((leaf, index) => readValue(schema, leaf, segment.keys[index]?.value ?? ""));
  return { kind: "entry", schema: nodeSchema, keys, children: new Map() };
}

function readValue(
  schema: Schema,
  leaf: Extract<DataSchemaNode, { readonly kind: "leaf" | "leaf-list" }>,
  text: string,
): PlainValue {
  const value = parseValue(leaf.type, text, { schema, form: { kind: "canonical" } });
  if (value.kind === "ok" && value.value.text === text) return value.value;
  const why = value.kind === "error" ? (value.diagnostics[0]?.message ?? "") : "not in canonical form";
  throw new EditFailure("edit-value", `${leaf.name}: ${why}`);
}

/** Children without the nodes that belong to another case of a choice that `schema` is in. */
function withoutOtherCases(children: Children, schema: DataSchemaNode): Children {
  if (schema.cases.length === 0) return children;
  const conflicts = (other: DataSchemaNode): boolean =>
    other.cases.some((step) => schema.cases.some((own) => own.choice === step.choice && own.case !== step.case));
  const kept = [...children].filter(([, node]) => !conflicts(node.schema));
  return kept.length === children.size ? children : new Map(kept);
}

function place(children: Children, key: string, node: DataNode, position: EntryPosition | undefined): Children {
  const copy = new Map(children);
  if (position === undefined || !isUserOrdered(node.schema)) return copy.set(key, node);
  if (position.where === "first" || position.where === "last") {
    copy.delete(key);
    return position.where === "last" ? copy.set(key, node) : new Map([[key, node], ...copy]);
  }
  if (position.anchor === key || copy.get(position.anchor)?.schema !== node.schema) {
    throw new EditFailure("edit-anchor", `${position.anchor} is no other entry of ${node.schema.name}`);
  }
  copy.delete(key);
  const placed = new Map<string, DataNode>();
  for (const [each, other] of copy) {
    if (each === position.anchor && position.where === "before") placed.set(key, node);
    placed.set(each, other);
    if (each === position.anchor && position.where === "after") placed.set(key, node);
  }
  return placed;
}

function removeBelow(children: Children, path: InstancePath): Children {
  const [segment, ...below] = path;
  if (segment === undefined) return children.size === 0 ? children : new Map();
  const key = segmentKey(segment);
  const standing = children.get(key);
  if (standing === undefined) {
    // A list or leaf-list named as a whole.
    if (segment.kind !== "node" || below.length > 0) return children;
    const kept = [...children].filter(([, node]) => node.schema.id !== key);
    return kept.length === children.size ? children : new Map(kept);
  }
  const copy = new Map(children);
  if (below.length === 0) {
    copy.delete(key);
    return copy;
  }
  if (!hasChildren(standing)) return children;
  const inner = removeBelow(standing.children, below);
  if (inner === standing.children) return children;
  if (inner.size === 0 && standing.kind === "container" && !standing.schema.presence) copy.delete(key);
  else copy.set(key, { ...standing, children: inner });
  return copy;
}
