import { join, resolve } from "node:path";
import { digestOf } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { StoredFile } from "../documents/retained-files.ts";
import type { SealedDocuments } from "../documents/sealed-documents.ts";
import type { FileOperations } from "../files.ts";
import type { Journal } from "../journal/journal.ts";
import type { Mutex } from "../mutex.ts";
import { StoreError } from "../store-error.ts";
import {
  type BackupManifest,
  type FileList,
  type FileWriter,
  type ListedFile,
  backupPaths,
  fileWriter,
  listText,
  manifestText,
} from "./backup-files.ts";

export interface BackupContext {
  readonly journal: Journal;
  readonly documents: DocumentStore;
  readonly sealedDocuments: SealedDocuments;
  readonly files: FileOperations;
  readonly clock: () => Date;
  readonly currentRevision: () => Promise<number>;
  /** Runs work while nothing is written. */
  readonly exclusive: Mutex["run"];
}

export interface BackupReport {
  readonly folder: string;
  readonly manifest: BackupManifest;
}

/**
 * Copies journal, documents and ciphertexts into `folder`, which must be empty or absent, while writes go on: the
 * backup is of the moment in which this was called. Returns once all is on the disk. Needs: history is not pruned
 * meanwhile. Errors: `not-empty`; `document-damaged` with its digest, what is copied so far then being no backup.
 */
export async function writeBackup(context: BackupContext, folder: string): Promise<BackupReport> {
  const { journal, documents, sealedDocuments, files, clock } = context;
  const root = resolve(folder);
  const paths = backupPaths(root);
  if ((await files.list(root)).length > 0) {
    throw new StoreError("not-empty", `${root} is not empty: a backup goes into a folder of its own`, { folder: root });
  }
  await files.makeFolder(root);
  // A record is appended after the documents that it names, so these documents and younger ones are enough for it.
  const at = await context.exclusive(async () => ({
    time: clock().toISOString(),
    last: journal.last,
    spans: await journal.segments(),
    revision: await context.currentRevision(),
  }));
  const writer = fileWriter(root, files);

  const segments: ListedFile[] = [];
  for (const { name, path, bytes } of at.spans) {
    const content = (await files.read(path)).subarray(0, bytes);
    await writer.write(join(paths.journal, name), content);
    segments.push({ name, bytes, sha256: digestOf(content) });
  }
  const documentList = await copyAll(documents.list(), {
    writer,
    read: (name) => documents.get(name),
    place: (name) => join(paths.documents, name.slice(0, 2), name.slice(2)),
    list: paths.documentList,
  });
  const keys = new Set<string>();
  const secretList = await copyAll(sealedDocuments.list(), {
    writer,
    read: (name) => {
      keys.add(keyIdOf(name));
      return sealedDocuments.get(sealedValueOf(name));
    },
    place: (name) => join(paths.secrets, name),
    list: paths.secretList,
  });

  const manifest: BackupManifest = {
    format: "tenure-backup/1",
    time: at.time,
    records: { first: at.spans[0]?.first ?? at.last.n + 1, last: at.last.n, digest: at.last.digest },
    revision: at.revision,
    secretKeys: [...keys].sort(),
    segments,
    documents: documentList,
    secrets: secretList,
  };
  // All names are on the disk before the one that says that all is there.
  await writer.finish();
  await writer.write(paths.manifest, Buffer.from(manifestText(manifest), "utf8"));
  await writer.finish();
  return { folder: root, manifest };
}

async function copyAll(
  stored: AsyncGenerator<StoredFile>,
  options: {
    readonly writer: FileWriter;
    readonly read: (name: string) => Promise<Uint8Array>;
    readonly place: (name: string) => string;
    readonly list: string;
  },
): Promise<FileList> {
  const lines: (readonly [string, string])[] = [];
  let bytes = 0;
  for await (const { name } of stored) {
    const content = await options.read(name);
    await options.writer.write(options.place(name), content);
    lines.push([digestOf(content), name]);
    bytes += content.byteLength;
  }
  const text = listText(lines);
  await options.writer.write(options.list, Buffer.from(text, "utf8"));
  return { count: lines.length, bytes, sha256: digestOf(text) };
}

function keyIdOf(name: string): string {
  return name.slice(0, name.indexOf("/"));
}

function sealedValueOf(name: string): { readonly keyId: string; readonly hmac: string } {
  return { keyId: keyIdOf(name), hmac: name.slice(name.indexOf("/") + 1) };
}
