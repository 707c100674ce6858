/** JSON scalars to values (RFC 7951 section 6): the type of the leaf says which JSON type has to stand there. */
import {
  type SimpleType,
  type ValueContext,
  type ValueDiagnostic,
  describeType,
  isDerivedIdentity,
  parseValue,
  simpleTypesOf,
} from "../../model/values/canonical-value.ts";
import { type Diagnostic, type Result, failure, ok } from "../../model/diagnostic.ts";
import type { IdentityrefType, LeafListSchema, LeafSchema, Schema, TypeSchema } from "../../model/schema.ts";
import { type PlainValue, plainValue } from "../../model/value.ts";
import { jsonFormOf } from "./json-form.ts";
import type { JsonValue } from "./json-value.ts";
import { plainNumber } from "./plain-number.ts";

/**
 * Deviations from RFC 7951 that some devices need; each use is reported as a warning.
 * - `stringly`: numbers and booleans in strings, 64-bit numbers and decimals as JSON numbers (their text is exact here).
 * - `loose-identity`: an identity without its module or with another word before the colon, where only one can be meant.
 */
export type JsonQuirk = "stringly" | "loose-identity";

/**
 * Reads values. Of a union the first member decides that has this JSON type and accepts the value (RFC 7951 section
 * 6.10). Null is never a value and never a deletion. Errors carry no place.
 */
export class JsonValueReader {
  readonly #schema: Schema;
  readonly #quirks: readonly JsonQuirk[];
  /** By module: an identity without module name belongs to that of its leaf. */
  readonly #contexts = new Map<string, ValueContext>();

  constructor(schema: Schema, quirks: readonly JsonQuirk[]) {
    this.#schema = schema;
    this.#quirks = quirks;
  }

  read({ type, module }: LeafSchema | LeafListSchema, json: JsonValue): Result<PlainValue> {
    const types = simpleTypesOf(type);
    const context = this.#contextOf(module);
    const strict = firstAccepted(types, json, strictText, context);
    if (strict.kind === "ok") return strict;
    let error = strict;
    if (this.#quirks.includes("stringly")) {
      const loose = firstAccepted(types, json, stringlyText, context);
      if (loose.kind === "ok")
        return deviation(loose, `${describeKind(json.kind)} stands for a value of type ${loose.value.type}`);
      if (!isWrongType(loose)) error = loose;
    }
    if (this.#quirks.includes("loose-identity") && json.kind === "string") {
      const guessed = types.flatMap((each) =>
        each.kind === "identityref" ? guessIdentities(each, json.value, this.#schema) : [],
      );
      const [only] = guessed;
      if (only !== undefined && new Set(guessed).size === 1)
        return deviation(ok(plainValue("identityref", only)), `${only} is not named by its module`);
    }
    return types.length > 1 ? unionError(type, json) : error;
  }

  #contextOf(module: string): ValueContext {
    let context = this.#contexts.get(module);
    if (context === undefined) {
      context = { schema: this.#schema, form: { kind: "json", module } };
      this.#contexts.set(module, context);
    }
    return context;
  }
}

/** The lexical form that a JSON value has for a type; undefined: the JSON type is not the right one. */
type TextOf = (type: SimpleType, json: JsonValue) => string | undefined;

function firstAccepted(
  types: readonly SimpleType[],
  json: JsonValue,
  textOf: TextOf,
  context: ValueContext,
): Result<PlainValue> {
  let error: Result<PlainValue, ValueDiagnostic> | undefined;
  for (const type of types) {
    const text = textOf(type, json);
    if (text === undefined) continue;
    const result = parseValue(type, text, context);
    if (result.kind === "ok") return result;
    error ??= result;
  }
  return error ?? wrongType(types, json);
}

function strictText(type: SimpleType, json: JsonValue): string | undefined {
  switch (jsonFormOf(type.kind)) {
    case "number":
      return json.kind === "number" ? plainNumber(json.text) : undefined;
    case "boolean":
      return json.kind === "boolean" ? String(json.value) : undefined;
    case "empty":
      return json.kind === "array" && json.items.length === 1 && json.items[0]?.kind === "null" ? "" : undefined;
    case "string":
      return json.kind === "string" ? json.value : undefined;
  }
}

function stringlyText(type: SimpleType, json: JsonValue): string | undefined {
  const form = jsonFormOf(type.kind);
  if (form === "number" || form === "boolean") return json.kind === "string" ? json.value : undefined;
  const isNumeric = type.kind === "int64" || type.kind === "uint64" || type.kind === "decimal64";
  return isNumeric && json.kind === "number" ? plainNumber(json.text) : undefined;
}

function guessIdentities(type: IdentityrefType, text: string, schema: Schema): readonly string[] {
  const name = text.slice(text.indexOf(":") + 1);
  return [...schema.identities.values()]
    .filter((identity) => identity.name === name)
    .map((identity) => `${identity.module}:${identity.name}`)
    .filter((id) => isDerivedIdentity(schema, id, type.bases));
}

function deviation(result: Result<PlainValue>, message: string): Result<PlainValue> {
  if (result.kind === "error") return result;
  const warning: Diagnostic = { code: "device-deviation", severity: "warning", message, places: [] };
  return ok(result.value, [...result.warnings, warning]);
}

function wrongType(types: readonly SimpleType[], json: JsonValue): Result<never> {
  const expected = [...new Set(types.map(jsonTypeOf))].join(" or ");
  return failure([
    {
      code: "wrong-json-type",
      severity: "error",
      message: `${describeKind(json.kind)} cannot stand here`,
      places: [],
      expected,
    },
  ]);
}

function isWrongType(result: Result<unknown>): boolean {
  return result.kind === "error" && result.diagnostics.every((each) => each.code === "wrong-json-type");
}

function unionError(type: TypeSchema, json: JsonValue): Result<never> {
  const message = `no member of the union accepts ${describeKind(json.kind)}`;
  return failure([{ code: "value-union", severity: "error", message, places: [], expected: describeType(type) }]);
}

function jsonTypeOf(type: SimpleType): string {
  switch (jsonFormOf(type.kind)) {
    case "number":
      return `a number (${type.kind})`;
    case "boolean":
      return "true or false";
    case "empty":
      return "[null]";
    case "string":
      return `a string (${type.kind})`;
  }
}

/** The kind of a JSON value in words; never its text, which may be a secret. */
export function describeKind(kind: JsonValue["kind"]): string {
  return kind === "null" ? "null" : kind === "array" || kind === "object" ? `an ${kind}` : `a ${kind}`;
}
