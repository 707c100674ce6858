/**
 * Where a check stands in the accessible tree (RFC 7950 section 6.4.1): an instance, or what exists without standing in
 * the data: the root, a key leaf of an entry, a non-presence container, a leaf with its default in use.
 */
import { type InstancePath, type PathSegment, formatInstancePath } from "../path.ts";
import type { DataSchemaNode } from "../schema.ts";
import { type Children, type DataNode, hasChildren, pathText, segmentOf } from "../tree.ts";
import type { Value } from "../value.ts";
import type { XPathNode } from "../xpath/data-document.ts";

export interface Place {
  readonly parent: Place | undefined;
  /** Undefined at the root only. */
  readonly schema: DataSchemaNode | undefined;
  /** Undefined at the root and for what does not stand in the data itself. */
  readonly data: DataNode | undefined;
  /** Of leafs and leaf-list entries, of keys and defaults in use too. */
  readonly value: Value | undefined;
  readonly children: Children;
  /** The same node for expressions; found when the first of them asks for it. */
  xpath?: XPathNode | undefined;
}

const NOTHING: Children = new Map();

export function rootPlace(roots: Children): Place {
  return { parent: undefined, schema: undefined, data: undefined, value: undefined, children: roots };
}

export function dataPlace(parent: Place, data: DataNode): Place {
  const value = data.kind === "leaf" || data.kind === "leaf-list-entry" ? data.value : undefined;
  return { parent, schema: data.schema, data, value, children: hasChildren(data) ? data.children : NOTHING };
}

/** A key, a default in use, or a non-presence container without anything in it. */
export function impliedPlace(parent: Place, schema: DataSchemaNode, value: Value | undefined): Place {
  return { parent, schema, data: undefined, value, children: NOTHING };
}

export function pathOf(place: Place): InstancePath {
  const path: PathSegment[] = [];
  for (let at: Place | undefined = place; at?.schema !== undefined; at = at.parent) path.push(segmentAt(at));
  return path.reverse();
}

function segmentAt({ data, schema, value }: Place): PathSegment {
  if (data !== undefined) return segmentOf(data);
  const name = nameSegment(schema);
  if (schema?.kind !== "leaf-list" || value === undefined) return name;
  return { ...name, kind: "leaf-list-entry", value: pathText(value) };
}

export function textOf(place: Place): string {
  return formatInstancePath(pathOf(place));
}

/** The path of something below that may not be there: a missing leaf, or a list as a whole. */
export function textBelow(place: Place, ...way: readonly DataSchemaNode[]): string {
  return formatInstancePath([...pathOf(place), ...way.map(nameSegment)]);
}

function nameSegment(schema: DataSchemaNode | undefined): PathSegment {
  return { kind: "node", module: schema?.module ?? "", name: schema?.name ?? "" };
}
