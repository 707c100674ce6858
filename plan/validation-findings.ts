/** What a plan does to the rules that a device's modules put on its configuration (RFC 7950 section 8). */
import type { DataTree } from "../model/tree.ts";
import { type ValidationFinding, validateTree } from "../model/validation/validate-tree.ts";
import type { Finding } from "./finding.ts";

/** Far above what anybody reads, so that a rule broken already never hides one that breaks anew. */
const LIMIT = 100_000;

/**
 * Findings for the reviewer of a plan that leads from `observed` to `expected`: each rule that is broken after it and is
 * kept today, and the number of those that are broken already. They warn and never refuse: public models contain
 * constraints that real configurations fail, and the device has the last word when it validates.
 * Needs: both trees complete and of one schema.
 */
export function validationFindings(observed: DataTree, expected: DataTree): readonly Finding[] {
  const after = validateTree(expected, { limit: LIMIT });
  if (after.length === 0) return [];
  const before = new Set(validateTree(observed, { limit: LIMIT }).map(identityOf));
  const introduced = after.filter((each) => !before.has(identityOf(each)));
  const standing = after.length - introduced.length;
  return [
    ...introduced.map(
      (each): Finding => ({
        kind: "validation",
        code: each.code,
        path: each.path,
        message: each.message,
        ...(each.errorAppTag === undefined ? {} : { errorAppTag: each.errorAppTag }),
      }),
    ),
    ...(standing === 0 ? [] : [{ kind: "validation-standing", path: "/", count: standing } satisfies Finding]),
  ];
}

/** The same rule at the same node, whatever the values in the message. */
function identityOf(finding: ValidationFinding): string {
  return JSON.stringify([finding.code, finding.path, finding.schemaPath, finding.places.slice(1)]);
}
