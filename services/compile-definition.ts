/**
 * A definition made ready to yield items: its expressions read and its names known. What is wrong with it whatever the
 * device is said here, once, and not for every target.
 */
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import type { KnownNames } from "./cel.ts";
import type { DefinitionDocument, Rule } from "./documents.ts";
import { type Expression, type Template, readExpression, readTemplate } from "./expression.ts";
import { parameterNames, parameterSchema } from "./parameters.ts";

export type DefinitionDiagnosticCode = "rule-path-structure" | "rule-for";

export interface CompiledRule {
  readonly rule: Rule;
  readonly loops: readonly { readonly variable: string; readonly list: Expression }[];
  readonly when: Expression | undefined;
  readonly value: Template | undefined;
  /** The template that a key value of the path is. */
  readonly keyTemplate: (text: string) => Result<Template>;
}

const compiled = new WeakMap<DefinitionDocument, Result<readonly CompiledRule[]>>();

/** Made once a definition. Errors of all rules at once: those of expressions, and the codes here and of parameters. */
export function compileDefinition(definition: DefinitionDocument): Result<readonly CompiledRule[]> {
  const known = compiled.get(definition);
  if (known !== undefined) return known;
  const made = compileRules(definition);
  compiled.set(definition, made);
  return made;
}

function compileRules(definition: DefinitionDocument): Result<readonly CompiledRule[]> {
  const schema = parameterSchema(definition);
  const errors: Diagnostic[] = schema.kind === "error" ? [...schema.diagnostics] : [];
  const parameters = parameterNames(definition);
  const rules = definition.rules.map((rule) => compileRule(rule, parameters, errors));
  return errors.length > 0 ? failure(errors) : ok(rules.flatMap((rule) => rule ?? []));
}

function compileRule(rule: Rule, parameters: KnownNames["parameters"], errors: Diagnostic[]): CompiledRule | undefined {
  const before = errors.length;
  const take = <T>(read: Result<T>): T | undefined => {
    if (read.kind === "ok") return read.value;
    errors.push(...read.diagnostics);
    return undefined;
  };
  const variables = new Set(["params", "device"]);
  const loops = rule.for.flatMap(({ variable, expression, position }) => {
    const list = take(readExpression(expression, position, { parameters, variables: new Set(variables) }));
    if (variables.has(variable))
      errors.push(problem("rule-for", `the variable ${variable} stands twice`, position, "a name of its own for each"));
    variables.add(variable);
    return list === undefined ? [] : [{ variable, list }];
  });
  const names: KnownNames = { variables, parameters };
  const when =
    rule.when === undefined ? undefined : take(readExpression(rule.when.expression, rule.when.position, names));
  const value =
    rule.value === undefined ? undefined : take(readTemplate(rule.value.template, rule.value.position, names));
  // Which node a key value belongs to is for the schema of a device to say.
  const literals = [...rule.path.matchAll(/'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g)];
  if (/\$\{/.test(literals.reduce((text, [literal]) => text.replace(literal, () => ""), rule.path))) {
    const message = `\`${rule.path}\`: an expression may fill a quoted key value, never the structure of a path`;
    errors.push(problem("rule-path-structure", message, rule.pathPosition, "[key='${..}']"));
  } else
    for (const [, single, double = ""] of literals)
      take(readTemplate(single?.replaceAll("''", "'") ?? double.replaceAll('""', '"'), rule.pathPosition, names));
  if (errors.length > before) return undefined;
  const templates = new Map<string, Result<Template>>();
  const keyTemplate = (text: string): Result<Template> => {
    const read = templates.get(text) ?? readTemplate(text, rule.pathPosition, names);
    templates.set(text, read);
    return read;
  };
  return { rule, loops, when, value, keyTemplate };
}

function problem(
  code: DefinitionDiagnosticCode,
  message: string,
  position: SourcePosition,
  expected: string,
): Diagnostic<DefinitionDiagnosticCode> {
  return { code, severity: "error", message, places: [{ kind: "source", position }], expected };
}
