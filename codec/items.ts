/**
 * Data trees and items, without loss in either direction. Items are how desired state is kept: flat, each with an
 * identity of its own; a tree is how it is compared and written.
 */
import { parseValue, simpleTypesOf } from "../model/values/canonical-value.ts";
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import type { Item } from "../model/item.ts";
import { type InstancePath, type PathSegment, formatSegment, parentPathText, segmentKey } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import { type DataSchemaNode, type ListSchema, type Schema, childSchemas } from "../model/schema.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  type ParentNode,
  hasChildren,
  isUserOrdered,
  nodeKey,
  segmentOf,
} from "../model/tree.ts";
import { type BuiltInType, type Value, plainValue } from "../model/value.ts";

export type ItemDiagnosticCode =
  | "item-path"
  | "item-kind"
  | "item-value"
  | "item-duplicate"
  | "item-without-parent"
  | "item-order";

/**
 * One item for each node that exists by itself, parents first, in document order; one `order` item behind the entries'
 * parent for each user-ordered list and leaf-list that has entries. Non-presence containers give none.
 * Needs: list keys in clear, and configuration: entries without keys have no path that would find them again.
 */
export function itemsOf(tree: DataTree): Item[] {
  const items: Item[] = [];
  collect(tree.roots, "", undefined, items);
  return items;
}

function collect(children: Children, above: string, parentModule: string | undefined, items: Item[]): void {
  const orders = new Map<DataSchemaNode, string[]>();
  for (const [key, node] of children) {
    if (!isUserOrdered(node.schema)) continue;
    const order = orders.get(node.schema);
    if (order === undefined) orders.set(node.schema, [key]);
    else order.push(key);
  }
  for (const [schema, order] of orders) {
    const segment: PathSegment = { kind: "node", module: schema.module, name: schema.name };
    items.push({ kind: "order", path: `${above}/${formatSegment(segment, parentModule)}`, order });
  }
  for (const node of children.values()) {
    const path = `${above}/${formatSegment(segmentOf(node), parentModule)}`;
    const item = itemOf(node, path);
    if (item !== undefined) items.push(item);
    if (node.kind === "container" || node.kind === "entry") collect(node.children, path, node.schema.module, items);
  }
}

function itemOf(node: DataNode, path: string): Item | undefined {
  switch (node.kind) {
    case "container":
      return node.schema.presence ? { kind: "container", path } : undefined;
    case "entry":
      return { kind: "entry", path, keyTypes: node.keys.map((key) => key.type) };
    case "leaf":
      return { kind: "leaf", path, value: node.value, origin: node.origin };
    case "leaf-list-entry":
      return { kind: "leaf-list-entry", path, value: node.value };
    case "anydata":
      return { kind: "anydata", path, encoding: node.encoding, content: node.content };
  }
}

/**
 * The tree of these items, in any order of the items; nodes stand in the order of their items, entries of user-ordered
 * lists in the order that their `order` item says.
 *
 * Errors, all reported, each with the item's path: `item-path` (not in the schema), `item-kind` (a leaf where the schema
 * has a list, ...), `item-value` (not a canonical value of its type any more), `item-duplicate`, `item-without-parent`
 * (below an entry or presence container that is no item), `item-order` (names an entry that is none, or misses one).
 */
export function treeFromItems(schema: Schema, items: readonly Item[]): Result<DataTree> {
  const builder = new TreeBuilder(schema);
  for (const item of items) if (item.kind !== "order") builder.add(item);
  for (const item of items) if (item.kind === "order") builder.arrange(item);
  return builder.result();
}

/** A path's last name with its module, where it needs one, and nothing else. */
const LAST_NAME = /^(?:([A-Za-z_][A-Za-z0-9_.-]*):)?([A-Za-z_][A-Za-z0-9_.-]*)$/;

/** A parent whose children are still being filled; without a node, the top of the tree. */
interface Branch {
  readonly children: Map<string, DataNode>;
  /** Those of the children that are parents themselves, by the same keys. */
  readonly branches: Map<string, Branch>;
  node: ParentNode | undefined;
  /** False for a container that only stands because something below it does. */
  declared: boolean;
}

/** Where an item's path points: below which parent, to what. */
interface ItemPlace {
  readonly parent: Branch;
  readonly schema: DataSchemaNode;
  readonly segment: PathSegment;
}

type NodeItem = Exclude<Item, { readonly kind: "order" }>;

