/**
 * From lexical forms to canonical values (RFC 7950 section 9). Every reader of values (XML, JSON, module text, paths)
 * comes through here, so that a value has one form however it was spelled and wherever it came from.
 */
import { canonicalTypedefText } from "./canonical-address.ts";
import { scaledDecimal } from "./canonical-order.ts";
import { canonicalisePath, moduleQualifiedPath } from "./canonical-path.ts";
import { type Diagnostic, type Result, failure, ok } from "./diagnostic.ts";
import { type ResolvedPath, formatInstancePath, parseInstancePath } from "./path.ts";
import type {
  BinaryType,
  BitsType,
  Decimal64Type,
  IdentityrefType,
  LeafListSchema,
  LeafrefType,
  LeafSchema,
  NumberType,
  RangeRestriction,
  Schema,
  StringType,
  TypeSchema,
  UnionType,
} from "./schema.ts";
import { type BuiltInType, type PlainValue, plainValue } from "./value.ts";
import { patternMatcher } from "./xsd-pattern.ts";

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

/** A type that a value can resolve to: neither union nor leafref. */
export type SimpleType = Exclude<TypeSchema, UnionType | LeafrefType>;

const simpleTypes = new WeakMap<TypeSchema, readonly SimpleType[]>();

/** The types a value of `type` is tried against, in order: unions flattened, leafrefs followed to their target. */
export function simpleTypesOf(type: TypeSchema): readonly SimpleType[] {
  const known = simpleTypes.get(type);
  if (known !== undefined) return known;
  const found =
    type.kind === "union"
      ? type.members.flatMap(simpleTypesOf)
      : type.kind === "leafref"
        ? simpleTypesOf(type.target().type)
        : [type];
  simpleTypes.set(type, found);
  return found;
}

/**
 * Reads one value. Guarantees: the text is canonical (reading it in form `canonical` `as` its type gives the same value),
 * in the type's value space and within its restrictions; of a union the first member that accepts the text decides.
 *
 * Errors carry no place: the caller knows it. Their messages quote no string and no binary value, since it might be a
 * secret. A pattern that is no XSD expression restricts nothing here and is a warning.
 */
export function parseValue(
  type: TypeSchema,
  lexical: string,
  context: ValueContext,
): Result<PlainValue, ValueDiagnostic> {
  const all = simpleTypesOf(type);
  const types = context.as === undefined ? all : all.filter((each) => each.kind === context.as);
  const [only] = types;
  if (only === undefined) return problem("value-type", `the type has no ${context.as ?? "member"}`, describeType(type));
  const trims = context.form.kind === "xml";
  if (types.length === 1)
    return parseSimple(only, trims && only.kind !== "string" ? trimBlanks(lexical) : lexical, context);
  // A string member keeps the blanks that another member would have dropped, so the exact text goes first.
  const trimmed = trims ? trimBlanks(lexical) : lexical;
  for (const text of trimmed === lexical ? [lexical] : [lexical, trimmed]) {
    for (const each of types) {
      if (text !== lexical && each.kind === "string") continue;
      const result = parseSimple(each, text, context);
      if (result.kind === "ok") return result;
    }
  }
  return problem("value-union", "no member of the union accepts the value", describeType(type));
}

/** Reads a path's text as written by people or other parts, and makes its key values canonical. */
export function parseCanonicalPath(schema: Schema, text: string): Result<ResolvedPath> {
  const resolved = parseInstancePath(schema, text);
  if (resolved.kind === "error") return resolved;
  const path = canonicalisePath(schema, resolved.value.path, (leaf, value) =>
    parseValue(leaf.type, value, { schema, form: { kind: "canonical" } }),
  );
  return path.kind === "error" ? path : ok({ path: path.value, schema: resolved.value.schema });
}

/** Does the identity derive from all bases (RFC 7950 section 9.10.2)? A base itself does not. */
export function isDerivedIdentity(schema: Pick<Schema, "identities">, id: string, bases: readonly string[]): boolean {
  return bases.length > 0 && bases.every((base) => schema.identities.get(base)?.derived.has(id) === true);
}

