/**
 * Which of a plan's two states a device shows, and what both are where the device was allowed to move elsewhere since
 * the plan was made.
 */
import type { DataTree } from "../model/tree.ts";
import { applyOperations } from "../plan/apply-operations.ts";
import { compare } from "../plan/compare.ts";
import type { Operation } from "../plan/operation.ts";
import { PathIndex } from "../plan/path-index.ts";
import type { ConfigRead } from "../providers/capability.ts";
import type { SectionBase } from "./device-documents.ts";
import { differencesOf } from "./tree-differences.ts";
import { isDeviceMade } from "./verify-expected.ts";

/** The section as if it had been planned on this tree. Needs a tree on which the plan is not stale. */
export function rebased(base: SectionBase, tree: DataTree): SectionBase {
  return { ...base, planned: tree, expected: applyOperations(tree, base.operations) };
}

/**
 * Only at, above and below the paths that the plan touches: what somebody does elsewhere says nothing about whether our
 * commit stands, and is found as drift.
 */
export function judgeRunning(
  base: SectionBase,
  tree: DataTree,
  basicMode: ConfigRead["basicMode"],
): "planned" | "earlier" | "other" {
  const touched = new PathIndex<"touched">();
  for (const { path } of base.operations) touched.add(path, "touched");
  const isTouched = ({ path }: Operation): boolean =>
    touched.atOrAbove(path).length > 0 || touched.below(path).length > 0;
  const made = isDeviceMade(base);
  const differences = (from: DataTree): readonly Operation[] =>
    compare(from, tree, { defaultsMode: basicMode }).operations.filter(isTouched);
  if (differences(base.expected).every(made)) return "planned";
  return differences(base.planned).length === 0 ? "earlier" : "other";
}

/** Is this candidate nothing but running with the planned change, as a lost session of ours leaves it? */
export function isOurLeftover(
  base: SectionBase,
  { candidate, running }: { readonly candidate: DataTree; readonly running: DataTree },
  basicMode: ConfigRead["basicMode"],
): boolean {
  if (judgeRunning(base, running, basicMode) === "other") return false;
  return differencesOf(rebased(base, running).expected, candidate, basicMode).length === 0;
}
