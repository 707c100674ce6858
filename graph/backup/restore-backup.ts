import { join } from "node:path";
import { type DataPaths, dataPaths } from "../../runtime/paths.ts";
import { digestOf } from "../canonical-json.ts";
import { openDocumentStore } from "../documents/document-store.ts";
import type { FileOperations } from "../files.ts";
import { listSegments } from "../journal/segment.ts";
import { acquireOwnerLock } from "../owner-lock.ts";
import { StoreError } from "../store-error.ts";
import { type BackupManifest, backupBroken, backupPaths, fileWriter } from "./backup-files.ts";
import { type ProvenBackup, verifyBackup } from "./verify-backup.ts";

export interface RestoreOptions {
  /** Folder of the backup. */
  readonly from: string;
  readonly dataFolder: string;
  readonly files: FileOperations;
  readonly clock: () => Date;
}

/**
 * Puts a backup into a data folder that has neither journal nor graph, which nobody may own meanwhile. The backup is
 * read whole before anything is written; the journal appears last and at once, so that a restore that is cut short
 * leaves a folder without one, and can be done again. The graph is built when the folder is opened. Errors:
 * `backup-broken`, `not-empty`, `already-open`.
 */
export async function restoreBackup({ from, dataFolder, files, clock }: RestoreOptions): Promise<BackupManifest> {
  const backup = await verifyBackup(from, files);
  const paths = dataPaths(dataFolder);
  // Before the lock too: nothing is made in a folder that is in use.
  await refuseUsed(paths, files);
  await files.makeFolder(paths.folder);
  const owner = await acquireOwnerLock({ lockFile: paths.ownerLock, infoFile: paths.ownerInfo, files, clock });
  try {
    await refuseUsed(paths, files);
    await copyInto(paths, backup, files);
    return backup.manifest;
  } finally {
    await owner.release();
  }
}

async function refuseUsed(paths: DataPaths, files: FileOperations): Promise<void> {
  const segments = await listSegments(paths.journal, files);
  const sizes = await Promise.all(segments.map((segment) => files.size(segment.path)));
  const journal = sizes.some((size) => size !== undefined && size > 0);
  // A graph without its journal may be all that is left of something.
  const graph = (await files.size(join(paths.graph, "graph.lbug"))) !== undefined;
  if (!journal && !(graph && segments.length === 0)) return;
  throw new StoreError("not-empty", `${paths.folder} has a ${journal ? "journal" : "graph"} of its own`, {
    folder: paths.folder,
  });
}

/** What is read here was proved a moment ago; it is proved again, since a file may change between two reads. */
async function copyInto(paths: DataPaths, backup: ProvenBackup, files: FileOperations): Promise<void> {
  const source = backupPaths(backup.folder);
  const documents = await openDocumentStore(paths.documents, files);
  for (const document of backup.documents) {
    const bytes = await files.read(join(source.documents, document.slice(0, 2), document.slice(2)));
    if ((await documents.put(bytes)) !== document) {
      throw backupBroken(`document ${document} of the backup was changed`, { document });
    }
  }
  const writer = fileWriter(paths.folder, files);
  for (const { name, sha256 } of backup.secrets) {
    const bytes = await files.read(join(source.secrets, name));
    if (digestOf(bytes) !== sha256) throw backupBroken(`ciphertext ${name} of the backup was changed`, { file: name });
    await writer.write(join(paths.sealedDocuments, name), bytes);
  }
  const incoming = `${paths.journal}.incoming`;
  await files.remove(incoming);
  await files.makeFolder(incoming);
  for (const { name, sha256 } of backup.manifest.segments) {
    const bytes = await files.read(join(source.journal, name));
    if (digestOf(bytes) !== sha256) throw backupBroken(`segment ${name} of the backup was changed`, { file: name });
    await writer.write(join(incoming, name), bytes);
  }
  await writer.finish();
  // What stands there holds no record. The graph beside it goes too: it is built from what comes.
  await files.remove(paths.journal);
  await files.remove(paths.graph);
  await files.rename(incoming, paths.journal);
  await files.syncFolder(paths.folder);
}
