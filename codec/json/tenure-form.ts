/**
 * What our own documents (goals, observations) hold beyond RFC 7951: sealed secrets, opaque content in either encoding,
 * and the origin of a leaf. Never sent to a device.
 */
import { type Result, failure, ok } from "../../model/diagnostic.ts";
import type { AnydataNode, LeafOrigin } from "../../model/tree.ts";
import { BUILT_IN_TYPES, type BuiltInType, type SealedValue } from "../../model/value.ts";
import { type JsonObject, type JsonValue, jsonObject, jsonString, memberOf } from "./json-value.ts";

/** Annotation (RFC 7952) that tells a leaf's origin where it is not `set`. */
export const originAnnotation = "tenure:origin";

const ORIGINS = ["set", "default", "unknown"] as const satisfies readonly LeafOrigin[];

/** `{"keyId","hmac"}`; with `"type"` where the leaf's schema does not tell it (unions). */
export function sealedToJson(value: SealedValue, type: "known" | "written"): JsonObject {
  return jsonObject([
    { name: "keyId", value: jsonString(value.keyId) },
    { name: "hmac", value: jsonString(value.hmac) },
    ...(type === "written" ? [{ name: "type", value: jsonString(value.type) }] : []),
  ]);
}

/** Reverses `sealedToJson`; `types` are those that the leaf allows. */
export function sealedFromJson(json: JsonValue, types: readonly BuiltInType[]): Result<SealedValue> {
  const members = json.kind === "object" ? stringMembers(json) : undefined;
  const { keyId, hmac, type: written, ...others } = members ?? {};
  const [only] = types;
  const type = written === undefined && types.length === 1 ? only : types.find((each) => each === written);
  if (
    keyId === undefined ||
    hmac === undefined ||
    type === undefined ||
    Object.keys(others).length > 0 ||
    !/^[0-9a-f]+$/.test(hmac)
  ) {
    const message = "this is no sealed secret";
    return failure([
      { code: "sealed-value", severity: "error", message, places: [], expected: '{"keyId":"...","hmac":"hex"}' },
    ]);
  }
  return ok({ kind: "sealed", type, keyId, hmac });
}

export function opaqueToJson(node: AnydataNode): JsonObject {
  return jsonObject([
    { name: "encoding", value: jsonString(node.encoding) },
    { name: "content", value: jsonString(node.content) },
  ]);
}

export function opaqueFromJson(json: JsonValue): Result<Pick<AnydataNode, "encoding" | "content">> {
  const { encoding, content, ...others } = (json.kind === "object" ? stringMembers(json) : undefined) ?? {};
  const isAll = Object.keys(others).length === 0;
  if ((encoding === "xml" || encoding === "json") && content !== undefined && isAll) return ok({ encoding, content });
  const message = "this is no opaque content";
  return failure([
    {
      code: "opaque-content",
      severity: "error",
      message,
      places: [],
      expected: '{"encoding":"xml|json","content":"..."}',
    },
  ]);
}

export function originToJson(origin: LeafOrigin): JsonObject {
  return jsonObject([{ name: originAnnotation, value: jsonString(origin) }]);
}

/** Undefined where the annotations tell none; what tells an origin that is none is an error. */
export function originFromJson(annotations: JsonValue): Result<LeafOrigin | undefined> {
  const told = annotations.kind === "object" ? memberOf(annotations, originAnnotation) : undefined;
  if (told === undefined) return ok(undefined);
  const origin = told.kind === "string" ? ORIGINS.find((each) => each === told.value) : undefined;
  if (origin !== undefined) return ok(origin);
  const expected = `one of ${ORIGINS.join(", ")}`;
  return failure([
    { code: "value-enum", severity: "error", message: "this is no origin of a leaf", places: [], expected },
  ]);
}

/** The built-in types that a name in `types` can be; unknown names are left out. */
export function builtInTypes(types: readonly { readonly kind: string }[]): readonly BuiltInType[] {
  return BUILT_IN_TYPES.filter((each) => types.some((type) => type.kind === each));
}

/** Member texts by name when all members are strings. */
function stringMembers(object: JsonObject): Readonly<Record<string, string | undefined>> | undefined {
  const entries = object.members.map(
    (member) => [member.name, member.value.kind === "string" ? member.value.value : undefined] as const,
  );
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}
