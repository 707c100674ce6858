/** Values of keys and leaf-list entries as the encodings spell them: only names of identities and of nodes differ. */
import { isDerivedIdentity, parseValue, simpleTypesOf } from "../../model/values/canonical-value.ts";
import { type Result, failure } from "../../model/diagnostic.ts";
import type { LeafListSchema, LeafSchema, Schema } from "../../model/schema.ts";
import { type PlainValue, plainValue } from "../../model/value.ts";

/**
 * - `prefixes`: names inside values take prefixes, as in XML.
 * - `modules`: module names; an identity without one belongs to the leaf's module (RFC 7951 section 6.8).
 * - `modules-or-alone`: besides, an identity that stands without its module and can be one only (gNMI devices answer
 *   `IPV4_UNICAST`).
 */
export type KeyNames =
  | { readonly kind: "prefixes"; readonly moduleOf: (prefix: string) => string | undefined }
  | { readonly kind: "modules" }
  | { readonly kind: "modules-or-alone" };

export type ReadKey = (leaf: LeafSchema | LeafListSchema, text: string) => Result<PlainValue>;

/** Any lexical form of the value; the result is canonical. */
export function keyReader(schema: Schema, names: KeyNames): ReadKey {
  return (leaf, text) => {
    if (names.kind === "prefixes")
      return parseValue(leaf.type, text, { schema, form: { kind: "xml", moduleOf: names.moduleOf } });
    const strict = parseValue(leaf.type, text, { schema, form: { kind: "json", module: leaf.module } });
    if (strict.kind === "ok" || names.kind === "modules") return strict;
    const candidates = identitiesNamed(schema, leaf, text);
    const [only] = candidates;
    if (only === undefined) return strict;
    if (candidates.length === 1) return { kind: "ok", value: plainValue("identityref", only), warnings: [] };
    const message = `${text} can be an identity of several modules`;
    const expected = `one of ${candidates.join(", ")}`;
    return failure([{ code: "value-identity", severity: "error", message, places: [], expected }]);
  };
}

/** `module:identity` of every value of the leaf's type whose local name this is. */
export function identitiesNamed(schema: Schema, leaf: LeafSchema | LeafListSchema, name: string): readonly string[] {
  const types = simpleTypesOf(leaf.type).filter((type) => type.kind === "identityref");
  if (types.length === 0) return [];
  return [...schema.identities.values()]
    .filter((identity) => identity.name === name)
    .map((identity) => `${identity.module}:${identity.name}`)
    .filter((id) => types.some((type) => isDerivedIdentity(schema, id, type.bases)));
}
