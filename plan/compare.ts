/**
 * What has to change on a device so that it has the desired configuration: the smallest set of operations between two trees of one schema.
 *
 * The hard part is what is *not* a difference. A value that is written on one side and in use as a default on the other has the same effect
 * (RFC 6243), so it is a finding; nodes of another case go by themselves when a node of the new case comes (RFC 7950, 7.9); system-ordered
 * lists are sets; of a user-ordered list only the entries outside a longest common order move. Nodes are found by their keys, never by their
 * position, so the cost is linear in the size of the trees (n log n in user-ordered lists).
 */
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import type { ChoiceSchema, DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../model/schema.ts";
import {
  type AnydataNode,
  type Children,
  type DataNode,
  type DataTree,
  type EntryNode,
  type LeafListEntryNode,
  type LeafNode,
  hasChildren,
  isUserOrdered,
  segmentOf,
} from "../model/tree.ts";
import { isSameInstant } from "../model/values/instant.ts";
import { type Value, valuesEqual } from "../model/value.ts";
import { type Finding, sortFindings } from "./finding.ts";
import { ImpliedDeletes } from "./implied-deletes.ts";
import { canonicalValue } from "./key-values.ts";
import { defaultedLeafLists, equalsDefaults, hasAny } from "./leaf-list-defaults.ts";
import { longestIncreasing } from "./longest-increasing.ts";
import { valueToJson } from "./node-json.ts";
import type { CreateOperation, DeleteOperation, Insert, Operation } from "./operation.ts";
import { type ActiveCases, activeCases, isDefaultInUse, isExcluded, isSet, setSubtree } from "./set-content.ts";

/** The server's basic mode for defaults (RFC 6243, 2.1 to 2.3), as the observation recorded it. */
export type ServerDefaultsMode = "explicit" | "trim" | "report-all";

export interface CompareOptions {
  readonly defaultsMode: ServerDefaultsMode;
  /**
   * What a difference in explicitness alone is: a finding (default), or under `pin` also an operation. It takes effect only where the server's
   * mode is `explicit`: the other modes cannot show that a default was written, so such an operation would come back for ever.
   */
  readonly explicitness?: "finding" | "pin";
  /**
   * Whether two unequal values of a leaf mean the same on this kind of device (symbolic names, blanks, case). It only decides whether there
   * is a difference: an operation always carries the desired value as it stands. Not asked for keys and leaf-list values.
   */
  readonly equivalent?: (leaf: LeafSchema, desired: Value, observed: Value) => boolean;
}

export interface Comparison {
  /** Deletes and changes in document order, user-ordered entries in list order; `orderOperations` makes it the order of a plan. */
  readonly operations: readonly Operation[];
  /** Sorted. */
  readonly findings: readonly Finding[];
}

/**
 * Compares two trees. Guarantees: `applyOperations(observed, operations)` has the desired configuration, differing at most in whether a
 * default is written where a finding says so; comparing again gives no operation; operations change nothing that does not differ; every
 * anchor is at its final place when it is used; no operation edits a key, a `config false` node or a non-presence container.
 * Leafs of origin `default` count as absent, secrets are equal when one key gave one fingerprint, anydata is compared by its bytes,
 * leafs of type date-and-time as instants.
 * Causes are empty and impact is `delete` or `ordinary`: see `attributeOperations` and `classifyOperations`.
 * Needs both trees typed against the same Schema object; throws RangeError otherwise, since trees of two module sets have no difference.
 */
export function compare(desired: DataTree, observed: DataTree, options: CompareOptions): Comparison {
  if (desired.schema !== observed.schema) throw new RangeError("cannot compare trees of two schemas");
  const comparer = new Comparer(desired.schema, options);
  comparer.compareChildren({
    path: [],
    choices: desired.schema.rootChoices,
    desired: desired.roots,
    observed: observed.roots,
    desiredDefaults: "in-use",
    observedDefaults: "in-use",
  });
  return { operations: comparer.operations, findings: sortFindings(comparer.findings) };
}

/** The children of one data node on both sides. */
interface Level {
  readonly path: InstancePath;
  readonly choices: ReadonlyMap<string, ChoiceSchema>;
  readonly desired: Children;
  readonly observed: Children;
  /** Whether absent leafs below can have their default in use on that side: not inside of a case that is not selected. */
  readonly desiredDefaults: "in-use" | "unused";
  readonly observedDefaults: "in-use" | "unused";
}

/** A level with the cases selected on each side. */
interface Cases {
  readonly desired: ActiveCases;
  readonly observed: ActiveCases;
  /** Cases that the result selects even if no written default is sent. */
  readonly result: ActiveCases;
}

type ListMember = EntryNode | LeafListEntryNode;

const NONE: Children = new Map();
const NO_CASES: Cases = { desired: new Map(), observed: new Map(), result: new Map() };

class Comparer {
  readonly operations: Operation[] = [];
  readonly findings: Finding[] = [];
  readonly #schema: Schema;
  readonly #options: CompareOptions;

  constructor(schema: Schema, options: CompareOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  compareChildren(level: Level): void {
    const cases = casesOf(level);
    const settled = this.#settleDefaultLeafLists(level, cases);
    const implied = new ImpliedDeletes();
    for (const [key, node] of level.observed) {
      if (settled.has(node.schema)) continue;
      const other = level.desired.get(key);
      if (other === undefined || !isSet(other)) this.#gone(level, cases, node, implied);
    }
    const ordered = new Map<DataSchemaNode, ListMember[]>();
    for (const [key, node] of level.desired) {
      if (settled.has(node.schema) || !node.schema.config || !isSet(node)) continue;
      const other = level.observed.get(key);
      if ((node.kind === "entry" || node.kind === "leaf-list-entry") && isUserOrdered(node.schema)) {
        const members = ordered.get(node.schema);
        if (members === undefined) ordered.set(node.schema, [node]);
        else members.push(node);
        if (other !== undefined) this.#both(level, cases, node, other);
        continue;
      }
      const start = this.operations.length;
      if (other === undefined) this.#come(level, cases, node);
      else this.#both(level, cases, node, other);
      implied.attach(this.operations, start, node.schema);
    }
    for (const [schema, members] of ordered) {
      const start = this.operations.length;
      this.#userOrder(level, schema, members);
      implied.attach(this.operations, start, schema);
    }
    // Only an observation that violates its own choice leaves anything here: both cases are there, so nothing new makes the old one go.
    for (const { path, before } of implied.rest()) this.#delete(path, before);
  }

  /** A node that is not desired. */
  #gone(level: Level, cases: Cases, node: DataNode, implied: ImpliedDeletes): void {
    if (!node.schema.config) return;
    if (isExcluded(node.schema, cases.desired) && isSet(node)) {
      const before = setSubtree(node);
      if (before !== undefined) implied.add({ path: pathTo(level, node), before }, cases.desired);
      return;
    }
    switch (node.kind) {
      case "leaf":
        this.#leafGone(level, cases, node);
        return;
      case "container":
        if (!node.schema.presence) this.#inside(level, cases, node, undefined, node);
        else this.#delete(pathTo(level, node), node);
        return;
      case "entry":
      case "leaf-list-entry":
      case "anydata":
        this.#delete(pathTo(level, node), node);
    }
  }

  #leafGone(level: Level, cases: Cases, node: LeafNode): void {
    const inUse = level.desiredDefaults === "in-use" && isDefaultInUse(node.schema, cases.desired, level.choices);
    const equalsDefault = isSchemaDefault(node.schema, node.value);
    if (!isSet(node)) {
      const promised = inUse && !equalsDefault ? this.#schemaDefault(node.schema) : undefined;
      if (promised !== undefined) {
        const path = formatInstancePath(pathTo(level, node));
        const [schemaDefault, found] = [valueToJson(promised), valueToJson(node.value)];
        this.findings.push({ kind: "server-default", path, schemaDefault, found });
      }
      return;
    }
    const defaultAfter = (): Pick<DeleteOperation, "defaultAfter"> => {
      const value = inUse ? this.#schemaDefault(node.schema) : undefined;
      return value === undefined ? {} : { defaultAfter: value };
    };
    if (!inUse || !equalsDefault) {
      this.#delete(pathTo(level, node), node, defaultAfter());
      return;
    }
    if (!this.#showsExplicitness() || node.origin !== "set") return;
    this.#explicitness(level, node, { desired: "unset", observed: "set" });
    if (this.#options.explicitness === "pin") this.#delete(pathTo(level, node), node, defaultAfter());
  }

  /** A node that is desired and not there. */
  #come(level: Level, cases: Cases, node: DataNode): void {
    switch (node.kind) {
      case "leaf":
        this.#leafComes(level, cases, node);
        return;
      case "container":
        if (!node.schema.presence) this.#inside(level, cases, node, node, undefined);
        else this.#create(pathTo(level, node), node);
        return;
      case "entry":
      case "leaf-list-entry":
      case "anydata":
        this.#create(pathTo(level, node), node);
    }
  }

  #leafComes(level: Level, cases: Cases, node: LeafNode): void {
    const before = level.observedDefaults === "in-use" && isDefaultInUse(node.schema, cases.observed, level.choices);
    const defaultBefore = (): Pick<CreateOperation, "defaultBefore"> => {
      const value = before ? this.#schemaDefault(node.schema) : undefined;
      return value === undefined ? {} : { defaultBefore: value };
    };
    const stays =
      before && isSchemaDefault(node.schema, node.value) && isDefaultInUse(node.schema, cases.result, level.choices);
    if (!stays) {
      this.#create(pathTo(level, node), node, defaultBefore());
      return;
    }
    if (!this.#showsExplicitness() || node.origin !== "set") return;
    this.#explicitness(level, node, { desired: "set", observed: "unset" });
    if (this.#options.explicitness === "pin") this.#create(pathTo(level, node), node, defaultBefore());
  }

  /** A set node that is desired, and what stands at its place. */
  #both(level: Level, cases: Cases, node: DataNode, other: DataNode): void {
    if (node.kind === "leaf" && other.kind === "leaf") this.#leafBoth(level, node, other);
    else if (node.kind === "anydata" && other.kind === "anydata") this.#anydataBoth(level, node, other);
    else if (hasChildren(node) && hasChildren(other)) this.#inside(level, cases, node, node, other);
  }

  #leafBoth(level: Level, node: LeafNode, other: LeafNode): void {
    const path = pathTo(level, node);
    if (this.#sameLeaf(node, other, path)) {
      if (isSet(other) || !this.#showsExplicitness() || node.origin !== "set") return;
      this.#explicitness(level, node, { desired: "set", observed: "unset" });
      if (this.#options.explicitness === "pin") this.#create(path, node, reportedDefault(other));
    } else if (isSet(other)) {
      this.operations.push({ op: "replace", path, before: other, after: node, causes: [], impact: "ordinary" });
    } else {
      this.#create(path, node, reportedDefault(other));
    }
  }

  #sameLeaf(node: LeafNode, other: LeafNode, path: InstancePath): boolean {
    const desired = node.value;
    const observed = other.value;
    if (desired.kind === "sealed" && observed.kind === "sealed" && desired.keyId !== observed.keyId) {
      this.findings.push({ kind: "unverifiable", path: formatInstancePath(path), reason: "secret-key" });
      return true;
    }
    return (
      valuesEqual(desired, observed) ||
      isSameInstant(node.schema.type, desired, observed) ||
      this.#options.equivalent?.(node.schema, desired, observed) === true
    );
  }

  #anydataBoth(level: Level, node: AnydataNode, other: AnydataNode): void {
    const path = pathTo(level, node);
    if (node.encoding !== other.encoding) {
      this.findings.push({ kind: "unverifiable", path: formatInstancePath(path), reason: "opaque-encoding" });
    } else if (node.content !== other.content) {
      this.operations.push({ op: "replace", path, before: other, after: node, causes: [], impact: "ordinary" });
    }
  }

  /** Goes on below a container or entry that exists on both sides, or a non-presence container that may be missing on one. */
  #inside(
    level: Level,
    cases: Cases,
    node: DataNode,
    desired: DataNode | undefined,
    observed: DataNode | undefined,
  ): void {
    if (!hasChildren(node)) return;
    const implicit = node.kind === "container" && !node.schema.presence;
    const defaults = (above: "in-use" | "unused", active: ActiveCases): "in-use" | "unused" =>
      !implicit || (above === "in-use" && isDefaultInUse(node.schema, active, level.choices)) ? "in-use" : "unused";
    this.compareChildren({
      path: pathTo(level, node),
      choices: node.schema.choices,
      desired: desired !== undefined && hasChildren(desired) ? desired.children : NONE,
      observed: observed !== undefined && hasChildren(observed) ? observed.children : NONE,
      desiredDefaults: defaults(level.desiredDefaults, cases.desired),
      observedDefaults: defaults(level.observedDefaults, cases.observed),
    });
  }

  /**
   * Creates and moves within one user-ordered list or leaf-list, first to last. Each entry is put right behind its predecessor, which is by
   * then at its final place: it stayed, or an operation before this one put it there. Deletes do not matter, as no anchor is ever deleted.
   */
  #userOrder(level: Level, schema: DataSchemaNode, members: readonly ListMember[]): void {
    const desiredIndex = new Map(members.map((member, at) => [segmentKey(segmentOf(member)), at] as const));
    /** Position among the entries that both sides have, in observed order; the value is the desired position. */
    const kept: number[] = [];
    const place = new Map<number, number>();
    for (const [key, node] of level.observed) {
      const at = node.schema === schema ? desiredIndex.get(key) : undefined;
      if (at === undefined) continue;
      place.set(at, kept.length);
      kept.push(at);
    }
    const staying = new Set(longestIncreasing(kept));
    let insert: Insert = { where: "first" };
    for (const [at, member] of members.entries()) {
      const path = pathTo(level, member);
      const position = place.get(at);
      if (position === undefined) this.#create(path, member, { insert });
      else if (!staying.has(position))
        this.operations.push({ op: "move", path, insert, causes: [], impact: "ordinary" });
      insert = { where: "after", anchor: path };
    }
  }

  /** Leaf-lists whose values on one side are just the defaults that are in use on the other: no operation touches them. */
  #settleDefaultLeafLists(level: Level, cases: Cases): ReadonlySet<DataSchemaNode> {
    const settled = new Set<DataSchemaNode>();
    for (const [schema, desired] of defaultedLeafLists(level.desired)) {
      const observed = level.observed;
      if (hasAny(observed, schema) || !equalsDefaults(schema, desired)) continue;
      const inUse =
        level.observedDefaults === "in-use" &&
        isDefaultInUse(schema, cases.observed, level.choices) &&
        isDefaultInUse(schema, cases.result, level.choices);
      if (inUse) this.#settle(level, schema, desired, { desired: "set", observed: "unset" }, settled);
    }
    for (const [schema, observed] of defaultedLeafLists(level.observed)) {
      if (hasAny(level.desired, schema) || !equalsDefaults(schema, observed)) continue;
      const inUse = level.desiredDefaults === "in-use" && isDefaultInUse(schema, cases.desired, level.choices);
      if (inUse) this.#settle(level, schema, observed, { desired: "unset", observed: "set" }, settled);
    }
    return settled;
  }

  #settle(
    level: Level,
    schema: LeafListSchema,
    values: readonly LeafListEntryNode[],
    sides: { readonly desired: "set" | "unset"; readonly observed: "set" | "unset" },
    settled: Set<DataSchemaNode>,
  ): void {
    if (this.#showsExplicitness()) {
      const path = formatInstancePath([...level.path, { kind: "node", module: schema.module, name: schema.name }]);
      this.findings.push({
        kind: "explicitness",
        path,
        value: values.map(({ value }) => valueToJson(value)),
        ...sides,
      });
      if (this.#options.explicitness === "pin") return;
    }
    settled.add(schema);
  }

  #schemaDefault(leaf: LeafSchema): Value | undefined {
    return leaf.defaultText === undefined ? undefined : canonicalValue(this.#schema, leaf, leaf.defaultText);
  }

  #showsExplicitness(): boolean {
    return this.#options.defaultsMode === "explicit";
  }

  #explicitness(
    level: Level,
    node: LeafNode,
    sides: { readonly desired: "set" | "unset"; readonly observed: "set" | "unset" },
  ): void {
    const path = formatInstancePath(pathTo(level, node));
    this.findings.push({ kind: "explicitness", path, value: valueToJson(node.value), ...sides });
  }

  #create(path: InstancePath, node: DataNode, options: Pick<CreateOperation, "insert" | "defaultBefore"> = {}): void {
    const after = setSubtree(node);
    if (after === undefined) return;
    this.operations.push({ op: "create", path, after, ...options, implied: [], causes: [], impact: "ordinary" });
  }

  #delete(path: InstancePath, node: DataNode, options: Pick<DeleteOperation, "defaultAfter"> = {}): void {
    const before = setSubtree(node);
    if (before !== undefined)
      this.operations.push({ op: "delete", path, before, ...options, causes: [], impact: "delete" });
  }
}

function pathTo(level: Level, node: DataNode): InstancePath {
  return [...level.path, segmentOf(node)];
}

function casesOf(level: Level): Cases {
  if (level.choices.size === 0) return NO_CASES;
  const isFirm = (node: DataNode): boolean => {
    if (!isSet(node)) return false;
    if (node.kind !== "leaf" || !isSchemaDefault(node.schema, node.value)) return true;
    const other = level.observed.get(node.schema.id);
    return other !== undefined && isSet(other);
  };
  return {
    desired: activeCases(level.desired),
    observed: activeCases(level.observed),
    result: activeCases(level.desired, isFirm),
  };
}

/** What a server reports as its default goes out of use, whatever the schema says. */
function reportedDefault(observed: LeafNode): Pick<CreateOperation, "defaultBefore"> {
  return { defaultBefore: observed.value };
}

function isSchemaDefault(schema: LeafSchema, value: Value): boolean {
  return value.kind === "plain" && value.text === schema.defaultText;
}
