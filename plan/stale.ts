/**
 * May an approved plan still be applied? It was made from one observation, and what the person approved holds only while the device stands
 * where that observation saw it (case of a saved plan applied to a changed world). Pure: the caller re-reads under the lock, or right before the write.
 */
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import { type DataNode, type DataTree, findNode, isUserOrdered, segmentOf } from "../model/tree.ts";
import { type CompareOptions, compare } from "./compare.ts";
import { nodeToJson } from "./node-json.ts";
import { type Operation, operationPath } from "./operation.ts";
import { PathIndex } from "./path-index.ts";
import type { PlainJson } from "./plain-json.ts";
import { ReferenceReader, type SoftReference } from "./references.ts";
import { schemaAlong } from "./schema-along.ts";

export interface StaleInput {
  /** What the plan section names. */
  readonly planned: {
    readonly observationDigest: string;
    readonly moduleSet: string;
    readonly observed: DataTree;
    /** Observation + operations. */
    readonly expected: DataTree;
    readonly operations: readonly Operation[];
  };
  /** What the device shows now. Needs trees of one Schema where the module sets are equal. */
  readonly live: {
    readonly observationDigest: string;
    readonly moduleSet: string;
    readonly completeness: "complete" | "incomplete";
    readonly tree: DataTree;
  };
  /** What happened to our own copy since the goal was committed. */
  readonly sinceGoal?: {
    /** A failed or incomplete import: our copy may be older than the device. */
    readonly import?: "failed" | "incomplete";
    /** Digest of the newest complete observation after the plan's. */
    readonly newerObservation?: string;
  };
  /** `allow` is `--allow-unrelated`: only touched paths, their ancestors and their leafref neighbours have to stand. */
  readonly unrelated: "refuse" | "allow";
  readonly compare: CompareOptions;
  readonly softReferences?: readonly SoftReference[];
}

/** `expected` and `found` are absent where the node is. */
export interface ChangedPath {
  readonly path: string;
  readonly op: Operation["op"];
  readonly expected?: PlainJson;
  readonly found?: PlainJson;
}

export type StaleReason =
  | { readonly kind: "module-set"; readonly expected: string; readonly found: string }
  | { readonly kind: "incomplete-observation" }
  | { readonly kind: "import-behind"; readonly import: "failed" | "incomplete" }
  | { readonly kind: "newer-observation"; readonly expected: string; readonly found: string }
  /** No path where the difference is one that the trees do not show as operations (explicitness). */
  | {
      readonly kind: "observation-changed";
      readonly expected: string;
      readonly found: string;
      readonly paths: readonly ChangedPath[];
    };

export type Staleness =
  | {
      readonly kind: "fresh";
      /** Touched paths that show their planned value already: no-op success, worth a note. Sorted. */
      readonly alreadyApplied: readonly string[];
      /** Differences elsewhere that `--allow-unrelated` let pass. Sorted by path. */
      readonly unrelated: readonly ChangedPath[];
    }
  | { readonly kind: "stale"; readonly reasons: readonly StaleReason[] };

/**
 * Guarantees: `fresh` without remarks where the digests are equal; otherwise under `refuse` stale, naming each path with what was expected (by
 * the plan's observation) and what was found. Under `allow` a difference counts only where it is at, above or below a touched path, in a
 * user-ordered list that the plan places entries in, or on a node that touched values refer to or are referred to by - and not where
 * the live node is what the plan would make of it. All reasons are reported, not the first.
 */
export function checkStale(input: StaleInput): Staleness {
  const { planned, live, sinceGoal } = input;
  const reasons: StaleReason[] = [];
  if (live.moduleSet !== planned.moduleSet) {
    reasons.push({ kind: "module-set", expected: planned.moduleSet, found: live.moduleSet });
  }
  if (live.completeness === "incomplete") reasons.push({ kind: "incomplete-observation" });
  if (sinceGoal?.import !== undefined) reasons.push({ kind: "import-behind", import: sinceGoal.import });
  const newer = sinceGoal?.newerObservation;
  if (newer !== undefined && newer !== planned.observationDigest && input.unrelated === "refuse") {
    reasons.push({ kind: "newer-observation", expected: planned.observationDigest, found: newer });
  }
  // Trees of two module sets, or a partial one, have no meaningful difference.
  if (reasons.some(({ kind }) => kind === "module-set" || kind === "incomplete-observation"))
    return { kind: "stale", reasons };
  if (live.observationDigest === planned.observationDigest) {
    return reasons.length > 0 ? { kind: "stale", reasons } : { kind: "fresh", alreadyApplied: [], unrelated: [] };
  }

  const differences = compare(planned.observed, live.tree, { ...input.compare, explicitness: "finding" }).operations;
  const relevance = new Relevance(input);
  const kept: ChangedPath[] = [];
  const unrelated: ChangedPath[] = [];
  const alreadyApplied: string[] = [];
  for (const difference of differences) {
    if (input.unrelated === "allow" && relevance.isPlannedAlready(difference))
      alreadyApplied.push(operationPath(difference));
    else if (input.unrelated === "refuse" || relevance.isRelevant(difference)) kept.push(changedPath(difference));
    else unrelated.push(changedPath(difference));
  }
  if (input.unrelated === "refuse" || kept.length > 0) {
    const digests = { expected: planned.observationDigest, found: live.observationDigest };
    reasons.push({ kind: "observation-changed", ...digests, paths: sortPaths(kept) });
  }
  if (reasons.length > 0) return { kind: "stale", reasons };
  return { kind: "fresh", alreadyApplied: alreadyApplied.sort(), unrelated: sortPaths(unrelated) };
}

