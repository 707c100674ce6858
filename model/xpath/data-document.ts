/**
 * The accessible tree of RFC 7950 section 6.4.1 over a data tree, in the terms of XPath 1.0 section 5: keys are leafs
 * of their entry, defaults in use are there, and so are non-presence containers wherever their parent is.
 *
 * The problem it owns: a data tree stores none of these, and expressions look at few of them. So nothing is copied;
 * nodes are made when an expression asks for them, and only those that have something below them are kept.
 *
 * Document order: keys first, then the order of the schema, then that of the instances. Data trees carry no other order
 * with a meaning (RFC 7950 section 7.7.7), and this one is the same whether a default is in use or set.
 */
import { type InstancePath, type PathSegment, segmentKey } from "../path.ts";
import {
  type ChoiceSchema,
  type ContainerSchema,
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ListSchema,
  type Schema,
  isParentSchema,
} from "../schema.ts";
import { type DataNode, type DataTree, pathText } from "../tree.ts";
import type { Value } from "../value.ts";
import { childOrder } from "./child-order.ts";
import { areChosen } from "./chosen-case.ts";
import { defaultValue } from "./default-values.ts";
import { Instances, XPathNode, dataChildren, instancePathOf, keptBy, textOf } from "./xpath-node.ts";

export { XPathNode, instancePathOf };

export interface DataDocumentOptions {
  /** `config`: nodes of `config false` are not there, as for an expression about configuration. `all` when absent. */
  readonly content?: "config" | "all";
  /** Do the `when`s of a node hold that is there by default, if at all? All do when absent. */
  readonly whenHolds?: (node: XPathNode) => boolean;
  /** Nodes that one evaluation may look at, 20,000,000 when absent. */
  readonly maxVisits?: number;
}

/** A few seconds. */
const DEFAULT_MAX_VISITS = 20_000_000;
/** Of the evaluations that run within each other, by `evaluationDepth`, with what each takes before it begins. */
const MAX_STACK = 4000;
const STACK_OF_EVALUATION = 15;
const FEW_CHILDREN = 32;
const NO_NODES: readonly XPathNode[] = [];

/** Carries "too costly" out of an evaluation; never leaves this folder. */
export class TooCostly extends Error {}

/** One data tree as XPath sees it. The tree must not change while the document is in use. */
export class DataDocument {
  readonly tree: DataTree;
  readonly schema: Schema;
  readonly root: XPathNode;
  readonly #configOnly: boolean;
  readonly #whenHolds: ((node: XPathNode) => boolean) | undefined;
  readonly #maxVisits: number;
  readonly #memo = new Map<object, unknown>();
  /** Of all documents together, since a `when` may be evaluated on an altered tree. */
  static #stack = 0;
  #visits = 0;
  #evaluations = 0;

  constructor(tree: DataTree, options: DataDocumentOptions = {}) {
    this.tree = tree;
    this.schema = tree.schema;
    this.#configOnly = options.content === "config";
    this.#whenHolds = options.whenHolds;
    this.#maxVisits = options.maxVisits ?? DEFAULT_MAX_VISITS;
    this.root = new XPathNode(this, {
      kind: "root",
      schema: undefined,
      data: undefined,
      parent: undefined,
      value: undefined,
      index: 0,
    });
  }

  /** The node at a path; undefined when it is not in the accessible tree. The empty path is the root. */
  nodeAt(path: InstancePath): XPathNode | undefined {
    let node: XPathNode | undefined = this.root;
    for (const segment of path) {
      const schema = this.childSchema(node, `${segment.module}:${segment.name}`);
      if (schema === undefined) return undefined;
      node = this.#childAt(node, schema, segment);
      if (node === undefined) return undefined;
    }
    return node;
  }

