/**
 * How long a stored file stays that nothing names any more. Whoever puts content hands its digest to someone who will
 * name it in the journal a little later, so a young file is never taken; content that is put again counts as young.
 */
import { type FileOperations } from "../files.ts";
import { createKeyedMutex } from "./keyed-mutex.ts";

/** Days for which a file stays though nothing names it. */
export const RETENTION_DAYS = 45;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** A stored file: its name in the store's own words, and its bytes. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** Epoch milliseconds of the newest put, a day more or less. */
  readonly modified: number;
}

export interface RetainedFiles {
  /** Runs a put of this file; no removal of it comes between. */
  put<T>(path: string, work: () => Promise<T>): Promise<T>;
  /** For content that stands already and was put again. An age by the day is enough, so most puts write nothing. */
  freshen(path: string): Promise<void>;
  /** Removes the file unless it was put at or after `than` (epoch milliseconds). Says whether it went. */
  removeIfOlder(path: string, than: number): Promise<"removed" | "kept">;
}

export function retainedFiles(files: FileOperations): RetainedFiles {
  const mutex = createKeyedMutex();
  return {
    put: (path, work) => mutex.run(path, work),
    async freshen(path) {
      const modified = await files.modified(path);
      if (modified !== undefined && modified < Date.now() - DAY_MS) await files.touch(path);
    },
    removeIfOlder: (path, than) =>
      mutex.run(path, async () => {
        const modified = await files.modified(path);
        if (modified === undefined || modified >= than) return "kept";
        await files.remove(path);
        return "removed";
      }),
  };
}
