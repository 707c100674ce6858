import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { EDGE_COLUMNS, type EdgeName, NODE_COLUMNS, type NodeName } from "../apply/change.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import { type FileOperations, syncFile } from "../files.ts";
import { imageOfJournal } from "../history/journal-image.ts";
import type { Journal } from "../journal/journal.ts";
import { openLadybug, removeDatabase } from "../ladybug.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { type BatchStatement, batchesOf } from "../statements/batch-statement.ts";
import { COPY_EDGES, COPY_NODES } from "../statements/writes.ts";

/**
 * What COPY loaded stays in the database's memory until a checkpoint, and a million items' rows do not fit in its pool.
 * Each checkpoint costs room in the file (the half more, were it five times as often). In characters of the rows.
 */
const CHECKPOINT_SIZE = 128_000_000;

/**
 * Builds the graph anew from the journal, in a file beside, and puts it in the place of `file` when it is whole. Until
 * then `file` may be open and asked; `release` must have closed it when it returns, and is not called when the building
 * fails. A process killed in the middle leaves `file` as it was, or absent.
 */
export async function rebuildGraph(options: {
  readonly file: string;
  readonly journal: Journal;
  readonly documents: DocumentStore;
  readonly files: FileOperations;
  readonly release: () => Promise<void>;
}): Promise<{ readonly records: number; readonly rows: number }> {
  const { file, journal, documents, files, release } = options;
  const { image, replayed: records } = await imageOfJournal({ journal, documents });

  const folder = join(dirname(file), "rebuild");
  await files.remove(folder);
  await files.makeFolder(folder);
  const fresh = join(folder, "graph.lbug");
  const database = await openLadybug(fresh, files);
  let rows = 0;
  let unfolded = 0;
  try {
    for (const migration of MIGRATIONS) for (const statement of migration.statements) await database.direct(statement);
    const copy = async (statement: BatchStatement, all: Iterable<object>, columns: readonly string[]) => {
      for (const { parameters, count, size } of batchesOf(statement, all, columns)) {
        await database.direct(statement.statement, parameters);
        rows += count;
        // A fresh file that dies here is thrown away, so no copy is kept for this one.
        unfolded += size;
        if (unfolded < CHECKPOINT_SIZE) continue;
        await database.direct("CHECKPOINT");
        unfolded = 0;
      }
    };
    for (const node of Object.keys(NODE_COLUMNS) as NodeName[])
      await copy(COPY_NODES[node], image.nodes(node), NODE_COLUMNS[node]);
    for (const edge of Object.keys(EDGE_COLUMNS) as EdgeName[])
      await copy(COPY_EDGES[edge], image.eachEdge(edge), EDGE_COLUMNS[edge]);
    await database.direct("CHECKPOINT");
  } catch (error) {
    await giveUp(fresh, files);
    throw error;
  } finally {
    await database.close();
  }

  await release();
  await removeDatabase(file, files);
  if (existsSync(`${fresh}.wal`)) await files.rename(`${fresh}.wal`, `${file}.wal`);
  await syncFile(files, fresh);
  await files.rename(fresh, file);
  await files.syncFolder(dirname(file));
  await files.remove(folder);
  return { records, rows };
}

/**
 * Makes room for the bytes that closing still writes. On a full disk LadybugDB ends the whole process when the rest of
 * a log does not fit at close.
 */
async function giveUp(fresh: string, files: FileOperations): Promise<void> {
  for (const path of [fresh, `${fresh}.wal`]) {
    if (!existsSync(path)) continue;
    const file = await files.openForWriting(path);
    await file.truncate(0).finally(() => file.close());
  }
}