class TreeBuilder {
  readonly #schema: Schema;
  readonly #diagnostics: Diagnostic<ItemDiagnosticCode>[] = [];
  readonly #root: Branch = { children: new Map(), branches: new Map(), node: undefined, declared: true };
  /** Parents by the texts of their paths: most items stand below one that another item has named before. */
  readonly #byText = new Map<string, Branch>();
  readonly #arranged = new Set<string>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  add(item: NodeItem): void {
    const place = this.#placeOf(item.path);
    if (place === undefined) return;
    const { parent, schema, segment } = place;
    const node = this.#nodeOf(item, schema, segment);
    if (node === undefined) return;
    const key = nodeKey(node);
    const branch = parent.branches.get(key);
    if (branch !== undefined && !branch.declared && hasChildren(node)) {
      // Something below came first and made a stand-in, which knows its schema but not the types of its keys.
      branch.declared = true;
      branch.node = { ...node, children: branch.children };
      parent.children.set(key, branch.node);
    } else if (parent.children.has(key)) {
      this.#problem("item-duplicate", "the item stands twice", item.path);
    } else if (hasChildren(node)) {
      this.#byText.set(item.path, this.#insert(parent, key, node, { declared: true }));
    } else {
      parent.children.set(key, node);
    }
  }

  arrange(item: Extract<Item, { readonly kind: "order" }>): void {
    const place = this.#placeOf(item.path);
    if (place === undefined) return;
    const { schema, segment, parent } = place;
    if (!isUserOrdered(schema) || segment.kind !== "node") {
      this.#problem("item-kind", `a ${schema.kind} has no order of its own`, item.path);
      return;
    }
    if (this.#arranged.has(item.path)) {
      this.#problem("item-duplicate", "the item stands twice", item.path);
      return;
    }
    this.#arranged.add(item.path);
    const { children } = parent;
    const entries = new Map([...children].filter(([, node]) => node.schema === schema));
    const named = new Set(item.order);
    if (named.size < item.order.length || named.size !== entries.size || !item.order.every((key) => entries.has(key))) {
      const expected = `each of the ${String(entries.size)} entries once`;
      this.#problem("item-order", "the order does not name exactly the entries that exist", item.path, expected);
      return;
    }
    for (const key of item.order) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      children.delete(key);
      children.set(key, entry);
    }
  }

  result(): Result<DataTree> {
    this.#checkComplete(this.#root, "", undefined);
    return this.#diagnostics.length > 0
      ? failure(this.#diagnostics)
      : ok({ schema: this.#schema, roots: this.#root.children });
  }

  #placeOf(text: string): ItemPlace | undefined {
    const known = this.#knownPlaceOf(text);
    if (known !== undefined) return known;
    const resolved = parseInstancePath(this.#schema, text);
    if (resolved.kind === "error") {
      for (const each of resolved.diagnostics) this.#problem("item-path", each.message, text, each.expected);
      return undefined;
    }
    const { path, schema } = resolved.value;
    const segment = path.at(-1);
    if (schema === undefined || segment === undefined) return undefined;
    const parent = this.#parentOf(path);
    if (parent !== this.#root) this.#byText.set(parentPathText(text), parent);
    return { parent, schema, segment };
  }

  /** Right for a name without predicates below a parent whose text is known: no quote is open in front of it then. */
  #knownPlaceOf(text: string): ItemPlace | undefined {
    const cut = text.lastIndexOf("/");
    const parent = this.#byText.get(text.slice(0, cut));
    const [, module = parent?.node?.schema.module, name] = LAST_NAME.exec(text.slice(cut + 1)) ?? [];
    if (parent?.node === undefined || module === undefined || name === undefined) return undefined;
    const schema = parent.node.schema.children.get(`${module}:${name}`);
    return schema && { parent, schema, segment: { kind: "node", module, name } };
  }

  /** The branch that holds the last segment; missing ones on the way get stand-ins. */
  #parentOf(path: InstancePath): Branch {
    let at = this.#root;
    for (const segment of path.slice(0, -1)) {
      const key = segmentKey(segment);
      at = at.branches.get(key) ?? this.#insert(at, key, this.#standIn(at, segment), { declared: false });
    }
    return at;
  }

  #standIn(parent: Branch, segment: PathSegment): ParentNode {
    const schemas = childSchemas(this.#schema, parent.node?.schema);
    const schema = schemas.get(`${segment.module}:${segment.name}`);
    if (schema?.kind === "list" && segment.kind === "entry") {
      const keys = segment.keys.map((key) => plainValue("string", key.value));
      return { kind: "entry", schema, keys, children: new Map() };
    }
    if (schema?.kind !== "container") throw new RangeError(`no way through ${segment.name}`);
    return { kind: "container", schema, children: new Map() };
  }

  #insert(parent: Branch, key: string, node: ParentNode, options: { readonly declared: boolean }): Branch {
    const children = new Map<string, DataNode>();
    const stands = { ...node, children };
    const branch: Branch = { children, branches: new Map(), node: stands, declared: options.declared };
    parent.children.set(key, stands);
    parent.branches.set(key, branch);
    return branch;
  }

  #nodeOf(item: NodeItem, schema: DataSchemaNode, segment: PathSegment): DataNode | undefined {
    if (item.kind === "container" && schema.kind === "container" && schema.presence) {
      return { kind: "container", schema, children: new Map() };
    }
    if (item.kind === "entry" && schema.kind === "list" && segment.kind === "entry") {
      const keys = this.#keysOf(item, schema, segment);
      return keys && { kind: "entry", schema, keys, children: new Map() };
    }
    if (item.kind === "leaf" && schema.kind === "leaf" && !schema.isKey) {
      return this.#fits(schema, item.value, item.path)
        ? { kind: "leaf", schema, value: item.value, origin: item.origin }
        : undefined;
    }
    if (item.kind === "leaf-list-entry" && schema.kind === "leaf-list" && segment.kind === "leaf-list-entry") {
      if (!this.#fits(schema, item.value, item.path)) return undefined;
      const node: DataNode = { kind: "leaf-list-entry", schema, value: item.value };
      if (nodeKey(node) === segmentKey(segment)) return node;
      this.#problem("item-value", "the value is not the one that the path names", item.path);
      return undefined;
    }
    if (item.kind === "anydata" && (schema.kind === "anydata" || schema.kind === "anyxml")) {
      return { kind: "anydata", schema, encoding: item.encoding, content: item.content };
    }
    this.#problem("item-kind", `the schema has a ${schema.kind} here, the item is of kind ${item.kind}`, item.path);
    return undefined;
  }

  #keysOf(
    item: Extract<Item, { readonly kind: "entry" }>,
    schema: ListSchema,
    segment: Extract<PathSegment, { readonly kind: "entry" }>,
  ): readonly Value[] | undefined {
    const keys: Value[] = [];
    for (const [index, leaf] of schema.keys.entries()) {
      const value = plainValue(item.keyTypes[index] ?? "string", segment.keys[index]?.value ?? "");
      if (this.#fits(leaf, value, item.path)) keys.push(value);
    }
    return keys.length === schema.keys.length ? keys : undefined;
  }

  /** Is this still a canonical value of the type? It need not be, when the schema has changed since it was stored. */
  #fits(schema: Extract<DataSchemaNode, { readonly kind: "leaf" | "leaf-list" }>, value: Value, path: string): boolean {
    if (value.kind === "sealed") {
      const known: readonly BuiltInType[] = simpleTypesOf(schema.type).map((each) => each.kind);
      if (known.includes(value.type)) return true;
      this.#problem("item-value", `${schema.name} cannot be of type ${value.type}`, path);
      return false;
    }
    const read = parseValue(schema.type, value.text, {
      schema: this.#schema,
      form: { kind: "canonical" },
      as: value.type,
    });
    if (read.kind === "ok" && read.value.text === value.text) return true;
    const [first] = read.kind === "error" ? read.diagnostics : [];
    this.#problem("item-value", first?.message ?? "the value is not in canonical form", path, first?.expected);
    return false;
  }

  #checkComplete(branch: Branch, above: string, parentModule: string | undefined): void {
    const unordered = new Map<DataSchemaNode, number>();
    for (const { schema } of branch.children.values()) {
      if (isUserOrdered(schema)) unordered.set(schema, (unordered.get(schema) ?? 0) + 1);
    }
    for (const below of branch.branches.values()) {
      const { node } = below;
      if (node === undefined) continue;
      const path = `${above}/${formatSegment(segmentOf(node), parentModule)}`;
      if (!below.declared && !(node.kind === "container" && !node.schema.presence)) {
        this.#problem("item-without-parent", "items stand below it, but it is no item itself", path);
      }
      this.#checkComplete(below, path, node.schema.module);
    }
    for (const [schema, count] of unordered) {
      const path = `${above}/${formatSegment({ kind: "node", module: schema.module, name: schema.name }, parentModule)}`;
      if (!this.#arranged.has(path)) {
        this.#problem("item-order", `the order of ${String(count)} entries is missing`, path);
      }
    }
  }

  #problem(code: ItemDiagnosticCode, message: string, path: string, expected?: string): void {
    const places = [{ kind: "instance", path }] as const;
    this.#diagnostics.push({
      code,
      severity: "error",
      message,
      places,
      ...(expected === undefined ? {} : { expected }),
    });
  }
}
