import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { EDGE_COLUMNS, type EdgeName, NODE_COLUMNS, type NodeName, inColumnOrder } from "../apply/change.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { FileOperations } from "../files.ts";
import type { Journal } from "../journal/journal.ts";
import { batches, openLadybug, removeDatabase } from "../ladybug.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { COPY_EDGES, COPY_NODES } from "../statements/writes.ts";
import { createImage } from "./image.ts";
import { writeSetOf } from "./replay.ts";

/** Rows a COPY takes at once: fewer cost more statements, more hold the event loop longer. */
const COPY_ROWS = 4000;

/**
 * Builds the graph anew from the journal, in a file beside, and puts it in the place of `file` when it is whole. Needs:
 * nobody has `file` open. A process killed in the middle leaves `file` as it was, or absent.
 */
export async function rebuildGraph(options: {
  readonly file: string;
  readonly journal: Journal;
  readonly documents: DocumentStore;
  readonly files: FileOperations;
}): Promise<{ readonly records: number; readonly rows: number }> {
  const { file, journal, documents, files } = options;
  const image = createImage(documents);
  let records = 0;
  for await (const record of journal.read(1)) {
    image.apply((await writeSetOf(record, documents, image.readPrior)).changes);
    records += 1;
  }

  const folder = join(dirname(file), "rebuild");
  await files.remove(folder);
  await files.makeFolder(folder);
  const fresh = join(folder, "graph.lbug");
  const database = await openLadybug(fresh, files);
  let rows = 0;
  try {
    for (const migration of MIGRATIONS) for (const statement of migration.statements) await database.direct(statement);
    const copy = async (statement: string, all: readonly object[], columns: readonly string[]) => {
      for (const batch of batches(all, COPY_ROWS)) {
        await database.direct(statement, { rows: batch.map((row) => inColumnOrder(row, columns)) });
        rows += batch.length;
      }
    };
    for (const node of Object.keys(NODE_COLUMNS) as NodeName[])
      await copy(COPY_NODES[node], image.nodes(node), NODE_COLUMNS[node]);
    for (const edge of Object.keys(EDGE_COLUMNS) as EdgeName[])
      await copy(COPY_EDGES[edge], image.edges(edge), EDGE_COLUMNS[edge]);
    // A fresh file that dies here is thrown away, so no copy is kept for this one.
    await database.direct("CHECKPOINT");
  } finally {
    await database.close();
  }

  await removeDatabase(file, files);
  if (existsSync(`${fresh}.wal`)) await files.rename(`${fresh}.wal`, `${file}.wal`);
  await syncFile(fresh, files);
  await files.rename(fresh, file);
  await files.syncFolder(dirname(file));
  await files.remove(folder);
  return { records, rows };
}

async function syncFile(path: string, files: FileOperations): Promise<void> {
  const handle = await files.openForWriting(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
