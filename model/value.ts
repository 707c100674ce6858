/**
 * A leaf value: its YANG canonical form as text, plus the built-in type it resolved to. Numbers of 64 bits and
 * decimal64 never become JavaScript numbers; who needs arithmetic converts to bigint for the moment of the comparison.
 */

export const BUILT_IN_TYPES = [
  "binary",
  "bits",
  "boolean",
  "decimal64",
  "empty",
  "enumeration",
  "identityref",
  "instance-identifier",
  "int8",
  "int16",
  "int32",
  "int64",
  "string",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
] as const;

/** Built-in types a value can resolve to (RFC 7950 section 4.2.4). leafref and union resolve to one of these. */
export type BuiltInType = (typeof BUILT_IN_TYPES)[number];

/**
 * `text` is the canonical form (RFC 7950 section 9.1): identityref as `module:identity` always qualified, bits in
 * position order, empty as "", instance-identifier in our instance-path text, binary as base64 without line breaks.
 */
export interface PlainValue {
  readonly kind: "plain";
  readonly type: BuiltInType;
  readonly text: string;
}

/**
 * The form in which a secret stands in goals, observations, plans and the journal: never the clear text. `hmac` is
 * lower-case hex of HMAC-SHA-256(key `keyId`, device id, instance path, canonical value).
 */
export interface SealedValue {
  readonly kind: "sealed";
  readonly type: BuiltInType;
  readonly keyId: string;
  readonly hmac: string;
}

export type Value = PlainValue | SealedValue;

export function plainValue(type: BuiltInType, text: string): PlainValue {
  return { kind: "plain", type, text };
}

/** Equality of canonical values. Sealed values are equal when the same key gave the same fingerprint. */
export function valuesEqual(a: Value, b: Value): boolean {
  if (a.kind === "sealed") return b.kind === "sealed" && a.keyId === b.keyId && a.hmac === b.hmac;
  return b.kind === "plain" && a.type === b.type && a.text === b.text;
}

/** What a person is shown: the canonical text, or a short fingerprint of a secret. */
export function displayValue(value: Value): string {
  return value.kind === "plain" ? value.text : `secret ${value.keyId}:${value.hmac.slice(0, 12)}`;
}
