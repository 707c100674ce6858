/** The axes of XPath 1.0 section 2.2 over the accessible tree. YANG data has no attributes and no namespace nodes. */
import { type DataSchemaNode, type ParentSchemaNode, type Schema, isParentSchema } from "../schema.ts";
import { childOrder } from "./child-order.ts";
import type { XPathNode } from "./xpath-node.ts";
import { compareOrder, isSameNode } from "./document-order.ts";
import type { XPathAxis } from "./expression.ts";
import { type ElementTest, childrenOfPossible } from "./possible-nodes.ts";

const NO_NODES: readonly XPathNode[] = [];

/** Those axes whose nodes count from the context node backwards (section 2.4). */
export function isReverseAxis(axis: XPathAxis): boolean {
  return axis === "ancestor" || axis === "ancestor-or-self" || axis === "preceding" || axis === "preceding-sibling";
}

/** Does the node test hold (section 2.3)? Every axis that YANG data has is one of elements. */
export function passes(node: XPathNode, test: ElementTest): boolean {
  switch (test.kind) {
    case "node":
      return true;
    case "text":
      return node.kind === "text";
    case "name":
    case "any-name":
      return node.kind === "element" && node.schema !== undefined && test.matches(node.schema);
    case "comment":
    case "processing-instruction":
      return false;
  }
}

/** The nodes of one axis from one node in the order of the axis, by one node test. */
export class AxisWalk {
  readonly #axis: XPathAxis;
  readonly #test: ElementTest;
  readonly #schema: Schema;
  /** Below which schema nodes a named descendant can be, so that a walk does not enter where it is not. */
  readonly #ways = new Map<ParentSchemaNode | "root", readonly DataSchemaNode[]>();
  readonly #holds = new Map<DataSchemaNode, boolean>();

  constructor(axis: XPathAxis, test: ElementTest, schema: Schema) {
    this.#axis = axis;
    this.#test = test;
    this.#schema = schema;
  }

  /**
   * The array may be the document's own: it must not be changed. Who needs only the first `limit` of them says so;
   * there may be more nevertheless.
   */
  from(node: XPathNode, limit = Number.POSITIVE_INFINITY): readonly XPathNode[] {
    const found = this.#from(node, limit);
    node.document.charge(found.length + 1);
    return found;
  }

  /** The same, for who looks at few of them: it does not count as visiting all. */
  candidates(node: XPathNode): readonly XPathNode[] {
    return this.#from(node, Number.POSITIVE_INFINITY);
  }

