/**
 * The graph file and its relation to the journal: opened carefully, caught up, rebuilt when missing, damaged or too far
 * behind, and never allowed to stay different from what the journal says.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPriorFromGraph } from "../apply/read-prior.ts";
import { runChanges } from "../apply/run-changes.ts";
import { messageOf } from "../append-log.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { FileOperations } from "../files.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { type Ladybug, type Run, isInterrupted, openLadybug, removeDatabase, restoreAside } from "../ladybug.ts";
import { MODEL } from "../schema/migrations.ts";
import { StoreError } from "../store-error.ts";
import { type GraphMeta, type Probe, probeDatabase } from "./probe.ts";
import { rebuildGraph } from "./rebuild.ts";
import { writeSetOf } from "./replay.ts";

/** What starting or failing made necessary. */
export type GraphEvent =
  | {
      readonly kind: "rebuilt";
      readonly why: string;
      readonly records: number;
      readonly rows: number;
      readonly milliseconds: number;
    }
  | { readonly kind: "caught-up"; readonly from: number; readonly to: number }
  | { readonly kind: "restored"; readonly why: string }
  /** About to fold a write-ahead log of so many bytes. */
  | { readonly kind: "checkpoint"; readonly bytes: number };

export interface GraphDatabase {
  /** Reads of one call see one state; waits while the graph is being rebuilt. */
  readonly read: Run;
  /** How many files were read from so far: what was read from an earlier one says nothing of this one. */
  readonly builds: () => number;
  /** Brings one journalled record into the graph. Calls must not overlap. Throws only `stopped`. */
  apply(record: JournalRecord): Promise<void>;
  rebuild(why: string): Promise<void>;
  close(): Promise<void>;
}

export interface GraphDatabaseOptions {
  readonly folder: string;
  readonly journal: Journal;
  readonly documents: DocumentStore;
  readonly files: FileOperations;
  readonly report: (event: GraphEvent) => void;
  /** The write-ahead log is folded into the file beyond this size; undefined: beyond what is right for the file. */
  readonly checkpointBytes: number | undefined;
}

/**
 * Folding copies the whole file aside first and rewrites what the log touched, so a log may grow with its file: the
 * price of folding stays in proportion to what was written. Up to a bound: what is in the log is in the database's
 * memory too, and is replayed at the start.
 */
const CHECKPOINT_BYTES = { least: 32 * 1024 * 1024, most: 192 * 1024 * 1024 } as const;
const CHECKPOINT_SHARE = 1 / 4;

/** More records than this are replayed faster in bulk. */
const CATCH_UP_RECORDS = 500;

