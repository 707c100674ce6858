/**
 * From a definition and an instance to what it yields on one target device: items to own or to depend on, typed
 * against the device's schema. Unknown path, wrong type, missing key, not writable: an error with the line that says it.
 */
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, type PathSegment, formatInstancePath } from "../model/path.ts";
import { canonicalisePath } from "../model/paths/canonical-path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../model/schema.ts";
import type { PlainValue } from "../model/value.ts";
import { parseValue, simpleTypesOf } from "../model/values/canonical-value.ts";
import { CompileBudget } from "./compile-budget.ts";
import { type CompiledRule, compileDefinition } from "./compile-definition.ts";
import type { LinkRelation, LinkScope, OnRemove } from "./desired-state.ts";
import type { DefinitionDocument, InstanceDocument, Rule } from "./documents.ts";
import { type Scope, evaluate, fill } from "./expression.ts";
import { SERVICE_LIMITS } from "./limits.ts";

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
  /** Shared by what is compiled for one submission; without it this device has one of its own. */
  readonly budget?: CompileBudget;
}

export type CompileDiagnosticCode =
  | "rule-path"
  | "rule-key"
  | "rule-value"
  | "rule-value-missing"
  | "rule-value-not-taken"
  | "rule-not-writable"
  | "rule-key-leaf"
  | "rule-for"
  | "rule-when"
  | "rule-secret-literal"
  | "rule-limit";

/**
 * Everything the instance yields on one device, typed against the device's schema. Needs `parameters` as
 * `checkParameters` gives them. Errors of all rules are gathered, each at the line of the path or value it is about and
 * at the instance; one error of a rule stands once, however often the rule is gone through.
 */
export function compileInstance(
  definition: DefinitionDocument,
  instance: InstanceDocument,
  parameters: unknown,
  target: CompileTarget,
): Result<readonly Yield[]> {
  const rules = compileDefinition(definition);
  if (rules.kind === "error") return rules;
  const compiler = new InstanceCompiler(instance, parameters, target);
  for (const rule of rules.value) compiler.run(rule);
  return compiler.result();
}

/** What a rule's path means on the target, before its keys are filled. */
type RulePlace = Result<{ readonly path: InstancePath; readonly schema: DataSchemaNode }>;

class InstanceCompiler {
  readonly #instance: InstanceDocument;
  readonly #target: CompileTarget;
  readonly #base: Scope;
  readonly #budget: CompileBudget;
  readonly #yields: Yield[] = [];
  readonly #errors = new Map<string, Diagnostic>();
  #times = 0;
  #isOver = false;

  constructor(instance: InstanceDocument, parameters: unknown, target: CompileTarget) {
    this.#instance = instance;
    this.#target = target;
    this.#base = { params: parameters, device: target.device, variables: {} };
    this.#budget = target.budget ?? new CompileBudget();
  }

