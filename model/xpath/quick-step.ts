/** Steps without predicates from a single node: one up, or down to where there is one child or one list. */
import type { LeafSchema } from "../schema.ts";
import type { Value } from "../value.ts";
import { passes } from "./axes.ts";
import type { XPathStep } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { type PathSoFar, onlyOne, ownBase } from "./path-so-far.ts";
import type { ElementTest, PossibleNodes } from "./possible-nodes.ts";
import type { XPathNode } from "./xpath-node.ts";

/** Undefined where the step is none of these. */
export function quickStep(
  before: PathSoFar,
  step: XPathStep,
  test: ElementTest,
  possible: PossibleNodes,
): PathSoFar | undefined {
  const { single, dependsOn, possible: above } = before;
  if (single === undefined) return undefined;
  const fromSingle = (
    to: (node: XPathNode) => XPathNode | undefined,
    leaf?: (frame: Frame) => Value | undefined,
  ): PathSoFar => {
    const one = (frame: Frame): XPathNode | undefined => {
      const node = single(frame);
      return node && to(node);
    };
    const nodes = (frame: Frame): readonly XPathNode[] => {
      const node = one(frame);
      return node === undefined ? [] : [node];
    };
    return { dependsOn, possible, shape: "single", nodes, single: one, leaf, base: ownBase(one) };
  };
  if (step.axis === "parent")
    return fromSingle(
      test.kind === "node"
        ? (node): XPathNode | undefined => node.parent
        : ({ parent }): XPathNode | undefined => (parent !== undefined && passes(parent, test) ? parent : undefined),
    );
  if (step.axis !== "child") return undefined;
  const only = onlyOne(before, step, possible);
  if (only !== undefined)
    return fromSingle(
      (node) => node.document.child(node, only),
      only.kind === "leaf" ? leafReader(single, only) : undefined,
    );
  if (above === "any" || above.length !== 1 || possible === "any" || possible.length !== 1) return undefined;
  const [list] = possible;
  if (list === undefined || list === "root" || (list.kind !== "list" && list.kind !== "leaf-list")) return undefined;
  return {
    dependsOn,
    possible,
    shape: "flat",
    nodes: (frame) => {
      const node = single(frame);
      return node === undefined ? [] : node.document.instances(node, list);
    },
    count: (frame) => {
      const node = single(frame);
      return node === undefined ? 0 : node.document.countInstances(node, list);
    },
    single: undefined,
    base: { owner: single, below: (node) => node.document.instances(node, list) },
  };
}

function leafReader(
  single: (frame: Frame) => XPathNode | undefined,
  leaf: LeafSchema,
): (frame: Frame) => Value | undefined {
  return (frame) => {
    const node = single(frame);
    return node?.document.leafValue(node, leaf);
  };
}
