/**
 * Service documents: definitions (rules that yield items) and instances (parameters and targets), as people write
 * them. Every error names file:line:column of the field it is about.
 */
import { z } from "zod";
import {
  type PositionedValue,
  jsonData,
  plainData,
  positionAt,
  readYaml,
  roundedData,
} from "../codec/yaml/read-yaml.ts";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import type { LinkRelation, LinkScope, OnRemove } from "./desired-state.ts";

export interface Rule {
  /** Path template: `${..}` only inside quoted key values. */
  readonly path: string;
  readonly pathPosition: SourcePosition;
  /** Value template, or a plain scalar as text; undefined where only existence is meant. */
  readonly value: RuleValue | undefined;
  readonly relation: LinkRelation;
  /** `NAME in EXPRESSION`. */
  readonly for:
    | { readonly variable: string; readonly expression: string; readonly position: SourcePosition }
    | undefined;
  readonly when: { readonly expression: string; readonly position: SourcePosition } | undefined;
  /** Undefined: decided by whether the service creates the item. */
  readonly scope: LinkScope | undefined;
  readonly onRemove: OnRemove;
  readonly position: SourcePosition;
}

export interface RuleValue {
  /** What a scalar says as text: `9000`, `true`, or a template. */
  readonly template: string;
  readonly position: SourcePosition;
}

export interface DefinitionDocument {
  readonly kind: "definition";
  readonly name: string;
  readonly version: string;
  /** JSON Schema of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly parametersPosition: SourcePosition;
  readonly rules: readonly Rule[];
  readonly position: SourcePosition;
  /** The whole document as JSON data, for storage. */
  readonly json: unknown;
}

export interface InstanceDocument {
  readonly kind: "service";
  readonly name: string;
  readonly definition: { readonly name: string; readonly version: string | undefined };
  readonly definitionPosition: SourcePosition;
  /** Plain data; integers are bigint. */
  readonly parameters: unknown;
  /** The same as JSON data, for storage: integers beyond 2^53 as text. */
  readonly parametersJson: unknown;
  readonly parametersSource: PositionedValue | undefined;
  /** Device names as written. */
  readonly targets: readonly { readonly name: string; readonly position: SourcePosition }[];
  readonly position: SourcePosition;
}

export type ServiceDocument = DefinitionDocument | InstanceDocument;

export type DocumentDiagnosticCode =
  | "document-syntax"
  | "document-duplicate-key"
  | "document-kind"
  | "document-field"
  | "document-value"
  | "document-duplicate-name";

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, "lower-case letters, digits and hyphens, at most 63, a letter first");
const version = z.union([z.string().min(1).max(40), z.bigint().transform(String)]);
const scalar = z.union(
  [z.string(), z.bigint(), z.boolean()],
  "a text, an integer or a boolean (a secretRef is not resolved yet)",
);
/** What expressions see besides the variable of `for`. */
const GIVEN_NAMES: readonly string[] = ["params", "device"];

const ruleSchema = z.strictObject({
  path: z.string().min(1),
  value: scalar.optional(),
  relation: z.enum(["owns", "depends"]).default("owns"),
  for: z
    .string()
    .regex(/^\s*[A-Za-z_][A-Za-z0-9_]*\s+in\s+\S/, "NAME in EXPRESSION")
    .refine((text) => !GIVEN_NAMES.includes(/\w+/.exec(text)?.[0] ?? ""), "the variable hides params or device")
    .optional(),
  when: z.string().min(1).optional(),
  scope: z.enum(["node", "subtree"]).optional(),
  onRemove: z.enum(["delete", "keep"]).default("delete"),
});

const definitionSchema = z.strictObject({
  kind: z.literal("definition"),
  name,
  version,
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).default({ type: "object" }),
  rules: z.array(ruleSchema).min(1),
});

