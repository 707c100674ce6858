/**
 * The journal is the durable truth; the graph is built from it. Records are appended one at a time, each on the disk
 * before it is acknowledged, each bound to its predecessor by digest, so that a reader can prove that nothing was lost,
 * changed or slipped in. What was never acknowledged - a line without its newline - is cut off at the next start.
 */
import { type AppendLog, openAppendLog } from "../append-log.ts";
import type { Digest } from "../canonical-json.ts";
import type { FileOperations } from "../files.ts";
import { StoreError } from "../store-error.ts";
import type { JournalEntry, JournalRecord } from "./record.ts";
import { CHAIN_START, type ChainPosition, openRecord, sealRecord } from "./record-line.ts";
import { type Segment, completeLines, listSegments, segmentOf } from "./segment.ts";

export interface JournalOptions {
  readonly folder: string;
  readonly files: FileOperations;
  readonly clock: () => Date;
  /** A segment that has reached this size is followed by a new one. */
  readonly segmentBytes?: number;
}

/** What opening found and did. */
export interface JournalOpening {
  readonly records: number;
  /** A tail that was written but never acknowledged, cut off. */
  readonly torn: { readonly segment: string; readonly bytes: number } | undefined;
}

export interface Journal {
  readonly opening: JournalOpening;
  /** Number, digest and time of the newest record. */
  readonly last: ChainPosition;
  /** Durable when it returns. Calls must not overlap. After a failure nothing was added, or the journal has stopped. */
  append(entry: JournalEntry): Promise<JournalRecord>;
  /** Records from number `from` on, up to the newest at the time of the call, proved while they are read. */
  read(from: number): AsyncGenerator<JournalRecord>;
  /** Digest of record `n`, or undefined when there is none. */
  digestOf(n: number): Promise<Digest | undefined>;
  close(): Promise<void>;
}

const DEFAULT_SEGMENT_BYTES = 16 * 1024 * 1024;

/**
 * Proves the whole journal, cuts a torn tail, and opens it for appending. Needs: the caller owns the data folder.
 * Errors: `journal-broken` and `journal-newer` with the record's number; the files are then left as they are.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, files, clock } = options;
  const segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES;
  await files.makeFolder(folder);
  const proof = await proveSegments(await listSegments(folder, files), files);
  const segments: ChainedSegment[] = [...proof.segments];

  let last = proof.last;
  const newest = segments.at(-1) ?? { segment: segmentOf(folder, 1), after: CHAIN_START };
  if (segments.length === 0) segments.push(newest);
  let log: AppendLog = await openAppendLog({ path: newest.segment.path, size: proof.size, files });
  await files.syncFolder(folder);

  async function rollOver(): Promise<void> {
    const next = segmentOf(folder, last.n + 1);
    const nextLog = await openAppendLog({ path: next.path, size: 0, files });
    await files.syncFolder(folder);
    await log.close();
    log = nextLog;
    segments.push({ segment: next, after: last });
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
    async append(entry) {
      const { record, line } = sealRecord(entry, last, clock());
      if (log.size > 0 && log.size + line.byteLength > segmentBytes) await rollOver();
      await log.append(line);
      last = { n: record.n, digest: record.digest, time: record.time };
      return record;
    },
    read,
    async digestOf(n) {
      if (n === last.n) return last.digest;
      for await (const record of read(n)) return record.digest;
      return undefined;
    },
    close: () => log.close(),
  };
}

interface ChainedSegment {
  readonly segment: Segment;
  /** What its first record follows. */
  readonly after: ChainPosition;
}

interface SegmentsProof {
  readonly segments: readonly ChainedSegment[];
  readonly last: ChainPosition;
  /** Good bytes of the last segment. */
  readonly size: number;
  readonly torn: JournalOpening["torn"];
}

/** Proves all segments. The first one decides where the chain starts: record 1 until history can be pruned. */
async function proveSegments(segments: readonly Segment[], files: FileOperations): Promise<SegmentsProof> {
  let position = CHAIN_START;
  let size = 0;
  let torn: JournalOpening["torn"];
  const chained: ChainedSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment.first !== position.n + 1) {
      const record = position.n + 1;
      const message = `journal record ${record} is missing: ${segment.name} starts at ${segment.first}`;
      throw new StoreError("journal-broken", message, { record, segment: segment.name });
    }
    chained.push({ segment, after: position });
    const lines = completeLines(await files.read(segment.path));
    size = 0;
    let step = lines.next();
    while (step.done !== true) {
      const { n, digest, time } = openRecord(step.value.text, position, segment.name);
      position = { n, digest, time };
      size = step.value.end;
      step = lines.next();
    }
    if (step.value.rest === 0) continue;
    if (index < segments.length - 1) {
      const record = position.n + 1;
      throw new StoreError("journal-broken", `journal record ${record} in ${segment.name} is cut off`, {
        record,
        segment: segment.name,
      });
    }
    torn = { segment: segment.name, bytes: step.value.rest };
  }
  return { segments: chained, last: position, size, torn };
}
