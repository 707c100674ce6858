/**
 * What findings mean for whoever has to decide: a validation policy gives each a severity, and names those that are
 * known and accepted with the reason.
 *
 * The problem it owns: public models contain constraints that working configurations fail. So a finding of a
 * constraint warns, unless a policy says otherwise, and a site can silence one without silencing the rest.
 */
import { type Diagnostic, type DiagnosticSeverity, formatPlace } from "../diagnostic.ts";
import { isAtOrBelow } from "../path.ts";
import type { ValidationFinding } from "./finding.ts";

/** Which findings: those that each given part takes. A part that is not given takes all. */
export interface FindingSelector {
  /** Codes of findings, those of readers included. */
  readonly codes?: readonly string[];
  /** Modules whose nodes the findings are about. */
  readonly modules?: readonly string[];
  /** Schema nodes, and all below them: `/module:name/name`, a module only where it changes. */
  readonly schemaPaths?: readonly string[];
  /** Instance paths as findings show them, and all below them. */
  readonly paths?: readonly string[];
}

export interface PolicyRule extends FindingSelector {
  readonly severity: DiagnosticSeverity | "ignore";
}

/** Findings that somebody has looked at and accepts. At least one part of the selector is given. */
export interface PolicyExemption extends FindingSelector {
  readonly reason: string;
}

export interface ValidationPolicy {
  readonly name: string;
  /** The first rule that takes a finding decides; the finding's own severity where none does. */
  readonly rules: readonly PolicyRule[];
  /** Go before the rules. */
  readonly exemptions: readonly PolicyExemption[];
}

/** What holds where no policy is given: data that does not fit its schema is an error, a broken constraint a warning. */
export const defaultValidationPolicy: ValidationPolicy = { name: "default", rules: [], exemptions: [] };

/** A finding of validation, or a diagnostic of a reader of data. */
export type JudgedFinding = Diagnostic & Partial<Pick<ValidationFinding, "path" | "schemaPath" | "module">>;

export interface PolicyJudgement<F extends JudgedFinding> {
  /** With the severity that the policy gives, in their order. */
  readonly findings: readonly F[];
  readonly exempted: readonly { readonly finding: F; readonly reason: string }[];
  /** Number of findings that a rule ignores. */
  readonly ignored: number;
  /** Exemptions that no finding needed: they can go. */
  readonly unused: readonly PolicyExemption[];
}

/** Judges findings. Pure: a finding is never changed, and none gets lost uncounted. */
export function applyValidationPolicy<F extends JudgedFinding>(
  policy: ValidationPolicy,
  findings: readonly F[],
): PolicyJudgement<F> {
  const rules = policy.rules.map((rule) => ({ rule, takes: matcher(rule) }));
  const exemptions = policy.exemptions.map((exemption) => ({ exemption, takes: matcher(exemption) }));
  const kept: F[] = [];
  const exempted: { readonly finding: F; readonly reason: string }[] = [];
  const used = new Set<PolicyExemption>();
  let ignored = 0;
  for (const finding of findings) {
    const found = exemptions.find(({ takes }) => takes(finding));
    if (found !== undefined) {
      used.add(found.exemption);
      exempted.push({ finding, reason: found.exemption.reason });
      continue;
    }
    const severity = rules.find(({ takes }) => takes(finding))?.rule.severity ?? finding.severity;
    if (severity === "ignore") ignored += 1;
    else kept.push(severity === finding.severity ? finding : { ...finding, severity });
  }
  return { findings: kept, exempted, ignored, unused: policy.exemptions.filter((each) => !used.has(each)) };
}

function matcher({ codes, modules, schemaPaths, paths }: FindingSelector): (finding: JudgedFinding) => boolean {
  const schemas = schemaPaths?.map(qualifiedSchemaPath);
  return (finding) =>
    (codes === undefined || codes.includes(finding.code)) &&
    (modules === undefined || (finding.module !== undefined && modules.includes(finding.module))) &&
    (schemas === undefined || isBelowAny(finding.schemaPath, schemas)) &&
    (paths === undefined || isBelowAny(pathOf(finding), paths));
}

function isBelowAny(path: string | undefined, ancestors: readonly string[]): boolean {
  return path !== undefined && ancestors.some((each) => isAtOrBelow(path, each));
}

function pathOf(finding: JudgedFinding): string | undefined {
  if (finding.path !== undefined) return finding.path;
  const place = finding.places.find((each) => each.kind === "instance");
  return place && formatPlace(place);
}

/** `/a:b/c` as schema paths are kept, `/a:b/a:c`. */
function qualifiedSchemaPath(path: string): string {
  let module = "";
  return path
    .split("/")
    .map((step) => {
      if (step === "") return step;
      const mark = step.indexOf(":");
      if (mark >= 0) module = step.slice(0, mark);
      return mark >= 0 ? step : `${module}:${step}`;
    })
    .join("/");
}
