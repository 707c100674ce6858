/** Top-level augments, across modules and onto what other augments added (RFC 7950 section 7.17). */
import { type DraftNode, stepId } from "./draft-node.ts";
import type { TreeExpander } from "./expand-tree.ts";
import type { SourceUnit } from "./linked-module.ts";
import { type YangStatement, argumentOf, findChildren, splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Roots of the draft trees of the implemented modules, by module name. */
export type DraftRoots = ReadonlyMap<string, DraftNode>;

interface Augment {
  readonly statement: YangStatement;
  readonly unit: SourceUnit;
}

/**
 * Applies the augments of the units, in their order. An augment may name a node that a later one adds: it waits for the
 * first node that its path misses, and goes on when that node comes. What waits in the end names no node.
 */
export function applyAugments(
  units: readonly SourceUnit[],
  roots: DraftRoots,
  expander: TreeExpander,
  report: YangReport,
): void {
  /** By the node that is there, and the id of its child that is not. */
  const waiting = new Map<DraftNode | undefined, Map<string, Augment[]>>();
  const open = units
    .flatMap((unit) => findChildren(unit.parsed.statement, "augment").map((statement) => ({ statement, unit })))
    .reverse();
  for (let augment = open.pop(); augment !== undefined; augment = open.pop()) {
    const { statement, unit } = augment;
    const way = walkAbsolutePath(roots, argumentOf(statement), unit);
    if (way.kind === "ends") {
      const here = waiting.get(way.at) ?? new Map<string, Augment[]>();
      waiting.set(way.at, here);
      const others = here.get(way.missing) ?? [];
      here.set(way.missing, others);
      others.push(augment);
      continue;
    }
    const context = { scope: unit.scope, module: unit.module, enabled: true };
    const here = waiting.get(way.node);
    const ready = expander.expandAugment(statement, way.node, context).flatMap(({ id }) => {
      const augments = here?.get(id) ?? [];
      here?.delete(id);
      return augments;
    });
    open.push(...ready.reverse());
  }
  const left = [...waiting.values()].flatMap((here) => [...here.values()].flat());
  for (const { statement } of left)
    report.error("augment-target-not-found", `no node ${argumentOf(statement)} to augment`, statement.position, {
      remedy: "the module that defines the node may be of another revision",
    });
}

/** Where a path leads, or the last node on its way and the step that it misses; no node where its module has no tree. */
type Way =
  | { readonly kind: "leads"; readonly node: DraftNode }
  | { readonly kind: "ends"; readonly at: DraftNode | undefined; readonly missing: string };

function walkAbsolutePath(roots: DraftRoots, path: string, unit: SourceUnit): Way {
  if (!path.startsWith("/")) return { kind: "ends", at: undefined, missing: path };
  const steps = path.slice(1).split("/");
  const { prefix } = splitName(steps[0] ?? "");
  const module = prefix === undefined ? unit.module : unit.prefixes.get(prefix);
  let node = module && roots.get(module.name);
  for (const step of steps) {
    const id = stepId(step, { scope: unit.scope, module: unit.module });
    const next: DraftNode | undefined = node?.children.get(id);
    if (next === undefined) return { kind: "ends", at: node, missing: id };
    node = next;
  }
  return node === undefined ? { kind: "ends", at: undefined, missing: path } : { kind: "leads", node };
}

/** The node of an absolute schema node identifier, choices and cases included (RFC 7950 section 6.5). */
export function followAbsolutePath(roots: DraftRoots, path: string, unit: SourceUnit): DraftNode | undefined {
  const way = walkAbsolutePath(roots, path, unit);
  return way.kind === "leads" ? way.node : undefined;
}
