/**
 * What is found out about many nodes at once. Paths that lead to the same nodes again give the same array, so it is kept
 * with the array: comparing each of many leafs with all of many others makes one set.
 */
import type { DataDocument } from "./data-document.ts";
import type { XPathNode } from "./xpath-node.ts";
import { stringToNumber } from "./xpath-value.ts";

export interface NumberFacts {
  /** NaN where one of the texts is no number. */
  readonly sum: number;
  /** Of the texts that are numbers; undefined without any. */
  readonly least: number | undefined;
  readonly greatest: number | undefined;
}

/** From this many nodes on it is worth keeping. */
export const WORTH_KEEPING = 16;
const texts = new WeakMap<readonly XPathNode[], ReadonlySet<string>>();
const numbers = new WeakMap<readonly XPathNode[], NumberFacts>();

/** The string values of the nodes. */
export function textsOf(nodes: readonly XPathNode[], document: DataDocument): ReadonlySet<string> {
  return kept(texts, nodes, () => {
    const found = new Set<string>();
    document.charge(nodes.length);
    for (const node of nodes) found.add(document.stringValue(node));
    return found;
  });
}

/** Their string values as numbers. */
export function numbersOf(nodes: readonly XPathNode[], document: DataDocument): NumberFacts {
  return kept(numbers, nodes, () => {
    let sum = 0;
    let least: number | undefined;
    let greatest: number | undefined;
    document.charge(nodes.length);
    for (const node of nodes) {
      const number = stringToNumber(document.stringValue(node));
      sum += number;
      if (Number.isNaN(number)) continue;
      if (least === undefined || number < least) least = number;
      if (greatest === undefined || number > greatest) greatest = number;
    }
    return { sum, least, greatest };
  });
}

function kept<T>(cache: WeakMap<readonly XPathNode[], T>, nodes: readonly XPathNode[], compute: () => T): T {
  if (nodes.length < WORTH_KEEPING) return compute();
  let facts = cache.get(nodes);
  if (facts === undefined) cache.set(nodes, (facts = compute()));
  return facts;
}
