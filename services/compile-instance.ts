/**
 * From a definition and an instance to what it yields on one target device: items to own or to depend on, typed
 * against the device's schema. Unknown path, wrong type, missing key, not writable: an error with the line that says it.
 */
import { Ajv, type ErrorObject } from "ajv";
import { positionAt, roundedData } from "../codec/yaml/read-yaml.ts";
import { canonicalisePath } from "../model/paths/canonical-path.ts";
import { parseValue, simpleTypesOf } from "../model/values/canonical-value.ts";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, type PathSegment, formatInstancePath } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../model/schema.ts";
import type { PlainValue } from "../model/value.ts";
import type { LinkRelation, LinkScope, OnRemove } from "./desired-state.ts";
import type { DefinitionDocument, InstanceDocument, Rule } from "./documents.ts";
import { type Scope, evaluate, fill } from "./expression.ts";

/** One item that a rule yields on one device. */
export interface Yield {
  readonly service: string;
  readonly path: InstancePath;
  readonly text: string;
  readonly schema: DataSchemaNode;
  /** Leaf and leaf-list entry: the value (undefined for a depends without one). */
  readonly value: PlainValue | undefined;
  readonly relation: LinkRelation;
  readonly scope: LinkScope | undefined;
  readonly onRemove: OnRemove;
  /** Rule and value that say it. */
  readonly writer: SourcePosition;
}

export interface CompileTarget {
  readonly device: string;
  readonly schema: Schema;
  /** Secret leafs take no literal. */
  readonly isSecret: (node: DataSchemaNode) => boolean;
}

export type CompileDiagnosticCode =
  | "parameter"
  | "definition-schema"
  | "rule-path"
  | "rule-path-structure"
  | "rule-key"
  | "rule-value"
  | "rule-value-missing"
  | "rule-value-not-taken"
  | "rule-not-writable"
  | "rule-key-leaf"
  | "rule-for"
  | "rule-when"
  | "rule-secret-literal";

/** Checks the parameters against the definition's JSON Schema; defaults of the schema are filled in. */
export function checkParameters(definition: DefinitionDocument, instance: InstanceDocument): Result<unknown> {
  const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false, validateFormats: false });
  let validate;
  try {
    validate = ajv.compile(definition.parameters);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failure([
      problem(
        "definition-schema",
        `the parameters of definition ${definition.name} are no JSON Schema: ${message}`,
        definition.parametersPosition,
      ),
    ]);
  }
  // A copy of its own: the check fills in defaults.
  const data: unknown = instance.parametersSource === undefined ? {} : roundedData(instance.parametersSource);
  if (!validate(data)) {
    return failure((validate.errors ?? []).map((error) => parameterProblem(error, instance)));
  }
  return ok(restoreIntegers(data, instance.parameters));
}

/** The schema check needs numbers; expressions need exact integers. What the person wrote wins over the copy. */
function restoreIntegers(checked: unknown, written: unknown): unknown {
  if (Array.isArray(checked))
    return checked.map((item: unknown, index) =>
      restoreIntegers(item, Array.isArray(written) ? (written as unknown[])[index] : undefined),
    );
  if (typeof checked === "object" && checked !== null) {
    const source =
      typeof written === "object" && written !== null ? (written as Readonly<Record<string, unknown>>) : {};
    return Object.fromEntries(
      Object.entries(checked).map(([key, value]) => [key, restoreIntegers(value, source[key])]),
    );
  }
  if (typeof written === "bigint") return written;
  return typeof checked === "number" && Number.isSafeInteger(checked) ? BigInt(checked) : checked;
}

function parameterProblem(error: ErrorObject, instance: InstanceDocument): Diagnostic {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll("~1", "/").replaceAll("~0", "~")));
  const unknown: unknown = error.params["additionalProperty"];
  if (typeof unknown === "string") path.push(unknown);
  const position =
    instance.parametersSource === undefined ? instance.position : positionAt(instance.parametersSource, path);
  const where = path.length === 0 ? "parameters" : `parameters.${path.join(".")}`;
  return problem(
    "parameter",
    `${where} ${typeof unknown === "string" ? "is no parameter" : (error.message ?? "is not right")}`,
    position,
  );
}

/**
 * Everything the instance yields on one device, typed against the device's schema. Needs `parameters` as
 * `checkParameters` gives them. Errors of all rules are gathered, each at the line of the path or value it is about.
 */
