/**
 * What the compiler can find wrong, and the list it gathers findings in. A grouping is expanded wherever it is used, so
 * one mistake in it would be found many times: equal findings are kept once. The list is bounded, since a hostile
 * module could otherwise produce a finding for each of its characters.
 */
import type { Diagnostic, SourcePosition } from "../diagnostic.ts";

export type YangDiagnosticCode =
  // Text
  | "illegal-character"
  | "statement-syntax"
  | "unterminated-string"
  | "unterminated-comment"
  | "illegal-escape"
  | "nesting-too-deep"
  // Grammar
  | "not-a-module"
  | "unknown-statement"
  | "statement-not-allowed"
  | "statement-missing"
  | "statement-repeated"
  | "statement-order"
  | "argument-missing"
  | "argument-unexpected"
  | "argument-invalid"
  // Modules
  | "duplicate-module"
  | "duplicate-namespace"
  | "duplicate-prefix"
  | "missing-module"
  | "missing-submodule"
  | "wrong-belongs-to"
  | "circular-import"
  | "circular-include"
  | "version-mismatch"
  | "include-incomplete"
  | "revision-order"
  | "unknown-prefix"
  // Definitions
  | "duplicate-definition"
  | "circular-typedef"
  | "circular-grouping"
  | "circular-identity"
  | "circular-feature"
  | "circular-leafref"
  | "unknown-type"
  | "unknown-grouping"
  | "unknown-identity"
  | "unknown-feature"
  | "invalid-if-feature"
  | "unknown-extension"
  | "status-conflict"
  // Expressions
  | "xpath-invalid"
  | "path-invalid"
  | "pattern-invalid"
  | "pattern-anchored"
  // Types
  | "restriction-not-allowed"
  | "restriction-missing"
  | "restriction-wider"
  | "restriction-invalid"
  | "duplicate-enum-or-bit"
  | "leafref-target-not-found"
  | "leafref-to-state"
  | "default-invalid"
  | "default-conditional"
  // Data tree
  | "duplicate-node"
  | "refine-target-not-found"
  | "refine-not-allowed"
  | "augment-target-not-found"
  | "augment-not-allowed"
  | "operation-not-allowed"
  | "deviation-target-not-found"
  | "deviation-conflict"
  | "config-below-state"
  | "key-invalid"
  | "unique-invalid"
  | "mandatory-with-default"
  | "mandatory-not-allowed"
  | "min-above-max"
  | "default-case-invalid"
  | "schema-too-large"
  | "too-many-findings";

export type YangDiagnostic = Diagnostic<YangDiagnosticCode>;

export interface Advice {
  readonly expected?: string;
  readonly remedy?: string;
}

const MAX_FINDINGS = 500;

export class YangReport {
  readonly #found: YangDiagnostic[] = [];
  readonly #seen = new Set<string>();
  #errors = 0;

  /** Errors so far; compare before and after a stage to know whether it may be built upon. */
  get errorCount(): number {
    return this.#errors;
  }

  /** No further finding will be kept, so nothing need be done to make one better. */
  get isFull(): boolean {
    return this.#found.length >= MAX_FINDINGS;
  }

  get diagnostics(): readonly YangDiagnostic[] {
    return this.#found;
  }

  /** `positions`: where it stands, then (for duplicates and conflicts) the other place. */
  error(
    code: YangDiagnosticCode,
    message: string,
    positions: SourcePosition | readonly SourcePosition[],
    advice: Advice = {},
  ): void {
    this.#errors += 1;
    this.#add({ code, severity: "error", message, places: placesOf(positions), ...advice });
  }

  warning(
    code: YangDiagnosticCode,
    message: string,
    positions: SourcePosition | readonly SourcePosition[],
    advice: Advice = {},
  ): void {
    this.#add({ code, severity: "warning", message, places: placesOf(positions), ...advice });
  }

  /** Takes over what another list holds, as it is or as warnings only. */
  absorb(other: readonly YangDiagnostic[], options: { readonly severity: "kept" | "warning" }): void {
    for (const each of other) {
      const diagnostic: YangDiagnostic = options.severity === "kept" ? each : { ...each, severity: "warning" };
      if (diagnostic.severity === "error") this.#errors += 1;
      this.#add(diagnostic);
    }
  }

  #add(diagnostic: YangDiagnostic): void {
    if (this.#found.length >= MAX_FINDINGS) return;
    const key = JSON.stringify([diagnostic.code, diagnostic.severity, diagnostic.message, diagnostic.places]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#found.push(diagnostic);
    if (this.#found.length === MAX_FINDINGS - 1) {
      this.#found.push({
        code: "too-many-findings",
        severity: diagnostic.severity,
        message: `more than ${String(MAX_FINDINGS)} findings; the rest is not listed`,
        places: [],
      });
    }
  }
}

function placesOf(positions: SourcePosition | readonly SourcePosition[]): YangDiagnostic["places"] {
  const list: readonly SourcePosition[] = "line" in positions ? [positions] : positions;
  return list.map((position) => ({ kind: "source", position }));
}
