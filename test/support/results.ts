import { type Diagnostic, type Result, formatDiagnostic } from "../../model/diagnostic.ts";

/** The value of a result that has to be ok; else an error that shows every diagnostic. */
export function valueOf<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  throw new Error(result.diagnostics.map(formatDiagnostic).join("\n"));
}

/** What is wrong with a result that has to be an error. */
export function diagnosticsOf(result: Result<unknown>): readonly Diagnostic[] {
  if (result.kind === "ok") throw new Error("the result is ok");
  return result.diagnostics;
}

/** `code place` of each finding of a result that has to be an error. */
export function problemsOf(result: Result<unknown>): readonly string[] {
  if (result.kind === "ok") throw new Error("the result is ok");
  return result.diagnostics.map(summary);
}

/** `code place` of each warning of a result that has to be ok. */
export function warningsOf(result: Result<unknown>): readonly string[] {
  valueOf(result);
  return result.kind === "ok" ? result.warnings.map(summary) : [];
}

function summary(diagnostic: Diagnostic): string {
  const [place] = diagnostic.places;
  return place?.kind === "instance" ? `${diagnostic.code} ${place.path}` : diagnostic.code;
}
