/**
 * The few file operations that durability rests on, behind one small interface: what is written, when it is forced to
 * the disk, and in which order can so be watched, and each of them made to fail, by a test.
 */
import { type FileHandle, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { errorCode, makeDurableFolder, syncFolder } from "../runtime/durable-folder.ts";

export interface OpenFile {
  /** Writes at `position`; may write fewer bytes than given and says how many. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Returns once content and length are on the disk (fsync). */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileOperations {
  /** Opens for writing at positions, creating the file where there is none. */
  openForWriting(path: string): Promise<OpenFile>;
  read(path: string): Promise<Uint8Array>;
  /** Length in bytes, or undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** When its content was last written or touched, in epoch milliseconds; undefined when there is no such file. */
  modified(path: string): Promise<number | undefined>;
  /** Makes `modified` say now, durably. */
  touch(path: string): Promise<void>;
  /** Names in a folder, sorted; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes it and what is missing above it; their names are on the disk when it returns. */
  makeFolder(folder: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Forces a folder's names to the disk: without it a created or renamed file may be gone after a power cut. */
  syncFolder(folder: string): Promise<void>;
}

/** The operating system's files. Folders are private to the user (0700), files too (0600). */
export const realFiles: FileOperations = {
  async openForWriting(path) {
    return openFile(await openExistingOrNew(path));
  },
  read: (path) => readFile(path),
  async size(path) {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async modified(path) {
    try {
      return (await stat(path)).mtimeMs;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async touch(path) {
    const handle = await open(path, "r+");
    try {
      const now = new Date();
      await handle.utimes(now, now);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  makeFolder: makeDurableFolder,
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { recursive: true, force: true }),
  syncFolder,
};

async function openExistingOrNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if (!isMissing(error)) throw error;
    return open(path, "wx+", 0o600);
  }
}

function openFile(handle: FileHandle): OpenFile {
  return {
    async write(bytes, position) {
      return (await handle.write(bytes, 0, bytes.byteLength, position)).bytesWritten;
    },
    sync: () => handle.sync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

/** Writes all bytes from `position` on, however short single writes are. */
export async function writeWhole(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count <= 0) throw new Error("the file took no more bytes");
    written += count;
  }
}

/**
 * Puts a file in place whole: temporary name, fsync, rename. The caller syncs the folder (once for many files).
 * `temporary` stands in the same file system, and is gone after a failure: a full disk would be the fuller for each try.
 */
export async function replaceFile(
  files: FileOperations,
  path: string,
  temporary: string,
  bytes: Uint8Array,
): Promise<void> {
  try {
    const file = await files.openForWriting(temporary);
    try {
      await file.truncate(0);
      await writeWhole(file, bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

/** Forces a file that stands, and that somebody else wrote, to the disk. */
export async function syncFile(files: FileOperations, path: string): Promise<void> {
  const file = await files.openForWriting(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
