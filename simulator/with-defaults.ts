import { segmentKey } from "../model/path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
} from "../model/schema.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  type LeafNode,
  childrenOf,
  hasChildren,
  instancesOf,
} from "../model/tree.ts";
import { choicesBelow, isInUse } from "./choice.ts";
import { defaultValue } from "./leaf-value.ts";

/** A server's basic mode (RFC 6243, section 2). Reports may also be asked for as `report-all-tagged` (section 3.4). */
export const withDefaultsModes = ["report-all", "trim", "explicit"] as const;
export type WithDefaultsMode = (typeof withDefaultsModes)[number];
export const reportModes = [...withDefaultsModes, "report-all-tagged"] as const;
export type ReportMode = (typeof reportModes)[number];

/**
 * What a report of that mode shows of a configuration that holds only what was set. Under both report-all modes every leaf that has its
 * default value carries the origin `default`; a writer that tags does so by it. Two exceptions: a node with a `when` is shown only where it
 * was set, since conditions are not evaluated; defaults of a leaf-list, which cannot carry the origin, are left out of a tagged report.
 */
export function reported(tree: DataTree, mode: ReportMode): DataTree {
  switch (mode) {
    case "explicit":
      return tree;
    case "trim":
      return trimmed(tree);
    case "report-all":
      return new DefaultsReport(tree.schema, "leafs-and-leaf-lists").tree(tree);
    case "report-all-tagged":
      return new DefaultsReport(tree.schema, "leafs").tree(tree);
  }
}

/** What a server of that basic mode keeps: one that trims does not know that a default was set (RFC 6243, section 2.2). */
export function kept(tree: DataTree, basicMode: WithDefaultsMode): DataTree {
  return basicMode === "trim" ? trimmed(tree) : tree;
}

function trimmed(tree: DataTree): DataTree {
  const roots = trimmedChildren(tree.roots);
  return roots === tree.roots ? tree : { schema: tree.schema, roots };
}

function trimmedChildren(children: Children): Children {
  let changed = false;
  const nodes: DataNode[] = [];
  for (const node of children.values()) {
    if (node.kind === "leaf" && isDefaultLeaf(node)) {
      changed = true;
      continue;
    }
    const below = hasChildren(node) ? trimmedChildren(node.children) : undefined;
    if (below === undefined || (hasChildren(node) && below === node.children)) nodes.push(node);
    else if (hasChildren(node)) {
      changed = true;
      nodes.push({ ...node, children: below });
    }
  }
  return changed ? childrenOf(nodes) : children;
}

class DefaultsReport {
  readonly #schema: Schema;
  readonly #what: "leafs" | "leafs-and-leaf-lists";

  constructor(schema: Schema, what: "leafs" | "leafs-and-leaf-lists") {
    this.#schema = schema;
    this.#what = what;
  }

  tree(tree: DataTree): DataTree {
    return { schema: tree.schema, roots: this.#withAll(undefined, tree.roots) };
  }

  #withAll(parent: ParentSchemaNode | undefined, children: Children): Children {
    const nodes: DataNode[] = [];
    for (const node of children.values()) {
      if (hasChildren(node)) nodes.push({ ...node, children: this.#withAll(node.schema, node.children) });
      else if (node.kind === "leaf" && isDefaultLeaf(node)) nodes.push({ ...node, origin: "default" });
      else nodes.push(node);
    }
    const choices = choicesBelow(this.#schema, parent);
    for (const child of childSchemas(this.#schema, parent).values()) {
      if (!child.config || child.whens.length > 0 || !isInUse(child, children, choices)) continue;
      nodes.push(...this.#absent(child, children));
    }
    return childrenOf(nodes);
  }

  /** The defaults that one schema node adds beside `children`; nothing where an instance is there already. */
  #absent(child: DataSchemaNode, children: Children): readonly DataNode[] {
    switch (child.kind) {
      case "leaf": {
        if (child.isKey || child.defaultText === undefined || children.has(keyOfNode(child))) return [];
        const value = defaultValue(this.#schema, child, child.defaultText);
        return [{ kind: "leaf", schema: child, value, origin: "default" }];
      }
      case "leaf-list":
        if (this.#what === "leafs" || instancesOf(children, child).length > 0) return [];
        return child.defaultTexts.map((text) => ({
          kind: "leaf-list-entry",
          schema: child,
          value: defaultValue(this.#schema, child, text),
        }));
      case "container":
        if (child.presence || children.has(keyOfNode(child))) return [];
        return [{ kind: "container", schema: child, children: this.#withAll(child, new Map()) }];
      case "list":
      case "anydata":
      case "anyxml":
        return [];
    }
  }
}

function isDefaultLeaf({ schema, value }: LeafNode): boolean {
  return value.kind === "plain" && value.text === schema.defaultText;
}

function keyOfNode(schema: Exclude<DataSchemaNode, LeafListSchema>): string {
  return segmentKey({ kind: "node", module: schema.module, name: schema.name });
}