const instanceSchema = z.strictObject({
  kind: z.literal("service"),
  name,
  definition: name,
  version: version.optional(),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  targets: z
    .array(z.string().min(1))
    .min(1)
    .superRefine((targets, context) => {
      for (const [index, target] of targets.entries()) {
        if (targets.indexOf(target) < index)
          context.addIssue({ code: "custom", path: [index], message: `${target} is a target twice` });
      }
    }),
});

/**
 * Reads every document of one text (YAML, or JSON as its subset): `definition` and `service` documents, told apart by
 * `kind`. Several errors in one run, each at the field it is about; nothing is taken from a text with an error.
 */
export function readServiceDocuments(source: string, text: string): Result<readonly ServiceDocument[]> {
  const read = readYaml(source, text);
  if (read.kind === "error") return failure(read.diagnostics);
  const errors: Diagnostic[] = [];
  const documents: ServiceDocument[] = [];
  for (const value of read.value) {
    const kind = value.kind === "map" ? value.entries.find((entry) => entry.key === "kind") : undefined;
    if (kind?.value.kind !== "scalar") {
      errors.push(problem("document-kind", "a document says its `kind`", value.position, "kind: definition | service"));
      continue;
    }
    const unfaithful = unfaithfulValues(value);
    if (unfaithful.length > 0) {
      errors.push(...unfaithful);
      continue;
    }
    switch (kind.value.value) {
      case "definition":
        collect(documents, errors, definitionOf(value));
        break;
      case "service":
        collect(documents, errors, instanceOf(value));
        break;
      default:
        errors.push(
          problem(
            "document-kind",
            `unknown kind ${String(kind.value.value)}`,
            kind.value.position,
            "definition or service",
          ),
        );
    }
  }
  const seen = new Map<string, ServiceDocument>();
  for (const document of documents) {
    const key = `${document.kind} ${document.name}`;
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      errors.push({
        ...problem("document-duplicate-name", `${key} stands twice in one submission`, document.position),
        places: [
          { kind: "source", position: document.position },
          { kind: "source", position: earlier.position },
        ],
      });
    }
    seen.set(key, document);
  }
  return errors.length > 0 ? failure(errors) : ok(documents);
}

function collect(documents: ServiceDocument[], errors: Diagnostic[], result: Result<ServiceDocument>): void {
  if (result.kind === "ok") documents.push(result.value);
  else errors.push(...result.diagnostics);
}

function problem(
  code: DocumentDiagnosticCode,
  message: string,
  position: SourcePosition,
  expected?: string,
): Diagnostic {
  return {
    code,
    severity: "error",
    message,
    places: [{ kind: "source", position }],
    ...(expected === undefined ? {} : { expected }),
  };
}

/** A document is stored as canonical JSON, which has no faithful form for nothing, fractions and torn characters. */
function unfaithfulValues(value: PositionedValue): readonly Diagnostic[] {
  switch (value.kind) {
    case "map":
      return value.entries.flatMap((entry) => [
        ...tornText(entry.key, entry.position),
        ...unfaithfulValues(entry.value),
      ]);
    case "sequence":
      return value.items.flatMap(unfaithfulValues);
    case "scalar": {
      if (value.value === null)
        return [
          problem(
            "document-value",
            "a field without a value",
            value.position,
            'a value, "" for the empty text, or no field',
          ),
        ];
      if (typeof value.value === "number")
        return [
          problem(
            "document-value",
            "a number with a fraction or an exponent loses digits",
            value.position,
            "the number in quotes",
          ),
        ];
      return typeof value.value === "string" ? tornText(value.value, value.position) : [];
    }
  }
}

function tornText(text: string, position: SourcePosition): readonly Diagnostic[] {
  return /\p{Surrogate}/u.test(text) ? [problem("document-value", "half of a surrogate pair", position)] : [];
}

