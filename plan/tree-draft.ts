/**
 * Many edits on one tree at once. The codecs' single edits copy the children of every parent on the way, which is right for one edit and
 * quadratic for a plan on a long list; a draft copies each touched parent once and shares everything else with the tree it started from.
 */
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  type ParentNode,
  childrenOf,
  hasChildren,
  isUserOrdered,
  segmentOf,
} from "../model/tree.ts";
import { ListOrder } from "./list-order.ts";
import type { Insert } from "./operation.ts";

/** Gives the node for a segment that is missing on the way to a path; undefined where it cannot exist by itself. */
export type MakeAncestor = (path: InstancePath, schema: DataSchemaNode) => ParentNode | undefined;

/** Non-presence containers come by themselves; entries and presence containers do not. */
export const implicitAncestors: MakeAncestor = (_path, schema) =>
  schema.kind === "container" && !schema.presence ? { kind: "container", schema, children: new Map() } : undefined;

export class TreeDraft {
  readonly #schema: Schema;
  readonly #root: DraftChildren;

  constructor(tree: DataTree) {
    this.#schema = tree.schema;
    this.#root = new DraftChildren(tree.roots);
  }

  /**
   * Puts a node at its path, in place of what is there, and takes away what belongs to other cases of its choices (RFC 7950, 7.9).
   * A new entry of a user-ordered list goes where `insert` says, else to the end; an existing one keeps its place.
   * Throws RangeError where an ancestor is missing that `makeAncestor` does not make.
   */
  put(
    path: InstancePath,
    node: DataNode,
    options: { readonly insert?: Insert; readonly makeAncestor?: MakeAncestor } = {},
  ): void {
    const parent = this.#open(path, options.makeAncestor ?? implicitAncestors);
    if (parent === undefined) throw new RangeError(`nothing to put ${formatInstancePath(path)} into`);
    parent.put(node, options.insert);
  }

  /** Takes the node at a path away with all below it; nothing happens where there is none. */
  remove(path: InstancePath): void {
    const last = path.at(-1);
    if (last !== undefined) this.#open(path, undefined)?.remove(segmentKey(last));
  }

  /** Moves an entry of a user-ordered list. Throws RangeError where it or the anchor is missing. */
  move(path: InstancePath, insert: Insert): void {
    const last = path.at(-1);
    const parent = this.#open(path, undefined);
    if (last === undefined || parent === undefined)
      throw new RangeError(`nothing to move at ${formatInstancePath(path)}`);
    parent.move(segmentKey(last), insert);
  }

  /** Puts the entries of a user-ordered list into this order (segment keys); entries not named stay behind the one they stood behind. */
  arrange(listPath: InstancePath, order: readonly string[]): void {
    const last = listPath.at(-1);
    if (last !== undefined) this.#open(listPath, undefined)?.arrange(`${last.module}:${last.name}`, order);
  }

  node(path: InstancePath): DataNode | undefined {
    const last = path.at(-1);
    return last === undefined ? undefined : this.#open(path, undefined)?.node(segmentKey(last));
  }

  tree(): DataTree {
    return { schema: this.#schema, roots: this.#root.children() };
  }

  /** The children among which the last segment of a path stands. */
  #open(path: InstancePath, makeAncestor: MakeAncestor | undefined): DraftChildren | undefined {
    let at = this.#root;
    let schemas = this.#schema.roots;
    for (const [index, segment] of path.slice(0, -1).entries()) {
      const schema = schemas.get(`${segment.module}:${segment.name}`);
      if (schema === undefined) throw new RangeError(`the schema has no node for ${formatInstancePath(path)}`);
      let below = at.open(segmentKey(segment));
      if (below === undefined && makeAncestor !== undefined) {
        const made = makeAncestor(path.slice(0, index + 1), schema);
        if (made === undefined) throw new RangeError(`${formatInstancePath(path.slice(0, index + 1))} does not exist`);
        at.put(made, undefined);
        below = at.open(segmentKey(segment));
      } else if (below !== undefined && makeAncestor !== undefined) {
        at.selectCases(schema);
      }
      if (below === undefined) return undefined;
      at = below;
      schemas = schema.kind === "container" || schema.kind === "list" ? schema.children : NO_SCHEMAS;
    }
    return at;
  }
}

