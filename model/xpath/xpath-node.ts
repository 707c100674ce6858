/** A node as XPath sees it (XPath 1.0 section 5), light enough to be made when an expression asks for it. */
import type { InstancePath, PathSegment } from "../path.ts";
import type { DataSchemaNode } from "../schema.ts";
import { type Children, type DataNode, entryKeys, pathText, segmentOf } from "../tree.ts";
import type { Value } from "../value.ts";
import type { DataDocument } from "./data-document.ts";

/**
 * A node of the accessible tree. Nodes that can have element children are one object however they are reached; leafs,
 * opaque nodes and texts may be several, so compare with `isSameNode`.
 */
export class XPathNode {
  /** `text` is the text of a leaf or of a leaf-list entry; it is not there when that is empty (XPath 1.0 section 5.7). */
  readonly kind: "root" | "element" | "text";
  /** Undefined for the root; of a text, that of its leaf. */
  readonly schema: DataSchemaNode | undefined;
  /** Undefined for the root, for keys, and for what is there by default only. */
  readonly data: DataNode | undefined;
  readonly parent: XPathNode | undefined;
  /** Of leafs, leaf-list entries and their texts. */
  readonly value: Value | undefined;
  /** Position among the instances of its schema node below its parent, from 0. */
  readonly index: number;
  readonly document: DataDocument;
  /** What the document keeps of the children; nobody else looks at it. */
  kept: KeptChildren | undefined;

  constructor(
    document: DataDocument,
    fields: Pick<XPathNode, "kind" | "schema" | "data" | "parent" | "value" | "index">,
  ) {
    this.document = document;
    this.kind = fields.kind;
    this.schema = fields.schema;
    this.data = fields.data;
    this.parent = fields.parent;
    this.value = fields.value;
    this.index = fields.index;
    this.kept = undefined;
  }
}

export interface KeptChildren {
  containers: Map<DataSchemaNode, XPathNode | undefined> | undefined;
  groups: Map<DataSchemaNode, Instances> | undefined;
  /** For children that depend on a choice or a `when`: are they there by default? Undefined while that is decided. */
  inUse: Map<DataSchemaNode, boolean | undefined> | undefined;
}

/** The instances of one list or leaf-list below one parent; nodes are made at the first use. */
export class Instances {
  readonly parent: XPathNode;
  readonly data: DataNode[] = [];
  #nodes: readonly XPathNode[] | undefined;
  #byData: Map<DataNode, XPathNode> | undefined;

  constructor(parent: XPathNode) {
    this.parent = parent;
  }

  nodes(): readonly XPathNode[] {
    this.#nodes ??= this.data.map(
      (data, index) =>
        new XPathNode(this.parent.document, {
          kind: "element",
          schema: data.schema,
          data,
          parent: this.parent,
          value: data.kind === "leaf-list-entry" ? data.value : undefined,
          index,
        }),
    );
    return this.#nodes;
  }

  nodeOf(data: DataNode): XPathNode | undefined {
    this.#byData ??= new Map(this.nodes().map((node) => [node.data as DataNode, node]));
    return this.#byData.get(data);
  }
}

/** Text of a leaf, leaf-list entry or text; "" for every other node. */
export function textOf(node: XPathNode): string {
  return node.value === undefined ? "" : pathText(node.value);
}

/** The path of an element or of the element of a text; the empty path for the root. */
export function instancePathOf(node: XPathNode): InstancePath {
  const path: PathSegment[] = [];
  for (let at: XPathNode | undefined = node.kind === "text" ? node.parent : node; at !== undefined; at = at.parent) {
    const { schema, data, value } = at;
    if (schema === undefined) continue;
    const { module, name } = schema;
    if (data?.kind === "entry") path.push({ kind: "entry", module, name, keys: entryKeys(data) });
    else if (data !== undefined) path.push(segmentOf(data));
    else if (schema.kind === "leaf-list" && value !== undefined)
      path.push({ kind: "leaf-list-entry", module, name, value: pathText(value) });
    else path.push({ kind: "node", module, name });
  }
  return path.reverse();
}

/** What is stored below a node. */
export function dataChildren({ kind, data, document }: XPathNode): Children | undefined {
  if (data === undefined) return kind === "root" ? document.tree.roots : undefined;
  return data.kind === "container" || data.kind === "entry" ? data.children : undefined;
}

/** What the document keeps of the children of a node, made at the first use. */
export function keptBy(node: XPathNode): KeptChildren {
  const { kept } = node;
  if (kept !== undefined) return kept;
  const made: KeptChildren = { containers: undefined, groups: undefined, inUse: undefined };
  node.kept = made;
  return made;
}
