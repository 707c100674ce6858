/**
 * What of a tree counts as written. A server that reports defaults (RFC 6243) shows leafs nobody set; they select no case, keep no
 * container alive and are never sent.
 */
import { compareText } from "../model/compare-text.ts";
import { type SortKey, compareSortKeys, sortKeyOf } from "../model/values/canonical-order.ts";
import type { ChoiceSchema, DataSchemaNode } from "../model/schema.ts";
import { type Children, type DataNode, childrenOf, isUserOrdered } from "../model/tree.ts";

/** Does the node exist by itself or hold something that does? Leafs that are known defaults do not count. */
export function isSet(node: DataNode): boolean {
  switch (node.kind) {
    case "leaf":
      return node.origin !== "default";
    case "container":
      if (node.schema.presence) return true;
      for (const child of node.children.values()) if (isSet(child)) return true;
      return false;
    case "entry":
    case "leaf-list-entry":
    case "anydata":
      return true;
  }
}

/**
 * The node without anything that is not configuration somebody wrote: known defaults, `config false` nodes, empty non-presence containers.
 * Entries of system-ordered lists stand in canonical order, user-ordered ones in theirs, so equal content gives equal documents.
 * Undefined where nothing is left.
 */
export function setSubtree(node: DataNode): DataNode | undefined {
  if (!node.schema.config || !isSet(node)) return undefined;
  switch (node.kind) {
    case "leaf":
    case "leaf-list-entry":
    case "anydata":
      return node;
    case "container":
    case "entry":
      return { ...node, children: setChildren(node.children) };
  }
}

function setChildren(children: Children): Children {
  const kept: DataNode[] = [];
  for (const child of children.values()) {
    const set = setSubtree(child);
    if (set !== undefined) kept.push(set);
  }
  const isSorted = (node: DataNode): boolean =>
    (node.kind === "entry" || node.kind === "leaf-list-entry") && !isUserOrdered(node.schema);
  const sorted = kept
    .filter(isSorted)
    .map((node) => ({ node, list: node.schema.schemaPath, keys: sortKeysOf(node) }))
    .sort((a, b) => compareText(a.list, b.list) || compareSortKeys(a.keys, b.keys));
  return childrenOf([...kept.filter((node) => !isSorted(node)), ...sorted.map(({ node }) => node)]);
}

function sortKeysOf(node: DataNode): readonly SortKey[] {
  if (node.kind === "entry") return node.keys.map(sortKeyOf);
  return node.kind === "leaf-list-entry" ? [sortKeyOf(node.value)] : [];
}

/** choice id -> case id that holds a set node among these children; nested choices included. */
export type ActiveCases = ReadonlyMap<string, string>;

/** The cases that these nodes select. `counts` narrows what selects one; by default every set node does. */
export function activeCases(children: Children, counts: (node: DataNode) => boolean = isSet): ActiveCases {
  const active = new Map<string, string>();
  for (const node of children.values()) {
    if (node.schema.cases.length > 0 && counts(node)) {
      for (const membership of node.schema.cases) active.set(membership.choice, membership.case);
    }
  }
  return active;
}

/** Is a node of this schema excluded by the cases that others select (RFC 7950, 7.9)? */
export function isExcluded(schema: DataSchemaNode, active: ActiveCases): boolean {
  return schema.cases.some(({ choice, case: own }) => {
    const selected = active.get(choice);
    return selected !== undefined && selected !== own;
  });
}

/** Would the default of an absent node be in use (RFC 7950, 7.6.1): its case is selected, or is the default case of an unselected choice? */
export function isDefaultInUse(
  schema: DataSchemaNode,
  active: ActiveCases,
  choices: ReadonlyMap<string, ChoiceSchema>,
): boolean {
  return schema.cases.every(({ choice, case: own }) => {
    const selected = active.get(choice);
    return selected === undefined ? findChoice(choices.values(), choice)?.defaultCase === own : selected === own;
  });
}

function findChoice(choices: Iterable<ChoiceSchema>, id: string): ChoiceSchema | undefined {
  for (const choice of choices) {
    if (choice.id === id) return choice;
    for (const each of choice.cases) {
      const nested = findChoice(each.choices, id);
      if (nested !== undefined) return nested;
    }
  }
  return undefined;
}
