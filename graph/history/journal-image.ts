/** The graph in memory as the journal has it: loaded from the snapshot that stands for dropped records, then replayed. */
import type { DocumentStore } from "../documents/document-store.ts";
import type { Journal } from "../journal/journal.ts";
import type { SnapshotEntry } from "../journal/record.ts";
import { type GraphImage, createImage } from "../start/image.ts";
import { writeSetOf } from "../start/replay.ts";
import { loadSnapshot } from "./load-snapshot.ts";

export interface JournalImage {
  readonly image: GraphImage;
  /** Times of the records that left an idempotency key, by number. */
  readonly times: Map<number, string>;
  /** How many records were replayed, and how many revisions were among them. */
  readonly replayed: number;
  readonly revisions: number;
}

export interface ImageSource {
  readonly journal: Pick<Journal, "base" | "last" | "read">;
  readonly documents: DocumentStore;
}

/** The state once record `until` was applied. Needs: `until` was not dropped. Errors: `document-missing`, `document-damaged`. */
export async function imageOfJournal(source: ImageSource, until = source.journal.last.n): Promise<JournalImage> {
  const { base } = source.journal;
  return replayed(source, base === undefined ? emptyImage(source) : await imageOfSnapshot(source, base.snapshot.body), {
    after: base?.prune.body.last ?? 0,
    until,
  });
}

/** Of a snapshot alone. */
export async function imageOfSnapshot(
  { documents }: Pick<ImageSource, "documents">,
  snapshot: SnapshotEntry,
): Promise<JournalImage> {
  const image = createImage(documents, {
    record: snapshot.record,
    digest: snapshot.digest,
    pruned: snapshot.revision,
    prunedTime: snapshot.revisionTime ?? "-",
  });
  const { times } = await loadSnapshot(snapshot, documents, (changes) => {
    image.apply(changes);
  });
  return { image, times: new Map(times), replayed: 0, revisions: 0 };
}

function emptyImage({ documents }: ImageSource): JournalImage {
  return { image: createImage(documents), times: new Map(), replayed: 0, revisions: 0 };
}

/** Replays the records behind `after` up to `until` into the image that is given. */
export async function replayed(
  { journal, documents }: ImageSource,
  start: JournalImage,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<JournalImage> {
  const { image, times } = start;
  let records = 0;
  let revisions = 0;
  for await (const record of journal.read(after + 1)) {
    if (record.n > until) break;
    image.apply((await writeSetOf(record, documents, image.readPrior)).changes);
    times.set(record.n, record.time);
    records += 1;
    if (record.kind === "revision") revisions += 1;
  }
  return { image, times, replayed: records, revisions };
}