/** A short name of the type for error messages. */
export function describeType(type: TypeSchema): string {
  switch (type.kind) {
    case "union":
      return `one of ${type.members.map(describeType).join(" | ")}`;
    case "leafref":
      return describeType(type.target().type);
    case "enumeration":
      return `one of ${type.enums.map((each) => each.name).join(", ")}`;
    default:
      return type.typedefs[0] ?? type.kind;
  }
}

function parseSimple(type: SimpleType, text: string, context: ValueContext): Result<PlainValue, ValueDiagnostic> {
  switch (type.kind) {
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
      return parseInteger(type, text, context.form);
    case "decimal64":
      return parseDecimal(type, text);
    case "string":
      return parseString(type, text);
    case "binary":
      return parseBinary(type, text);
    case "boolean":
      return text === "true" || text === "false" ? good("boolean", text) : wrongSyntax(text, "true or false");
    case "empty":
      return text === "" ? good("empty", "") : wrongSyntax(text, "no text at all (type empty)");
    case "enumeration":
      if (type.enums.some((each) => each.name === text)) return good("enumeration", text);
      return problem("value-enum", `unknown enum ${quoted(text)}`, describeType(type));
    case "bits":
      return parseBits(type, text);
    case "identityref":
      return parseIdentity(type, text, context);
    case "instance-identifier":
      return parseInstance(text, context);
  }
}

const INTEGER_BOUNDS: Readonly<Record<NumberType["kind"], readonly [bigint, bigint]>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

function parseInteger(type: NumberType, text: string, form: ValueForm): Result<PlainValue, ValueDiagnostic> {
  const match = /^([+-]?)(?:0[xX]([0-9A-Fa-f]+)|(\d+))$/.exec(text);
  const [, sign, hexadecimal, decimal = ""] = match ?? [];
  const special = hexadecimal !== undefined || /^0[0-7]+$/.test(decimal);
  if (match === null || (hexadecimal !== undefined && form.kind !== "yang"))
    return wrongSyntax(text, `an integer (${type.kind})`);
  // 22 octal digits and 20 decimal ones hold every 64-bit number; more are refused before they cost time.
  const digits = (hexadecimal ?? decimal).replace(/^0+(?=.)/, "");
  const [min, max] = INTEGER_BOUNDS[type.kind];
  const expected = `${String(min)}..${String(max)} (${type.kind})`;
  if (digits.length > 22) return problem("value-range", `${quoted(text)} is out of range`, expected);
  const radix = form.kind !== "yang" || !special ? "" : hexadecimal === undefined ? "0o" : "0x";
  const magnitude = BigInt(radix + digits);
  const number = sign === "-" ? -magnitude : magnitude;
  if (number < min || number > max) return problem("value-range", `${quoted(text)} is out of range`, expected);
  return withinRanges(number, type.ranges, { scale: "integer" }) ?? good(type.kind, String(number));
}

function parseDecimal(type: Decimal64Type, text: string): Result<PlainValue, ValueDiagnostic> {
  const [, sign, whole, fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined)
    return wrongSyntax(text, `a decimal number with up to ${String(type.fractionDigits)} fraction digits`);
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > type.fractionDigits) {
    return problem(
      "value-range",
      `${quoted(text)} has too many fraction digits`,
      `up to ${String(type.fractionDigits)}`,
    );
  }
  const integer = whole.replace(/^0+(?=.)/, "");
  const scaled = integer.length > 19 ? undefined : BigInt(integer + digits.padEnd(type.fractionDigits, "0"));
  const number = scaled === undefined || sign !== "-" ? scaled : -scaled;
  if (number === undefined || number < -(2n ** 63n) || number > 2n ** 63n - 1n) {
    return problem(
      "value-range",
      `${quoted(text)} is out of range`,
      `decimal64 with ${String(type.fractionDigits)} fraction digits`,
    );
  }
  const canonical = `${number < 0n ? "-" : ""}${integer}.${digits === "" ? "0" : digits}`;
  return withinRanges(scaledDecimal(canonical), type.ranges, { scale: "decimal" }) ?? good("decimal64", canonical);
}

interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}
const boundsOf = new WeakMap<RangeRestriction, readonly Bounds[]>();

