/** What can be wrong with an expression, found before it is evaluated. */
import type { Diagnostic, DiagnosticPlace, DiagnosticSeverity } from "../diagnostic.ts";

export type XPathDiagnosticCode =
  | "xpath-syntax"
  | "xpath-too-deep"
  | "xpath-unknown-function"
  | "xpath-argument-count"
  | "xpath-type"
  | "xpath-variable"
  | "xpath-unknown-prefix"
  /** A warning: a step that no data can match. */
  | "xpath-never-matches"
  /** A warning: an identity, enum or bit that the compared leaf's type does not have. */
  | "xpath-never-equal";

/** `offset` counts UTF-16 units from the start of the expression's text. */
export interface XPathDiagnostic extends Diagnostic<XPathDiagnosticCode> {
  readonly offset: number;
}

export function xpathDiagnostic(
  code: XPathDiagnosticCode,
  message: string,
  at: {
    readonly offset: number;
    readonly severity?: DiagnosticSeverity;
    readonly expected?: string;
    readonly places?: readonly DiagnosticPlace[];
  },
): XPathDiagnostic {
  return {
    code,
    severity: at.severity ?? "error",
    message,
    places: at.places ?? [],
    offset: at.offset,
    ...(at.expected === undefined ? {} : { expected: at.expected }),
  };
}
