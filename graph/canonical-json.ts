import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { StoreError } from "./store-error.ts";

/** SHA-256 as 64 lower-case hex digits. */
export type Digest = string;

/**
 * The one text of a JSON value (RFC 8785). Members that are `undefined` are left out, so that "absent" has one form.
 * Refuses (`not-canonical`) what has no such form or would come back changed: null, fractions and integers beyond
 * 2^53, lone surrogates.
 */
export function canonicalJson(value: object): string {
  refuseUnfaithful(value, "");
  const text = canonicalize(value);
  if (text === undefined) throw new StoreError("not-canonical", "the value has no JSON form");
  return text;
}

/** The digest of bytes, or of a text's UTF-8 bytes. */
export function digestOf(content: string | Uint8Array): Digest {
  return createHash("sha256").update(content).digest("hex");
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function refuseUnfaithful(value: unknown, place: string): void {
  switch (typeof value) {
    case "undefined":
    case "boolean":
      return;
    case "string":
      if (LONE_SURROGATE.test(value)) throw notCanonical(place, "half of a surrogate pair");
      return;
    case "number":
      if (!Number.isSafeInteger(value)) throw notCanonical(place, `the number ${String(value)}`);
      return;
    case "object":
      if (value === null) throw notCanonical(place, "null");
      if (Array.isArray(value)) {
        value.forEach((element, index) => {
          if (element === undefined) throw notCanonical(`${place}/${String(index)}`, "undefined in a list");
          refuseUnfaithful(element, `${place}/${String(index)}`);
        });
        return;
      }
      for (const [name, member] of Object.entries(value)) refuseUnfaithful(member, `${place}/${name}`);
      return;
    default:
      throw notCanonical(place, `a ${typeof value}`);
  }
}

function notCanonical(place: string, what: string): StoreError {
  return new StoreError(
    "not-canonical",
    `${what} at ${place === "" ? "the top" : place} has no faithful canonical form`,
  );
}
