import { type InstancePath, segmentKey } from "../model/path.ts";
import type { LeafSchema, ParentSchemaNode } from "../model/schema.ts";
import type { Children, DataNode, DataTree } from "../model/tree.ts";
import { choicesBelow, excludeEachOther, isInUse } from "./choice.ts";
import type { EditResult } from "./datastores.ts";
import type { EditNode, InsertPoint } from "./edit.ts";
import { applicationError, type RpcError } from "./rpc-error.ts";
import type { WithDefaultsMode } from "./with-defaults.ts";

export interface ApplyOptions {
  readonly errorOption: "stop-on-error" | "continue-on-error" | "rollback-on-error";
  /** Decides whether a default that nobody set counts as existing data (RFC 6243, section 2). */
  readonly basicMode: WithDefaultsMode;
}

/**
 * Carries out an `<edit-config>` on a configuration (RFC 6241, section 7.2; RFC 7950, sections 7.5.8 to 7.10.3). What an edit does not touch
 * stays the same object; an edit that changes nothing returns the tree it got. After an error the tree holds what was done before it
 * (stop-on-error), what could be done (continue-on-error), or nothing (rollback-on-error).
 */
export function applyEdit(tree: DataTree, edits: readonly EditNode[], options: ApplyOptions): EditResult {
  const application = new EditApplication(tree, options);
  const roots = application.applyTo(undefined, tree.roots, edits);
  const { errors } = application;
  if (roots === tree.roots || (errors.length > 0 && options.errorOption === "rollback-on-error")) {
    return { tree, errors };
  }
  return { tree: { schema: tree.schema, roots }, errors };
}

const noChildren: Children = new Map();

class EditApplication {
  readonly errors: RpcError[] = [];
  readonly #tree: DataTree;
  readonly #options: ApplyOptions;

  constructor(tree: DataTree, options: ApplyOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  applyTo(parent: ParentSchemaNode | undefined, children: Children, edits: readonly EditNode[]): Children {
    const work = new Siblings(children);
    for (const edit of edits) {
      if (this.errors.length > 0 && this.#options.errorOption !== "continue-on-error") break;
      this.#applyOne(parent, work, edit);
    }
    return work.result();
  }

  #applyOne(parent: ParentSchemaNode | undefined, work: Siblings, edit: EditNode): void {
    const key = keyOf(edit.path);
    const existing = work.nodes.get(key);
    switch (edit.operation) {
      case "none":
        this.#descend(work, edit, existing);
        return;
      case "delete":
      case "remove":
        if (existing !== undefined) work.delete(key);
        else if (edit.operation === "delete" && !this.#isDefault(parent, work, edit)) {
          this.#fail("data-missing", "there is nothing to delete", edit);
        }
        return;
      case "create":
        if (existing !== undefined || this.#isDefault(parent, work, edit)) {
          this.#fail("data-exists", "it exists already", edit);
          return;
        }
        this.#put(work, edit, undefined);
        return;
      case "replace":
        this.#put(work, edit, undefined);
        return;
      case "merge":
        this.#put(work, edit, existing);
        return;
    }
  }

  /** With `none` the node itself stays as it is, and has to be there (RFC 6241, section 7.2). */
  #descend(work: Siblings, edit: EditNode, existing: DataNode | undefined): void {
    if (edit.kind !== "container" && edit.kind !== "entry") return;
    if (existing === undefined && (edit.kind === "entry" || edit.schema.presence)) {
      this.#fail("data-missing", "it does not exist", edit);
      return;
    }
    this.#put(work, edit, existing);
  }

