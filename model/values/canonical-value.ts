/**
 * From lexical forms to canonical values (RFC 7950 section 9). Every reader of values (XML, JSON, module text, paths)
 * comes through here, so that a value has one form however it was spelled and wherever it came from.
 *
 * A type is compiled once into a reader; the readers stand in `value-numbers`, `value-texts`, `value-names` and
 * `value-instances`, the canonical forms of typedefs in `canonical-address`, patterns in `xsd-pattern`.
 */
import type { Result } from "../diagnostic.ts";
import { parseInstancePath } from "../paths/parse-path.ts";
import type { ResolvedPath } from "../paths/resolve-path.ts";
import type { LeafrefType, Schema, TypeSchema, UnionType } from "../schema.ts";
import { instanceReader } from "./instances.ts";
import { bitsReader, describeEnums, enumerationReader, identityReader, readBoolean, readEmpty } from "./names.ts";
import { decimalReader, integerReader } from "./numbers.ts";
import { type ValueContext, type ValueReader, type ValueResult, problem, trimBlanks } from "./reading.ts";
import { binaryReader, stringReader } from "./texts.ts";
import type { BuiltInType } from "../value.ts";

export { isDerivedIdentity } from "./names.ts";
export type { ValueContext, ValueDiagnostic, ValueDiagnosticCode, ValueForm } from "./reading.ts";

/** A type that a value can resolve to: neither union nor leafref. */
export type SimpleType = Exclude<TypeSchema, UnionType | LeafrefType>;

const simpleTypes = new WeakMap<TypeSchema, readonly SimpleType[]>();

/** The types a value of `type` is tried against, in order: unions flattened, leafrefs followed to their target. */
export function simpleTypesOf(type: TypeSchema): readonly SimpleType[] {
  const known = simpleTypes.get(type);
  if (known !== undefined) return known;
  const found = flatten(type);
  simpleTypes.set(type, found);
  return found;
}

function flatten(type: TypeSchema): readonly SimpleType[] {
  switch (type.kind) {
    case "union":
      return type.members.flatMap(simpleTypesOf);
    case "leafref":
      return simpleTypesOf(type.target().type);
    default:
      return [type];
  }
}

interface Readers {
  readonly read: ValueReader;
  /** The same with only the members of one built-in type. */
  readonly as: Map<BuiltInType, ValueReader>;
}

const readersOfTypes = new WeakMap<TypeSchema, Readers>();

function readersOf(type: TypeSchema): Readers {
  const known = readersOfTypes.get(type);
  if (known !== undefined) return known;
  const made: Readers = { read: readerOf(type, simpleTypesOf(type)), as: new Map() };
  readersOfTypes.set(type, made);
  return made;
}

/**
 * Reads one value. Guarantees: the text is canonical (reading it in form `canonical` `as` its type gives the same value),
 * in the type's value space and within its restrictions; of a union the first member that accepts the text decides.
 * Results may be the same object for equal texts, and a string that is canonical already is the very text that came in: who
 * keeps few values of a large document keeps that document's memory too. Time is linear in the length of the text.
 *
 * Errors carry no place: the caller knows it. They have the error-message and error-app-tag of the restriction that is
 * broken, where the schema gives some. Their messages quote no string and no binary value, since it might be a secret. A
 * pattern that is no XSD expression restricts nothing here and is a warning.
 */
export function parseValue(type: TypeSchema, lexical: string, context: ValueContext): ValueResult {
  const { read, as } = readersOf(type);
  if (context.as === undefined) return read(lexical, context);
  const known = as.get(context.as);
  if (known !== undefined) return known(lexical, context);
  const reader = readerAs(type, context.as);
  as.set(context.as, reader);
  return reader(lexical, context);
}

function readerAs(type: TypeSchema, as: BuiltInType): ValueReader {
  const types = simpleTypesOf(type).filter((each) => each.kind === as);
  if (types.length > 0) return readerOf(type, types);
  return () => problem("value-type", `the type has no ${as}`, describeType(type));
}

function readerOf(type: TypeSchema, types: readonly SimpleType[]): ValueReader {
  const [only, ...more] = types;
  if (only === undefined) return () => problem("value-type", "the type has no member", describeType(type));
  if (more.length > 0) return unionReader(types);
  const read = simpleReader(only);
  if (only.kind === "string") return read;
  return (text, context) => read(context.form.kind === "xml" ? trimBlanks(text) : text, context);
}

/** RFC 7950 section 9.12. A string member keeps blanks that another member would have dropped: exact text goes first. */
function unionReader(types: readonly SimpleType[]): ValueReader {
  const members = types.map((type) => ({ type, read: simpleReader(type), mayRead: foresight(type) }));
  return (text, context) => {
    for (const { read, mayRead } of members) {
      const result = mayRead(text) ? read(text, context) : undefined;
      if (result?.kind === "ok") return result;
    }
    const trimmed = context.form.kind === "xml" ? trimBlanks(text) : text;
    if (trimmed !== text) {
      for (const { type, read } of members) {
        const result = type.kind === "string" ? undefined : read(trimmed, context);
        if (result?.kind === "ok") return result;
      }
    }
    // What each member wanted, not what it found: the value might be a secret.
    const reasons = members.map(({ type, read }) => {
      const result = read(text, context);
      return (result.kind === "error" ? result.diagnostics[0]?.expected : undefined) ?? describeType(type);
    });
    const different = [...new Set(reasons)];
    const listed = different.slice(0, MAX_REASONS);
    if (different.length > listed.length) listed.push(`${String(different.length - listed.length)} more types`);
    return problem("value-union", "no member of the union accepts the value", listed.join(", or "));
  };
}

/** False: no such text is of this type. Saves the error that nobody asks for while another member may accept the text. */
function foresight(type: SimpleType): (text: string) => boolean {
  switch (type.kind) {
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
    case "decimal64":
      return (text) => /^[-+0-9]/.test(text);
    case "enumeration": {
      const names = new Set(type.enums.map((each) => each.name));
      return (text) => names.has(text);
    }
    case "boolean":
      return (text) => text === "true" || text === "false";
    case "empty":
      return (text) => text === "";
    default:
      return () => true;
  }
}

/** Some unions of published modules have hundreds of members. */
const MAX_REASONS = 12;

function simpleReader(type: SimpleType): ValueReader {
  switch (type.kind) {
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
      return integerReader(type);
    case "decimal64":
      return decimalReader(type);
    case "string":
      return stringReader(type);
    case "binary":
      return binaryReader(type);
    case "boolean":
      return readBoolean;
    case "empty":
      return readEmpty;
    case "enumeration":
      return enumerationReader(type);
    case "bits":
      return bitsReader(type);
    case "identityref":
      return identityReader(type);
    case "instance-identifier":
      return instanceReader(parseValue);
  }
}

/** Reads a path's text as written by people or other parts, and makes its key values canonical. */
export function parseCanonicalPath(schema: Schema, text: string): Result<ResolvedPath> {
  return parseInstancePath(schema, text, {
    read: (leaf, value) => parseValue(leaf.type, value, { schema, form: { kind: "canonical" } }),
  });
}

/** A short name of the type for error messages. */
export function describeType(type: TypeSchema): string {
  switch (type.kind) {
    case "union":
      return `one of ${[...new Set(type.members.map(describeType))].slice(0, MAX_REASONS).join(" | ")}`;
    case "leafref":
      return describeType(type.target().type);
    case "enumeration":
      return describeEnums(type);
    default:
      return type.typedefs[0] ?? type.kind;
  }
}
