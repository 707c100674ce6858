/** What is known of a path between two of its steps: how to walk to where it leads, and in what order the nodes come. */
import type { DataSchemaNode } from "../schema.ts";
import type { Value } from "../value.ts";
import type { XPathStep } from "./expression.ts";
import type { Frame } from "./frame.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import type { XPathNode } from "./xpath-node.ts";

/** What the steps so far lead to. */
export interface PathSoFar {
  readonly dependsOn: number;
  readonly possible: PossibleNodes;
  /** `single`: at most one node. `flat`: none of the nodes is an ancestor of another. All are in document order. */
  readonly shape: "single" | "flat" | "nested";
  readonly nodes: (frame: Frame) => readonly XPathNode[];
  readonly single: ((frame: Frame) => XPathNode | undefined) | undefined;
  readonly leaf?: ((frame: Frame) => Value | undefined) | undefined;
  readonly count?: ((frame: Frame) => number) | undefined;
  readonly texts?: ((frame: Frame) => ReadonlySet<string>) | undefined;
  /** The last single node of the path, where the nodes depend on nothing but that one. */
  readonly base: Base | undefined;
}

export interface Base {
  readonly owner: (frame: Frame) => XPathNode | undefined;
  readonly below: (owner: XPathNode, frame: Frame) => readonly XPathNode[];
}

export function ownBase(owner: (frame: Frame) => XPathNode | undefined): Base {
  return { owner, below: (node) => [node] };
}

/** Are the nodes that the step gives from one context after the other in document order, and each there once? */
export function keepsOrder({ shape }: PathSoFar, { axis }: XPathStep): boolean {
  if (axis === "self") return true;
  return shape === "flat" && (axis === "child" || axis === "descendant" || axis === "descendant-or-self");
}

export function shapeAfter(before: PathSoFar, step: XPathStep, possible: PossibleNodes): PathSoFar["shape"] {
  switch (step.axis) {
    case "self":
      return before.shape;
    case "parent":
      return before.shape === "single" ? "single" : "nested";
    case "child":
      if (before.shape === "single" && onlyOne(before, step, possible) !== undefined) return "single";
      return before.shape === "nested" ? "nested" : "flat";
    case "following-sibling":
    case "preceding-sibling":
      return before.shape === "single" ? "flat" : "nested";
    case "descendant":
    case "descendant-or-self":
      return before.shape !== "nested" && areApart(possible) ? "flat" : "nested";
    default:
      return "nested";
  }
}

/** No node of these can be an ancestor of another: nodes of one schema node never are. */
function areApart(possible: PossibleNodes): boolean {
  if (possible === "any") return false;
  const all = new Set<unknown>(possible);
  return possible.every((each) => {
    if (each === "root") return all.size === 1;
    for (let above = each.parent; above !== undefined; above = above.parent) if (all.has(above)) return false;
    return true;
  });
}

/** The schema node of a child of which there is one at most; needs to be certain of the schema node above as well. */
export function onlyOne(
  { possible: above }: PathSoFar,
  step: XPathStep,
  possible: PossibleNodes,
): Exclude<DataSchemaNode, { readonly kind: "list" | "leaf-list" }> | undefined {
  if (step.test.kind !== "name" || above === "any" || above.length !== 1 || possible === "any") return undefined;
  const [schema] = possible;
  if (schema === undefined || schema === "root" || schema.kind === "list" || schema.kind === "leaf-list")
    return undefined;
  return schema;
}
