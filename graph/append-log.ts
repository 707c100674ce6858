import { type FileOperations, type OpenFile, writeWhole } from "./files.ts";
import { StoreError } from "./store-error.ts";

/** One file that only grows by whole, durable lines. Calls must not overlap (the owner's mutex sees to it). */
export interface AppendLog {
  /** Bytes that are known to be good. */
  readonly size: number;
  /**
   * Returns once the bytes are on the disk. On failure the file is cut back to its last good length and reopened, and
   * the error is thrown: nothing was added. Where even that fails (`stopped`) the next call tries it first.
   */
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Opens `path` whose first `size` bytes are known to be good; whatever stands behind them is cut off. */
export async function openAppendLog(options: {
  readonly path: string;
  readonly size: number;
  readonly files: FileOperations;
}): Promise<AppendLog> {
  const { path, files } = options;
  let size = options.size;
  let file: OpenFile | undefined = await files.openForWriting(path);
  let isClosed = false;

  /** After a failed fsync the kernel may have dropped the dirty pages and forgotten the error: only a fresh handle is honest. */
  async function cutBack(): Promise<void> {
    const failed = file;
    file = undefined;
    await failed?.close().catch(() => undefined);
    const fresh = await files.openForWriting(path);
    try {
      await fresh.truncate(size);
      await fresh.sync();
    } catch (error) {
      await fresh.close().catch(() => undefined);
      throw error;
    }
    file = fresh;
  }

  async function appendWhole(bytes: Uint8Array): Promise<void> {
    if (file === undefined) throw new Error("it is not open");
    await writeWhole(file, bytes, size);
    await file.sync();
  }

  await cutBack();
  return {
    get size() {
      return size;
    },
    async append(bytes) {
      try {
        if (isClosed) throw new Error("it was closed");
        if (file === undefined) await cutBack();
      } catch (error) {
        const message = `${path} could not be brought back after a failed write: ${messageOf(error)}`;
        throw new StoreError("stopped", message, {}, error);
      }
      try {
        await appendWhole(bytes);
      } catch (error) {
        try {
          await cutBack();
        } catch (second) {
          throw new StoreError("stopped", `cannot write ${path} nor cut it back: ${messageOf(second)}`, {}, error);
        }
        throw error;
      }
      size += bytes.byteLength;
    },
    async close() {
      isClosed = true;
      const open = file;
      file = undefined;
      await open?.close();
    },
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