  run(compiled: CompiledRule): void {
    let place: RulePlace | undefined;
    this.#loop(compiled, 0, this.#base, (scope) => {
      if (!this.#applies(compiled, scope)) return;
      place ??= placeOf(compiled.rule, this.#target);
      if (place.kind === "error") this.#fail(place.diagnostics);
      else
        this.#take(
          yieldOf(compiled, { scope, service: this.#instance.name, place: place.value }, this.#target, this.#budget),
        );
    });
  }

  result(): Result<readonly Yield[]> {
    return this.#errors.size > 0 ? failure([...this.#errors.values()]) : ok(this.#yields);
  }

  /** Goes through the lists of a rule from the `depth`th on. */
  #loop(compiled: CompiledRule, depth: number, scope: Scope, each: (scope: Scope) => void): void {
    if (this.#isOver) return;
    const loop = compiled.loops[depth];
    if (loop === undefined) {
      if (this.#count(compiled.rule)) each(scope);
      return;
    }
    const list = evaluate(loop.list, scope, this.#budget);
    if (list.kind === "error") {
      this.#fail(list.diagnostics);
      return;
    }
    if (!Array.isArray(list.value)) {
      this.#fail([problem("rule-for", `\`${loop.list.text}\` gives no list`, loop.list.position)]);
      return;
    }
    for (const item of list.value as readonly unknown[])
      this.#loop(compiled, depth + 1, { ...scope, variables: { ...scope.variables, [loop.variable]: item } }, each);
  }

  #count(rule: Rule): boolean {
    this.#times += 1;
    const isMany = this.#times > SERVICE_LIMITS.items;
    if (!isMany && this.#budget.takeItem()) return true;
    const [what, limit] = isMany
      ? ["one instance yields more items on a device", SERVICE_LIMITS.items]
      : ["the submission yields more items", SERVICE_LIMITS.submissionItems];
    this.#fail([problem("rule-limit", `${what} than ${String(limit)}`, rule.for[0]?.position ?? rule.position)]);
    this.#isOver = true;
    return false;
  }

  #applies({ when }: CompiledRule, scope: Scope): boolean {
    if (when === undefined) return true;
    const value = evaluate(when, scope, this.#budget);
    if (value.kind === "ok" && typeof value.value === "boolean") return value.value;
    this.#fail(
      value.kind === "error"
        ? value.diagnostics
        : [problem("rule-when", `\`${when.text}\` gives no boolean`, when.position)],
    );
    return false;
  }

  #take(made: Result<Yield>): void {
    if (made.kind === "ok") this.#yields.push(made.value);
    else this.#fail(made.diagnostics);
  }

  #fail(diagnostics: readonly Diagnostic[]): void {
    // What ran out is out for every rule behind it.
    if (this.#budget.spent) this.#isOver = true;
    for (const each of diagnostics) {
      const places = [...each.places, { kind: "source", position: this.#instance.position } as const];
      this.#errors.set(JSON.stringify([each.code, each.message, each.places]), { ...each, places });
    }
  }
}

/** The path is read with its templates still in the quoted literals; what they give never becomes structure. */
function placeOf(rule: Rule, target: CompileTarget): RulePlace {
  const parsed = parseInstancePath(target.schema, rule.path);
  if (parsed.kind === "error") {
    return failure(
      parsed.diagnostics.map((each) => ({
        ...problem("rule-path", `${rule.path}: ${each.message}`, rule.pathPosition),
        ...(each.expected === undefined ? {} : { expected: each.expected }),
      })),
    );
  }
  const { path, schema } = parsed.value;
  const secretKey = secretKeyOf(schema, target);
  if (secretKey !== undefined) return failure([secretProblem(secretKey, rule.pathPosition)]);
  if (schema === undefined)
    return failure([problem("rule-path", "a rule cannot name the whole device", rule.pathPosition)]);
  const refused = refusedNode(schema, path, rule);
  return refused === undefined ? ok({ path, schema }) : failure([refused]);
}

function refusedNode(schema: DataSchemaNode, path: InstancePath, rule: Rule): Diagnostic | undefined {
  if (!schema.config) {
    const message = `${schema.schemaPath} is state, not configuration`;
    return problem("rule-not-writable", message, rule.pathPosition, "a config true node");
  }
  switch (schema.kind) {
    case "leaf":
      if (!schema.isKey) return undefined;
      return problem(
        "rule-key-leaf",
        `${schema.name} is a key of its list entry`,
        rule.pathPosition,
        "the path of the list entry itself: keys are set by naming the entry",
      );
    case "leaf-list":
      return undefined;
    case "container":
      if (schema.presence) return undefined;
      return problem(
        "rule-path",
        `${schema.schemaPath} exists only through what is in it`,
        rule.pathPosition,
        "a leaf, a list entry or a presence container",
      );
    case "list":
      if (path.at(-1)?.kind === "entry") return undefined;
      return problem(
        "rule-key",
        `${schema.schemaPath} needs its keys`,
        rule.pathPosition,
        schema.keys.map((key) => `[${key.name}='..']`).join("") || "a list with keys: entries without have no identity",
      );
    case "anydata":
    case "anyxml":
      return problem("rule-path", `${schema.schemaPath} is opaque and cannot be owned by a rule`, rule.pathPosition);
  }
}

interface Round {
  readonly scope: Scope;
  readonly service: string;
  readonly place: { readonly path: InstancePath; readonly schema: DataSchemaNode };
}

function yieldOf(compiled: CompiledRule, round: Round, target: CompileTarget, budget: CompileBudget): Result<Yield> {
  const { rule } = compiled;
  const { schema } = round.place;
  const path = filledPath(compiled, round, target, budget);
  if (path.kind === "error") return path;
  const made: Yield = {
    service: round.service,
    path: path.value,
    text: formatInstancePath(path.value),
    schema,
    value: undefined,
    relation: rule.relation,
    scope: rule.scope,
    onRemove: rule.onRemove,
    writer: rule.value?.position ?? rule.position,
  };
  const value = (of: LeafSchema | LeafListSchema): Result<PlainValue> =>
    valueOf(compiled, { made, schema: of, scope: round.scope }, target, budget);
  switch (schema.kind) {
    case "leaf": {
      const isEmpty = simpleTypesOf(schema.type).every((type) => type.kind === "empty");
      if (rule.value === undefined && !isEmpty) {
        if (rule.relation === "depends") return ok(made);
        return failure([problem("rule-value-missing", `${made.text} needs a value`, rule.position, "value: ..")]);
      }
      if (target.isSecret(schema)) return failure([secretProblem(schema, made.writer)]);
      const read = value(schema);
      return read.kind === "error" ? read : ok({ ...made, value: read.value });
    }
    case "leaf-list":
      return leafListYield(made, { rule, schema, value }, target);
    default:
      if (rule.value === undefined) return ok(made);
      return failure([problem("rule-value-not-taken", `${made.text} takes no value`, rule.value.position)]);
  }
}

function leafListYield(
  made: Yield,
  by: {
    readonly rule: Rule;
    readonly schema: LeafListSchema;
    readonly value: (of: LeafListSchema) => Result<PlainValue>;
  },
  target: CompileTarget,
): Result<Yield> {
  const { rule, schema } = by;
  if (target.isSecret(schema)) return failure([secretProblem(schema, made.writer)]);
  const last = made.path.at(-1);
  if (last?.kind === "leaf-list-entry") {
    if (rule.value !== undefined)
      return failure([problem("rule-value-not-taken", `${made.text} has its value in its path`, rule.value.position)]);
    const value = parseValue(schema.type, last.value, { schema: target.schema, form: { kind: "canonical" } });
    return value.kind === "ok" ? ok({ ...made, value: value.value }) : valueProblems(value, made, rule.pathPosition);
  }
  if (rule.value === undefined)
    return failure([
      problem("rule-value-missing", `an entry of leaf-list ${schema.name} needs a value`, rule.position, "value: .."),
    ]);
  const value = by.value(schema);
  if (value.kind === "error") return value;
  const path: InstancePath = [
    ...made.path.slice(0, -1),
    { kind: "leaf-list-entry", module: schema.module, name: schema.name, value: value.value.text },
  ];
  return ok({ ...made, path, text: formatInstancePath(path), value: value.value });
}

function valueOf(
  { rule, value }: CompiledRule,
  of: { readonly made: Yield; readonly schema: LeafSchema | LeafListSchema; readonly scope: Scope },
  target: CompileTarget,
  budget: CompileBudget,
): Result<PlainValue> {
  const text = value === undefined ? ok("") : fill(value, of.scope, budget);
  if (text.kind === "error") return text;
  const read = parseValue(of.schema.type, text.value, {
    schema: target.schema,
    form: { kind: "json", module: of.schema.module },
  });
  return read.kind === "ok" ? read : valueProblems(read, of.made, rule.value?.position ?? rule.position);
}

function valueProblems(
  { diagnostics }: Result<never> & { readonly kind: "error" },
  made: Yield,
  position: SourcePosition,
): Result<never> {
  return failure(
    diagnostics.map((each) => ({
      ...problem("rule-value", `${made.text}: ${each.message}`, position),
      ...(each.expected === undefined ? {} : { expected: each.expected }),
    })),
  );
}

function secretProblem(schema: DataSchemaNode, position: SourcePosition): Diagnostic {
  const expected = "value given by reference (secretRef), which this version does not resolve yet";
  return problem("rule-secret-literal", `${schema.schemaPath} is a secret; a literal is refused`, position, expected);
}

function filledPath(
  { rule, keyTemplate }: CompiledRule,
  { scope, place }: Round,
  target: CompileTarget,
  budget: CompileBudget,
): Result<InstancePath> {
  const filled: PathSegment[] = [];
  const fillKey = (text: string): Result<string> => {
    const template = keyTemplate(text);
    return template.kind === "error" ? template : fill(template.value, scope, budget);
  };
  for (const segment of place.path) {
    if (segment.kind === "entry") {
      const keys: { name: string; value: string }[] = [];
      for (const key of segment.keys) {
        const value = fillKey(key.value);
        if (value.kind === "error") return value;
        keys.push({ name: key.name, value: value.value });
      }
      filled.push({ ...segment, keys });
    } else if (segment.kind === "leaf-list-entry") {
      const value = fillKey(segment.value);
      if (value.kind === "error") return value;
      filled.push({ ...segment, value: value.value });
    } else filled.push(segment);
  }
  const canonical = canonicalisePath(target.schema, filled, (leaf, value) =>
    parseValue(leaf.type, value, { schema: target.schema, form: { kind: "json", module: leaf.module } }),
  );
  if (canonical.kind === "ok") return ok(canonical.value);
  return failure(
    canonical.diagnostics.map((each) => ({
      ...problem("rule-key", `${rule.path}: ${each.message}`, rule.pathPosition),
      ...(each.expected === undefined ? {} : { expected: each.expected }),
    })),
  );
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
