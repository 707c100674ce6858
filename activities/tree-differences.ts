/** How a device differs from what was expected, as paths with both values. Explicitness alone is no difference. */
import type { PathDifference } from "../contract/plan-state.ts";
import type { DataTree } from "../model/tree.ts";
import { displayValue } from "../model/value.ts";
import { compare } from "../plan/compare.ts";
import { type Operation, operationPath } from "../plan/operation.ts";
import type { ConfigRead } from "../providers/capability.ts";
import { contentText } from "./documents.ts";

export const MAX_DIFFERENCES = 50;

/** A page of them; the trees need one schema. */
export function differencesOf(
  expected: DataTree,
  found: DataTree,
  basicMode: ConfigRead["basicMode"],
): readonly PathDifference[] {
  return compare(expected, found, { defaultsMode: basicMode }).operations.slice(0, MAX_DIFFERENCES).map(differenceOf);
}

/** An operation towards the expected state, as what was expected and what was found. */
export function differenceOf(operation: Operation): PathDifference {
  return {
    path: operationPath(operation),
    expected: sideText(operation, "after"),
    found: sideText(operation, "before"),
  };
}

/** Byte-identical content, explicitness included. */
export function sameContent(a: DataTree, b: DataTree): boolean {
  return contentText(a) === contentText(b);
}

function sideText(operation: Operation, side: "before" | "after"): string | undefined {
  if (operation.op === "move") return side === "after" ? operation.insert.where : undefined;
  const after = "after" in operation ? operation.after : undefined;
  const before = "before" in operation ? operation.before : undefined;
  const node = side === "after" ? after : before;
  if (node === undefined) return undefined;
  return node.kind === "leaf" || node.kind === "leaf-list-entry" ? displayValue(node.value) : node.kind;
}
