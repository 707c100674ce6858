import { isDeepStrictEqual } from "node:util";

/** The story came out otherwise than it should: the pipeline is broken, and the demo says where. */
export class BrokenStory extends Error {
  override readonly name = "BrokenStory";
}

/** Throws a BrokenStory that shows both sides unless they are deeply equal. `what` names the fact in words. */
export function checkFact(what: string, fact: { readonly expected: unknown; readonly found: unknown }): void {
  if (isDeepStrictEqual(fact.found, fact.expected)) return;
  throw new BrokenStory(`${what}\n  expected: ${show(fact.expected)}\n  found:    ${show(fact.found)}`);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
