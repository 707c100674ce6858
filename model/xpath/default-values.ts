/** Defaults as values: the schema holds their canonical text, expressions ask for their type as well. */
import { parseValue, simpleTypesOf } from "../values/canonical-value.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../schema.ts";
import { type Value, plainValue } from "../value.ts";

const defaultValues = new WeakMap<DataSchemaNode, Map<string, Value>>();

/** The value of a default; `text` is one of the leaf's own. */
export function defaultValue(leaf: LeafSchema | LeafListSchema, text: string, schema: Schema): Value {
  let values = defaultValues.get(leaf);
  if (values === undefined) defaultValues.set(leaf, (values = new Map<string, Value>()));
  let value = values.get(text);
  if (value === undefined) {
    const types = simpleTypesOf(leaf.type);
    const parsed = parseValue(leaf.type, text, { schema, form: { kind: "canonical" } });
    value = parsed.kind === "ok" ? parsed.value : plainValue(types[0]?.kind ?? "string", text);
    values.set(text, value);
  }
  return value;
}
