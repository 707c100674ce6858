/**
 * Does a device show the expected state? Nodes that the device itself adds to what we created (an id, a default it
 * writes out) are no failure: they are adopted, and join desired state unowned. Anything else that differs is named.
 */
import { itemsOf } from "../codec/items.ts";
import type { PathDifference } from "../contract/plan-state.ts";
import type { Item } from "../model/item.ts";
import { isAtOrBelow } from "../model/path.ts";
import type { DataTree } from "../model/tree.ts";
import { compare } from "../plan/compare.ts";
import { type Operation, operationPath } from "../plan/operation.ts";
import type { ConfigRead } from "../providers/capability.ts";
import type { SectionBase } from "./device-documents.ts";
import { differenceOf, MAX_DIFFERENCES } from "./tree-differences.ts";

export interface Verification {
  /** A page of what is not as expected; none: verified. */
  readonly differences: readonly PathDifference[];
  /** What the device made itself below nodes that the plan creates. */
  readonly adopted: readonly Item[];
}

/** Is an operation towards the expected state about a node that the device itself added to what the plan creates? */
export function isDeviceMade(base: SectionBase): (operation: Operation) => boolean {
  const created = base.operations.filter((operation) => operation.op === "create").map(operationPath);
  const isOurs = (path: string): boolean => created.some((above) => path !== above && isAtOrBelow(path, above));
  // What would have to be deleted to reach the expected state is what the device has beyond it.
  return (operation) => operation.op === "delete" && isOurs(operationPath(operation));
}

export function verifyExpected(base: SectionBase, tree: DataTree, basicMode: ConfigRead["basicMode"]): Verification {
  const differing = compare(base.expected, tree, { defaultsMode: basicMode }).operations;
  const made = differing.filter(isDeviceMade(base));
  const rest = differing.filter((operation) => !made.includes(operation));
  const madePaths = made.map(operationPath);
  return {
    differences: rest.slice(0, MAX_DIFFERENCES).map(differenceOf),
    adopted:
      madePaths.length === 0
        ? []
        : itemsOf(tree).filter((item) => madePaths.some((path) => isAtOrBelow(item.path, path))),
  };
}
