/** The real files, with somebody looking on: told of each step before it is taken and after it succeeded. */
import { type FileOperations, type OpenFile, realFiles } from "../../graph/files.ts";

export interface WatchedStep {
  readonly what:
    | "open"
    | "read"
    | "list"
    | "write"
    | "sync"
    | "truncate"
    | "make-folder"
    | "rename"
    | "remove"
    | "sync-folder";
  /** Of a rename: the new name. */
  readonly path: string;
}

export interface FileWatcher {
  before(step: WatchedStep): void;
  after(step: WatchedStep): void;
  /** How many of the bytes of this write reach the file; all when it says nothing. The rest is tried again by the writer. */
  readonly take?: (step: WatchedStep, bytes: number) => number | undefined;
}

export function watchedFiles(watcher: FileWatcher): FileOperations {
  async function around<T>(what: WatchedStep["what"], path: string, work: () => Promise<T>): Promise<T> {
    const step = { what, path };
    watcher.before(step);
    const answer = await work();
    watcher.after(step);
    return answer;
  }

  function watchedFile(path: string, file: OpenFile): OpenFile {
    return {
      write: (bytes, position) =>
        around("write", path, () => {
          const taken = watcher.take?.({ what: "write", path }, bytes.byteLength) ?? bytes.byteLength;
          return file.write(bytes.subarray(0, taken), position);
        }),
      sync: () => around("sync", path, () => file.sync()),
      truncate: (length) => around("truncate", path, () => file.truncate(length)),
      close: () => file.close(),
    };
  }

  return {
    ...realFiles,
    openForWriting: (path) => around("open", path, async () => watchedFile(path, await realFiles.openForWriting(path))),
    read: (path) => around("read", path, () => realFiles.read(path)),
    list: (folder) => around("list", folder, () => realFiles.list(folder)),
    makeFolder: (folder) => around("make-folder", folder, () => realFiles.makeFolder(folder)),
    rename: (from, to) => around("rename", to, () => realFiles.rename(from, to)),
    remove: (path) => around("remove", path, () => realFiles.remove(path)),
    syncFolder: (folder) => around("sync-folder", folder, () => realFiles.syncFolder(folder)),
  };
}
