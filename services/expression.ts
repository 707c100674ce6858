/**
 * CEL expressions and `${..}` templates. CEL is total and has no I/O; what a parameter gives fills a key or a value as
 * one piece of text and never becomes part of a path's structure.
 */
import { Environment, ParseError } from "@marcbachmann/cel-js";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";

export type ExpressionDiagnosticCode = "expression-syntax" | "expression-value" | "template-syntax";

/** What an expression may name. */
export interface Scope {
  readonly params: unknown;
  /** Name of the target device. */
  readonly device: string;
  readonly variables: ReadonlyMap<string, unknown>;
}

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly expression: string };

/** Cuts a template; `$$` stands for one dollar sign. Braces and quotes inside an expression are balanced. */
export function parseTemplate(template: string): readonly TemplatePart[] | undefined {
  const parts: TemplatePart[] = [];
  let text = "";
  let at = 0;
  while (at < template.length) {
    if (template.startsWith("$$", at)) {
      text += "$";
      at += 2;
    } else if (template.startsWith("${", at)) {
      const end = endOfExpression(template, at + 2);
      if (end === undefined) return undefined;
      if (text !== "") parts.push({ kind: "text", text });
      text = "";
      parts.push({ kind: "expression", expression: template.slice(at + 2, end) });
      at = end + 1;
    } else {
      text += template[at] ?? "";
      at += 1;
    }
  }
  if (text !== "" || parts.length === 0) parts.push({ kind: "text", text });
  return parts;
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

const environment = new Environment({ unlistedVariablesAreDyn: true });

/** The value of a CEL expression. Errors: `expression-syntax`, and `expression-value` where it names what is not there. */
export function evaluate(
  expression: string,
  scope: Scope,
  position: SourcePosition,
): Result<unknown, Diagnostic<ExpressionDiagnosticCode>> {
  try {
    const context: Record<string, unknown> = { params: scope.params, device: scope.device };
    for (const [name, value] of scope.variables) context[name] = value;
    const value: unknown = environment.evaluate(expression, context);
    return ok(value) as Result<unknown, Diagnostic<ExpressionDiagnosticCode>>;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? error.message) : String(error);
    const code = error instanceof ParseError ? "expression-syntax" : "expression-value";
    return failure([problem(code, `cannot evaluate \`${expression}\`: ${message}`, position)]);
  }
}

/** Text of an evaluated template: scalars in their YANG-friendly spelling, joined. */
export function fill(
  template: string,
  scope: Scope,
  position: SourcePosition,
): Result<string, Diagnostic<ExpressionDiagnosticCode>> {
  const parts = parseTemplate(template);
  if (parts === undefined)
    return failure([problem("template-syntax", `\`${template}\` has an open \`\${\``, position)]);
  let text = "";
  for (const part of parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    const value = evaluate(part.expression, scope, position);
    if (value.kind === "error") return value;
    const spelled = scalarText(value.value);
    if (spelled === undefined)
      return failure([
        problem("expression-value", `\`${part.expression}\` gives no text, number or boolean`, position),
      ]);
    text += spelled;
  }
  return ok(text) as Result<string, Diagnostic<ExpressionDiagnosticCode>>;
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
      // CEL's unsigned integers come as objects with a numeric value.
      if (typeof value !== "object" || value === null || !("value" in value)) return undefined;
      return typeof value.value === "bigint" || typeof value.value === "number" ? scalarText(value.value) : undefined;
  }
}

function problem(
  code: ExpressionDiagnosticCode,
  message: string,
  position: SourcePosition,
): Diagnostic<ExpressionDiagnosticCode> {
  return { code, severity: "error", message, places: [{ kind: "source", position }] };
}
