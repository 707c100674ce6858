/**
 * Errors as data. Everything that can be wrong with an input is reported as a list of diagnostics, so that a caller
 * can show all of them at once, match on the code, and print prose last.
 */

/** A place in a text that a person wrote: 1-based line and column. */
export interface SourcePosition {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** Where a diagnostic points: into a file, into a data tree (instance path), or into a document field. */
export type DiagnosticPlace =
  | { readonly kind: "source"; readonly position: SourcePosition }
  | { readonly kind: "instance"; readonly path: string }
  | { readonly kind: "field"; readonly path: string };

export type DiagnosticSeverity = "error" | "warning";

/**
 * One finding.
 * `code` is a closed kebab-case word of the part that reports it (tests match on it, never on `message`);
 * `expected` says what would have been right, `remedy` what the reader can do. `errorAppTag` is the one that NETCONF
 * gives the error: the schema's own `error-app-tag`, else that of RFC 7950 section 15.
 */
export interface Diagnostic<Code extends string = string> {
  readonly code: Code;
  readonly severity: DiagnosticSeverity;
  readonly message: string;
  readonly places: readonly DiagnosticPlace[];
  readonly expected?: string;
  readonly remedy?: string;
  readonly errorAppTag?: string;
}

/** The outcome of reading something: a value, or at least one error. Warnings may accompany both. */
export type Result<T, D extends Diagnostic = Diagnostic> =
  | { readonly kind: "ok"; readonly value: T; readonly warnings: readonly D[] }
  | { readonly kind: "error"; readonly diagnostics: readonly D[] };

export function ok<T>(value: T, warnings: readonly Diagnostic[] = []): Result<T> {
  return { kind: "ok", value, warnings };
}

export function failure<D extends Diagnostic>(diagnostics: readonly D[]): Result<never, D> {
  return { kind: "error", diagnostics };
}

/** `file:line:column`, an instance path, or a field path, as people read it. */
export function formatPlace(place: DiagnosticPlace): string {
  switch (place.kind) {
    case "source":
      return `${place.position.source}:${String(place.position.line)}:${String(place.position.column)}`;
    case "instance":
      return place.path;
    case "field":
      return place.path;
  }
}

/** One line (places first) followed by what was expected and what to do, each on a line of its own. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const places = diagnostic.places.map(formatPlace).join(", ");
  const head = `${places === "" ? "" : `${places}: `}${diagnostic.message} [${diagnostic.code}]`;
  const expected = diagnostic.expected === undefined ? "" : `\n  expected: ${diagnostic.expected}`;
  const remedy = diagnostic.remedy === undefined ? "" : `\n  try: ${diagnostic.remedy}`;
  return head + expected + remedy;
}