  #from(node: XPathNode, limit: number): readonly XPathNode[] {
    if (this.#test.kind === "comment" || this.#test.kind === "processing-instruction") return NO_NODES;
    switch (this.#axis) {
      case "attribute":
      case "namespace":
        return NO_NODES;
      case "self":
        return passes(node, this.#test) ? [node] : NO_NODES;
      case "parent":
        return node.parent !== undefined && passes(node.parent, this.#test) ? [node.parent] : NO_NODES;
      case "ancestor":
        return this.#ancestors(node.parent);
      case "ancestor-or-self":
        return this.#ancestors(node);
      case "child":
        return this.#children(node);
      case "descendant":
      case "descendant-or-self": {
        const found: XPathNode[] = [];
        if (this.#axis === "descendant-or-self" && passes(node, this.#test)) found.push(node);
        this.#descend(node, found);
        return found;
      }
      case "following-sibling":
        return this.#siblings(node, "after", limit);
      case "preceding-sibling":
        return this.#siblings(node, "before", limit);
      case "following":
        return this.#following(node);
      case "preceding":
        return this.#preceding(node);
    }
  }

  #ancestors(from: XPathNode | undefined): readonly XPathNode[] {
    const found: XPathNode[] = [];
    for (let at = from; at !== undefined; at = at.parent) if (passes(at, this.#test)) found.push(at);
    return found;
  }

  #children(node: XPathNode): readonly XPathNode[] {
    const { kind, id } = this.#test;
    const { document } = node;
    if (id !== undefined) {
      const schema = document.childSchema(node, id);
      return schema === undefined ? NO_NODES : document.childrenOf(node, schema);
    }
    if (kind === "node") return document.children(node);
    if (kind === "text" && node.value === undefined) return NO_NODES;
    const all = document.children(node);
    document.charge(all.length);
    return all.filter((child) => passes(child, this.#test));
  }

  #descend(node: XPathNode, found: XPathNode[]): void {
    const { document } = node;
    if (this.#test.id === undefined) {
      for (const child of document.children(node)) {
        document.charge(1);
        if (passes(child, this.#test)) found.push(child);
        this.#descend(child, found);
      }
      return;
    }
    for (const schema of this.#waysFrom(node)) {
      for (const child of document.childrenOf(node, schema)) {
        document.charge(1);
        if (schema.id === this.#test.id) found.push(child);
        if (isParentSchema(schema)) this.#descend(child, found);
      }
    }
  }

  #waysFrom({ kind, schema }: XPathNode): readonly DataSchemaNode[] {
    if (kind === "text" || (schema !== undefined && !isParentSchema(schema))) return [];
    const known = this.#ways.get(schema ?? "root");
    if (known !== undefined) return known;
    const { rank } = childOrder(this.#schema, schema);
    const ways = [...childrenOfPossible(schema ?? "root", this.#schema).values()]
      .filter((child) => child.id === this.#test.id || this.#holdsNamed(child))
      .sort((a, b) => rank(a) - rank(b));
    this.#ways.set(schema ?? "root", ways);
    return ways;
  }

  #holdsNamed(schema: DataSchemaNode): boolean {
    if (!isParentSchema(schema)) return false;
    let holds = this.#holds.get(schema);
    if (holds === undefined) {
      holds =
        schema.children.has(this.#test.id ?? "") ||
        [...schema.children.values()].some((child) => this.#holdsNamed(child));
      this.#holds.set(schema, holds);
    }
    return holds;
  }

  /** Siblings `before` come nearest first. */
  #siblings(node: XPathNode, side: "before" | "after", limit: number): readonly XPathNode[] {
    const { parent, document, schema } = node;
    if (parent === undefined || node.kind === "text") return NO_NODES;
    const { id } = this.#test;
    if (id !== undefined) {
      const sibling = document.childSchema(parent, id);
      if (sibling === undefined) return NO_NODES;
      const all = document.childrenOf(parent, sibling);
      if (sibling === schema) {
        const { index } = node;
        return side === "after"
          ? all.slice(index + 1, index + 1 + limit)
          : all.slice(Math.max(index - limit, 0), index).reverse();
      }
      const [first] = all;
      const comesAfter = first !== undefined && compareOrder(node, first) < 0;
      if (comesAfter !== (side === "after")) return NO_NODES;
      return side === "after" ? all : [...all].reverse();
    }
    const all = document.elements(parent);
    const at = all.findIndex((each) => isSameNode(each, node));
    const siblings = side === "after" ? all.slice(at + 1) : all.slice(0, Math.max(at, 0)).reverse();
    document.charge(all.length);
    return siblings.filter((each) => passes(each, this.#test));
  }

  /** After the node and not below it (section 2.2). */
  #following(node: XPathNode): readonly XPathNode[] {
    const found: XPathNode[] = [];
    for (let at = node; at.parent !== undefined; at = at.parent) {
      for (const sibling of elementsBeside(at, "after")) {
        if (passes(sibling, this.#test)) found.push(sibling);
        this.#descend(sibling, found);
      }
    }
    return found;
  }

  /** Before the node and not above it, nearest first. */
  #preceding(node: XPathNode): readonly XPathNode[] {
    const found: XPathNode[] = [];
    for (let at = node; at.parent !== undefined; at = at.parent) {
      for (const sibling of elementsBeside(at, "before")) {
        const inside: XPathNode[] = [];
        if (passes(sibling, this.#test)) inside.push(sibling);
        this.#descend(sibling, inside);
        for (const each of inside.reverse()) found.push(each);
      }
    }
    return found;
  }
}

function elementsBeside(node: XPathNode, side: "before" | "after"): readonly XPathNode[] {
  if (node.parent === undefined || node.kind === "text") return NO_NODES;
  const all = node.document.elements(node.parent);
  node.document.charge(all.length);
  const at = all.findIndex((each) => isSameNode(each, node));
  return side === "after" ? all.slice(at + 1) : all.slice(0, Math.max(at, 0)).reverse();
}
