/**
 * Location paths (XPath 1.0 section 2) to closures. What the schema says about a path
 * decides how it is walked: to a single leaf without making a node, through an index where a predicate compares with
 * something outside, once for a document where it starts at the root and depends on nothing else.
 */
import type { LeafSchema } from "../schema.ts";
import { pathText } from "../tree.ts";
import { type Value, plainValue } from "../value.ts";
import { AxisWalk, isReverseAxis } from "./axes.ts";
import { nodesOf } from "./compile-node-sets.ts";
import { sortUnique } from "./document-order.ts";
import { elementTest, warnIfImpossible } from "./element-test.ts";
import { findEqualityIndex } from "./equality-index.ts";
import type { XPathLocationPath, XPathStep } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { WORTH_KEEPING } from "./node-facts.ts";
import { DEPENDS_ON_CONTEXT, type NodesOperand, nodesOperand } from "./operand.ts";
import { type Base, type PathSoFar, keepsOrder, onlyOne, ownBase, shapeAfter } from "./path-so-far.ts";
import { type ElementTest, type PossibleNodes, stepPossible } from "./possible-nodes.ts";
import { type Predicates, applyPredicates, compilePredicates, isPositional } from "./predicates.ts";
import { quickStep } from "./quick-step.ts";
import type { Scope } from "./scope.ts";
import type { XPathNode } from "./xpath-node.ts";

const NO_NODES: readonly XPathNode[] = [];
const NO_TEXTS: ReadonlySet<string> = new Set();

/** Of a leaf that stands as a dummy in the context of its own `when` (RFC 7950 section 7.21.5): it is there, and empty. */
const DUMMY_VALUE = plainValue("string", "");

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
      leaf: areLeafs(scope.context) ? (frame): Value => frame.node.value ?? DUMMY_VALUE : undefined,
    };
  }
  const operand = nodesOf(start, scope);
  const { single } = operand;
  return { ...operand, shape: single ? "single" : "nested", base: single && ownBase(single) };
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
  if (possible !== "any" && possible.length === 0) return nothing(before);
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

/** A step that no data matches is not looked for among all the nodes that are there. */
function nothing({ dependsOn, shape }: PathSoFar): PathSoFar {
  return { dependsOn, possible: [], shape, nodes: () => NO_NODES, single: undefined, base: undefined };
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
