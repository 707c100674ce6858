/**
 * Predicates such as `[name = current()/../ref]`: what is compared belongs to the filtered node, what it is compared
 * with does not. The filtered nodes are put under their values once, and each evaluation looks up instead of comparing,
 * so that constraints over long lists take linear time.
 */
import { pathText } from "../tree.ts";
import type { XPathNode } from "./xpath-node.ts";
import { sortUnique } from "./document-order.ts";
import type { XPathExpression } from "./expression.ts";
import { Frame } from "./frame.ts";
import { DEPENDS_ON_CONTEXT, DEPENDS_ON_POSITION, type NodesOperand, type Operand } from "./operand.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import { isPositional } from "./predicates.ts";
import type { Scope } from "./scope.ts";
import { stringToNumber } from "./xpath-value.ts";

interface Equality {
  /** From the filtered node to what is compared. */
  readonly path: NodesOperand;
  readonly probe: Operand;
  /** The keys under which values stand that equal a text of the probe. */
  readonly keysOf: (text: string) => readonly string[];
}

/** Most values are of one node, which then stands without an array around it. */
type Buckets = ReadonlyMap<string | number, XPathNode | readonly XPathNode[]>;

export class EqualityIndex {
  readonly #equalities: readonly Equality[];
  /** The nodes found are those for which the predicates hold, and not only nodes that must still be filtered. */
  readonly exact: boolean;

  constructor(equalities: readonly Equality[], options: { readonly exact: boolean }) {
    this.#equalities = equalities;
    this.exact = options.exact;
  }

  /**
   * Those of the candidates that the equalities do not rule out, in document order. `owner` stands for the candidates:
   * it is asked for them once in a document.
   */
  find(owner: XPathNode, candidates: () => readonly XPathNode[], frame: Frame): readonly XPathNode[] {
    let smallest: readonly XPathNode[] | undefined;
    for (const equality of this.#equalities) {
      const found = lookUp(bucketsOf(equality, owner, candidates), equality, frame);
      if (smallest === undefined || found.length < smallest.length) smallest = found;
    }
    frame.document.charge(1 + (smallest?.length ?? 0));
    return smallest ?? [];
  }
}

/** The index that the predicates of a step can use; undefined when there is none. */
export function findEqualityIndex(
  predicates: readonly XPathExpression[],
  filtered: PossibleNodes,
  scope: Scope,
): EqualityIndex | undefined {
  const inner: Scope = { ...scope, context: filtered };
  const equalities: Equality[] = [];
  let exact = predicates.length === 1;
  for (const predicate of predicates) {
    // Behind a predicate on the position the filtered nodes are others.
    if (isPositional(predicate)) break;
    for (const condition of predicate.kind === "and" ? predicate.operands : [predicate]) {
      const found = equalityOf(condition, inner);
      if (found === undefined) exact = false;
      else {
        equalities.push(found.equality);
        exact &&= found.exact;
      }
    }
  }
  return equalities.length === 0
    ? undefined
    : new EqualityIndex(equalities, { exact: exact && equalities.length === 1 });
}

function equalityOf(
  condition: XPathExpression,
  scope: Scope,
): { readonly equality: Equality; readonly exact: boolean } | undefined {
  if (condition.kind !== "comparison" || condition.operator !== "=") return undefined;
  const left = scope.compile(condition.left, scope);
  const right = scope.compile(condition.right, scope);
  const path = belongsToNode(left) ? left : belongsToNode(right) ? right : undefined;
  if (path === undefined) return undefined;
  const probe = path === left ? right : left;
  if ((probe.dependsOn & (DEPENDS_ON_CONTEXT | DEPENDS_ON_POSITION)) !== 0 || probe.type === "boolean")
    return undefined;
  if (probe.type !== "string") return { equality: { path, probe, keysOf: (text) => [text] }, exact: true };
  // A text may name an identity with a prefix, and only the types of the leafs tell.
  if (path.possible === "any") return undefined;
  const leafs = path.possible.filter((each) => each !== "root");
  const keysOf = (text: string): readonly string[] => [
    ...new Set(leafs.flatMap((leaf) => scope.names.lookupTexts(leaf, text))),
  ];
  return leafs.some((leaf) => scope.names.readsPrefixes(leaf))
    ? { equality: { path, probe, keysOf }, exact: false }
    : { equality: { path, probe, keysOf: (text) => [text] }, exact: true };
}

function belongsToNode(operand: Operand): operand is NodesOperand {
  return operand.type === "nodes" && operand.dependsOn === DEPENDS_ON_CONTEXT;
}

function bucketsOf(equality: Equality, owner: XPathNode, candidates: () => readonly XPathNode[]): Buckets {
  const { document } = owner;
  const byOwner = document.memo(equality, () => new Map<XPathNode, Buckets>());
  let buckets = byOwner.get(owner);
  if (buckets === undefined) {
    buckets = fill(equality, candidates());
    byOwner.set(owner, buckets);
  }
  return buckets;
}

function fill({ path, probe }: Equality, candidates: readonly XPathNode[]): Buckets {
  const buckets = new Map<string | number, XPathNode | XPathNode[]>();
  const add = (text: string, node: XPathNode): void => {
    const key = probe.type === "number" ? stringToNumber(text) : text;
    // No number equals NaN, though a Map finds it.
    if (Number.isNaN(key)) return;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, node);
    else if (!Array.isArray(bucket)) {
      if (bucket !== node) buckets.set(key, [bucket, node]);
    } else if (bucket.at(-1) !== node) bucket.push(node);
  };
  const [first] = candidates;
  if (first === undefined) return buckets;
  first.document.charge(candidates.length);
  const frame = new Frame(first);
  for (const node of candidates) {
    frame.node = node;
    if (path.leaf !== undefined) {
      const value = path.leaf(frame);
      if (value !== undefined) add(pathText(value), node);
    } else for (const each of path.nodes(frame)) add(node.document.stringValue(each), node);
  }
  return buckets;
}

const NO_NODES: readonly XPathNode[] = [];

function lookUp(buckets: Buckets, { probe, keysOf }: Equality, frame: Frame): readonly XPathNode[] {
  if (probe.type === "number") return bucketOf(buckets, probe.toNumber(frame));
  if (probe.type !== "nodes") return together(buckets, keysOf(probe.toText(frame)));
  if (probe.leaf !== undefined) {
    const value = probe.leaf(frame);
    return value === undefined ? NO_NODES : bucketOf(buckets, pathText(value));
  }
  return together(buckets, new Set(probe.nodes(frame).map((node) => frame.document.stringValue(node))));
}

function bucketOf(buckets: Buckets, key: string | number): readonly XPathNode[] {
  const bucket = buckets.get(key);
  return bucket === undefined ? NO_NODES : isNode(bucket) ? [bucket] : bucket;
}

function isNode(bucket: XPathNode | readonly XPathNode[]): bucket is XPathNode {
  return !Array.isArray(bucket);
}

function together(buckets: Buckets, keys: Iterable<string>): readonly XPathNode[] {
  const found: (readonly XPathNode[])[] = [];
  for (const key of keys) {
    const bucket = bucketOf(buckets, key);
    if (bucket.length > 0) found.push(bucket);
  }
  return found.length > 1 ? sortUnique(found.flat()) : (found[0] ?? NO_NODES);
}
