/** What can be wrong with the text of a path, whatever its encoding, and with a path that is to be written. */
import { type Diagnostic, type Result, failure } from "../diagnostic.ts";

export type PathDiagnosticCode =
  | "path-syntax"
  | "path-unknown-node"
  | "path-ambiguous-node"
  | "path-unknown-prefix"
  | "path-needs-module"
  | "path-missing-key"
  | "path-unknown-key"
  | "path-duplicate-key"
  | "path-not-a-list"
  /** A value that the type of its key or leaf-list does not have. */
  | "path-key-value"
  /** The path selects several nodes (`*`, `//`, `...`), or one by its position: no instance path. */
  | "path-wildcard"
  | "path-position"
  /** A whole list or leaf-list where one entry has to be named. */
  | "path-whole-list"
  /** A path that this encoding has no text for. */
  | "path-not-expressible"
  /** A gNMI origin that names no YANG data. */
  | "path-origin";

export interface PathDiagnostic extends Diagnostic<PathDiagnosticCode> {
  /** Where in the text, in UTF-16 units from 0; absent where a path is written and not read. */
  readonly offset?: number;
}

export type PathResult<T> = Result<T, PathDiagnostic>;

export interface PathProblem {
  readonly code: PathDiagnosticCode;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly remedy?: string | undefined;
}

/** A problem of a text that is being read, at an offset of it. */
export function readProblem(text: string, offset: number, problem: PathProblem): Result<never, PathDiagnostic> {
  const places = [{ kind: "instance", path: text }] as const;
  return failure([{ ...diagnosticOf(problem), places, offset }]);
}

/** A problem of a path that is being written; `path` is the text of what was written so far. */
export function writeProblem(path: string, problem: PathProblem): Result<never, PathDiagnostic> {
  return failure([{ ...diagnosticOf(problem), places: [{ kind: "instance", path }] }]);
}

/** Nothing but what the text could have had instead at this offset. */
export function syntaxProblem(text: string, offset: number, expected: string): Result<never, PathDiagnostic> {
  const rest = text.slice(offset, offset + 20);
  const found = rest === "" ? "the end of the text" : JSON.stringify(rest);
  return readProblem(text, offset, { code: "path-syntax", message: `cannot read the path at ${found}`, expected });
}

export function pathOk<T>(value: T): PathResult<T> {
  return { kind: "ok", value, warnings: [] };
}

function diagnosticOf({ code, message, expected, remedy }: PathProblem): Omit<PathDiagnostic, "places"> {
  return {
    code,
    severity: "error",
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
