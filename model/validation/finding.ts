/** What validation can find, and what NETCONF calls it. */
import {
  type Diagnostic,
  type DiagnosticPlace,
  type DiagnosticSeverity,
  type SourcePosition,
  formatPlace,
} from "../diagnostic.ts";

/**
 * Every rule: the section of RFC 7950 that states it, and the `error-tag` and `error-app-tag` with which a NETCONF
 * server answers (RFC 7950 sections 8.3 and 15). `severity` is the one that a finding has before any policy: what
 * makes the data unreadable is an error, a constraint that it fails is a warning, since public models contain
 * constraints that real configurations fail.
 */
export const VALIDATION_RULES = {
  "mandatory-missing": { rfc: "7.6.5", errorTag: "data-missing", errorAppTag: undefined, severity: "warning" },
  "choice-missing": { rfc: "7.9.4", errorTag: "data-missing", errorAppTag: "missing-choice", severity: "warning" },
  "choice-ambiguous": { rfc: "7.9", errorTag: "bad-element", errorAppTag: undefined, severity: "error" },
  "too-few-elements": {
    rfc: "7.7.5",
    errorTag: "operation-failed",
    errorAppTag: "too-few-elements",
    severity: "warning",
  },
  "too-many-elements": {
    rfc: "7.7.6",
    errorTag: "operation-failed",
    errorAppTag: "too-many-elements",
    severity: "warning",
  },
  "not-unique": { rfc: "7.8.3", errorTag: "operation-failed", errorAppTag: "data-not-unique", severity: "warning" },
  "reference-missing": {
    rfc: "9.9.3",
    errorTag: "data-missing",
    errorAppTag: "instance-required",
    severity: "warning",
  },
  "instance-missing": {
    rfc: "9.13.1",
    errorTag: "data-missing",
    errorAppTag: "instance-required",
    severity: "warning",
  },
  "when-false": { rfc: "7.21.5", errorTag: "unknown-element", errorAppTag: undefined, severity: "warning" },
  "must-false": { rfc: "7.5.3", errorTag: "operation-failed", errorAppTag: "must-violation", severity: "warning" },
  "value-invalid": { rfc: "9", errorTag: "invalid-value", errorAppTag: undefined, severity: "error" },
  "node-misplaced": { rfc: "8.1", errorTag: "unknown-element", errorAppTag: undefined, severity: "error" },
  "key-missing": { rfc: "7.8.2", errorTag: "missing-element", errorAppTag: undefined, severity: "error" },
  "not-evaluated": { rfc: "6.4", errorTag: "operation-failed", errorAppTag: undefined, severity: "warning" },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly rfc: string;
      readonly errorTag: string;
      readonly errorAppTag: string | undefined;
      readonly severity: DiagnosticSeverity;
    }
  >
>;

/**
 * - `mandatory-missing`: a leaf, anydata or anyxml; `path` is where it would stand.
 * - `choice-missing`: no case of a mandatory choice; `path` is the parent. `choice-ambiguous`: nodes of two cases.
 * - `too-few-elements`, `too-many-elements`: `path` is the list or leaf-list without a predicate.
 * - `not-unique`: `path` is the later entry, the earlier one is the second place.
 * - `reference-missing`: a leafref; `instance-missing`: an instance-identifier; `path` is the leaf that refers.
 * - `when-false`: the node is there and must not be. `must-false`: `path` is the node that carries the `must`.
 * - `value-invalid`, `node-misplaced`, `key-missing`: only where trees are checked whole.
 * - `not-evaluated`: an expression that cannot be read or costs too much, so that nothing is known about its rule.
 */
export type ValidationCode = keyof typeof VALIDATION_RULES;

export interface ValidationFinding extends Diagnostic<ValidationCode> {
  /** Text of the instance path, as `formatInstancePath` writes it. */
  readonly path: string;
  /** Schema path of the data node that the rule belongs to; of the parent for choices. `/` at the top. */
  readonly schemaPath: string;
  /** The module that the node belongs to. */
  readonly module: string;
  /** What NETCONF names beside the path. */
  readonly concerns?: FindingConcern;
  /** On the last finding of a rule: how many others there are, which are not listed. */
  readonly more?: number;
}

/** The `error-info` that RFC 7950 asks for: of `choice-missing` the choice (section 15.7), of `not-unique` the leafs (section 15.1). */
export type FindingConcern =
  | { readonly kind: "choice"; readonly name: string }
  /** Instance paths of the leafs whose values are the same, of the earlier entry first. */
  | { readonly kind: "leafs"; readonly paths: readonly string[] };

/** What a rule has to say; `places` besides the instance path come behind it. */
export interface FindingReport {
  readonly code: ValidationCode;
  readonly path: string;
  readonly schemaPath: string;
  readonly module: string;
  readonly message: string;
  /** Where the rule is written. */
  readonly position: SourcePosition | undefined;
  /** Other instances that have a part in it. */
  readonly others?: readonly string[];
  readonly expected?: string | undefined;
  readonly remedy?: string | undefined;
  /** The schema's own `error-app-tag`, which goes before that of the rule. */
  readonly errorAppTag?: string | undefined;
  readonly concerns?: FindingConcern;
}

/**
 * Collects findings, of each rule up to a limit: so that a hopeless document cannot take all memory, and a rule that is
 * broken everywhere does not hide the others.
 */
export class Findings {
  readonly #found: ValidationFinding[] = [];
  readonly #rules = new Map<string, RuleCount>();
  readonly #limit: number;

  /** Most findings of one rule at one schema node; at least 1. */
  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  add(report: FindingReport): void {
    const { code, schemaPath, position } = report;
    const key = `${code} ${schemaPath} ${position === undefined ? "" : formatPlace({ kind: "source", position })}`;
    const rule = this.#rules.get(key);
    if (rule === undefined) {
      this.#rules.set(key, { listed: 1, last: this.#found.push(findingOf(report)) - 1, more: 0 });
    } else if (rule.listed < this.#limit) {
      rule.listed += 1;
      rule.last = this.#found.push(findingOf(report)) - 1;
    } else {
      rule.more += 1;
    }
  }

  all(): readonly ValidationFinding[] {
    const found = [...this.#found];
    for (const { last, more } of this.#rules.values()) {
      const finding = found[last];
      if (finding === undefined || more === 0) continue;
      found[last] = { ...finding, more, message: `${finding.message}, and ${String(more)} more like it` };
    }
    return found;
  }
}

interface RuleCount {
  listed: number;
  /** Index of the last finding listed. */
  last: number;
  more: number;
}

function findingOf(report: FindingReport): ValidationFinding {
  const { code, path, schemaPath, module, message, position, others = [], expected, remedy, concerns } = report;
  const rule = VALIDATION_RULES[code];
  const errorAppTag = report.errorAppTag ?? rule.errorAppTag;
  const places: DiagnosticPlace[] = [path, ...others].map((each) => ({ kind: "instance", path: each }));
  if (position !== undefined) places.push({ kind: "source", position });
  return {
    code,
    severity: rule.severity,
    message,
    places,
    path,
    schemaPath,
    module,
    ...(expected === undefined ? {} : { expected }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(errorAppTag === undefined ? {} : { errorAppTag }),
    ...(concerns === undefined ? {} : { concerns }),
  };
}
