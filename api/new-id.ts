import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Eight characters of base32: 40 random bits, short enough to read aloud. */
function randomName(): string {
  const bits = BigInt(`0x${randomBytes(5).toString("hex")}`);
  return Array.from({ length: 8 }, (_, index) => ALPHABET.charAt(Number((bits >> BigInt(index * 5)) & 31n))).join("");
}

export function newDeviceId(): string {
  return `d-${randomName()}`;
}

const RUN_LETTERS = { contact: "a", import: "i", drift: "c", upkeep: "u" } as const;

export function newRunId(kind: keyof typeof RUN_LETTERS): string {
  return `${RUN_LETTERS[kind]}-${randomName()}`;
}

/** A submission and the plan that it may become share their random part, so that each is found from the other. */
export function newSubmission(): { readonly submission: string; readonly plan: string } {
  const name = randomName();
  return { submission: `s-${name}`, plan: `p-${name}` };
}

const SUBMISSION = /^s-([a-z2-7]{8})$/;

/** Undefined for anything that is no submission id of ours. */
export function planOfSubmission(submission: string): string | undefined {
  const name = SUBMISSION.exec(submission)?.[1];
  return name === undefined ? undefined : `p-${name}`;
}

const DEVICE_ID = /^d-[a-z2-7]{8}$/;

/** Names of this form are kept for ids, since a device is found by either. */
export function isDeviceId(text: string): boolean {
  return DEVICE_ID.test(text);
}