/** Answers for one plan which differences matter to it. */
class Relevance {
  readonly #input: StaleInput;
  readonly #touched = new PathIndex<"touched">();
  readonly #orderedLists = new Set<string>();
  readonly #reader: ReferenceReader;
  /** Things that planned operations make, remove or point at: who touches them now is a neighbour. */
  readonly #things = new Set<string>();
  readonly #pointedAt = new Set<string>();

  constructor(input: StaleInput) {
    this.#input = input;
    this.#reader = new ReferenceReader(input.softReferences);
    for (const operation of input.planned.operations) {
      this.#touched.add(operation.path, "touched");
      if (operation.op === "create") for (const gone of operation.implied) this.#touched.add(gone.path, "touched");
      const list = orderedList(input.planned.observed, operation.path);
      if (list !== undefined && (operation.op === "create" || operation.op === "move")) this.#orderedLists.add(list);
      const { makes, removes, pointsAt, releases } = this.#reader.read(operation);
      for (const thing of [...makes, ...removes]) this.#things.add(thing);
      for (const thing of [...pointsAt, ...releases]) this.#pointedAt.add(thing);
    }
  }

  isRelevant(difference: Operation): boolean {
    const { path } = difference;
    if (this.#touched.atOrAbove(path).length > 0 || this.#touched.below(path).length > 0) return true;
    const list = orderedList(this.#input.planned.observed, path);
    if (list !== undefined && this.#orderedLists.has(list) && difference.op !== "replace") return true;
    const { makes, removes, pointsAt, releases } = this.#reader.read(difference);
    return (
      [...makes, ...removes].some((thing) => this.#pointedAt.has(thing)) ||
      [...pointsAt, ...releases].some((thing) => this.#things.has(thing))
    );
  }

  /** Is the live node at a touched path what the plan would make of it? */
  isPlannedAlready(difference: Operation): boolean {
    const { planned, live, compare: options } = this.#input;
    if (difference.op === "move" || this.#touched.at(difference.path).length === 0) return false;
    const list = orderedList(planned.observed, difference.path);
    if (list !== undefined && this.#orderedLists.has(list)) return false;
    const expected = findNode(planned.expected, difference.path);
    const found = findNode(live.tree, difference.path);
    if (expected === undefined || found === undefined) return expected === found;
    const alone = (node: DataNode): DataTree => nest(planned.expected, difference.path, node);
    return compare(alone(expected), alone(found), options).operations.length === 0;
  }
}

/** A tree with nothing but one node and its ancestors, so that the rules of `compare` decide about this node alone. */
function nest(tree: DataTree, path: InstancePath, node: DataNode): DataTree {
  let inner = node;
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const above = findNode(tree, path.slice(0, depth));
    if (above === undefined || (above.kind !== "container" && above.kind !== "entry")) {
      throw new RangeError(`the planned state has nothing at ${formatInstancePath(path.slice(0, depth))}`);
    }
    inner = { ...above, children: new Map([[segmentKey(segmentOf(inner)), inner]]) };
  }
  return { schema: tree.schema, roots: new Map([[segmentKey(segmentOf(inner)), inner]]) };
}

/** The list that a path's last segment is a member of, when it is user-ordered. */
function orderedList(tree: DataTree, path: InstancePath): string | undefined {
  const schema = schemaAlong(tree.schema, path).at(-1);
  return schema !== undefined && isUserOrdered(schema)
    ? `${formatInstancePath(path.slice(0, -1))} ${schema.id}`
    : undefined;
}

function changedPath(difference: Operation): ChangedPath {
  const base = { path: operationPath(difference), op: difference.op };
  switch (difference.op) {
    case "create":
      return { ...base, expected: nodeToJson(difference.after) };
    case "delete":
      return { ...base, found: nodeToJson(difference.before) };
    case "replace":
      return { ...base, expected: nodeToJson(difference.after), found: nodeToJson(difference.before) };
    case "move":
      return base;
  }
}

function sortPaths(paths: readonly ChangedPath[]): readonly ChangedPath[] {
  return [...paths].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