/** Errors: `graph-ahead` when the file holds a record that the journal does not. */
export async function openGraphDatabase(options: GraphDatabaseOptions): Promise<GraphDatabase> {
  const { journal, documents, files, report } = options;
  const file = join(options.folder, "graph.lbug");
  await files.makeFolder(options.folder);

  const found = await inspectFile(file, files, report);
  const meta = found.kind === "usable" ? found.meta : undefined;
  if (meta !== undefined) await refuseForeign(meta, journal);
  let database: Promise<Ladybug>;
  /** The newest record when the file was built last: a catching up that had to rebuild is at its end. */
  let rebuiltTo = 0;
  let builds = 0;
  const base = journal.base?.prune.body.last ?? 0;
  if (
    meta === undefined ||
    meta.model !== MODEL ||
    meta.base !== base ||
    journal.last.n - meta.record > CATCH_UP_RECORDS
  ) {
    database = rebuildAndOpen(reasonToRebuild(found, base), () => Promise.resolve());
  } else {
    database = openLadybug(file, files);
    await database;
    if (meta.record < journal.last.n) {
      for await (const record of journal.read(meta.record + 1)) if (record.n > rebuiltTo) await apply(record);
      report({ kind: "caught-up", from: meta.record + 1, to: journal.last.n });
    }
  }
  await database;

  async function rebuildAndOpen(why: string, release: () => Promise<void>): Promise<Ladybug> {
    const started = performance.now();
    const { records, rows } = await rebuildGraph({ file, journal, documents, files, release });
    const opened = await openLadybug(file, files);
    report({ kind: "rebuilt", why, records, rows, milliseconds: Math.round(performance.now() - started) });
    return opened;
  }

  /** What is open is asked until the new file is whole, and goes on to be asked when that does not succeed. */
  async function rebuild(why: string): Promise<void> {
    const old = await database.catch(() => undefined);
    const next = rebuildAndOpen(why, async () => {
      database = next;
      builds += 1;
      await old?.close().catch(() => undefined);
    });
    if (old?.spoilt === true) database = next;
    try {
      await next;
      database = next;
      rebuiltTo = journal.last.n;
    } catch (error) {
      throw stopped(error);
    }
  }

  async function opened(): Promise<Ladybug> {
    try {
      return await database;
    } catch (error) {
      throw stopped(error);
    }
  }

  async function apply(record: JournalRecord): Promise<void> {
    const open = await database;
    try {
      const { changes } = await writeSetOf(record, documents, (keys) => readPriorFromGraph(open.read, documents, keys));
      await open.transaction((run) => runChanges(run, changes));
      await foldLog(open);
    } catch (error) {
      await rebuild(`record ${record.n} could not be applied: ${messageOf(error)}`);
    }
  }

  async function foldLog(open: Ladybug): Promise<void> {
    const bytes = bytesOf(`${file}.wal`);
    const { least, most } = CHECKPOINT_BYTES;
    const limit = options.checkpointBytes ?? Math.min(most, Math.max(least, bytesOf(file) * CHECKPOINT_SHARE));
    if (bytes <= limit) return;
    report({ kind: "checkpoint", bytes });
    await open.checkpoint();
  }

  return {
    read: async (statement, parameters) => (await opened()).read(statement, parameters),
    builds: () => builds,
    apply,
    rebuild,
    async close() {
      await (await database).close();
    },
  };
}

/** What the file holds, once it is safe to open; or that nothing worth opening is left, and why. */
async function inspectFile(file: string, files: FileOperations, report: (event: GraphEvent) => void): Promise<Probe> {
  if (isInterrupted(file) || !existsSync(file)) {
    const how = isInterrupted(file) ? "a checkpoint was cut short" : "there is no graph file";
    if ((await restoreAside(file, files)) === "restored") {
      report({ kind: "restored", why: how });
    } else {
      await removeDatabase(file, files);
      return { kind: "damaged", how };
    }
  }
  const probe = await probeDatabase(file);
  if (probe.kind === "usable") return probe;
  if ((await restoreAside(file, files)) === "restored") {
    report({ kind: "restored", why: probe.how });
    const again = await probeDatabase(file);
    if (again.kind === "usable") return again;
  }
  await removeDatabase(file, files);
  return probe;
}

async function refuseForeign(meta: GraphMeta, journal: Journal): Promise<void> {
  const { record } = meta;
  // A file older than what was pruned since cannot be compared; it is rebuilt.
  if (record === 0 || record < (journal.base?.prune.body.last ?? 0)) return;
  const last = journal.last.n;
  if (record > last) {
    throw new StoreError(
      "graph-ahead",
      `the graph holds record ${record}, the journal ends at ${last}: records were lost`,
      { record, last },
    );
  }
  if ((await journal.digestOf(record)) !== meta.digest) {
    throw new StoreError("graph-ahead", `record ${record} of the graph is not the one in the journal`, {
      record,
      last,
    });
  }
}

function stopped(error: unknown): StoreError {
  return new StoreError("stopped", `the graph cannot be rebuilt: ${messageOf(error)}`, {}, error);
}

function reasonToRebuild(found: Probe, base: number): string {
  if (found.kind === "damaged") return found.how;
  if (found.meta.model !== MODEL) return `the file is of model ${found.meta.model}`;
  return found.meta.base === base
    ? `the file ends at record ${found.meta.record}`
    : `history up to record ${base} was pruned`;
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
