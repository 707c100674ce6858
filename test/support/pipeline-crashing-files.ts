import { type FileOperations, type OpenFile, realFiles } from "../../graph/files.ts";
import type { AppendedFile, CrashPoint } from "./pipeline-messages.ts";

export interface CrashingFiles extends FileOperations {
  /** Counts anew, and ends this process at that point. */
  arm(crash: CrashPoint | undefined): void;
  /** The files appended to since then, one for each line. */
  appends(): readonly AppendedFile[];
}

/**
 * The real files, but at one append to the journal or to the lock table this process ends as if its plug were pulled:
 * before anything of the line is written, in the middle of it, or once it is on the disk and before anybody hears so.
 */
export function crashingFiles(): CrashingFiles {
  let crash: CrashPoint | undefined;
  let appended: AppendedFile[] = [];
  /** Set between the last bytes of the fatal line and their fsync. */
  let fatalSync: OpenFile | undefined;

  function watch(which: AppendedFile, file: OpenFile): OpenFile {
    const watched: OpenFile = {
      ...file,
      async write(bytes, position) {
        appended.push(which);
        const fatal = crash?.append === appended.length ? crash.when : undefined;
        if (fatal === "before") endNow();
        if (fatal === "torn") {
          await file.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), position);
          endNow();
        }
        if (fatal === "after") fatalSync = watched;
        return file.write(bytes, position);
      },
      async sync() {
        await file.sync();
        if (fatalSync === watched) endNow();
      },
    };
    return watched;
  }

  return {
    ...realFiles,
    arm(point) {
      crash = point;
      appended = [];
      fatalSync = undefined;
    },
    appends: () => appended,
    async openForWriting(path) {
      const file = await realFiles.openForWriting(path);
      const which = appendedFile(path);
      return which === undefined ? file : watch(which, file);
    },
  };
}

function appendedFile(path: string): AppendedFile | undefined {
  if (/\/locks\/locks\.jsonl$/.test(path)) return "locks";
  return /\/journal\/[^/]+\.jsonl$/.test(path) ? "journal" : undefined;
}

/** Nothing runs after this: the kernel ends the process before the call returns. */
function endNow(): void {
  process.kill(process.pid, "SIGKILL");
}
