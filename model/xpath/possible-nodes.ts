/**
 * Which schema nodes a path can lead to, found without data: the quick ways of the evaluator rest on it, and so do the
 * warnings about steps that nothing can match.
 */
import { type DataSchemaNode, type Schema, childSchemas, isParentSchema } from "../schema.ts";
import type { NodeTest, XPathAxis } from "./expression.ts";

/** All the nodes are elements of one of these schema nodes, or the root; `any`: nothing is known about them. */
export type PossibleNodes = readonly PossibleNode[] | "any";
export type PossibleNode = DataSchemaNode | "root";

/** A walk over more schema nodes than this is not worth what it tells. */
const MAX_WALK = 10_000;

/** What a node test says about elements; `id` is `module:name` where it names one. */
export interface ElementTest {
  readonly kind: NodeTest["kind"];
  readonly id: string | undefined;
  readonly matches: (schema: DataSchemaNode) => boolean;
}

/** Guarantees: every node that the step gives from a node of `from` is one of the result's. */
export function stepPossible(from: PossibleNodes, axis: XPathAxis, test: ElementTest, schema: Schema): PossibleNodes {
  if (axis === "attribute" || axis === "namespace") return [];
  if (from === "any") return "any";
  switch (axis) {
    case "self":
      return filter(from, test);
    case "parent": {
      const parents = unique(from.map((each) => parentOf(each, schema)));
      return parents === undefined ? "any" : filter(parents, test);
    }
    case "ancestor":
    case "ancestor-or-self": {
      const found = new Set<PossibleNode>(axis === "ancestor" ? [] : from);
      for (const each of from) {
        for (let at: PossibleNode | "outside" | undefined = each; at !== undefined; ) {
          at = parentOf(at, schema);
          if (at === "outside") return "any";
          if (at !== undefined) found.add(at);
        }
      }
      return filter([...found], test);
    }
    case "child":
      // A leaf's only child is its text, which is no element.
      if (test.kind === "text" || (test.kind === "node" && from.some(hasText))) return "any";
      return unique(from.flatMap((each) => childrenMatching(each, test, schema))) ?? "any";
    case "descendant":
    case "descendant-or-self": {
      if (test.kind === "text" || test.kind === "node") return "any";
      return filter(descendants(from, schema, axis), test);
    }
    case "following-sibling":
    case "preceding-sibling": {
      const parents = unique(from.map((each) => parentOf(each, schema)));
      if (parents === undefined) return "any";
      return unique(parents.flatMap((each) => childrenMatching(each, test, schema))) ?? "any";
    }
    case "following":
    case "preceding":
      return "any";
  }
}

function hasText(node: PossibleNode): boolean {
  return node !== "root" && (node.kind === "leaf" || node.kind === "leaf-list");
}

function filter(nodes: PossibleNodes, test: ElementTest): PossibleNodes {
  if (nodes === "any") return "any";
  if (test.kind === "node") return nodes;
  return nodes.filter((each) => each !== "root" && test.matches(each));
}

/** Undefined above the root; `outside` where the body of an operation or notification ends. */
function parentOf(node: PossibleNode, schema: Schema): PossibleNode | "outside" | undefined {
  if (node === "root") return undefined;
  if (node.parent !== undefined) return node.parent;
  return schema.roots.get(node.id) === node ? "root" : "outside";
}

function unique(nodes: readonly (PossibleNode | "outside" | undefined)[]): readonly PossibleNode[] | undefined {
  const found = new Set<PossibleNode>();
  for (const each of nodes) {
    if (each === "outside") return undefined;
    if (each !== undefined) found.add(each);
  }
  return [...found];
}

function childrenMatching(node: PossibleNode, test: ElementTest, schema: Schema): readonly DataSchemaNode[] {
  const children = childrenOfPossible(node, schema);
  if (test.id !== undefined) {
    const child = children.get(test.id);
    return child === undefined ? [] : [child];
  }
  return [...children.values()].filter(test.matches);
}

const NO_CHILDREN: ReadonlyMap<string, DataSchemaNode> = new Map<string, DataSchemaNode>();

/** The children that data of the schema node can have, by id. */
export function childrenOfPossible(node: PossibleNode, schema: Schema): ReadonlyMap<string, DataSchemaNode> {
  if (node === "root") return childSchemas(schema, undefined);
  return isParentSchema(node) ? node.children : NO_CHILDREN;
}

function descendants(
  from: readonly PossibleNode[],
  schema: Schema,
  axis: "descendant" | "descendant-or-self",
): PossibleNodes {
  const found = new Set<PossibleNode>(axis === "descendant" ? [] : from);
  const open: PossibleNode[] = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const child of childrenOfPossible(at, schema).values()) {
      if (found.has(child)) continue;
      found.add(child);
      if (found.size > MAX_WALK) return "any";
      if (isParentSchema(child)) open.push(child);
    }
  }
  return [...found];
}