function isWithin(restriction: RangeRestriction, number: bigint, scale: "integer" | "decimal"): boolean {
  let bounds = boundsOf.get(restriction);
  if (bounds === undefined) {
    const scaled = scale === "integer" ? BigInt : scaledDecimal;
    bounds = restriction.parts.map((part) => ({ min: scaled(part.min), max: scaled(part.max) }));
    boundsOf.set(restriction, bounds);
  }
  return bounds.some((part) => part.min <= number && number <= part.max);
}

function describeRange(restriction: RangeRestriction): string {
  return restriction.parts.map((part) => (part.min === part.max ? part.min : `${part.min}..${part.max}`)).join(" | ");
}

function withinRanges(
  number: bigint,
  ranges: readonly RangeRestriction[],
  options: { readonly scale: "integer" | "decimal" },
): Result<never, ValueDiagnostic> | undefined {
  const broken = ranges.find((range) => !isWithin(range, number, options.scale));
  return broken && problem("value-range", broken.errorMessage ?? "the number is out of range", describeRange(broken));
}

function withinLengths(
  length: number,
  lengths: readonly RangeRestriction[],
  unit: "characters" | "octets",
): Result<never, ValueDiagnostic> | undefined {
  const broken = lengths.find((each) => !isWithin(each, BigInt(length), "integer"));
  const message = broken?.errorMessage ?? `the value has ${String(length)} ${unit}`;
  return broken && problem("value-length", message, `${describeRange(broken)} ${unit}`);
}

/** Outside of YANG's characters (RFC 7950 section 14, `yang-char`): controls, lone surrogates, noncharacters. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\p{Cs}\p{Noncharacter_Code_Point}]/u;

function parseString(type: StringType, text: string): Result<PlainValue, ValueDiagnostic> {
  const forbidden = FORBIDDEN.exec(text)?.[0].codePointAt(0);
  if (forbidden !== undefined) {
    const name = `U+${forbidden.toString(16).toUpperCase().padStart(4, "0")}`;
    return problem("value-character", `the text holds the character ${name}, which YANG does not allow`);
  }
  if (type.lengths.length > 0) {
    const length = withinLengths(characterCount(text), type.lengths, "characters");
    if (length !== undefined) return length;
  }
  const warnings: ValueDiagnostic[] = [];
  for (const { pattern, invert, errorMessage } of type.patterns) {
    const matches = patternMatcher(pattern);
    if (matches === undefined) {
      const message = `the pattern ${quoted(pattern)} is no XSD regular expression and was not checked`;
      warnings.push({ code: "pattern-not-readable", severity: "warning", message, places: [] });
    } else if (matches(text) === invert) {
      const expected = `a text that ${invert ? "does not match" : "matches"} ${pattern}`;
      return problem("value-pattern", errorMessage ?? "the text breaks the pattern of its type", expected);
    }
  }
  return good("string", canonicalTypedefText(type.typedefs, text), warnings);
}

/** Unicode characters, not UTF-16 units (RFC 7950 section 9.4.4). */
function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648 section 4. Line breaks are dropped, unused bits before the padding are zeroed. */
function parseBinary(type: BinaryType, text: string): Result<PlainValue, ValueDiagnostic> {
  const compact = text.replace(/[ \t\n\r]+/g, "");
  const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(compact) ?? [];
  if (digits === undefined || compact.length % 4 !== 0 || compact.length - digits.length > 2) {
    return problem("value-syntax", "the value is not base64", "base64 with padding (RFC 4648 section 4)");
  }
  const padding = compact.length - digits.length;
  const length = withinLengths((compact.length / 4) * 3 - padding, type.lengths, "octets");
  if (length !== undefined) return length;
  if (padding === 0) return good("binary", compact);
  const last = BASE64.indexOf(digits.slice(-1));
  const kept = BASE64.charAt(last - (last % (padding === 1 ? 4 : 16)));
  return good("binary", digits.slice(0, -1) + kept + "=".repeat(padding));
}

