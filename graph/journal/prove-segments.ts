/**
 * The proof of a journal's files before anything is read from them: every record follows its predecessor, from record 1
 * or from the place that a prune record names, to the newest.
 */
import type { FileOperations } from "../files.ts";
import { StoreError } from "../store-error.ts";
import type { JournalRecord } from "./record.ts";
import { CHAIN_START, type ChainPosition, openRecord } from "./record-line.ts";
import { type ChainedSegment, type Segment, completeLines } from "./segment.ts";

type SnapshotRecord = Extract<JournalRecord, { readonly kind: "snapshot" }>;
type PruneRecord = Extract<JournalRecord, { readonly kind: "prune" }>;

/** The newest prune, and the snapshot that stands for what it dropped. */
export interface JournalBase {
  readonly prune: PruneRecord;
  readonly snapshot: SnapshotRecord;
}

export interface SegmentsProof {
  /** Those that stay. */
  readonly segments: readonly ChainedSegment[];
  /** Those that a prune has dropped and an abrupt end has left, oldest first. */
  readonly dropped: readonly Segment[];
  /** Empty ones that were to follow a record which then found place in the segment before: nothing was ever in them. */
  readonly hollow: readonly Segment[];
  readonly last: ChainPosition;
  readonly base: JournalBase | undefined;
  readonly snapshot: SnapshotRecord | undefined;
  /** Good bytes of the last segment. */
  readonly size: number;
  /** A tail of the last segment without its newline: it was never acknowledged. */
  readonly torn: { readonly segment: string; readonly bytes: number } | undefined;
}

/**
 * Needs: the segments of one folder, oldest first. Errors: `journal-broken` with the number of the record that is
 * damaged, missing without a prune record that says so, or dropped by a prune record that does not fit; `journal-newer`.
 */
export async function proveSegments(segments: readonly Segment[], files: FileOperations): Promise<SegmentsProof> {
  let position = CHAIN_START;
  let snapshot: SnapshotRecord | undefined;
  let newest: { readonly prune: PruneRecord; readonly snapshot: SnapshotRecord | undefined } | undefined;
  let size = 0;
  let torn: SegmentsProof["torn"];
  let chained: ChainedSegment[] = [];
  const hollow: Segment[] = [];
  let gap: { readonly record: number; readonly segment: Segment } | undefined;

  for (const segment of segments) {
    const bytes = await files.read(segment.path);
    if (bytes.byteLength === 0 && (torn !== undefined || segment.first <= position.n)) {
      hollow.push(segment);
      continue;
    }
    if (torn !== undefined) {
      const message = `journal record ${position.n + 1} in ${torn.segment} is cut off`;
      throw broken(position.n + 1, torn.segment, message);
    }
    if (segment.first !== position.n + 1) {
      // A prune that was cut short, or records that are lost: which of the two, a later prune record decides.
      gap = { record: position.n + 1, segment };
      position = startOf(segment, bytes);
      chained = [];
    }
    chained.push({ segment, after: position });
    const lines = completeLines(bytes);
    size = 0;
    let step = lines.next();
    while (step.done !== true) {
      const record = openRecord(step.value.text, position, segment.name);
      if (record.kind === "snapshot") snapshot = record;
      if (record.kind === "prune") newest = { prune: record, snapshot };
      position = { n: record.n, digest: record.digest, time: record.time };
      size = step.value.end;
      step = lines.next();
    }
    if (step.value.rest > 0) torn = { segment: segment.name, bytes: step.value.rest };
  }
  if (gap !== undefined && (newest === undefined || newest.prune.body.last < gap.segment.first - 1)) {
    const message = `journal record ${gap.record} is missing: ${gap.segment.name} starts at ${gap.segment.first}`;
    throw broken(gap.record, gap.segment.name, message);
  }
  if (newest === undefined) {
    return { segments: chained, dropped: [], hollow, last: position, base: undefined, snapshot, size, torn };
  }
  const base = baseOf(newest.prune, newest.snapshot);
  const kept = keptBy(base.prune, chained);
  const dropped = segments.filter((segment) => segment.first <= base.prune.body.last);
  return { segments: kept, dropped, hollow, last: position, base, snapshot, size, torn };
}

/** Where a segment without the ones before it starts, in the words of its own first record; a prune must confirm it. */
function startOf(segment: Segment, bytes: Uint8Array): ChainPosition {
  const { value } = completeLines(bytes).next();
  let prev: unknown;
  try {
    prev = "text" in value ? (JSON.parse(value.text) as { readonly prev?: unknown }).prev : undefined;
  } catch {
    // The proof of the record itself says what is wrong.
  }
  return { n: segment.first - 1, digest: typeof prev === "string" ? prev : "", time: "" };
}

function baseOf(prune: PruneRecord, snapshot: SnapshotRecord | undefined): JournalBase {
  const { last, digest } = prune.body;
  const stands = snapshot?.body.record === last && snapshot.body.digest === digest && snapshot.n > last;
  if (snapshot?.n !== prune.body.snapshot || !stands) {
    const message = `journal record ${prune.n} drops records without a snapshot that stands for them`;
    throw new StoreError("journal-broken", message, { record: prune.n });
  }
  return { prune, snapshot };
}

/** The segments behind the dropped records. The first of them must follow exactly the record that the prune names. */
function keptBy(prune: PruneRecord, chained: readonly ChainedSegment[]): readonly ChainedSegment[] {
  const { last, digest, lastTime } = prune.body;
  const start = chained.findIndex(({ segment }) => segment.first === last + 1);
  const first = chained[start];
  if (first?.after.digest !== digest) {
    const record = last + 1;
    const found =
      first === undefined ? "does not start a segment" : `does not follow the record ${last} that was pruned`;
    throw new StoreError("journal-broken", `journal record ${record} ${found}`, {
      record,
      ...(first === undefined ? {} : { segment: first.segment.name }),
    });
  }
  return [{ segment: first.segment, after: { n: last, digest, time: lastTime } }, ...chained.slice(start + 1)];
}

function broken(record: number, segment: string, message: string): StoreError {
  return new StoreError("journal-broken", message, { record, segment });
}
