import { type FileOperations, type OpenFile, realFiles } from "../../graph/files.ts";

/** The disk of a process that dies at some step: from there on nothing is done any more. */
export interface DyingFiles extends FileOperations {
  /** Steps that were done, in order: what and where. */
  readonly done: readonly string[];
}

export class Died extends Error {}

/**
 * Real files until `steps` changing steps were done; each later one fails. What is read does not count. A test takes
 * the number of steps from a run that lives.
 */
export function dyingFiles(steps = Number.MAX_SAFE_INTEGER): DyingFiles {
  const done: string[] = [];
  async function step<T>(what: string, path: string, work: () => Promise<T>): Promise<T> {
    if (done.length >= steps) throw new Died(`died before ${what} ${path}`);
    done.push(`${what} ${path}`);
    return work();
  }
  const openFile = (path: string, file: OpenFile): OpenFile => ({
    write: (bytes, position) => step("write", path, () => file.write(bytes, position)),
    sync: () => step("sync", path, () => file.sync()),
    truncate: (length) => step("truncate", path, () => file.truncate(length)),
    close: () => file.close(),
  });
  return {
    ...realFiles,
    done,
    openForWriting: (path) => step("open", path, async () => openFile(path, await realFiles.openForWriting(path))),
    makeFolder: (folder) => step("make-folder", folder, () => realFiles.makeFolder(folder)),
    rename: (from, to) => step("rename", to, () => realFiles.rename(from, to)),
    remove: (path) => step("remove", path, () => realFiles.remove(path)),
    touch: (path) => step("touch", path, () => realFiles.touch(path)),
    syncFolder: (folder) => step("sync-folder", folder, () => realFiles.syncFolder(folder)),
  };
}
