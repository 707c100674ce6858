import type { DataTree } from "../model/tree.ts";
import type { Operation } from "./operation.ts";
import { TreeDraft } from "./tree-draft.ts";

/**
 * The tree after the operations, carried out one by one in their order: with the observed tree, the *expected state* that verification
 * compares with. A delete of what is not there changes nothing, as `remove` does (RFC 6241, 7.2); nodes of other cases go when a create
 * selects a case. Throws RangeError on an operation that the tree has no place for (missing ancestor entry, missing anchor): operations of
 * `compare` always fit the tree they were made for. Linear in the number of operations and in the children of touched parents.
 */
export function applyOperations(tree: DataTree, operations: readonly Operation[]): DataTree {
  const draft = new TreeDraft(tree);
  for (const operation of operations) {
    switch (operation.op) {
      case "create":
        draft.put(operation.path, operation.after, operation.insert === undefined ? {} : { insert: operation.insert });
        break;
      case "replace":
        draft.put(operation.path, operation.after);
        break;
      case "delete":
        draft.remove(operation.path);
        break;
      case "move":
        draft.move(operation.path, operation.insert);
    }
  }
  return draft.tree();
}