const NO_SCHEMAS: ReadonlyMap<string, DataSchemaNode> = new Map();

class DraftChildren {
  readonly #nodes: Map<string, DataNode>;
  /** Children that are being edited; they win over what `#nodes` holds under the same key. */
  readonly #opened = new Map<string, DraftChildren>();
  /** Orders of user-ordered lists that were edited, by schema id. */
  readonly #orders = new Map<string, ListOrder>();
  /** Choices whose other cases were cleared already, so that many entries of one case look once. */
  readonly #selected = new Map<string, string>();

  constructor(children: Children) {
    this.#nodes = new Map(children);
  }

  open(key: string): DraftChildren | undefined {
    const opened = this.#opened.get(key);
    if (opened !== undefined) return opened;
    const node = this.#nodes.get(key);
    if (node === undefined || !hasChildren(node)) return undefined;
    const draft = new DraftChildren(node.children);
    this.#opened.set(key, draft);
    return draft;
  }

  node(key: string): DataNode | undefined {
    const node = this.#nodes.get(key);
    const opened = this.#opened.get(key);
    return node !== undefined && opened !== undefined && hasChildren(node)
      ? { ...node, children: opened.children() }
      : node;
  }

  put(node: DataNode, insert: Insert | undefined): void {
    const key = segmentKey(segmentOf(node));
    this.selectCases(node.schema);
    const isNew = !this.#nodes.has(key);
    if (isUserOrdered(node.schema) && isNew)
      this.#order(node.schema.id).insert(key, insert === undefined ? { where: "last" } : place(insert));
    this.#nodes.set(key, node);
    this.#opened.delete(key);
  }

  remove(key: string): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    if (isUserOrdered(node.schema)) this.#order(node.schema.id).remove(key);
    this.#nodes.delete(key);
    this.#opened.delete(key);
  }

  move(key: string, insert: Insert): void {
    const node = this.#nodes.get(key);
    if (node === undefined) throw new RangeError(`there is no ${key} to move`);
    const order = this.#order(node.schema.id);
    order.remove(key);
    order.insert(key, place(insert));
  }

  arrange(id: string, wanted: readonly string[]): void {
    this.#order(id).arrange(wanted);
  }

  selectCases(schema: DataSchemaNode): void {
    if (schema.cases.every(({ choice, case: own }) => this.#selected.get(choice) === own)) return;
    const own = new Map(schema.cases.map((membership) => [membership.choice, membership.case]));
    for (const [key, node] of this.#nodes) {
      if (node.schema.cases.some((other) => own.has(other.choice) && own.get(other.choice) !== other.case))
        this.remove(key);
    }
    for (const [choice, each] of own) this.#selected.set(choice, each);
  }

  children(): Children {
    const nodes: DataNode[] = [];
    const written = new Set<string>();
    const write = (key: string): void => {
      const node = this.node(key);
      if (node !== undefined) nodes.push(node);
    };
    for (const [key, node] of this.#nodes) {
      const order = this.#orders.get(node.schema.id);
      if (order === undefined) write(key);
      else if (!written.has(node.schema.id)) {
        written.add(node.schema.id);
        for (const member of order.keys()) write(member);
      }
    }
    return childrenOf(nodes);
  }

  #order(id: string): ListOrder {
    const known = this.#orders.get(id);
    if (known !== undefined) return known;
    const keys: string[] = [];
    for (const [key, node] of this.#nodes) if (node.schema.id === id) keys.push(key);
    const order = new ListOrder(keys);
    this.#orders.set(id, order);
    return order;
  }
}

function place(insert: Insert): Parameters<ListOrder["insert"]>[1] {
  if (insert.where === "first" || insert.where === "last") return { where: insert.where };
  const anchor = insert.anchor.at(-1);
  if (anchor === undefined) throw new RangeError("an anchor is the path of an entry");
  return { where: insert.where, anchor: segmentKey(anchor) };
}
