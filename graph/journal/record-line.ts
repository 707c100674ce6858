import { type Digest, canonicalJson, digestOf } from "../canonical-json.ts";
import { StoreError } from "../store-error.ts";
import { JOURNAL_KINDS, type JournalEntry, type JournalRecord } from "./record.ts";

/** What a record follows: number, digest and time of the one before. */
export interface ChainPosition {
  readonly n: number;
  readonly digest: Digest;
  readonly time: string;
}

export const CHAIN_START: ChainPosition = { n: 0, digest: "0".repeat(64), time: "" };

/** A line this long is a program's mistake: content of that size belongs in a document. */
export const MAX_LINE_BYTES = 1_048_576;

/** The record that follows `after`, and its line with the final newline. Error: `record-too-large`. */
export function sealRecord(
  entry: JournalEntry,
  after: ChainPosition,
  clock: Date,
): { readonly record: JournalRecord; readonly line: Uint8Array } {
  const now = clock.toISOString();
  const time = now > after.time ? now : after.time;
  const unsealed = { n: after.n + 1, time, prev: after.digest, ...entry };
  const record: JournalRecord = { ...unsealed, digest: digestOf(canonicalJson(unsealed)) };
  const line = Buffer.from(`${canonicalJson(record)}\n`, "utf8");
  if (line.byteLength > MAX_LINE_BYTES) {
    const message = `a ${entry.kind} record of ${line.byteLength} bytes is over the limit of ${MAX_LINE_BYTES}`;
    throw new StoreError("record-too-large", message);
  }
  return { record, line };
}

/**
 * Reads one complete line (without its newline) and proves it: canonical bytes, own digest, number, link and time.
 * Errors, each with the record's number: `journal-broken`; `journal-newer` for an intact record of unknown kind.
 */
export function openRecord(line: string, after: ChainPosition, segment: string): JournalRecord {
  const n = after.n + 1;
  const broken = (what: string) =>
    new StoreError("journal-broken", `journal record ${n} in ${segment} ${what}`, { record: n, segment });

  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw broken("cannot be read");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw broken("is not a record");
  const { digest, ...unsealed } = parsed as Partial<JournalRecord> & Record<string, unknown>;
  let canonical: string;
  try {
    canonical = canonicalJson(unsealed);
    if (canonicalJson(parsed) !== line) throw broken("is not in canonical form");
  } catch (error) {
    if (error instanceof StoreError && error.code === "journal-broken") throw error;
    throw broken("is not in canonical form");
  }
  if (digestOf(canonical) !== digest) throw broken("does not have its digest");
  if (unsealed["n"] !== n) throw broken(`calls itself record ${String(unsealed["n"])}`);
  if (unsealed["prev"] !== after.digest) throw broken(`does not follow record ${String(after.n)}`);
  const { time, kind } = unsealed;
  if (typeof time !== "string" || time < after.time) throw broken("is older than the record before");
  if (typeof kind !== "string" || !JOURNAL_KINDS.has(kind)) {
    throw new StoreError("journal-newer", `journal record ${n} is of kind ${String(kind)}, unknown to this version`, {
      record: n,
    });
  }
  return parsed as JournalRecord;
}
