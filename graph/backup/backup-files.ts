/**
 * What a backup folder holds: the journal's segments, every document, the ciphertexts of secrets, and beside them
 * lists by which a missing or changed file is noticed. `backup.json` is written last, so a folder without it is no
 * backup. The keys of the secrets are never part of it.
 */
import { dirname, join } from "node:path";
import { type Digest, canonicalJson } from "../canonical-json.ts";
import { type FileOperations, isMissing, replaceFile } from "../files.ts";
import { StoreError } from "../store-error.ts";

export interface BackupManifest {
  readonly format: "tenure-backup/1";
  /** When it was made: ISO 8601, UTC. */
  readonly time: string;
  /** Numbers of the oldest and the newest record in it, and that one's digest. */
  readonly records: { readonly first: number; readonly last: number; readonly digest: Digest };
  /** Newest revision in it. */
  readonly revision: number;
  /** Ids of the keys that seal the secrets in it. Without them the secrets cannot be sent to a device. */
  readonly secretKeys: readonly string[];
  readonly segments: readonly ListedFile[];
  readonly documents: FileList;
  readonly secrets: FileList;
}

export interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Digest;
}

/** Many files: their list is a file of its own, one line a file: SHA-256, space, name. */
export interface FileList {
  readonly count: number;
  readonly bytes: number;
  /** Of the list. */
  readonly sha256: Digest;
}

export function backupPaths(folder: string) {
  return {
    manifest: join(folder, "backup.json"),
    journal: join(folder, "journal"),
    documents: join(folder, "documents"),
    documentList: join(folder, "documents.txt"),
    secrets: join(folder, "secrets"),
    secretList: join(folder, "secrets.txt"),
  };
}

/** `undefined` for a file that is not there. */
export async function readIfThere(files: FileOperations, path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes files below one folder, and forces each folder's names to the disk once at the end. */
export interface FileWriter {
  write(path: string, bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

export function fileWriter(root: string, files: FileOperations): FileWriter {
  const folders = new Set<string>();
  return {
    async write(path, bytes) {
      const folder = dirname(path);
      if (!folders.has(folder)) {
        await files.makeFolder(folder);
        // A folder's own name stands in the one above, up to and with the one that holds the root.
        for (let each = folder; each.length >= dirname(root).length && !folders.has(each); each = dirname(each)) {
          folders.add(each);
          if (dirname(each) === each) break;
        }
      }
      await replaceFile(files, path, `${path}.tmp`, bytes);
    },
    async finish() {
      for (const folder of [...folders].sort().reverse()) await files.syncFolder(folder);
    },
  };
}

export function listText(lines: readonly (readonly [sha256: Digest, name: string])[]): string {
  return lines.map(([sha256, name]) => `${sha256} ${name}\n`).join("");
}

export function readList(text: string): readonly (readonly [sha256: Digest, name: string])[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line.slice(0, 64), line.slice(65)] as const);
}

export function manifestText(manifest: BackupManifest): string {
  return `${canonicalJson(manifest)}\n`;
}

export function backupBroken(
  message: string,
  details: { readonly record?: number; readonly document?: string; readonly file?: string } = {},
  cause?: unknown,
): StoreError {
  return new StoreError("backup-broken", message, details, cause);
}