export function compileInstance(
  definition: DefinitionDocument,
  instance: InstanceDocument,
  parameters: unknown,
  target: CompileTarget,
): Result<readonly Yield[]> {
  const errors: Diagnostic[] = [];
  const yields: Yield[] = [];
  for (const rule of definition.rules) {
    const base: Scope = { params: parameters, device: target.device, variables: new Map() };
    const scopes = scopesOf(rule, base);
    if (scopes.kind === "error") {
      errors.push(...scopes.diagnostics);
      continue;
    }
    for (const scope of scopes.value) {
      const one = yieldOf(rule, instance.name, scope, target);
      if (one.kind === "error") errors.push(...one.diagnostics);
      else if (one.value !== undefined) yields.push(one.value);
    }
  }
  return errors.length > 0 ? failure(errors) : ok(yields);
}

function scopesOf(rule: Rule, base: Scope): Result<readonly Scope[]> {
  const loop = rule.for;
  if (loop === undefined) return ok([base]);
  const list = evaluate(loop.expression, base, loop.position);
  if (list.kind === "error") return list;
  if (!Array.isArray(list.value))
    return failure([problem("rule-for", `\`${loop.expression}\` gives no list`, loop.position)]);
  return ok(
    (list.value as readonly unknown[]).map((item) => ({ ...base, variables: new Map([[loop.variable, item]]) })),
  );
}

function yieldOf(rule: Rule, service: string, scope: Scope, target: CompileTarget): Result<Yield | undefined> {
  if (rule.when !== undefined) {
    const when = evaluate(rule.when.expression, scope, rule.when.position);
    if (when.kind === "error") return when;
    if (typeof when.value !== "boolean")
      return failure([problem("rule-when", `\`${rule.when.expression}\` gives no boolean`, rule.when.position)]);
    if (!when.value) return ok(undefined);
  }
  const path = pathOf(rule, scope, target);
  if (path.kind === "error") return path;
  const { schema } = path.value;
  if (!schema.config) {
    return failure([
      problem(
        "rule-not-writable",
        `${schema.schemaPath} on ${target.device} is state, not configuration`,
        rule.pathPosition,
        "a config true node",
      ),
    ]);
  }
  if (schema.kind === "leaf" && schema.isKey) {
    return failure([
      problem(
        "rule-key-leaf",
        `${schema.name} is a key of its list entry`,
        rule.pathPosition,
        "the path of the list entry itself: keys are set by naming the entry",
      ),
    ]);
  }
  const made: Yield = {
    service,
    path: path.value.path,
    text: formatInstancePath(path.value.path),
    schema,
    value: undefined,
    relation: rule.relation,
    scope: rule.scope,
    onRemove: rule.onRemove,
    writer: rule.value?.position ?? rule.position,
  };
  switch (schema.kind) {
    case "leaf":
      return withValue(made, rule, schema, scope, target);
    case "leaf-list":
      return leafListYield(made, rule, schema, scope, target);
    case "container":
      if (!schema.presence)
        return failure([
          problem(
            "rule-path",
            `${schema.schemaPath} exists only through what is in it`,
            rule.pathPosition,
            "a leaf, a list entry or a presence container",
          ),
        ]);
      return withoutValue(made, rule);
    case "list":
      if (path.value.path.at(-1)?.kind !== "entry")
        return failure([
          problem(
            "rule-key",
            `${schema.schemaPath} needs its keys`,
            rule.pathPosition,
            schema.keys.map((key) => `[${key.name}='..']`).join(""),
          ),
        ]);
      return withoutValue(made, rule);
    case "anydata":
    case "anyxml":
      return failure([
        problem("rule-path", `${schema.schemaPath} is opaque and cannot be owned by a rule`, rule.pathPosition),
      ]);
  }
}

function withoutValue(made: Yield, rule: Rule): Result<Yield> {
  if (rule.value !== undefined)
    return failure([problem("rule-value-not-taken", `${made.text} takes no value`, rule.value.position)]);
  return ok(made);
}

function withValue(made: Yield, rule: Rule, schema: LeafSchema, scope: Scope, target: CompileTarget): Result<Yield> {
  const isEmpty = simpleTypesOf(schema.type).every((type) => type.kind === "empty");
  if (rule.value === undefined && !isEmpty) {
    if (rule.relation === "depends") return ok(made);
    return failure([problem("rule-value-missing", `${made.text} needs a value`, rule.position, "value: ..")]);
  }
  if (target.isSecret(schema)) return failure([secretProblem(schema, made.writer)]);
  const value = valueOf(rule, schema, scope, target);
  return value.kind === "error" ? value : ok({ ...made, value: value.value });
}

function secretProblem(schema: DataSchemaNode, position: SourcePosition): Diagnostic {
  const expected = "value given by reference (secretRef), which this version does not resolve yet";
  return problem("rule-secret-literal", `${schema.schemaPath} is a secret; a literal is refused`, position, expected);
}

