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
import { VERSION_COUNT } from "../statements/reads.ts";
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
  /** The write-ahead log is folded into the file beyond this size. */
  readonly checkpointBytes: number;
}

/** More records than this are replayed faster in bulk. */
const CATCH_UP_RECORDS = 500;
/** From this many rows on, a write set that dwarfs the graph is loaded in bulk: COPY has twice the rate of CREATE. */
const BULK_ROWS = 100_000;
const BULK_TIMES = 3;
/** An item brings itself, its version and two edges. */
const ROWS_A_VERSION = 4;

/** Errors: `graph-ahead` when the file holds a record that the journal does not. */
export async function openGraphDatabase(options: GraphDatabaseOptions): Promise<GraphDatabase> {
  const { journal, documents, files, report } = options;
  const file = join(options.folder, "graph.lbug");
  await files.makeFolder(options.folder);

  const found = await inspectFile(file, files, report);
  const meta = found.kind === "usable" ? found.meta : undefined;
  if (meta !== undefined) await refuseForeign(meta, journal);
  let database: Promise<Ladybug>;
  if (meta === undefined || meta.model !== MODEL || journal.last.n - meta.record > CATCH_UP_RECORDS) {
    database = rebuildAndOpen(reasonToRebuild(found));
  } else {
    database = openLadybug(file, files);
    await database;
    if (meta.record < journal.last.n) {
      for await (const record of journal.read(meta.record + 1)) await apply(record);
      report({ kind: "caught-up", from: meta.record + 1, to: journal.last.n });
    }
  }
  await database;

  async function rebuildAndOpen(why: string): Promise<Ladybug> {
    const started = performance.now();
    const { records, rows } = await rebuildGraph({ file, journal, documents, files });
    const opened = await openLadybug(file, files);
    report({ kind: "rebuilt", why, records, rows, milliseconds: Math.round(performance.now() - started) });
    return opened;
  }

  async function rebuild(why: string): Promise<void> {
    const old = await database.catch(() => undefined);
    const next = (async () => {
      await old?.close().catch(() => undefined);
      return rebuildAndOpen(why);
    })();
    database = next;
    try {
      await next;
    } catch (error) {
      throw new StoreError("stopped", `the graph cannot be rebuilt: ${messageOf(error)}`, {}, error);
    }
  }

  async function apply(record: JournalRecord): Promise<void> {
    const open = await database;
    let rows = 0;
    try {
      const { changes } = await writeSetOf(record, documents, (keys) => readPriorFromGraph(open.read, documents, keys));
      rows = changes.reduce((sum, change) => sum + change.rows.length, 0);
      if (rows < BULK_ROWS || (await graphRows(open)) * BULK_TIMES > rows) {
        await open.transaction((run) => runChanges(run, changes));
        await foldLog(open);
        return;
      }
    } catch (error) {
      await rebuild(`record ${record.n} could not be applied: ${messageOf(error)}`);
      return;
    }
    await rebuild(`record ${record.n} brings ${rows} rows, far more than the graph held`);
  }

  async function foldLog(open: Ladybug): Promise<void> {
    const bytes = logBytes(file);
    if (bytes <= options.checkpointBytes) return;
    report({ kind: "checkpoint", bytes });
    await open.checkpoint();
  }

  return {
    read: async (statement, parameters) => (await database).read(statement, parameters),
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
  if (record === 0) return;
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

function reasonToRebuild(found: Probe): string {
  if (found.kind === "damaged") return found.how;
  return found.meta.model === MODEL
    ? `the file ends at record ${found.meta.record}`
    : `the file is of model ${found.meta.model}`;
}

function logBytes(file: string): number {
  return statSync(`${file}.wal`, { throwIfNoEntry: false })?.size ?? 0;
}

async function graphRows(database: Ladybug): Promise<number> {
  const [row] = await database.read(VERSION_COUNT);
  return Number(row?.["rows"] ?? 0) * ROWS_A_VERSION;
}
