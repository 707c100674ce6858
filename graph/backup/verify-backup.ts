import { join, resolve } from "node:path";
import { type Digest, digestOf } from "../canonical-json.ts";
import type { FileOperations } from "../files.ts";
import { proveSegments } from "../journal/prove-segments.ts";
import { segmentOf } from "../journal/segment.ts";
import { isStoreError } from "../store-error.ts";
import {
  type BackupManifest,
  type FileList,
  backupBroken,
  backupPaths,
  readIfThere,
  readList,
} from "./backup-files.ts";

const SECRET = /^[0-9a-zA-Z_-]{1,128}\/[0-9a-zA-Z_-]{1,128}$/;

/** A backup that was read whole and found as it was written. */
export interface ProvenBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
  /** Digests. */
  readonly documents: readonly Digest[];
  /** `<keyId>/<hmac>` and SHA-256 of the ciphertext. */
  readonly secrets: readonly { readonly name: string; readonly sha256: Digest }[];
}

/**
 * Reads every file of a backup. Errors: `backup-broken` for a folder that holds no whole backup, or one that is not as
 * it was written, with the record, document or file.
 */
export async function verifyBackup(folder: string, files: FileOperations): Promise<ProvenBackup> {
  const root = resolve(folder);
  const paths = backupPaths(root);
  const manifest = await readManifest(paths.manifest, files);
  await proveJournal(manifest, paths.journal, files);

  const documents = await provenList(paths.documentList, manifest.documents, files);
  for (const [sha256, name] of documents) {
    const bytes = await readIfThere(files, join(paths.documents, name.slice(0, 2), name.slice(2)));
    if (bytes === undefined) throw backupBroken(`document ${name} is missing from the backup`, { document: name });
    if (digestOf(bytes) !== sha256 || sha256 !== name) {
      throw backupBroken(`document ${name} of the backup was changed`, { document: name });
    }
  }
  const secrets = await provenList(paths.secretList, manifest.secrets, files);
  for (const [sha256, name] of secrets) {
    // The list says where files go, and a backup may come from anywhere.
    if (!SECRET.test(name)) throw backupBroken(`${name} is not the name of a ciphertext`, { file: name });
    const bytes = await readIfThere(files, join(paths.secrets, name));
    if (bytes === undefined) throw backupBroken(`ciphertext ${name} is missing from the backup`, { file: name });
    if (digestOf(bytes) !== sha256) throw backupBroken(`ciphertext ${name} of the backup was changed`, { file: name });
  }
  return {
    folder: root,
    manifest,
    documents: documents.map(([, name]) => name),
    secrets: secrets.map(([sha256, name]) => ({ name, sha256 })),
  };
}

async function readManifest(path: string, files: FileOperations): Promise<BackupManifest> {
  const bytes = await readIfThere(files, path);
  if (bytes === undefined) {
    throw backupBroken(`${path} is missing: there is no backup, or one that was not finished`, { file: path });
  }
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(Buffer.from(bytes).toString("utf8")) as Partial<BackupManifest>;
  } catch (error) {
    throw backupBroken(`${path} cannot be read`, { file: path }, error);
  }
  if (manifest.format !== "tenure-backup/1")
    throw backupBroken(`${path} is not of a form that is known`, { file: path });
  return manifest as BackupManifest;
}

/** The chain first: it names the record that is damaged, where a digest of the file names the file alone. */
async function proveJournal(manifest: BackupManifest, folder: string, files: FileOperations): Promise<void> {
  const segments = manifest.segments.map(({ name }) => segmentOf(folder, Number.parseInt(name, 10)));
  for (const [index, { name }] of manifest.segments.entries())
    if (segments[index]?.name !== name) throw backupBroken(`${name} is not the name of a segment`, { file: name });
  for (const { name, path, first } of segments) {
    if ((await files.size(path)) !== undefined) continue;
    throw backupBroken(`segment ${name}, which starts with record ${first}, is missing from the backup`, {
      record: first,
      file: name,
    });
  }
  let last: Digest;
  try {
    last = (await proveSegments(segments, files)).last.digest;
  } catch (error) {
    if (!isStoreError(error)) throw error;
    const { record } = error.details;
    throw backupBroken(
      `the journal of the backup is damaged: ${error.message}`,
      typeof record === "number" ? { record } : {},
      error,
    );
  }
  for (const [index, { name, bytes, sha256 }] of manifest.segments.entries()) {
    const content = await files.read(segments[index]?.path ?? join(folder, name));
    if (content.byteLength !== bytes || digestOf(content) !== sha256) {
      throw backupBroken(`segment ${name} of the backup was changed`, { file: name });
    }
  }
  if (manifest.segments.length > 0 && last !== manifest.records.digest) {
    const { last: record } = manifest.records;
    throw backupBroken(`the journal of the backup does not end with its record ${record}`, { record });
  }
}

async function provenList(path: string, list: FileList, files: FileOperations): ReturnType<typeof readLines> {
  const lines = await readLines(path, files);
  const text = lines.map(([sha256, name]) => `${sha256} ${name}\n`).join("");
  if (digestOf(text) !== list.sha256) throw backupBroken(`${path} was changed`, { file: path });
  return lines;
}

async function readLines(path: string, files: FileOperations): Promise<ReturnType<typeof readList>> {
  const bytes = await readIfThere(files, path);
  if (bytes === undefined) throw backupBroken(`${path} is missing`, { file: path });
  return readList(Buffer.from(bytes).toString("utf8"));
}
