import { formatJson, type JsonValue } from "../codec/json/json-value.ts";
import { parseJson } from "../codec/json/parse-json.ts";

/** JSON as plan documents hold it. Numbers are integers below 2^32: YANG numbers that could lose digits are strings (RFC 7951, 6.1). */
export type PlainJson = string | number | boolean | null | readonly PlainJson[] | PlainJsonObject;

export interface PlainJsonObject {
  readonly [member: string]: PlainJson;
}

/** From the codecs' form. */
export function toPlainJson(json: JsonValue): PlainJson {
  return JSON.parse(formatJson(json, { layout: "compact" })) as PlainJson;
}

/** To the codecs' form. */
export function fromPlainJson(json: PlainJson): JsonValue {
  const parsed = parseJson(JSON.stringify(json), { source: "document" });
  if (parsed.kind === "error") throw new RangeError("a plan document holds a value that is no JSON");
  return parsed.value;
}
