/** The parameters of an instance against the JSON Schema of its definition. */
import { type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type PositionedValue, positionAt, roundedData } from "../codec/yaml/read-yaml.ts";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import type { DefinitionDocument, InstanceDocument } from "./documents.ts";
import { linearPattern } from "./linear-pattern.ts";

export type ParameterDiagnosticCode = "parameter" | "definition-schema";

/** Keywords beside `properties` that can let other parameters in. */
const OPENERS = [
  ...["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "$ref", "$dynamicRef"],
  ...["allOf", "anyOf", "oneOf", "if", "dependentSchemas"],
];

/** Names of the parameters of a definition; undefined: the definition lets others in, or does not say. */
export function parameterNames(definition: DefinitionDocument): ReadonlySet<string> | undefined {
  const { properties, additionalProperties } = definition.parameters;
  const open = OPENERS.some((keyword) => keyword in definition.parameters);
  if (typeof properties !== "object" || properties === null || (open && additionalProperties !== false))
    return undefined;
  const names = new Set(Object.keys(properties));
  return OPENERS.some((keyword) => keyword !== "additionalProperties" && keyword in definition.parameters)
    ? undefined
    : names;
}

/** Patterns of a schema in linear time; ajv asks for something like a RegExp, and tells them apart by their text. */
const patterns = Object.assign(
  (pattern: string): { readonly test: (text: string) => boolean; readonly toString: () => string } => {
    const matcher = linearPattern(pattern);
    if (matcher.kind === "error") throw new RangeError(`pattern ${JSON.stringify(pattern)}: ${matcher.reason}`);
    return { test: matcher.test, toString: () => pattern };
  },
  { code: "patterns" },
);

const validators = new WeakMap<DefinitionDocument, Result<ValidateFunction>>();

/** Compiled once a definition. Error: `definition-schema`. */
export function parameterSchema(definition: DefinitionDocument): Result<ValidateFunction> {
  const known = validators.get(definition);
  if (known !== undefined) return known;
  const made = compileSchema(definition);
  validators.set(definition, made);
  return made;
}

/** Only asked whether a schema is one: to compile the schema of schemas takes far longer than any of these. */
const schemaOfSchemas = new Ajv2020();

function compileSchema(definition: DefinitionDocument): Result<ValidateFunction> {
  const ajv = new Ajv2020({
    validateSchema: false,
    allErrors: true,
    useDefaults: true,
    // A keyword that is misspelled would be no rule at all.
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    validateFormats: false,
    code: { regExp: patterns },
  });
  const closed = parameterNames(definition) !== undefined && !("additionalProperties" in definition.parameters);
  try {
    if (schemaOfSchemas.validateSchema(definition.parameters) !== true)
      throw new TypeError(`schema is invalid: ${schemaOfSchemas.errorsText(undefined, { dataVar: "data" })}`);
    return ok(ajv.compile({ ...definition.parameters, ...(closed ? { additionalProperties: false } : {}) }));
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
}

/**
 * Checks the parameters; defaults of the schema are filled in. Needs: a definition whose `parameterSchema` compiles.
 * Errors of all parameters at once (`parameter`), each where it is written in the instance.
 */
export function checkParameters(definition: DefinitionDocument, instance: InstanceDocument): Result<unknown> {
  const schema = parameterSchema(definition);
  if (schema.kind === "error") return schema;
  // A copy of its own: the check fills in defaults.
  const data: unknown = instance.parametersSource === undefined ? {} : roundedData(instance.parametersSource);
  if (!schema.value(data))
    return failure((schema.value.errors ?? []).map((error) => parameterProblem(error, definition, instance)));
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

function parameterProblem(error: ErrorObject, definition: DefinitionDocument, instance: InstanceDocument): Diagnostic {
  const source = instance.parametersSource;
  const path: (string | number)[] = [];
  let here: PositionedValue | undefined = source;
  for (const step of error.instancePath.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    // Only where a list stands is a number its place: a parameter may be called 7.
    path.push(here?.kind === "sequence" ? Number(name) : name);
    here =
      here?.kind === "sequence"
        ? here.items[Number(name)]
        : here?.kind === "map"
          ? here.entries.find((entry) => entry.key === name)?.value
          : undefined;
  }
  const unknown: unknown = error.params["additionalProperty"];
  const isUnknown = typeof unknown === "string";
  const position =
    source === undefined
      ? instance.position
      : isUnknown && here?.kind === "map"
        ? (here.entries.find((entry) => entry.key === unknown)?.position ?? positionAt(source, path))
        : positionAt(source, path);
  if (isUnknown) path.push(unknown);
  const where = path.length === 0 ? "parameters" : `parameters.${path.join(".")}`;
  const names = path.length === 1 && isUnknown ? [...(parameterNames(definition) ?? [])].sort() : [];
  return {
    ...problem("parameter", `${where} ${isUnknown ? "is no parameter" : (error.message ?? "is not right")}`, position),
    ...(names.length === 0 ? {} : { expected: names.join(", ") }),
  };
}

function problem(code: ParameterDiagnosticCode, message: string, position: SourcePosition): Diagnostic {
  return { code, severity: "error", message, places: [{ kind: "source", position }] };
}