  #put(work: Siblings, edit: EditNode, base: DataNode | undefined): void {
    const key = keyOf(edit.path);
    const insert = "insert" in edit ? edit.insert : undefined;
    if (insert !== undefined && "anchor" in insert && (insert.anchor === key || !work.nodes.has(insert.anchor))) {
      this.errors.push(
        applicationError("bad-attribute", "the entry to insert at does not exist", {
          appTag: "missing-instance",
          path: edit.path,
        }),
      );
      return;
    }
    const node = this.#build(edit, base);
    if (node === undefined) {
      work.delete(key);
      return;
    }
    if (node.schema.cases.length > 0) {
      for (const [other, sibling] of work.nodes) {
        if (excludeEachOther(sibling.schema, node.schema)) work.delete(other);
      }
    }
    if (node !== work.nodes.get(key)) work.set(key, node);
    if (insert !== undefined) work.move(key, node, insert);
  }

  /** The node that an edit leaves behind; undefined for a non-presence container without children. */
  #build(edit: EditNode, base: DataNode | undefined): DataNode | undefined {
    switch (edit.kind) {
      case "container": {
        const before = base?.kind === "container" ? base : undefined;
        const children = this.applyTo(edit.schema, before?.children ?? noChildren, edit.children);
        if (children.size === 0 && !edit.schema.presence) return undefined;
        if (before?.children === children) return before;
        return { kind: "container", schema: edit.schema, children };
      }
      case "entry": {
        const before = base?.kind === "entry" ? base : undefined;
        const children = this.applyTo(edit.schema, before?.children ?? noChildren, edit.children);
        if (before?.children === children) return before;
        return { kind: "entry", schema: edit.schema, keys: edit.keys, children };
      }
      case "leaf": {
        const { value } = edit;
        if (value === undefined) return base;
        if (base?.kind === "leaf" && base.value.kind === "plain" && base.value.text === value.text) {
          if (base.value.type === value.type) return base;
        }
        return { kind: "leaf", schema: edit.schema, value, origin: "set" };
      }
      case "leaf-list-entry":
        return base ?? { kind: "leaf-list-entry", schema: edit.schema, value: edit.value };
      case "anydata":
        return edit.data ?? base;
    }
  }

  /** A default in use is data that exists for a server whose basic mode is report-all, and for no other. */
  #isDefault(parent: ParentSchemaNode | undefined, work: Siblings, edit: EditNode): boolean {
    if (this.#options.basicMode !== "report-all" || edit.kind !== "leaf") return false;
    return hasDefault(edit.schema) && isInUse(edit.schema, work.nodes, choicesBelow(this.#tree.schema, parent));
  }

  #fail(tag: "data-missing" | "data-exists", message: string, edit: EditNode): void {
    this.errors.push(applicationError(tag, message, { path: edit.path }));
  }
}

/** Children of one parent while they are edited: copied at the first change only. */
class Siblings {
  nodes: Map<string, DataNode>;
  readonly #before: Children;
  #changed = false;

  constructor(before: Children) {
    this.#before = before;
    this.nodes = new Map(before);
  }

  set(key: string, node: DataNode): void {
    this.#changed = true;
    this.nodes.set(key, node);
  }

  delete(key: string): void {
    if (this.nodes.delete(key)) this.#changed = true;
  }

  move(key: string, node: DataNode, insert: InsertPoint): void {
    const order = [...this.nodes].filter(([other]) => other !== key);
    order.splice(position(order, node, insert), 0, [key, node]);
    const moved = new Map(order);
    if (![...moved.keys()].every((each, index) => each === [...this.nodes.keys()][index])) {
      this.#changed = true;
      this.nodes = moved;
    }
  }

  result(): Children {
    return this.#changed ? this.nodes : this.#before;
  }
}

function position(order: readonly (readonly [string, DataNode])[], node: DataNode, insert: InsertPoint): number {
  const peer = (each: readonly [string, DataNode]): boolean => each[1].schema === node.schema;
  switch (insert.kind) {
    case "first": {
      const first = order.findIndex(peer);
      return first < 0 ? order.length : first;
    }
    case "last":
      // Places between two lists carry no meaning, so the end of all siblings is behind the last entry too.
      return order.length;
    case "before":
      return order.findIndex(([key]) => key === insert.anchor);
    case "after":
      return order.findIndex(([key]) => key === insert.anchor) + 1;
  }
}

function hasDefault(schema: LeafSchema): boolean {
  return schema.defaultText !== undefined && !schema.mandatory;
}

function keyOf(path: InstancePath): string {
  const last = path.at(-1);
  if (last === undefined) throw new RangeError("an edit of the whole datastore has no segment");
  return segmentKey(last);
}
