/**
 * The journal is the durable truth; the graph is built from it. Records are appended one at a time, each on the disk
 * before it is acknowledged, each bound to its predecessor by digest, so that a reader can prove that nothing was lost,
 * changed or slipped in. What was never acknowledged - a line without its newline - is cut off at the next start. Old
 * records can be dropped, whole segments at a time, once a snapshot stands for them and a prune record says so.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AppendLog, openAppendLog } from "../append-log.ts";
import type { Digest } from "../canonical-json.ts";
import type { FileOperations } from "../files.ts";
import { StoreError } from "../store-error.ts";
import { type JournalBase, type SegmentsProof, proveSegments } from "./prove-segments.ts";
import type { JournalEntry, JournalRecord } from "./record.ts";
import { type ChainPosition, openRecord, sealRecord } from "./record-line.ts";
import { type ChainedSegment, completeLines, listSegments, segmentOf } from "./segment.ts";

export interface JournalOptions {
  readonly folder: string;
  readonly files: FileOperations;
  readonly clock: () => Date;
  /** A segment that has reached this size is followed by a new one. */
  readonly segmentBytes?: number;
}

/** What opening found and did. */
export interface JournalOpening {
  /** Number of the newest record. */
  readonly records: number;
  /** A tail that was written but never acknowledged, cut off. */
  readonly torn: { readonly segment: string; readonly bytes: number } | undefined;
}

/** A run of records that lies in one file. */
export interface SegmentSpan {
  readonly path: string;
  readonly name: string;
  readonly first: number;
  /** Its newest record. */
  readonly last: ChainPosition;
  readonly bytes: number;
}

export interface Journal {
  readonly opening: JournalOpening;
  /** Number, digest and time of the newest record. */
  readonly last: ChainPosition;
  /** What stands for the records that were dropped; undefined while record 1 is there. */
  readonly base: JournalBase | undefined;
  /** Durable when it returns. Calls must not overlap. After a failure nothing was added, or the journal has stopped. */
  append(entry: JournalEntry): Promise<JournalRecord>;
  /**
   * Records from number `from` on (from the oldest one that was not dropped), up to the newest at the time of the call,
   * proved while they are read.
   */
  read(from: number): AsyncGenerator<JournalRecord>;
  /** Digest of record `n`, or undefined when there is none, or no longer. */
  digestOf(n: number): Promise<Digest | undefined>;
  /** The segments that hold records, oldest first. */
  segments(): Promise<readonly SegmentSpan[]>;
  /** Removes the segments that the newest prune record has dropped. Repeats do nothing. Must not overlap with reading. */
  removeDropped(): Promise<void>;
  close(): Promise<void>;
}

/** Proving so many takes some 10 ms; then something else may run. */
const RECORDS_A_TURN = 100;

const DEFAULT_SEGMENT_BYTES = 16 * 1024 * 1024;

/**
 * Proves the whole journal, cuts a torn tail, finishes a prune that was cut short, and opens it for appending. Needs:
 * the caller owns the data folder. Errors: `journal-broken` and `journal-newer` with the record's number; the files are
 * then left as they are.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, files, clock } = options;
  const segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES;
  await files.makeFolder(folder);
  const proof: SegmentsProof = await proveSegments(await listSegments(folder, files), files);
  const segments: ChainedSegment[] = [...proof.segments];

  let { last, base, snapshot } = proof;
  const newest = segments.at(-1) ?? { segment: segmentOf(folder, last.n + 1), after: last };
  if (segments.length === 0) segments.push(newest);
  await removeFiles([...proof.dropped, ...proof.hollow].map((segment) => segment.path));
  let log: AppendLog = await openAppendLog({ path: newest.segment.path, size: proof.size, files });
  await files.syncFolder(folder);

  async function removeFiles(paths: readonly string[]): Promise<void> {
    // Oldest first: what is left after an abrupt end is the newer part.
    for (const path of paths) await files.remove(path);
    if (paths.length > 0) await files.syncFolder(folder);
  }

  async function rollOver(): Promise<void> {
    const next = segmentOf(folder, last.n + 1);
    let nextLog: AppendLog | undefined;
    try {
      nextLog = await openAppendLog({ path: next.path, size: 0, files });
      await files.syncFolder(folder);
    } catch (error) {
      await nextLog?.close().catch(() => undefined);
      // Where it stays all the same it is empty, and the next start takes it away.
      await files.remove(next.path).catch(() => undefined);
      throw error;
    }
    const full = log;
    log = nextLog;
    segments.push({ segment: next, after: last });
    // Everything in it is on the disk already, whatever closing says.
    await full.close().catch(() => undefined);
  }

  /** So that what is older than a day can go, a segment holds one day; so that all of it can go, a snapshot starts one. */
  function needsNewSegment(record: JournalRecord, bytes: number): boolean {
    if (log.size === 0) return false;
    return log.size + bytes > segmentBytes || dayOf(record.time) !== dayOf(last.time) || record.kind === "snapshot";
  }

  async function* read(from: number): AsyncGenerator<JournalRecord> {
    const until = last.n;
    const later = segments.findIndex(({ segment }) => segment.first > from);
    const start = later < 0 ? segments.length - 1 : Math.max(0, later - 1);
    for (const { segment, after } of segments.slice(start)) {
      let position = after;
      for (const { text } of completeLines(await files.read(segment.path))) {
        const record = openRecord(text, position, segment.name);
        position = record;
        if (record.n % RECORDS_A_TURN === 0) await nextTurn();
        if (record.n > until) return;
        if (record.n >= from) yield record;
      }
    }
  }

  return {
    opening: { records: last.n, torn: proof.torn },
    get last() {
      return last;
    },
    get base() {
      return base;
    },
    async append(entry) {
      const { record, line } = sealRecord(entry, last, clock());
      if (needsNewSegment(record, line.byteLength)) await rollOver();
      await log.append(line);
      last = { n: record.n, digest: record.digest, time: record.time };
      if (record.kind === "snapshot") snapshot = record;
      if (record.kind === "prune") {
        if (snapshot?.n !== record.body.snapshot)
          throw new StoreError("stopped", "a prune record without its snapshot");
        base = { prune: record, snapshot };
      }
      return record;
    },
    read,
    async digestOf(n) {
      if (n === last.n) return last.digest;
      if (base !== undefined && n <= base.prune.body.last) {
        return n === base.prune.body.last ? base.prune.body.digest : undefined;
      }
      for await (const record of read(n)) return record.digest;
      return undefined;
    },
    async segments() {
      const spans: SegmentSpan[] = [];
      for (const [index, { segment, after }] of segments.entries()) {
        const end = segments[index + 1]?.after ?? last;
        if (end.n === after.n) continue;
        const bytes = segments[index + 1] === undefined ? log.size : ((await files.size(segment.path)) ?? 0);
        spans.push({ path: segment.path, name: segment.name, first: segment.first, last: end, bytes });
      }
      return spans;
    },
    async removeDropped() {
      const until = base?.prune.body.last ?? 0;
      const dropped = segments.filter(({ segment }) => segment.first <= until);
      await removeFiles(dropped.map(({ segment }) => segment.path));
      segments.splice(0, dropped.length);
    },
    close: () => log.close(),
  };
}

function dayOf(time: string): string {
  return time.slice(0, "2030-01-31".length);
}