/** A set in the order of positions (RFC 7950 section 9.7.3); naming a bit twice is an error. */
function parseBits(type: BitsType, text: string): Result<PlainValue, ValueDiagnostic> {
  const names = text.split(/[ \t\n\r]+/).filter((name) => name !== "");
  const expected = `bits of ${type.bits.map((bit) => bit.name).join(", ")}`;
  const unknown = names.find((name) => !type.bits.some((bit) => bit.name === name));
  if (unknown !== undefined) return problem("value-bits", `unknown bit ${quoted(unknown)}`, expected);
  const set = new Set(names);
  if (set.size < names.length) return problem("value-bits", "a bit is named twice", expected);
  const ordered = type.bits.filter((bit) => set.has(bit.name)).sort((a, b) => a.position - b.position);
  return good("bits", ordered.map((bit) => bit.name).join(" "));
}

function parseIdentity(
  type: IdentityrefType,
  text: string,
  { schema, form }: ValueContext,
): Result<PlainValue, ValueDiagnostic> {
  const expected = `an identity derived from ${type.bases.join(" and ")}`;
  const [, qualifier, name] = /^(?:([^\s:]+):)?([^\s:]+)$/.exec(text) ?? [];
  if (name === undefined) return wrongSyntax(text, expected);
  const module = moduleOfIdentity(qualifier, form);
  if (module === undefined) return problem("value-identity", `cannot tell the module of ${quoted(text)}`, expected);
  const id = `${module}:${name}`;
  if (isDerivedIdentity(schema, id, type.bases)) return good("identityref", id);
  const known = schema.identities.has(id);
  return problem("value-identity", known ? `${id} does not derive from the base` : `no identity ${id}`, expected);
}

function moduleOfIdentity(qualifier: string | undefined, form: ValueForm): string | undefined {
  switch (form.kind) {
    case "xml":
    case "yang":
      return form.moduleOf(qualifier ?? "");
    case "json":
      return qualifier ?? form.module;
    case "canonical":
      return qualifier;
  }
}

/** RFC 7950 section 9.13; the canonical text is that of `formatInstancePath`. */
function parseInstance(text: string, { schema, form }: ValueContext): Result<PlainValue, ValueDiagnostic> {
  const expected = "an instance-identifier of this module set";
  if (text === "/") return problem("value-instance", "the whole device is no instance", expected);
  const qualified = form.kind === "xml" || form.kind === "yang" ? moduleQualifiedPath(text, form.moduleOf) : text;
  if (qualified === undefined) return problem("value-instance", `unknown prefix in ${quoted(text)}`, expected);
  const resolved = parseInstancePath(schema, qualified);
  if (resolved.kind === "error")
    return problem("value-instance", resolved.diagnostics.map((each) => each.message).join("; "), expected);
  const keyForm = (leaf: LeafSchema | LeafListSchema): ValueForm =>
    form.kind === "json" ? { kind: "json", module: leaf.module } : form;
  const path = canonicalisePath(schema, resolved.value.path, (leaf, value) =>
    parseValue(leaf.type, value, { schema, form: keyForm(leaf) }),
  );
  if (path.kind === "error")
    return problem("value-instance", path.diagnostics.map((each) => each.message).join("; "), expected);
  const values = path.value.flatMap((segment) =>
    segment.kind === "entry"
      ? segment.keys.map((key) => key.value)
      : segment.kind === "leaf-list-entry"
        ? [segment.value]
        : [],
  );
  if (values.some((value) => value.includes("'") && value.includes('"'))) {
    return problem("value-instance", "an instance-identifier cannot hold a key with both kinds of quotes", expected);
  }
  return good("instance-identifier", formatInstancePath(path.value));
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t\n\r]+/, "").replace(/[ \t\n\r]+$/, "");
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function good(
  type: BuiltInType,
  text: string,
  warnings: readonly ValueDiagnostic[] = [],
): Result<PlainValue, ValueDiagnostic> {
  return { kind: "ok", value: plainValue(type, text), warnings };
}

function wrongSyntax(text: string, expected: string): Result<never, ValueDiagnostic> {
  return problem("value-syntax", `cannot read the value ${quoted(text)}`, expected);
}

function problem(code: ValueDiagnosticCode, message: string, expected?: string): Result<never, ValueDiagnostic> {
  return failure([{ code, severity: "error", message, places: [], ...(expected === undefined ? {} : { expected }) }]);
}
