/** Top-level augments, across modules and onto what other augments added (RFC 7950 section 7.17). */
import { type DraftNode, followSchemaPath } from "./draft-node.ts";
import type { TreeExpander } from "./expand-tree.ts";
import type { LinkedModule, SourceUnit } from "./linked-module.ts";
import { type YangStatement, argumentOf, findChildren, splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Roots of the draft trees of the implemented modules, by module name. */
export type DraftRoots = ReadonlyMap<string, DraftNode>;

interface Augment {
  readonly statement: YangStatement;
  readonly unit: SourceUnit;
}

/**
 * Applies the augments of all implemented modules. An augment may name a node that another one adds, whatever the order
 * of modules, so they are tried in rounds until a round adds nothing; what is left names no node.
 */
export function applyAugments(
  modules: readonly LinkedModule[],
  roots: DraftRoots,
  expander: TreeExpander,
  report: YangReport,
): void {
  let pending: readonly Augment[] = modules
    .filter((module) => module.implemented)
    .flatMap((module) => module.units)
    .flatMap((unit) => findChildren(unit.parsed.statement, "augment").map((statement) => ({ statement, unit })));
  for (;;) {
    const left = pending.filter(({ statement, unit }) => {
      const target = followAbsolutePath(roots, argumentOf(statement), unit);
      if (target !== undefined)
        expander.expandAugment(statement, target, { scope: unit.scope, module: unit.module, enabled: true });
      return target === undefined;
    });
    if (left.length === pending.length) break;
    pending = left;
  }
  for (const { statement } of pending)
    report.error("augment-target-not-found", `no node ${argumentOf(statement)} to augment`, statement.position, {
      remedy: "the module that defines the node may be of another revision",
    });
}

/** The node of an absolute schema node identifier, choices and cases included (RFC 7950 section 6.5). */
export function followAbsolutePath(roots: DraftRoots, path: string, unit: SourceUnit): DraftNode | undefined {
  if (!path.startsWith("/")) return undefined;
  const { prefix } = splitName(path.slice(1).split("/")[0] ?? "");
  const module = prefix === undefined ? unit.module : unit.prefixes.get(prefix);
  const root = module === undefined ? undefined : roots.get(module.name);
  return root && followSchemaPath(root.children, path, { scope: unit.scope, module: unit.module });
}
