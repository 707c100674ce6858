/**
 * Service documents: definitions (rules that yield items) and instances (parameters and targets), as people write
 * them. Every error names file:line:column of the field it is about.
 */
import type { z } from "zod";
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
import { LOOP, definitionSchema, instanceSchema } from "./document-schema.ts";
import { SERVICE_LIMITS } from "./limits.ts";

export interface Rule {
  /** Path template: `${..}` only in quoted key values. */
  readonly path: string;
  readonly pathPosition: SourcePosition;
  /** Value template, or a plain scalar as text; undefined where only existence is meant. */
  readonly value: RuleValue | undefined;
  readonly relation: LinkRelation;
  /** Lists that the rule goes through, each within the one before it; none: the rule yields once. */
  readonly for: readonly RuleLoop[];
  readonly when: { readonly expression: string; readonly position: SourcePosition } | undefined;
  /** Undefined: decided by whether the service creates the item. */
  readonly scope: LinkScope | undefined;
  readonly onRemove: OnRemove;
  readonly position: SourcePosition;
}

/** `NAME in EXPRESSION`. */
export interface RuleLoop {
  readonly variable: string;
  readonly expression: string;
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
  /** Of the definition's name where no version is written. */
  readonly versionPosition: SourcePosition;
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
  | "document-kind"
  | "document-field"
  | "document-value"
  | "document-duplicate-name"
  | "document-limit";

/**
 * Reads every document of one text (YAML, or JSON as its subset): `definition` and `service` documents, told apart by
 * `kind`. Several errors in one run, each at the field it is about; nothing is taken from a text with an error. Whether
 * two documents have one name is asked of a whole submission.
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
    const refused = refusedValues(value);
    if (refused.length > 0) {
      errors.push(...refused);
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
  return errors.length > 0 ? failure(errors) : ok(documents);
}

export interface Submission {
  readonly definitions: readonly DefinitionDocument[];
  readonly instances: readonly InstanceDocument[];
}

/**
 * Reads every document of every file. Errors of all files at once; among them two documents of one kind and name
 * (`document-duplicate-name`, both places) and more documents than a submission may have (`document-limit`).
 */
export function readSubmission(files: readonly { readonly name: string; readonly text: string }[]): Result<Submission> {
  const errors: Diagnostic[] = [];
  const documents: ServiceDocument[] = [];
  let characters = 0;
  for (const file of files) {
    characters += file.text.length;
    if (characters > SERVICE_LIMITS.characters) {
      const start = { source: file.name, line: 1, column: 1 };
      return failure([tooMuch("more characters in one submission", SERVICE_LIMITS.characters, start)]);
    }
    const read = readServiceDocuments(file.name, file.text);
    if (read.kind === "ok") documents.push(...read.value);
    else errors.push(...read.diagnostics);
  }
  const beyond = documents[SERVICE_LIMITS.documents];
  if (beyond !== undefined)
    errors.push(
      tooMuch(`a submission of ${String(documents.length)} documents`, SERVICE_LIMITS.documents, beyond.position),
    );
  errors.push(...duplicatesIn(documents));
  if (errors.length > 0) return failure(errors);
  return ok({
    definitions: documents.filter((each) => each.kind === "definition"),
    instances: documents.filter((each) => each.kind === "service"),
  });
}

function duplicatesIn(documents: readonly ServiceDocument[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Map<string, ServiceDocument>();
  for (const document of documents) {
    const key = `${document.kind} ${document.name}`;
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, document);
    else
      found.push({
        ...problem("document-duplicate-name", `${key} stands twice in one submission`, document.position),
        places: [
          { kind: "source", position: document.position },
          { kind: "source", position: earlier.position },
        ],
      });
  }
  return found;
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

/**
 * A document is stored as canonical JSON, which has no faithful form for nothing, fractions and torn characters; and
 * what is in it has its limits.
 */
function refusedValues(value: PositionedValue): readonly Diagnostic[] {
  switch (value.kind) {
    case "map":
      return value.entries.flatMap((entry) => [
        ...refusedText(entry.key, entry.position),
        ...refusedValues(entry.value),
      ]);
    case "sequence":
      return value.items.length > SERVICE_LIMITS.listLength
        ? [tooMuch(`a list of ${String(value.items.length)} items`, SERVICE_LIMITS.listLength, value.position)]
        : value.items.flatMap(refusedValues);
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
      return typeof value.value === "string" ? refusedText(value.value, value.position) : [];
    }
  }
}

function refusedText(text: string, position: SourcePosition): readonly Diagnostic[] {
  if (text.length > SERVICE_LIMITS.textLength)
    return [tooMuch(`a text of ${String(text.length)} characters`, SERVICE_LIMITS.textLength, position)];
  return /\p{Surrogate}/u.test(text) ? [problem("document-value", "half of a surrogate pair", position)] : [];
}

function tooMuch(what: string, limit: number, position: SourcePosition): Diagnostic {
  return problem("document-limit", what, position, `${String(limit)} at most`);
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
  const json = jsonData(value);
  const { length } = JSON.stringify(json);
  if (length > SERVICE_LIMITS.definitionLength)
    return failure([
      tooMuch(`a definition of ${String(length)} characters of JSON`, SERVICE_LIMITS.definitionLength, value.position),
    ]);
  return ok({
    kind: "definition",
    name: data.name,
    version: data.version,
    parameters:
      parameters === undefined ? data.parameters : (roundedData(parameters) as Readonly<Record<string, unknown>>),
    parametersPosition: positionAt(value, ["parameters"]),
    position: value.position,
    json,
    rules: data.rules.map((rule, index) => {
      const at = (field: string): SourcePosition => positionAt(value, ["rules", index, field]);
      return {
        path: rule.path,
        pathPosition: at("path"),
        value: rule.value === undefined ? undefined : { template: String(rule.value), position: at("value") },
        relation: rule.relation,
        for:
          typeof rule.for === "string"
            ? [loopOf(rule.for, at("for"))]
            : (rule.for ?? []).map((loop, nth) => loopOf(loop, positionAt(value, ["rules", index, "for", nth]))),
        when: rule.when === undefined ? undefined : { expression: rule.when, position: at("when") },
        scope: rule.scope,
        onRemove: rule.onRemove,
        position: positionAt(value, ["rules", index]),
      };
    }),
  });
}

function loopOf(text: string, position: SourcePosition): RuleLoop {
  const [, variable = "", expression = ""] = LOOP.exec(text) ?? [];
  return { variable, expression, position };
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
    versionPosition: positionAt(value, [data.version === undefined ? "definition" : "version"]),
    parameters: data.parameters,
    parametersJson: parametersSource === undefined ? {} : jsonData(parametersSource),
    parametersSource,
    targets: data.targets.map((target, index) => ({ name: target, position: positionAt(value, ["targets", index]) })),
    position: value.position,
  });
}
