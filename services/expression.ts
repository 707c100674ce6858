/**
 * Expressions and `${..}` templates of definitions. What a parameter gives fills a key or a value as one piece of text
 * and never becomes part of a path's structure.
 */
import { UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import { type CelProblem, type CelProgram, type KnownNames, readCel } from "./cel.ts";
import type { CompileBudget } from "./compile-budget.ts";
import { SERVICE_LIMITS } from "./limits.ts";

export type ExpressionDiagnosticCode =
  | "expression-syntax"
  | "expression-name"
  | "expression-value"
  | "expression-limit"
  | "template-syntax";

const CODES = {
  syntax: "expression-syntax",
  name: "expression-name",
  value: "expression-value",
  limit: "expression-limit",
} as const satisfies Record<CelProblem["kind"], ExpressionDiagnosticCode>;

/** What expressions see on one device. */
export interface Scope {
  readonly params: unknown;
  /** Name of the target device. */
  readonly device: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Expression {
  readonly text: string;
  readonly position: SourcePosition;
  readonly program: CelProgram;
}

export interface Template {
  readonly text: string;
  readonly position: SourcePosition;
  readonly parts: readonly (string | Expression)[];
}

type Read<T> = Result<T, Diagnostic<ExpressionDiagnosticCode>>;

/** Reads an expression. Errors: `expression-syntax`, `expression-name`, `expression-limit`. */
export function readExpression(text: string, position: SourcePosition, names: KnownNames): Read<Expression> {
  const program = readCel(text, names);
  if (typeof program !== "function") return failure([celProblem(program, text, position)]);
  return ok({ text, position, program }) as Read<Expression>;
}

/**
 * Reads a template: texts, and expressions in `${..}` in which braces and quotes are balanced; `$$` stands for one
 * dollar sign. Errors: those of each expression, and `template-syntax` for a `${` that does not end.
 */
export function readTemplate(text: string, position: SourcePosition, names: KnownNames): Read<Template> {
  const parts: (string | Expression)[] = [];
  const errors: Diagnostic<ExpressionDiagnosticCode>[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("$$", at)) {
      plain += "$";
      at += 2;
    } else if (text.startsWith("${", at)) {
      const end = endOfExpression(text, at + 2);
      if (end === undefined) return failure([problem("template-syntax", `\`${text}\` has an open \`\${\``, position)]);
      if (plain !== "") parts.push(plain);
      plain = "";
      const read = readExpression(text.slice(at + 2, end), position, names);
      if (read.kind === "ok") parts.push(read.value);
      else errors.push(...read.diagnostics);
      at = end + 1;
    } else {
      plain += text[at] ?? "";
      at += 1;
    }
  }
  if (plain !== "") parts.push(plain);
  return errors.length > 0 ? failure(errors) : (ok({ text, position, parts }) as Read<Template>);
}

function endOfExpression(template: string, start: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = start; at < template.length; at += 1) {
    const character = template[at];
    if (quote !== undefined) {
      if (character === "\\") at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

/** The value of an expression. Errors: `expression-value` where it names what is not there, `expression-limit`. */
export function evaluate(expression: Expression, scope: Scope, budget: CompileBudget): Read<unknown> {
  const context = { ...scope.variables, params: scope.params, device: scope.device };
  const outcome = expression.program(context, budget);
  if (outcome.kind === "value") return ok(outcome.value) as Read<unknown>;
  return failure([celProblem(outcome.problem, expression.text, expression.position)]);
}

/** Text of an evaluated template: scalars in their YANG-friendly spelling, joined. */
export function fill(template: Template, scope: Scope, budget: CompileBudget): Read<string> {
  let text = "";
  for (const part of template.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const value = evaluate(part, scope, budget);
    if (value.kind === "error") return value;
    const spelled = scalarText(value.value);
    if (spelled === undefined)
      return failure([problem("expression-value", `\`${part.text}\` gives no text, number or boolean`, part.position)]);
    text += spelled;
  }
  if (text.length <= SERVICE_LIMITS.textLength) return ok(text) as Read<string>;
  const message = `a text of ${String(text.length)} characters; the limit is ${String(SERVICE_LIMITS.textLength)}`;
  return failure([problem("expression-limit", message, template.position)]);
}

function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "bigint":
    case "boolean":
      return value.toString();
    case "number":
      return Number.isFinite(value) ? value.toString() : undefined;
    default:
      return value instanceof UnsignedInt ? value.toString() : undefined;
  }
}

function celProblem(
  { kind, message, expected }: CelProblem,
  expression: string,
  position: SourcePosition,
): Diagnostic<ExpressionDiagnosticCode> {
  const shown = expression.length > 200 ? `${expression.slice(0, 200)}…` : expression;
  return {
    ...problem(CODES[kind], `\`${shown}\`: ${message}`, position),
    ...(expected === undefined ? {} : { expected }),
  };
}

function problem(
  code: ExpressionDiagnosticCode,
  message: string,
  position: SourcePosition,
): Diagnostic<ExpressionDiagnosticCode> {
  return { code, severity: "error", message, places: [{ kind: "source", position }] };
}
