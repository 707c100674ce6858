/** What the readers of values share, whatever the type: the form of the text, the answer, and how errors are said. */
import { type Diagnostic, type Result, failure } from "../diagnostic.ts";
import type { Schema } from "../schema.ts";
import { type BuiltInType, type PlainValue, plainValue } from "../value.ts";

/**
 * How the text names identities and nodes, and what its encoding allows around a value:
 * - `xml`: prefixes in scope of the element, `""` the default namespace; blanks around all but strings are dropped.
 * - `yang`: prefixes of the module text; integers may be hexadecimal or octal (RFC 7950 section 9.2.1).
 * - `json`: module names; an identity without one belongs to `module`, the leaf's own (RFC 7951 section 6.8).
 * - `canonical`: our own texts (paths, items): module names always. Any lexical form is accepted and made canonical.
 */
export type ValueForm =
  | { readonly kind: "xml"; readonly moduleOf: (prefix: string) => string | undefined }
  | { readonly kind: "yang"; readonly moduleOf: (prefix: string) => string | undefined }
  | { readonly kind: "json"; readonly module: string }
  | { readonly kind: "canonical" };

export interface ValueContext {
  readonly schema: Schema;
  readonly form: ValueForm;
  /** Take only union members of this built-in type: the value has one already. */
  readonly as?: BuiltInType;
}

export type ValueDiagnosticCode =
  | "value-syntax"
  | "value-range"
  | "value-length"
  | "value-pattern"
  | "value-character"
  | "value-enum"
  | "value-bits"
  | "value-identity"
  | "value-instance"
  | "value-union"
  | "value-type"
  | "pattern-not-readable";

export type ValueDiagnostic = Diagnostic<ValueDiagnosticCode>;
export type ValueResult = Result<PlainValue, ValueDiagnostic>;

/** Reads texts of one type. Results may be shared between calls: nobody changes them. */
export type ValueReader = (text: string, context: ValueContext) => ValueResult;

/** The words of a restriction in the schema, which stand before ours (RFC 7950 sections 7.5.4.1 and 8.3.1). */
interface Broken {
  readonly errorMessage: string | undefined;
  readonly errorAppTag: string | undefined;
}

const NO_WARNINGS: readonly ValueDiagnostic[] = [];

export function good(
  type: BuiltInType,
  text: string,
  warnings: readonly ValueDiagnostic[] = NO_WARNINGS,
): Extract<ValueResult, { readonly kind: "ok" }> {
  return { kind: "ok", value: plainValue(type, text), warnings };
}

/** An error without place: the caller knows it. */
export function problem(
  code: ValueDiagnosticCode,
  message: string,
  expected?: string,
  broken?: Broken,
): Result<never, ValueDiagnostic> {
  const diagnostic: ValueDiagnostic = {
    code,
    severity: "error",
    message: broken?.errorMessage ?? message,
    places: [],
    ...(expected === undefined ? {} : { expected }),
    ...(broken?.errorAppTag === undefined ? {} : { errorAppTag: broken.errorAppTag }),
  };
  return failure([diagnostic]);
}

/** The same errors with what the reader can do about them. */
export function withRemedy(
  result: Result<never, ValueDiagnostic>,
  remedy: string | undefined,
): Result<never, ValueDiagnostic> {
  if (result.kind === "ok" || remedy === undefined) return result;
  return failure(result.diagnostics.map((each) => ({ ...each, remedy })));
}

export function wrongSyntax(text: string, expected: string): Result<never, ValueDiagnostic> {
  return problem("value-syntax", `cannot read the value ${quoted(text)}`, expected);
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

/** Without the blanks of XML around it. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d;
}