/** A schema whose bound was rounded, or stored as text, would mean something else when it is read again. */
function roundedIntegers(value: PositionedValue | undefined): readonly Diagnostic[] {
  switch (value?.kind) {
    case undefined:
      return [];
    case "map":
      return value.entries.flatMap((entry) => roundedIntegers(entry.value));
    case "sequence":
      return value.items.flatMap(roundedIntegers);
    case "scalar":
      return typeof value.value === "bigint" && !Number.isSafeInteger(Number(value.value))
        ? [
            problem(
              "document-value",
              "a JSON Schema holds no integer beyond 2^53",
              value.position,
              "no bound: the device's type has it",
            ),
          ]
        : [];
  }
}

function memberOf(value: PositionedValue, key: string): PositionedValue | undefined {
  return value.kind === "map" ? value.entries.find((entry) => entry.key === key)?.value : undefined;
}

function fieldErrors(value: PositionedValue, error: z.ZodError): Result<never> {
  return failure(
    error.issues.flatMap((issue) => {
      const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((key) =>
          problem("document-field", `unknown field ${[...path, key].join(".")}`, keyPosition(value, path, key)),
        );
      }
      const where = path.length === 0 ? "the document" : path.join(".");
      return [problem("document-field", `${where}: ${issue.message}`, positionAt(value, path))];
    }),
  );
}

function keyPosition(value: PositionedValue, path: readonly (string | number)[], key: string): SourcePosition {
  let here: PositionedValue | undefined = value;
  for (const step of path) {
    if (here?.kind === "sequence" && typeof step === "number") here = here.items[step];
    else here = here === undefined ? undefined : memberOf(here, String(step));
  }
  const entry = here?.kind === "map" ? here.entries.find((each) => each.key === key) : undefined;
  return entry?.position ?? positionAt(value, path);
}

function definitionOf(value: PositionedValue): Result<DefinitionDocument> {
  const parsed = definitionSchema.safeParse(plainData(value));
  if (!parsed.success) return fieldErrors(value, parsed.error);
  const { data } = parsed;
  const parameters = memberOf(value, "parameters");
  const rounded = roundedIntegers(parameters);
  if (rounded.length > 0) return failure(rounded);
  return ok({
    kind: "definition",
    name: data.name,
    version: data.version,
    parameters:
      parameters === undefined ? data.parameters : (roundedData(parameters) as Readonly<Record<string, unknown>>),
    parametersPosition: positionAt(value, ["parameters"]),
    position: value.position,
    json: jsonData(value),
    rules: data.rules.map((rule, index) => {
      const at = (field: string): SourcePosition => positionAt(value, ["rules", index, field]);
      const loop = rule.for === undefined ? undefined : /^\s*([A-Za-z_][A-Za-z0-9_]*)\s+in\s+([\s\S]*)$/.exec(rule.for);
      return {
        path: rule.path,
        pathPosition: at("path"),
        value: rule.value === undefined ? undefined : { template: String(rule.value), position: at("value") },
        relation: rule.relation,
        for:
          loop?.[1] === undefined || loop[2] === undefined
            ? undefined
            : { variable: loop[1], expression: loop[2], position: at("for") },
        when: rule.when === undefined ? undefined : { expression: rule.when, position: at("when") },
        scope: rule.scope,
        onRemove: rule.onRemove,
        position: positionAt(value, ["rules", index]),
      };
    }),
  });
}

function instanceOf(value: PositionedValue): Result<InstanceDocument> {
  const parsed = instanceSchema.safeParse(plainData(value));
  if (!parsed.success) return fieldErrors(value, parsed.error);
  const { data } = parsed;
  const parametersSource = memberOf(value, "parameters");
  return ok({
    kind: "service",
    name: data.name,
    definition: { name: data.definition, version: data.version },
    definitionPosition: positionAt(value, ["definition"]),
    parameters: data.parameters,
    parametersJson: parametersSource === undefined ? {} : jsonData(parametersSource),
    parametersSource,
    targets: data.targets.map((target, index) => ({ name: target, position: positionAt(value, ["targets", index]) })),
    position: value.position,
  });
}