  #childAt(parent: XPathNode, schema: DataSchemaNode, segment: PathSegment): XPathNode | undefined {
    if (schema.kind !== "list" && schema.kind !== "leaf-list") return this.child(parent, schema);
    const data = dataChildren(parent)?.get(segmentKey(segment));
    if (data !== undefined) return this.#group(parent, schema)?.nodeOf(data);
    if (segment.kind !== "leaf-list-entry") return undefined;
    return this.instances(parent, schema).find((each) => textOf(each) === segment.value);
  }

  /** The node of `data`, which must be a child of `parent`'s data; undefined for state in a `config` document. */
  nodeOf(parent: XPathNode, data: DataNode): XPathNode | undefined {
    const { schema } = data;
    return schema.kind === "list" || schema.kind === "leaf-list"
      ? this.#group(parent, schema)?.nodeOf(data)
      : this.child(parent, schema);
  }

  /** The schema node named `module:name` below the one of `parent`. */
  childSchema(parent: XPathNode, id: string): DataSchemaNode | undefined {
    if (parent.kind === "text") return undefined;
    const { schema } = parent;
    if (schema === undefined) return this.schema.roots.get(id);
    return isParentSchema(schema) ? schema.children.get(id) : undefined;
  }

  /** The container, leaf or opaque node of `schema` below `parent`; also where it is there by default only. */
  child(parent: XPathNode, schema: Exclude<DataSchemaNode, ListSchema | LeafListSchema>): XPathNode | undefined {
    switch (schema.kind) {
      case "container":
        return this.#container(parent, schema);
      case "leaf": {
        const value = this.leafValue(parent, schema);
        return value && this.#element(parent, schema, { data: dataChildren(parent)?.get(schema.id), value });
      }
      case "anydata":
      case "anyxml": {
        const data = this.#hides(schema) ? undefined : dataChildren(parent)?.get(schema.id);
        return data && this.#element(parent, schema, { data, value: undefined });
      }
    }
  }

  /** The value of a leaf below `parent`: set, key or default in use. The quick way, without a node. */
  leafValue(parent: XPathNode, schema: LeafSchema): Value | undefined {
    const { data } = parent;
    if (schema.isKey && data?.kind === "entry") {
      const { keys } = data.schema;
      // One key is the usual case.
      return keys[0] === schema ? data.keys[0] : data.keys[keys.indexOf(schema)];
    }
    const own = dataChildren(parent)?.get(schema.id);
    if (own?.kind === "leaf") return this.#hides(schema) ? undefined : own.value;
    if (schema.defaultText === undefined || this.#hides(schema)) return undefined;
    return this.#inUse(parent, schema) ? defaultValue(schema, schema.defaultText, this.schema) : undefined;
  }

  /** The instances of a list or leaf-list below `parent`, in their order. */
  instances(parent: XPathNode, schema: ListSchema | LeafListSchema): readonly XPathNode[] {
    return this.#group(parent, schema)?.nodes() ?? this.#defaultEntries(parent, schema);
  }

  countInstances(parent: XPathNode, schema: ListSchema | LeafListSchema): number {
    const stored = this.#countStored(parent, schema);
    return stored === 0 ? this.#defaultEntries(parent, schema).length : stored;
  }

  /** All instances of a schema node below `parent`. */
  childrenOf(parent: XPathNode, schema: DataSchemaNode): readonly XPathNode[] {
    if (schema.kind === "list" || schema.kind === "leaf-list") return this.instances(parent, schema);
    const child = this.child(parent, schema);
    return child === undefined ? NO_NODES : [child];
  }

  /** The element children in document order. */
  elements(parent: XPathNode): readonly XPathNode[] {
    const { schema, kind } = parent;
    if (kind === "text" || (schema !== undefined && !isParentSchema(schema))) return NO_NODES;
    const found = new Set<DataSchemaNode>(schema?.kind === "list" ? schema.keys : []);
    const children = dataChildren(parent);
    if (children !== undefined) for (const data of children.values()) found.add(data.schema);
    const order = childOrder(this.schema, schema);
    for (const implied of order.implied) found.add(implied);
    const sorted = [...found].sort((a, b) => order.rank(a) - order.rank(b));
    const nodes: XPathNode[] = [];
    for (const each of sorted) for (const node of this.childrenOf(parent, each)) nodes.push(node);
    return nodes;
  }

  /** The children in document order: elements, or the text of a leaf. */
  children(parent: XPathNode): readonly XPathNode[] {
    if (parent.value === undefined) return this.elements(parent);
    if (parent.kind === "text" || textOf(parent) === "") return NO_NODES;
    const { schema, data, value } = parent;
    return [new XPathNode(this, { kind: "text", schema, data, parent, value, index: 0 })];
  }

  /** XPath 1.0 section 5: the canonical value of a leaf; of everything else the texts below it, one after the other. */
  stringValue(node: XPathNode): string {
    if (node.value !== undefined) return pathText(node.value);
    let text = "";
    for (const child of this.elements(node)) {
      this.charge(1);
      text += this.stringValue(child);
    }
    return text;
  }

  /** Something that depends on the document alone, computed once. `key` names what; it must not depend on the document. */
  memo<T>(key: object, compute: () => T): T {
    if (this.#memo.has(key)) return this.#memo.get(key) as T;
    const value = compute();
    this.#memo.set(key, value);
    return value;
  }

  /** Nodes that the evaluations since the outermost began have looked at. */
  get visits(): number {
    return this.#visits;
  }

  /** Counts visited nodes against the limit of this evaluation; who walks the document by himself has none. */
  charge(visits: number): void {
    if (this.#evaluations === 0) return;
    this.#visits += visits;
    if (this.#visits > this.#maxVisits) throw new TooCostly();
  }

  /**
   * Runs one evaluation of an expression of the given `evaluationDepth`. Those inside it (a `when` that decides about a
   * default) count as part of it: `when`s that ask for each other in a long chain cost too much as well.
   */
  bounded<T>(depth: number, evaluate: () => T): T | "too-costly" {
    if (this.#evaluations === 0) this.#visits = 0;
    this.#evaluations += 1;
    DataDocument.#stack += depth + STACK_OF_EVALUATION;
    try {
      if (DataDocument.#stack > MAX_STACK) throw new TooCostly();
      return evaluate();
    } catch (error) {
      if (!(error instanceof TooCostly) || this.#evaluations > 1) throw error;
      return "too-costly";
    } finally {
      this.#evaluations -= 1;
      DataDocument.#stack -= depth + STACK_OF_EVALUATION;
    }
  }

  #hides(schema: DataSchemaNode): boolean {
    return this.#configOnly && !schema.config;
  }

  #element(
    parent: XPathNode,
    schema: DataSchemaNode,
    { data, value, index = 0 }: { data: DataNode | undefined; value: Value | undefined; index?: number },
  ): XPathNode {
    return new XPathNode(this, { kind: "element", schema, data, parent, value, index });
  }

  #container(parent: XPathNode, schema: ContainerSchema): XPathNode | undefined {
    const containers = (keptBy(parent).containers ??= new Map<DataSchemaNode, XPathNode | undefined>());
    const known = containers.get(schema);
    if (known !== undefined || containers.has(schema)) return known;
    let node: XPathNode | undefined;
    if (!this.#hides(schema)) {
      const data = dataChildren(parent)?.get(schema.id);
      if (data !== undefined || (!schema.presence && this.#inUse(parent, schema)))
        node = this.#element(parent, schema, { data, value: undefined });
    }
    // A `when` that decides about this very container may have asked for it in between; the answer then is not final.
    if (keptBy(parent).inUse?.get(schema) !== undefined || !isConditional(schema) || node !== undefined)
      containers.set(schema, node);
    return node;
  }

  /** Counting few children is quicker than sorting them into groups. */
  #countStored(parent: XPathNode, schema: ListSchema | LeafListSchema): number {
    const children = dataChildren(parent);
    if (children === undefined || this.#hides(schema)) return 0;
    if (parent.kept?.groups !== undefined || children.size > FEW_CHILDREN)
      return this.#group(parent, schema)?.data.length ?? 0;
    let count = 0;
    for (const data of children.values()) if (data.schema === schema) count += 1;
    return count;
  }

  #group(parent: XPathNode, schema: ListSchema | LeafListSchema): Instances | undefined {
    const children = dataChildren(parent);
    if (children === undefined || this.#hides(schema)) return undefined;
    const kept = keptBy(parent);
    if (kept.groups === undefined) {
      kept.groups = new Map();
      for (const data of children.values()) {
        if (data.kind !== "entry" && data.kind !== "leaf-list-entry") continue;
        let group = kept.groups.get(data.schema);
        if (group === undefined) kept.groups.set(data.schema, (group = new Instances(parent)));
        group.data.push(data);
      }
      this.charge(children.size);
    }
    return kept.groups.get(schema);
  }

  #defaultEntries(parent: XPathNode, schema: ListSchema | LeafListSchema): readonly XPathNode[] {
    if (schema.kind === "list" || schema.defaultTexts.length === 0 || this.#hides(schema)) return NO_NODES;
    if (!this.#inUse(parent, schema)) return NO_NODES;
    return schema.defaultTexts.map((text, index) =>
      this.#element(parent, schema, { data: undefined, value: defaultValue(schema, text, this.schema), index }),
    );
  }

  /**
   * Is a child that is not stored there by default (RFC 7950 sections 7.6.1, 7.7.2)? Not in a case that is not chosen,
   * and not under a `when` that does not hold. The same goes for non-presence containers: without that, looking for
   * one would find a container in every case of a choice.
   */
  #inUse(parent: XPathNode, schema: LeafSchema | LeafListSchema | ContainerSchema): boolean {
    if (!isConditional(schema)) return true;
    const kept = keptBy(parent);
    kept.inUse ??= new Map();
    // While it is decided it is not there: RFC 7950 section 7.21.5 forbids that a `when` depends on itself.
    if (kept.inUse.has(schema)) return kept.inUse.get(schema) ?? false;
    kept.inUse.set(schema, undefined);
    try {
      const inUse = this.#isConditionMet(parent, schema);
      kept.inUse.set(schema, inUse);
      return inUse;
    } catch (error) {
      kept.inUse.delete(schema);
      throw error;
    }
  }

  #isConditionMet(parent: XPathNode, schema: LeafSchema | LeafListSchema | ContainerSchema): boolean {
    return (
      areChosen(schema.cases, this.#choices(parent), (id) => this.#isStored(parent, id)) &&
      (schema.whens.length === 0 ||
        this.#whenHolds === undefined ||
        this.#whenHolds(this.#element(parent, schema, { data: undefined, value: undefined })))
    );
  }

  #choices({ schema }: XPathNode): Iterable<ChoiceSchema> {
    if (schema === undefined) return this.schema.rootChoices.values();
    return isParentSchema(schema) ? schema.choices.values() : [];
  }

  #isStored(parent: XPathNode, id: string): boolean {
    const schema = this.childSchema(parent, id);
    if (schema === undefined) return false;
    if (schema.kind === "list" || schema.kind === "leaf-list") return this.#group(parent, schema) !== undefined;
    return !this.#hides(schema) && dataChildren(parent)?.has(id) === true;
  }
}

function isConditional(schema: DataSchemaNode): boolean {
  return schema.cases.length > 0 || schema.whens.length > 0;
}
