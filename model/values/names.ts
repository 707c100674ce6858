/** Values that are names: boolean, empty, enumeration, bits and identityref (RFC 7950 sections 9.5 to 9.7, 9.10, 9.11). */
import type { BitsType, EnumerationType, IdentityrefType, Schema } from "../schema.ts";
import { nearNames } from "../near-names.ts";
import {
  type ValueForm,
  type ValueReader,
  type ValueResult,
  good,
  problem,
  quoted,
  withRemedy,
  wrongSyntax,
} from "./reading.ts";

const TRUE = good("boolean", "true");
const FALSE = good("boolean", "false");
const EMPTY = good("empty", "");

export const readBoolean: ValueReader = (text) =>
  text === "true" ? TRUE : text === "false" ? FALSE : wrongSyntax(text, "true or false");

export const readEmpty: ValueReader = (text) =>
  text === "" ? EMPTY : wrongSyntax(text, "no text at all (type empty)");

/** Case counts, and so do blanks; the number of an enum is never its value. */
export function enumerationReader(type: EnumerationType): ValueReader {
  const results = new Map(type.enums.map(({ name }) => [name, good("enumeration", name)]));
  return (text) => results.get(text) ?? problem("value-enum", `unknown enum ${quoted(text)}`, describeEnums(type));
}

export function describeEnums(type: EnumerationType): string {
  return `one of ${listed(type.enums.map((each) => each.name))}`;
}

/** A configuration uses few of the sets that a type allows. */
const MAX_SPELLINGS = 200;
const MAX_SPELLING = 200;

/** A set in the order of positions (RFC 7950 section 9.7.2); naming a bit twice is an error. */
export function bitsReader(type: BitsType): ValueReader {
  const ordered = [...type.bits].sort((a, b) => a.position - b.position).map((bit) => bit.name);
  const known = new Set(ordered);
  const wrong = (message: string): ValueResult => problem("value-bits", message, `bits of ${listed(ordered)}`);
  const accepted = new Map<string, ValueResult>();
  return (text) => {
    const same = accepted.get(text);
    if (same !== undefined) return same;
    const names = text.split(/[ \t\n\r]+/).filter((name) => name !== "");
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) return wrong(`unknown bit ${quoted(unknown)}`);
    const set = new Set(names);
    if (set.size < names.length) return wrong("a bit is named twice");
    const result = good("bits", ordered.filter((name) => set.has(name)).join(" "));
    if (accepted.size < MAX_SPELLINGS && text.length < MAX_SPELLING) accepted.set(text, result);
    return result;
  };
}

/** Does the identity derive from all bases (RFC 7950 section 9.10.2)? A base itself does not. */
export function isDerivedIdentity(schema: Pick<Schema, "identities">, id: string, bases: readonly string[]): boolean {
  return bases.length > 0 && bases.every((base) => schema.identities.get(base)?.derived.has(id) === true);
}

export function identityReader(type: IdentityrefType): ValueReader {
  const expected = `an identity derived from ${type.bases.join(" and ")}`;
  // What is right under a schema is remembered: at most its identities. One schema is in use at a time.
  let schemaInUse: Schema | undefined;
  const accepted = new Map<string, ValueResult>();
  return (text, { schema, form }) => {
    const colon = text.indexOf(":");
    const name = text.slice(colon + 1);
    const module = moduleOfIdentity(colon < 0 ? undefined : text.slice(0, colon), form);
    const id = `${module ?? ""}:${name}`;
    if (schema !== schemaInUse) {
      accepted.clear();
      schemaInUse = schema;
    }
    // `:name` is no spelling of an identity, not even where the empty prefix has a meaning.
    const known = colon === 0 ? wrongSyntax(text, expected) : accepted.get(id);
    if (known !== undefined) return known;
    if (isDerivedIdentity(schema, id, type.bases)) {
      const result = good("identityref", id);
      accepted.set(id, result);
      return result;
    }
    if (!/^(?:[^\s:]+:)?[^\s:]+$/.test(text)) return wrongSyntax(text, expected);
    if (module === undefined) {
      const unknown = problem("value-identity", `cannot tell the module of ${quoted(text)}`, expected);
      return withRemedy(
        unknown,
        meantIdentity(schema, type.bases, name) ?? prefixRemedy(colon < 0 ? undefined : text.slice(0, colon)),
      );
    }
    const shown = quoted(id);
    const message = schema.identities.has(id) ? `${shown} does not derive from the base` : `no identity ${shown}`;
    return withRemedy(problem("value-identity", message, expected), meantIdentity(schema, type.bases, name));
  };
}

/** What was probably meant: an identity of that name in another module, else those that differ by a slip. */
function meantIdentity(schema: Schema, bases: readonly string[], name: string): string | undefined {
  const derived = schema.identities.get(bases[0] ?? "")?.derived ?? [];
  const fitting = [...derived].filter((id) => isDerivedIdentity(schema, id, bases));
  const same = fitting.filter((id) => nameOf(id) === name);
  if (same.length > 0) {
    const modules = same.map((id) => {
      const module = id.slice(0, id.indexOf(":"));
      return `module ${module} (namespace ${schema.modules.get(module)?.namespace ?? ""})`;
    });
    return `${name} of ${modules.join(" or of ")}`;
  }
  const near = nearNames(name, new Set(fitting.map(nameOf)));
  return near.length === 0 ? undefined : near.join(" or ");
}

const prefixRemedy = (prefix: string | undefined): string | undefined =>
  prefix === undefined ? undefined : `declare the prefix ${prefix} with the namespace of a module that is here`;

const nameOf = (id: string): string => id.slice(id.indexOf(":") + 1);

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

/** Some enumerations have a thousand names. */
function listed(names: readonly string[]): string {
  return names.length <= 20
    ? names.join(", ")
    : `${names.slice(0, 20).join(", ")} and ${String(names.length - 20)} more`;
}