function leafListYield(
  made: Yield,
  rule: Rule,
  schema: LeafListSchema,
  scope: Scope,
  target: CompileTarget,
): Result<Yield> {
  if (target.isSecret(schema)) return failure([secretProblem(schema, made.writer)]);
  const last = made.path.at(-1);
  if (last?.kind === "leaf-list-entry") {
    const value = parseValue(schema.type, last.value, { schema: target.schema, form: { kind: "canonical" } });
    if (value.kind === "error") return failure(value.diagnostics);
    return rule.value === undefined ? ok({ ...made, value: value.value }) : withoutValue(made, rule);
  }
  if (rule.value === undefined)
    return failure([
      problem("rule-value-missing", `an entry of leaf-list ${schema.name} needs a value`, rule.position, "value: .."),
    ]);
  const value = valueOf(rule, schema, scope, target);
  if (value.kind === "error") return value;
  const path: InstancePath = [
    ...made.path.slice(0, -1),
    { kind: "leaf-list-entry", module: schema.module, name: schema.name, value: value.value.text },
  ];
  return ok({ ...made, path, text: formatInstancePath(path), value: value.value });
}

function valueOf(
  rule: Rule,
  schema: LeafSchema | LeafListSchema,
  scope: Scope,
  target: CompileTarget,
): Result<PlainValue> {
  const template = rule.value?.template ?? "";
  const position = rule.value?.position ?? rule.position;
  const text = fill(template, scope, position);
  if (text.kind === "error") return text;
  const value = parseValue(schema.type, text.value, {
    schema: target.schema,
    form: { kind: "json", module: schema.module },
  });
  if (value.kind === "ok") return value;
  return failure(
    value.diagnostics.map((each) => ({
      ...problem("rule-value", `${schema.schemaPath} on ${target.device}: ${each.message}`, position),
      ...(each.expected === undefined ? {} : { expected: each.expected }),
    })),
  );
}

interface RulePath {
  readonly path: InstancePath;
  readonly schema: DataSchemaNode;
}

/** The path is parsed with its templates still in the quoted literals; only then are the literals filled. */
function pathOf(rule: Rule, scope: Scope, target: CompileTarget): Result<RulePath> {
  const parsed = parseInstancePath(target.schema, rule.path);
  if (parsed.kind === "error") {
    const structural = /\$\{/.test(rule.path.replaceAll(/'[^']*'|"[^"]*"/g, ""));
    return failure(
      parsed.diagnostics.map((each) => ({
        ...problem(
          structural ? "rule-path-structure" : "rule-path",
          structural
            ? `\`${rule.path}\`: an expression may fill a quoted key value, never the structure of a path`
            : `${rule.path} on ${target.device}: ${each.message}`,
          rule.pathPosition,
        ),
        ...(each.expected === undefined || structural ? {} : { expected: each.expected }),
      })),
    );
  }
  const secretKey = secretKeyOf(parsed.value.schema, target);
  if (secretKey !== undefined) return failure([secretProblem(secretKey, rule.pathPosition)]);
  if (parsed.value.schema === undefined)
    return failure([problem("rule-path", "a rule cannot name the whole device", rule.pathPosition)]);
  const filled: PathSegment[] = [];
  for (const segment of parsed.value.path) {
    if (segment.kind === "entry") {
      const keys: { name: string; value: string }[] = [];
      for (const key of segment.keys) {
        const value = fill(key.value, scope, rule.pathPosition);
        if (value.kind === "error") return value;
        keys.push({ name: key.name, value: value.value });
      }
      filled.push({ ...segment, keys });
    } else if (segment.kind === "leaf-list-entry") {
      const value = fill(segment.value, scope, rule.pathPosition);
      if (value.kind === "error") return value;
      filled.push({ ...segment, value: value.value });
    } else filled.push(segment);
  }
  const canonical = canonicalisePath(target.schema, filled, (leaf, value) =>
    parseValue(leaf.type, value, { schema: target.schema, form: { kind: "json", module: leaf.module } }),
  );
  if (canonical.kind === "error") {
    return failure(
      canonical.diagnostics.map((each) =>
        problem("rule-key", `${rule.path} on ${target.device}: ${each.message}`, rule.pathPosition),
      ),
    );
  }
  return ok({ path: canonical.value, schema: parsed.value.schema });
}

/** A key that is a secret would stand in every path. */
function secretKeyOf(schema: DataSchemaNode | undefined, target: CompileTarget): DataSchemaNode | undefined {
  for (let node = schema; node !== undefined; node = node.parent) {
    const key = node.kind === "list" ? node.keys.find((each) => target.isSecret(each)) : undefined;
    if (key !== undefined) return key;
  }
  return undefined;
}

function problem(
  code: CompileDiagnosticCode,
  message: string,
  position: SourcePosition,
  expected?: string,
): Diagnostic<CompileDiagnosticCode> {
  return {
    code,
    severity: "error",
    message,
    places: [{ kind: "source", position }],
    ...(expected === undefined ? {} : { expected }),
  };
}
