/**
 * Location paths and filter expressions (XPath 1.0 sections 2 and 3.3) to closures. What the schema says about a path
 * decides how it is walked: to a single leaf without making a node, through an index where a predicate compares with
 * something outside, once for a document where it starts at the root and depends on nothing else.
 */
import type { DataSchemaNode, LeafSchema } from "../schema.ts";
import { pathText } from "../tree.ts";
import type { Value } from "../value.ts";
import { AxisWalk, isReverseAxis, passes } from "./axes.ts";
import type { XPathNode } from "./data-document.ts";
import { sortUnique } from "./document-order.ts";
import { elementTest, warnIfImpossible } from "./element-test.ts";
import { findEqualityIndex } from "./equality-index.ts";
import type { XPathExpression, XPathLocationPath, XPathStep } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { WORTH_KEEPING } from "./node-facts.ts";
import { DEPENDS_ON_CONTEXT, type NodesOperand, nodesOperand } from "./operand.ts";
import { type ElementTest, type PossibleNodes, stepPossible } from "./possible-nodes.ts";
import { type Predicates, applyPredicates, compilePredicates, isPositional } from "./predicates.ts";
import type { Scope } from "./scope.ts";

/** What the steps so far lead to. */
interface PathSoFar {
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

interface Base {
  readonly owner: (frame: Frame) => XPathNode | undefined;
  readonly below: (owner: XPathNode, frame: Frame) => readonly XPathNode[];
}

const NO_TEXTS: ReadonlySet<string> = new Set();

/** Below this many candidates comparing is quicker than an index. */
const INDEX_FROM = 8;

export function compilePath(path: XPathLocationPath, scope: Scope): NodesOperand {
  let soFar = startOf(path, scope);
  for (let at = 0; at < path.steps.length; at += 1) {
    const step = path.steps[at];
    const next = path.steps[at + 1];
    if (step === undefined) break;
    if (next !== undefined && isAbbreviatedDescendant(step, next)) {
      soFar = addStep(soFar, { ...next, axis: "descendant" }, scope);
      at += 1;
    } else soFar = addStep(soFar, step, scope);
  }
  if (path.steps.length === 0) return nodesOperand(soFar);
  if (soFar.dependsOn === 0) return nodesOperand(onceForADocument(soFar));
  return nodesOperand(climbs(path) ? onceForAnOwner(soFar) : soFar);
}

/** Does the path go up before it goes down? Then many nodes lead to the same one, and from there to the same ones. */
function climbs({ start, steps }: XPathLocationPath): boolean {
  const [first] = steps;
  return typeof start === "object" || first?.axis === "parent" || first?.axis.startsWith("ancestor") === true;
}

export function compileFilter(
  filter: Extract<XPathExpression, { readonly kind: "filter" }>,
  scope: Scope,
): NodesOperand {
  const primary = nodesOf(filter.primary, scope);
  const predicates = compilePredicates(filter.predicates, primary.possible, scope);
  const nodes = (frame: Frame): readonly XPathNode[] => applyPredicates(primary.nodes(frame), predicates.list, frame);
  return nodesOperand({
    dependsOn: primary.dependsOn | predicates.dependsOn,
    possible: primary.possible,
    nodes,
    single: primary.single && ((frame) => nodes(frame)[0]),
  });
}

export function compileUnion(operands: readonly XPathExpression[], scope: Scope): NodesOperand {
  const parts = operands.map((each) => nodesOf(each, scope));
  const possible = parts.reduce<PossibleNodes>(
    (all, part) => (all === "any" || part.possible === "any" ? "any" : [...new Set([...all, ...part.possible])]),
    [],
  );
  return nodesOperand({
    dependsOn: parts.reduce((all, part) => all | part.dependsOn, 0),
    possible,
    nodes: (frame) => {
      const found: XPathNode[] = [];
      for (const part of parts) for (const node of part.nodes(frame)) found.push(node);
      frame.document.charge(found.length);
      return sortUnique(found);
    },
  });
}

export function nodesOf(expression: XPathExpression, scope: Scope): NodesOperand {
  const operand = scope.compile(expression, scope);
  if (operand.type !== "nodes") throw new TypeError("the parser lets only nodes stand here");
  return operand;
}

/** `//name` looks for descendants; with a position in the predicate it would count among the wrong nodes. */
function isAbbreviatedDescendant(step: XPathStep, next: XPathStep): boolean {
  return (
    step.axis === "descendant-or-self" &&
    step.test.kind === "node" &&
    step.predicates.length === 0 &&
    next.axis === "child" &&
    !next.predicates.some(isPositional)
  );
}

function startOf({ start }: XPathLocationPath, scope: Scope): PathSoFar {
  if (start === "root") {
    return {
      dependsOn: 0,
      possible: ["root"],
      shape: "single",
      nodes: (frame) => [frame.document.root],
      single: (frame) => frame.document.root,
      base: ownBase((frame) => frame.document.root),
    };
  }
  if (start === "context") {
    return {
      dependsOn: DEPENDS_ON_CONTEXT,
      possible: scope.context,
      shape: "single",
      nodes: (frame) => [frame.node],
      single: (frame) => frame.node,
      base: ownBase((frame) => frame.node),
      leaf: areLeafs(scope.context) ? (frame): Value | undefined => frame.node.value : undefined,
    };
  }
  const operand = nodesOf(start, scope);
  const { single } = operand;
  return { ...operand, shape: single ? "single" : "nested", base: single && ownBase(single) };
}

function ownBase(owner: (frame: Frame) => XPathNode | undefined): Base {
  return { owner, below: (node) => [node] };
}

function areLeafs(possible: PossibleNodes): boolean {
  return (
    possible !== "any" &&
    possible.length > 0 &&
    possible.every((each) => each !== "root" && (each.kind === "leaf" || each.kind === "leaf-list"))
  );
}

function onceForADocument(path: PathSoFar): PathSoFar {
  const { nodes, single, leaf, count } = path;
  const keys = { nodes: {}, leaf: {}, count: {} };
  const once = (frame: Frame): readonly XPathNode[] => frame.document.memo(keys.nodes, () => nodes(frame));
  return {
    ...path,
    nodes: once,
    single: single && ((frame) => once(frame)[0]),
    leaf: leaf && ((frame): Value | undefined => frame.document.memo(keys.leaf, () => leaf(frame))),
    count: count && ((frame): number => frame.document.memo(keys.count, () => count(frame))),
  };
}

function onceForAnOwner(path: PathSoFar): PathSoFar {
  const { base } = path;
  if (base === undefined || path.single !== undefined) return path;
  const key = {};
  const nodes = (frame: Frame): readonly XPathNode[] => {
    const owner = base.owner(frame);
    if (owner === undefined) return [];
    const { document } = frame;
    const known = document.memo(key, () => new Map<XPathNode, readonly XPathNode[]>());
    const kept = known.get(owner);
    if (kept !== undefined) return kept;
    const before = document.visits;
    const found = base.below(owner, frame);
    if (document.visits - before >= WORTH_KEEPING) known.set(owner, found);
    return found;
  };
  return { ...path, nodes };
}

function addStep(before: PathSoFar, step: XPathStep, scope: Scope): PathSoFar {
  const test = elementTest(step.test, scope.names);
  const possible = stepPossible(before.possible, step.axis, test, scope.schema);
  warnIfImpossible(before.possible, step, possible, scope);
  if (step.predicates.length === 0) {
    if (step.axis === "self" && test.kind === "node") return before;
    const quick = quickStep(before, step, test, possible);
    if (quick !== undefined) return quick;
  }
  const predicates = compilePredicates(step.predicates, possible, scope);
  const facts = {
    dependsOn: before.dependsOn | predicates.dependsOn,
    possible,
    shape: shapeAfter(before, step, possible),
  };
  const index = step.axis === "child" ? findEqualityIndex(step.predicates, possible, scope) : undefined;
  const select = selection(step, test, predicates, scope);

  if (index === undefined) {
    const next = finishStep(before, step, select, { ...facts, constant: predicates.dependsOn === 0 });
    const only = step.axis === "child" && step.predicates.length === 0 ? onlyOne(before, step, possible) : undefined;
    if (before.single !== undefined || before.base === undefined || only?.kind !== "leaf") return next;
    return { ...next, texts: leafTexts(before.base, only) };
  }
  if (before.single !== undefined) {
    const walk = new AxisWalk(step.axis, test, scope.schema);
    const lookUp = (node: XPathNode, frame: Frame): readonly XPathNode[] => {
      const candidates = walk.candidates(node);
      if (candidates.length < INDEX_FROM) return applyPredicates(candidates, predicates.list, frame);
      const found = index.find(node, () => candidates, frame);
      return index.exact ? found : applyPredicates(found, predicates.list, frame);
    };
    return finishStep(before, step, lookUp, { ...facts, constant: predicates.dependsOn === 0 });
  }
  const { base } = before;
  if (base === undefined || predicates.positional)
    return finishStep(before, step, select, { ...facts, constant: predicates.dependsOn === 0 });
  // The candidates are the same whenever the base is, however many parents they have.
  const all = selection(step, test, { list: [], dependsOn: 0, positional: false }, scope);
  const below = (owner: XPathNode, frame: Frame): readonly XPathNode[] => {
    const candidates = (): readonly XPathNode[] => fromEach(base.below(owner, frame), before, all, step, frame);
    const found = index.find(owner, candidates, frame);
    return index.exact ? found : applyPredicates(found, predicates.list, frame);
  };
  return {
    ...facts,
    nodes: (frame) => {
      const owner = base.owner(frame);
      return owner === undefined ? [] : below(owner, frame);
    },
    single: undefined,
    base: predicates.dependsOn === 0 ? { owner: base.owner, below } : undefined,
  };
}

/** The values of one leaf of many parents: comparing with them takes a set, and no node for each of them. */
function leafTexts({ owner, below }: Base, leaf: LeafSchema): (frame: Frame) => ReadonlySet<string> {
  const key = {};
  return (frame) => {
    const from = owner(frame);
    if (from === undefined) return NO_TEXTS;
    const { document } = frame;
    const known = document.memo(key, () => new Map<XPathNode, ReadonlySet<string>>());
    const kept = known.get(from);
    if (kept !== undefined) return kept;
    const texts = new Set<string>();
    const parents = below(from, frame);
    document.charge(parents.length);
    for (const parent of parents) {
      const value = document.leafValue(parent, leaf);
      if (value !== undefined) texts.add(pathText(value));
    }
    if (parents.length >= WORTH_KEEPING) known.set(from, texts);
    return texts;
  };
}

type Select = (node: XPathNode, frame: Frame) => readonly XPathNode[];

/** The nodes of a step from one node, in document order. */
function selection(step: XPathStep, test: ElementTest, { list }: Predicates, scope: Scope): Select {
  const walk = new AxisWalk(step.axis, test, scope.schema);
  const [first] = list;
  const limit = first?.kind === "at" ? first.position : undefined;
  const reversed = isReverseAxis(step.axis);
  return (node, frame) => {
    const found = applyPredicates(walk.from(node, limit), list, frame);
    return reversed && found.length > 1 ? [...found].reverse() : found;
  };
}

function finishStep(
  before: PathSoFar,
  step: XPathStep,
  select: Select,
  {
    constant,
    ...facts
  }: Pick<PathSoFar, "dependsOn" | "possible" | "shape"> & {
    /** The predicates of the step depend on nothing but the nodes they filter. */
    readonly constant: boolean;
  },
): PathSoFar {
  const { single, base } = before;
  const nodes = single
    ? (frame: Frame): readonly XPathNode[] => {
        const node = single(frame);
        return node === undefined ? [] : select(node, frame);
      }
    : (frame: Frame): readonly XPathNode[] => fromEach(before.nodes(frame), before, select, step, frame);
  if (facts.shape === "single") {
    const one = (frame: Frame): XPathNode | undefined => nodes(frame)[0];
    return { ...facts, nodes, single: one, base: ownBase(one) };
  }
  return {
    ...facts,
    nodes,
    single: undefined,
    base:
      base !== undefined && constant
        ? {
            owner: base.owner,
            below: (owner, frame) => fromEach(base.below(owner, frame), before, select, step, frame),
          }
        : undefined,
  };
}

function fromEach(
  contexts: readonly XPathNode[],
  before: PathSoFar,
  select: Select,
  step: XPathStep,
  frame: Frame,
): readonly XPathNode[] {
  const [first] = contexts;
  if (first === undefined) return contexts;
  if (contexts.length === 1) return select(first, frame);
  const found: XPathNode[] = [];
  // Neighbours often lead to the same node; dropping it at once spares the sorting.
  for (const context of contexts)
    for (const node of select(context, frame)) if (node !== found.at(-1)) found.push(node);
  return keepsOrder(before, step) ? found : sortUnique(found);
}

/** Are the nodes that the step gives from one context after the other in document order, and each there once? */
function keepsOrder({ shape }: PathSoFar, { axis }: XPathStep): boolean {
  if (axis === "self") return true;
  return shape === "flat" && (axis === "child" || axis === "descendant" || axis === "descendant-or-self");
}

function shapeAfter(before: PathSoFar, step: XPathStep, possible: PossibleNodes): PathSoFar["shape"] {
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
function onlyOne(
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

/** Steps without predicates from a single node: one up, or down to where there is one child or one list. */
function quickStep(
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
