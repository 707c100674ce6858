/** The `status` of definitions (RFC 7950 section 7.21.2). */
import { type YangStatement, childArgument } from "./statement.ts";

const AGES: ReadonlyMap<string, number> = new Map([
  ["current", 0],
  ["deprecated", 1],
  ["obsolete", 2],
]);

/** How far a definition has gone: 0 current, 1 deprecated, 2 obsolete. */
export function ageOf(statement: YangStatement): number {
  return AGES.get(childArgument(statement, "status") ?? "current") ?? 0;
}
