/**
 * Lets old history go. The state at the end of what goes is written down as a snapshot first, read back and compared;
 * then two records at the journal's end say that it stands for what was there; only then are segments removed, and last
 * the documents that nothing needs any more. Killed anywhere, the next start finds either everything as it was, or a
 * prune record, and finishes.
 */
import { type Digest, digestOf } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import { overlayDocuments } from "../documents/overlay-documents.ts";
import { DAY_MS, RETENTION_DAYS } from "../documents/retained-files.ts";
import type { SealedDocuments } from "../documents/sealed-documents.ts";
import { readFormat } from "../documents/typed-documents.ts";
import type { Journal, SegmentSpan } from "../journal/journal.ts";
import type { JournalEntry, JournalRecord, PruneEntry, SnapshotEntry } from "../journal/record.ts";
import type { ChainPosition } from "../journal/record-line.ts";
import type { GraphDatabase } from "../start/graph-database.ts";
import { META } from "../statements/reads.ts";
import { StoreError } from "../store-error.ts";
import { type ImageSource, type JournalImage, imageOfJournal, imageOfSnapshot, replayed } from "./journal-image.ts";
import { type Retention, type Unneeded, openRetention } from "./retention.ts";
import type { SnapshotManifest } from "./snapshot-documents.ts";
import { type SnapshotInput, takeSnapshot } from "./take-snapshot.ts";

export interface PruneRequest {
  /** Records older than this go, as far as whole segments of the journal hold nothing else. */
  readonly before: Date;
  readonly actor: string;
  readonly key: string;
}

/** What went, or under `preview` what would go. */
export interface PruneReport {
  /** True: this key was answered before; the report is of what was done then. */
  readonly alreadyThere: boolean;
  /** Undefined: no segment is old enough. */
  readonly dropped:
    | {
        readonly first: number;
        readonly last: number;
        readonly revisions: number;
        /** Of journal segments. */
        readonly bytes: number;
      }
    | undefined;
  /** History begins with this revision from now on; undefined while nothing was ever pruned. */
  readonly prunedAt: { readonly revision: number; readonly time: string } | undefined;
  /** Time of the newest record in the oldest segment that stays: only a prune before a later time drops it. */
  readonly oldestKept: string | undefined;
  /** Documents and ciphertexts that nothing needs. */
  readonly documents: { readonly count: number; readonly bytes: number };
}

export interface PruneContext {
  readonly journal: Journal;
  readonly graph: Pick<GraphDatabase, "read" | "rebuild">;
  readonly documents: DocumentStore;
  readonly sealedDocuments: SealedDocuments;
  readonly clock: () => Date;
  /** Appends a record and brings it into the graph. */
  readonly record: (entry: JournalEntry) => Promise<JournalRecord>;
  /** Whether this key was answered. */
  readonly isAnswered: (key: string) => Promise<boolean>;
}

/**
 * Drops what `request` asks for. Needs: no other write, and nobody reads the journal meanwhile. Errors: `no-space`, and
 * `document-missing`, `document-damaged` before anything is dropped.
 */
export async function pruneHistory(context: PruneContext, request: PruneRequest): Promise<PruneReport> {
  const { journal, graph, documents, sealedDocuments } = context;
  // An earlier prune may have ended before its graph was built; documents that the old one asks for go below.
  const base = journal.base?.prune.body.last ?? 0;
  const [meta] = await graph.read(META);
  if (meta?.["base"] !== base) await graph.rebuild(`history up to record ${base} was pruned`);
  if (await context.isAnswered(request.key)) {
    // The first delivery may have died before the documents went.
    const rest = await plan(context, []);
    await removeUnneeded(rest.unneeded, context);
    return { ...reportOf(context, rest), dropped: await droppedUnder(journal, request.key), alreadyThere: true };
  }
  const drop = await olderSegments(journal, request.before);
  const planned = await plan(context, drop);
  if (planned.kind === "drop") {
    const snapshot = await context.record({ kind: "snapshot", body: planned.snapshot });
    await context.record({ kind: "prune", body: pruneEntry(request, planned, snapshot.n) });
    await journal.removeDropped();
    await graph.rebuild(`history up to record ${planned.snapshot.record} was pruned`);
  }
  await removeUnneeded(planned.unneeded, { documents, sealedDocuments });
  return { ...reportOf(context, planned), oldestKept: await oldestKept(journal, []) };
}

