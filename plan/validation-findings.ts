/** What a change does to the rules that a device's modules put on its configuration (RFC 7950 section 8). */
import type { DataTree } from "../model/tree.ts";
import { type ValidationPolicy, applyValidationPolicy, defaultValidationPolicy } from "../model/validation/policy.ts";
import { type ValidationFinding, validateTree } from "../model/validation/validate-tree.ts";
import type { Finding } from "./finding.ts";

/** Far above what anybody reads, so that a rule broken already never hides one that breaks anew. */
const LIMIT = 100_000;

export interface JudgedChange {
  /** Rules that are kept before the change and broken after it, with the severity that the policy gives. */
  readonly introduced: readonly ValidationFinding[];
  /** Number of rules that are broken before and stay so; what the policy exempts or ignores is in neither. */
  readonly standing: number;
}

/**
 * Judges a change by a validation policy; without one, findings are what they are. What was broken before is never a
 * reason against it: public models contain constraints that real configurations fail. Needs: both trees complete and of
 * one schema.
 */
export function judgeChange(
  before: DataTree,
  after: DataTree,
  policy: ValidationPolicy = defaultValidationPolicy,
): JudgedChange {
  const { findings } = applyValidationPolicy(policy, validateTree(after, { limit: LIMIT }));
  if (findings.length === 0) return { introduced: [], standing: 0 };
  const known = new Set(validateTree(before, { limit: LIMIT }).map(identityOf));
  const introduced = findings.filter((each) => !known.has(identityOf(each)));
  return { introduced, standing: findings.length - introduced.length };
}

/** What the policy does not let pass: the findings for which a proposal is refused. */
export function refusedBy({ introduced }: JudgedChange): readonly ValidationFinding[] {
  return introduced.filter((each) => each.severity === "error");
}

/**
 * Findings for the reviewer of a plan: each rule that it breaks, and the number of those that are broken already. With
 * a policy they say which it calls errors.
 */
export function validationFindings(
  { introduced, standing }: JudgedChange,
  policy: ValidationPolicy | undefined,
): readonly Finding[] {
  return [
    ...introduced.map(
      (each): Finding => ({
        kind: "validation",
        code: each.code,
        path: each.path,
        message: each.message,
        ...(each.errorAppTag === undefined ? {} : { errorAppTag: each.errorAppTag }),
        ...(policy !== undefined && each.severity === "error" ? { severity: "error" as const } : {}),
      }),
    ),
    ...(standing === 0 ? [] : [{ kind: "validation-standing", path: "/", count: standing } satisfies Finding]),
  ];
}

/** The same rule at the same node, whatever the values in the message. */
function identityOf(finding: ValidationFinding): string {
  return JSON.stringify([finding.code, finding.path, finding.schemaPath, finding.places.slice(1)]);
}
