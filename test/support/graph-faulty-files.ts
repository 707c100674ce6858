import { type FileOperations, type OpenFile, realFiles } from "../../graph/files.ts";

export interface FileStep {
  readonly what: "write" | "sync" | "truncate" | "rename" | "sync-folder" | "open";
  readonly path: string;
}

/** What the next matching step does instead: fails, or (a write) takes only some bytes, and perhaps fails after that. */
export interface Fault {
  readonly what: FileStep["what"];
  readonly path: RegExp;
  readonly take?: number;
  readonly error?: NodeJS.ErrnoException;
  /** How often; once when not given. */
  readonly times?: number;
}

export interface FaultyFiles extends FileOperations {
  readonly steps: FileStep[];
  inject(fault: Fault): void;
}

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** The real files, with every durable step noted in order, and faults where a test asks for them. */
export function faultyFiles(): FaultyFiles {
  const steps: FileStep[] = [];
  const faults: { fault: Fault; left: number }[] = [];

  function step(what: FileStep["what"], path: string): Fault | undefined {
    const armed = faults.find(({ fault, left }) => left > 0 && fault.what === what && fault.path.test(path));
    if (armed !== undefined) armed.left -= 1;
    // Noted when it is done or tried: a step that failed stands there too.
    steps.push({ what, path });
    if (armed?.fault.error !== undefined && armed.fault.take === undefined) throw armed.fault.error;
    return armed?.fault;
  }

  function openFile(path: string, file: OpenFile): OpenFile {
    return {
      async write(bytes, position) {
        const fault = step("write", path);
        if (fault?.take === undefined) return file.write(bytes, position);
        const written = fault.take === 0 ? 0 : await file.write(bytes.subarray(0, fault.take), position);
        if (fault.error !== undefined) throw fault.error;
        return written;
      },
      async sync() {
        step("sync", path);
        await file.sync();
      },
      async truncate(length) {
        step("truncate", path);
        await file.truncate(length);
      },
      close: () => file.close(),
    };
  }

  return {
    ...realFiles,
    steps,
    inject(fault) {
      faults.push({ fault, left: fault.times ?? 1 });
    },
    async openForWriting(path) {
      step("open", path);
      return openFile(path, await realFiles.openForWriting(path));
    },
    async rename(from, to) {
      step("rename", to);
      await realFiles.rename(from, to);
    },
    async syncFolder(folder) {
      step("sync-folder", folder);
      await realFiles.syncFolder(folder);
    },
  };
}
