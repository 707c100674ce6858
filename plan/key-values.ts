import { parseValue } from "../model/values/canonical-value.ts";
import type { KeyValue } from "../model/path.ts";
import type { LeafListSchema, LeafSchema, ListSchema, Schema } from "../model/schema.ts";
import { type BuiltInType, type PlainValue, plainValue } from "../model/value.ts";

/**
 * The typed key values of an entry, from the canonical texts of its path. `types` where they are known already.
 * Throws RangeError where a key is missing or its text is no value of its type: an edit must never reach a list with half a key.
 */
export function keyValues(
  schema: Schema,
  list: ListSchema,
  keys: readonly KeyValue[],
  types?: readonly BuiltInType[],
): readonly PlainValue[] {
  return list.keys.map((key, index) => {
    const text = keys.find(({ name }) => name === key.name)?.value;
    if (text === undefined) throw new RangeError(`entry of ${list.schemaPath} lacks key ${key.name}`);
    const type = types?.[index];
    return type === undefined ? canonicalValue(schema, key, text) : plainValue(type, text);
  });
}

/** The typed value of a leaf or leaf-list entry, from its canonical text. Throws RangeError where it is none. */
export function canonicalValue(schema: Schema, leaf: LeafSchema | LeafListSchema, text: string): PlainValue {
  const parsed = parseValue(leaf.type, text, { schema, form: { kind: "canonical" } });
  if (parsed.kind === "error") throw new RangeError(`${leaf.schemaPath} has no such value`);
  return parsed.value;
}
