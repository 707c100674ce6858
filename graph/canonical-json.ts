import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreError } from "./store-error.ts";

/** SHA-256 as 64 lower-case hex digits. */
export type Digest = string;

/**
 * The one text of a JSON value (RFC 8785). Members that are `undefined` are left out, so that "absent" has one form.
 * Refuses (`not-canonical`) what has no such form or would come back changed: null, fractions and integers beyond
 * 2^53, lone surrogates.
 */
export function canonicalJson(value: object): string {
  const text = textOf(value);
  // Where it goes wrong is looked for only when it does.
  if (text === undefined) refuseUnfaithful(value, "");
  if (text === undefined) throw new StoreError("not-canonical", "the value has no JSON form");
  return text;
}

/** So many list elements are written before something else may run: some 20 ms. */
const ELEMENTS_A_TURN = 2000;
/** Lists that grow with a network stand at most so deep in a document: body, devices, device, items. */
const DEPTH_OF_LONG_LISTS = 4;

/** The same text of a value that may be large, without holding the event loop for all of it. */
export async function canonicalJsonInTurns(value: object): Promise<string> {
  try {
    return await textInTurns(value, DEPTH_OF_LONG_LISTS);
  } catch (error) {
    // Parts do not know where they stand.
    refuseUnfaithful(value, "");
    throw error;
  }
}

async function textInTurns(value: object, depth: number): Promise<string> {
  if (depth === 0) return canonicalJson(value);
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value;
    const parts: string[] = [];
    for (let start = 0; start < elements.length; start += ELEMENTS_A_TURN) {
      const some = elements.slice(start, start + ELEMENTS_A_TURN);
      if (elements.length > ELEMENTS_A_TURN) {
        parts.push(canonicalJson(some).slice(1, -1));
        await nextTurn();
      } else {
        for (const element of some) parts.push(await partInTurns(element, depth));
      }
    }
    return `[${parts.join(",")}]`;
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value as Readonly<Record<string, unknown>>).sort(byName)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${await partInTurns(member, depth)}`);
  }
  return `{${members.join(",")}}`;
}

async function partInTurns(part: unknown, depth: number): Promise<string> {
  if (typeof part === "object" && part !== null) return textInTurns(part, depth - 1);
  return canonicalJson([part]).slice(1, -1);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The digest of bytes, or of a text's UTF-8 bytes. */
export function digestOf(content: string | Uint8Array): Digest {
  return hash("sha256", content, "hex");
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Undefined for what has no faithful form. */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "string":
      return LONE_SURROGATE.test(value) ? undefined : JSON.stringify(value);
    case "number":
      return Number.isSafeInteger(value) ? JSON.stringify(value) : undefined;
    case "object":
      if (value === null) return undefined;
      return Array.isArray(value) ? listText(value) : objectText(value as Readonly<Record<string, unknown>>);
    default:
      return undefined;
  }
}

function listText(list: readonly unknown[]): string | undefined {
  let text = "";
  for (const element of list) {
    const part = textOf(element);
    if (part === undefined) return undefined;
    text += text === "" ? part : `,${part}`;
  }
  return `[${text}]`;
}

function objectText(object: Readonly<Record<string, unknown>>): string | undefined {
  let text = "";
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member === undefined) continue;
    const part = textOf(member);
    if (part === undefined) return undefined;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${part}`;
  }
  return `{${text}}`;
}

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
