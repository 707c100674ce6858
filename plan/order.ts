/**
 * The order in which operations are safe on a device that carries them out one by one: what is referred to comes before what refers to it,
 * and goes after the last reference to it is gone. Where nothing forces an order, deletes come first (an address moves between interfaces
 * without ever standing twice), then paths in text order, so the order in which a device was read leaves no trace in a plan.
 */
import type { Schema } from "../model/schema.ts";
import { isUserOrdered } from "../model/tree.ts";
import { type CaseSwitch, caseSwitches, showAtFirst } from "./case-switch.ts";
import type { Finding } from "./finding.ts";
import { Heap } from "./heap.ts";
import { type Operation, operationPath } from "./operation.ts";
import { type OperationReferences, ReferenceReader, type SoftReference } from "./references.ts";
import { schemaAlong } from "./schema-along.ts";
import { compareText } from "../model/compare-text.ts";
import { stronglyConnected } from "./strongly-connected.ts";

export interface OrderOptions {
  readonly softReferences?: readonly SoftReference[];
}

export interface OrderedOperations {
  readonly operations: readonly Operation[];
  /** One `reference-cycle` for each circle; its operations stand together and need one atomic edit. */
  readonly findings: readonly Finding[];
}

/**
 * Sorts the operations of one comparison. Guarantees: the same operations; every create after the creates it refers to, every delete after
 * the deletes and replaces that drop a reference to what it removes; creates and moves of one user-ordered list in their given order, since
 * each is an anchor of the next; equal input sets give equal output. n log n in operations and references.
 */
export function orderOperations(
  schema: Schema,
  operations: readonly Operation[],
  options: OrderOptions = {},
): OrderedOperations {
  const nodes = operations.map((operation) => ({ operation, rank: rankOf(operation), path: operationPath(operation) }));
  const chains = userOrderChains(schema, operations);
  const switches = caseSwitches(schema, operations);
  const edges = referenceEdges(operations, switches, options.softReferences ?? []);
  for (const [from, to] of chains) edges[from]?.add(to);

  const components = stronglyConnected(edges);
  const componentOf = new Array<number>(nodes.length).fill(0);
  for (const [component, members] of components.entries())
    for (const member of members) componentOf[member] = component;

  const byKey = (a: number, b: number): number => {
    const left = nodes[a];
    const right = nodes[b];
    if (left === undefined || right === undefined) return 0;
    return left.rank - right.rank || compareText(left.path, right.path) || a - b;
  };
  const findings: Finding[] = [];
  const grouped = components.map((members) => {
    if (members.length === 1) return members;
    const paths = members.map((member) => nodes[member]?.path ?? "").sort(compareText);
    findings.push({ kind: "reference-cycle", paths });
    const within = new Set(members);
    return topological(
      members,
      chains.filter(([from, to]) => within.has(from) && within.has(to)),
      byKey,
    );
  });
  const between: (readonly [number, number])[] = [];
  for (const [from, targets] of edges.entries()) {
    for (const to of targets) {
      const [left, right] = [componentOf[from] ?? 0, componentOf[to] ?? 0];
      if (left !== right) between.push([left, right]);
    }
  }
  const order = topological([...components.keys()], between, (a, b) =>
    byKey(grouped[a]?.[0] ?? 0, grouped[b]?.[0] ?? 0),
  );
  const sorted = order.flatMap((component) => grouped[component] ?? []);
  const final = showAtFirst(operations, switches, sorted);
  return { operations: sorted.flatMap((member) => final[member] ?? []), findings };
}

function rankOf(operation: Operation): number {
  return operation.op === "delete" ? 0 : 1;
}

/** Successive creates and moves of each user-ordered list. */
function userOrderChains(schema: Schema, operations: readonly Operation[]): readonly (readonly [number, number])[] {
  const last = new Map<string, number>();
  const chains: (readonly [number, number])[] = [];
  for (const [index, operation] of operations.entries()) {
    const node = schemaAlong(schema, operation.path).at(-1);
    if (node === undefined || !isUserOrdered(node) || (operation.op !== "create" && operation.op !== "move")) continue;
    const list = operationPath({ ...operation, path: operation.path.slice(0, -1) }) + node.id;
    const before = last.get(list);
    if (before !== undefined) chains.push([before, index]);
    last.set(list, index);
  }
  return chains;
}

/** For each operation the ones that have to wait for it. */
function referenceEdges(
  operations: readonly Operation[],
  switches: readonly CaseSwitch[],
  softReferences: readonly SoftReference[],
): readonly Set<number>[] {
  const reader = new ReferenceReader(softReferences);
  const references: OperationReferences[] = operations.map((operation) => reader.read(operation));
  // Whichever create of a new case comes first takes the old case away: all of them have to wait for its referrers.
  for (const { carrier, creates } of switches) {
    const { removes, releases } = references[carrier] ?? reader.nothing;
    for (const create of creates) {
      const own = references[create];
      if (own === undefined || create === carrier) continue;
      references[create] = {
        ...own,
        removes: new Set([...own.removes, ...removes]),
        releases: new Set([...own.releases, ...releases]),
      };
    }
  }
  const makers = indexOf(references, ({ makes }) => makes);
  const removers = indexOf(references, ({ removes }) => removes);
  const edges = operations.map(() => new Set<number>());
  for (const [index, { pointsAt, releases }] of references.entries()) {
    for (const thing of pointsAt) {
      for (const maker of makers.get(thing) ?? []) if (maker !== index) edges[maker]?.add(index);
    }
    for (const thing of releases) {
      for (const remover of removers.get(thing) ?? []) if (remover !== index) edges[index]?.add(remover);
    }
  }
  return edges;
}

function indexOf(
  references: readonly OperationReferences[],
  select: (each: OperationReferences) => ReadonlySet<string>,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [index, each] of references.entries()) {
    for (const thing of select(each)) {
      const list = found.get(thing);
      if (list === undefined) found.set(thing, [index]);
      else list.push(index);
    }
  }
  return found;
}

/** Always the smallest that waits for nothing. Needs edges without a circle, between members only. */
function topological(
  members: readonly number[],
  edges: readonly (readonly [number, number])[],
  compare: (a: number, b: number) => number,
): readonly number[] {
  const followers = new Map<number, number[]>(members.map((member) => [member, []]));
  const waitsFor = new Map<number, number>(members.map((member) => [member, 0]));
  for (const [from, to] of edges) {
    followers.get(from)?.push(to);
    waitsFor.set(to, (waitsFor.get(to) ?? 0) + 1);
  }
  const ready = new Heap(compare);
  for (const member of members) if (waitsFor.get(member) === 0) ready.push(member);
  const order: number[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    order.push(next);
    for (const follower of followers.get(next) ?? []) {
      const left = (waitsFor.get(follower) ?? 0) - 1;
      waitsFor.set(follower, left);
      if (left === 0) ready.push(follower);
    }
  }
  return order;
}