/** What `pruneHistory` would do; changes nothing. Needs the same. */
export async function previewPrune(context: PruneContext, before: Date): Promise<PruneReport> {
  const drop = await olderSegments(context.journal, before);
  const planned = await plan({ ...context, documents: overlayDocuments(context.documents) }, drop);
  return { ...reportOf(context, planned), oldestKept: await oldestKept(context.journal, drop) };
}

/* ---- what goes ---- */

/** Times never run backwards, so the segments that are wholly older are the first ones. */
async function olderSegments(journal: Journal, before: Date): Promise<readonly SegmentSpan[]> {
  const limit = before.toISOString();
  return (await journal.segments()).filter((segment) => segment.last.time < limit);
}

async function oldestKept(journal: Journal, drop: readonly SegmentSpan[]): Promise<string | undefined> {
  return (await journal.segments())[drop.length]?.last.time;
}

type Planned =
  | { readonly kind: "nothing"; readonly unneeded: Unneeded }
  | {
      readonly kind: "drop";
      readonly drop: readonly SegmentSpan[];
      readonly revisions: number;
      readonly snapshot: SnapshotEntry;
      readonly lastTime: string;
      readonly unneeded: Unneeded;
    };

/** Takes the snapshot, proves it, and finds what is not needed once `drop` is gone. */
async function plan(context: PruneContext, drop: readonly SegmentSpan[]): Promise<Planned> {
  const { journal, documents, sealedDocuments } = context;
  const now = context.clock().getTime();
  const than = now - RETENTION_DAYS * DAY_MS;
  const retention = await openRetention(documents, sealedDocuments);
  // Replaying stores the long texts of rows; those of what goes must not come back as young documents.
  const scratch = overlayDocuments(documents);
  const source = { journal, documents: scratch };
  const last = drop.at(-1)?.last;
  if (last === undefined) {
    await needBase(retention, context);
    retention.scanRows((await imageOfJournal(source)).image);
    await scanRecords(retention, journal, 1);
    return { kind: "nothing", unneeded: await retention.unneeded(than) };
  }

  const keysSince = new Date(than).toISOString();
  const store = async (text: string, mentions: "needed" | "history"): Promise<Digest> => {
    const digest = await documents.put(text);
    retention.keep(digest);
    if (mentions === "needed") retention.scan(text);
    return digest;
  };
  const { snapshot, revisions } = await snapshotAt(source, { last, keysSince, store });
  // From here on the snapshot alone speaks for what goes, as it will after a restart.
  const start = await imageOfSnapshot(source, snapshot);
  await proveSnapshot(snapshot, source, start);
  const whole = await replayed(source, start, { after: last.n, until: journal.last.n });
  retention.scanRows(whole.image);
  await scanRecords(retention, journal, last.n + 1);
  const unneeded = await retention.unneeded(than);
  return { kind: "drop", drop, revisions, snapshot, lastTime: last.time, unneeded };
}

/** A function of its own, so that the image it makes is let go before the next one: each is as big as the graph. */
async function snapshotAt(
  source: ImageSource,
  { last, ...more }: Pick<SnapshotInput, "keysSince" | "store"> & { readonly last: ChainPosition },
): Promise<{ readonly snapshot: SnapshotEntry; readonly revisions: number }> {
  const { n: record, digest } = last;
  const { image, times, revisions } = await imageOfJournal(source, record);
  const taken = await takeSnapshot({ image, times, documents: source.documents, record, digest, ...more });
  return { snapshot: { record, digest, ...taken }, revisions };
}

