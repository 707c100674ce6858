/**
 * A data tree: one configuration in typed form. Every codec reads into it and writes from it, compare works on it.
 *
 * Children stand in a map keyed by their segment (`segmentKey`), so a lookup never depends on document order, and a
 * list is a list with zero, one or many entries. Iteration order is document order; it carries meaning only for
 * `ordered-by user` lists and leaf-lists. Keys are properties of their entry and never children.
 * A non-presence container exists only through its children: trees never hold an empty one (`buildTree` drops them).
 */
import { type InstancePath, type KeyValue, type PathSegment, predicate, segmentKey } from "./path.ts";
import type {
  AnydataSchema,
  ContainerSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  ListSchema,
  Schema,
} from "./schema.ts";
import type { Value } from "./value.ts";

export type Children = ReadonlyMap<string, DataNode>;

export interface ContainerNode {
  readonly kind: "container";
  readonly schema: ContainerSchema;
  readonly children: Children;
}
export interface EntryNode {
  readonly kind: "entry";
  readonly schema: ListSchema;
  /** Canonical values in schema order, one for each `schema.keys`; values keep their resolved types. */
  readonly keys: readonly Value[];
  readonly children: Children;
  /** Only in a list without keys (state data): the place among its entries, from 1. */
  readonly position?: number;
}
export interface LeafNode {
  readonly kind: "leaf";
  readonly schema: LeafSchema;
  readonly value: Value;
  /**
   * How the leaf came to stand there (RFC 6243): `set` explicitly by a client, `default` reported by the server as a
   * default, `unknown` when the read hides the difference (report-all without tags, trim, gNMI).
   */
  readonly origin: LeafOrigin;
}
export type LeafOrigin = "set" | "default" | "unknown";
export interface LeafListEntryNode {
  readonly kind: "leaf-list-entry";
  readonly schema: LeafListSchema;
  readonly value: Value;
  /** Only where state data repeats a value: the place among equal ones, from 2. */
  readonly position?: number;
}
export interface AnydataNode {
  readonly kind: "anydata";
  readonly schema: AnydataSchema;
  /** Opaque content; `encoding` says how to read it. Compared by bytes within one encoding. */
  readonly encoding: "xml" | "json";
  readonly content: string;
}
export type DataNode = ContainerNode | EntryNode | LeafNode | LeafListEntryNode | AnydataNode;
export type ParentNode = ContainerNode | EntryNode;

export interface DataTree {
  readonly schema: Schema;
  readonly roots: Children;
}

/** Value text as it stands in paths. Sealed values cannot be list keys or leaf-list entries in paths in clear. */
export function pathText(value: Value): string {
  return value.kind === "plain" ? value.text : `${value.keyId}:${value.hmac}`;
}

/** The path segment under which a node stands in its parent. */
export function segmentOf(node: DataNode): PathSegment {
  switch (node.kind) {
    case "container":
    case "leaf":
    case "anydata":
      return { kind: "node", module: node.schema.module, name: node.schema.name };
    case "entry":
      return {
        kind: "entry",
        module: node.schema.module,
        name: node.schema.name,
        keys: entryKeys(node),
        ...positionOf(node),
      };
    case "leaf-list-entry":
      return {
        kind: "leaf-list-entry",
        module: node.schema.module,
        name: node.schema.name,
        value: pathText(node.value),
        ...positionOf(node),
      };
  }
}

function positionOf({ position }: { readonly position?: number }): { readonly position?: number } {
  return position === undefined ? {} : { position };
}

/** The key of a node in its parent's children: `segmentKey(segmentOf(node))`, for most nodes a string that is there. */
export function nodeKey(node: DataNode): string {
  const { id } = node.schema;
  if (node.kind === "leaf-list-entry") return withPosition(id + predicate(".", pathText(node.value)), node);
  if (node.kind !== "entry") return id;
  let key = id;
  for (const [index, { name }] of node.schema.keys.entries()) {
    const value = node.keys[index];
    if (value === undefined) throw new RangeError(`entry of ${node.schema.schemaPath} lacks key ${name}`);
    key += predicate(name, pathText(value));
  }
  return withPosition(key, node);
}

function withPosition(key: string, { position }: { readonly position?: number }): string {
  return position === undefined ? key : `${key}[${String(position)}]`;
}

export function entryKeys(entry: EntryNode): readonly KeyValue[] {
  return entry.schema.keys.map((key, index) => {
    const value = entry.keys[index];
    if (value === undefined) throw new RangeError(`entry of ${entry.schema.schemaPath} lacks key ${key.name}`);
    return { name: key.name, value: pathText(value) };
  });
}

export function hasChildren(node: DataNode): node is ParentNode {
  return node.kind === "container" || node.kind === "entry";
}

export function emptyTree(schema: Schema): DataTree {
  return { schema, roots: new Map() };
}

/** A children map from nodes in document order; empty non-presence containers are left out; a later duplicate wins. */
export function childrenOf(nodes: Iterable<DataNode>): Children {
  const map = new Map<string, DataNode>();
  for (const node of nodes) {
    if (node.kind === "container" && !node.schema.presence && node.children.size === 0) continue;
    map.set(nodeKey(node), node);
  }
  return map;
}

/** The node at a path, or undefined. The empty path has no node of its own. */
export function findNode(tree: DataTree, path: InstancePath): DataNode | undefined {
  let children: Children | undefined = tree.roots;
  let node: DataNode | undefined;
  for (const segment of path) {
    node = children?.get(segmentKey(segment));
    if (node === undefined) return undefined;
    children = hasChildren(node) ? node.children : undefined;
  }
  return node;
}

/** Children of one list or leaf-list below a parent, in document order. */
export function instancesOf(
  children: Children,
  schema: ListSchema | LeafListSchema,
): readonly (EntryNode | LeafListEntryNode)[] {
  const found: (EntryNode | LeafListEntryNode)[] = [];
  for (const node of children.values()) {
    if ((node.kind === "entry" || node.kind === "leaf-list-entry") && node.schema === schema) found.push(node);
  }
  return found;
}

/** Every node with its path, parents before children, in document order. */
export function* walkTree(tree: DataTree): Generator<{ readonly path: InstancePath; readonly node: DataNode }> {
  yield* walkChildren(tree.roots, []);
}

function* walkChildren(
  children: Children,
  above: InstancePath,
): Generator<{ readonly path: InstancePath; readonly node: DataNode }> {
  for (const node of children.values()) {
    const path = [...above, segmentOf(node)];
    yield { path, node };
    if (hasChildren(node)) yield* walkChildren(node.children, path);
  }
}

/** Is this list or leaf-list one whose order carries meaning? */
export function isUserOrdered(schema: DataSchemaNode): boolean {
  return (schema.kind === "list" || schema.kind === "leaf-list") && schema.orderedBy === "user";
}