/** What the snapshot in force names is needed; earlier ones were superseded by it. */
async function needBase(retention: Retention, { journal, documents }: PruneContext): Promise<void> {
  if (journal.base === undefined) return;
  const { manifest } = journal.base.snapshot.body;
  const read = (digest: Digest) => documents.getText(digest);
  retention.keep((await readFormat<SnapshotManifest>(read, manifest, "tenure-snapshot/1")).revisions);
  retention.need(manifest);
}

async function scanRecords(retention: Retention, journal: Journal, from: number): Promise<void> {
  for await (const record of journal.read(from)) if (record.kind !== "snapshot") retention.scan(JSON.stringify(record));
}

/**
 * Takes a snapshot again from what it says. Errors: `snapshot-differs` when that gives another one; `document-missing`,
 * `document-damaged`.
 */
export async function proveSnapshot(
  snapshot: SnapshotEntry,
  { documents }: Pick<PruneContext, "documents">,
  loaded?: JournalImage,
): Promise<void> {
  const { image, times } = loaded ?? (await imageOfSnapshot({ documents }, snapshot));
  const read = (digest: Digest) => documents.getText(digest);
  const { keysSince } = await readFormat<SnapshotManifest>(read, snapshot.manifest, "tenure-snapshot/1");
  const store = (text: string) => Promise.resolve(digestOf(text));
  const { record, digest } = snapshot;
  const again = await takeSnapshot({ image, times, documents, record, digest, keysSince, store });
  if (again.manifest === snapshot.manifest) return;
  const message = `snapshot ${snapshot.manifest} of record ${record} reads back as ${again.manifest}`;
  throw new StoreError("snapshot-differs", message, { record, manifest: snapshot.manifest });
}

function pruneEntry(
  { before, actor, key }: PruneRequest,
  { drop, snapshot, lastTime, revisions }: Extract<Planned, { readonly kind: "drop" }>,
  snapshotRecord: number,
): PruneEntry {
  return {
    actor,
    key,
    before: before.toISOString(),
    first: drop[0]?.first ?? snapshot.record,
    last: snapshot.record,
    digest: snapshot.digest,
    lastTime,
    snapshot: snapshotRecord,
    revisions,
    bytes: bytesOf(drop),
  };
}

/* ---- the rest ---- */

async function removeUnneeded(
  unneeded: Unneeded,
  { documents, sealedDocuments }: Pick<PruneContext, "documents" | "sealedDocuments">,
): Promise<void> {
  // Put again since the list was made, a file is younger than that, and stays.
  for (const file of unneeded.documents) await documents.removeIfOlder(file.name, file.modified + 1);
  for (const file of unneeded.sealed) await sealedDocuments.removeIfOlder(file.name, file.modified + 1);
}

function bytesOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

function reportOf({ journal }: PruneContext, planned: Planned): PruneReport {
  const { unneeded } = planned;
  const files = [...unneeded.documents, ...unneeded.sealed];
  const snapshot = planned.kind === "drop" ? planned.snapshot : journal.base?.snapshot.body;
  return {
    alreadyThere: false,
    dropped:
      planned.kind === "nothing"
        ? undefined
        : {
            first: planned.drop[0]?.first ?? planned.snapshot.record,
            last: planned.snapshot.record,
            revisions: planned.revisions,
            bytes: bytesOf(planned.drop),
          },
    prunedAt:
      snapshot?.revisionTime === undefined ? undefined : { revision: snapshot.revision, time: snapshot.revisionTime },
    oldestKept: undefined,
    documents: { count: files.length, bytes: bytesOf(files) },
  };
}

async function droppedUnder(journal: Journal, key: string): Promise<PruneReport["dropped"]> {
  for await (const record of journal.read(1)) {
    if (record.kind !== "prune" || record.body.key !== key) continue;
    const { first, last, revisions, bytes } = record.body;
    return { first, last, revisions, bytes };
  }
  return undefined;
}
