import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { LockRequest, PreparedReference } from "../contract/activities.ts";
import { type AppendLog, openAppendLog } from "./append-log.ts";
import { type Digest, canonicalJson, digestOf } from "./canonical-json.ts";
import { type FileOperations, replaceFile } from "./files.ts";
import { completeLines } from "./journal/segment.ts";
import {
  EMPTY_LOCKS,
  type LockEntry,
  type LockEvent,
  type LockTable,
  type UnsettledTransaction,
  applyLockEvent,
  findEntry,
  heldKeys,
  holdsKey,
  newestPrepared,
} from "./lock-table.ts";
import { createMutex } from "./mutex.ts";
import { StoreError } from "./store-error.ts";

export type LockAnswer =
  | { readonly kind: "granted"; readonly token: number; readonly inherited: readonly UnsettledTransaction[] }
  /** `behind`: the entries that must end first. */
  | { readonly kind: "waiting"; readonly behind: readonly LockEntry[] };

/** The lock table, kept in a small log of its own beside the journal: durable before each answer. */
export interface Locks {
  /** Asks, or asks again: the same `request` id is one place in the queue, and its grant one token. */
  request(request: LockRequest): Promise<LockAnswer>;
  /** Frees the keys. Repeats, and a token that is no longer the holder's, do nothing. */
  release(request: { readonly request: string; readonly token?: number | undefined }): Promise<void>;
  /** Frees the keys of a holder or waiter whose workflow is closed; what it prepared goes to the next holder. */
  reap(request: string): Promise<void>;
  /** Must be durable before the device hears of the persist id. Error `lock-lost` when the transaction holds no lock. */
  recordPrepared(transaction: string, prepared: PreparedReference): Promise<void>;
  holds(token: number, key: string): boolean;
  /** Is this the newest persist id that the transaction recorded for the device? */
  isNewest(transaction: string, write: Pick<PreparedReference, "device" | "persistId">): boolean;
  list(): { readonly holders: readonly LockEntry[]; readonly waiters: readonly LockEntry[] };
  close(): Promise<void>;
}

/** The log starts with the table it was compacted to, so that it stays as small as what is held. */
type LogLine = { readonly kind: "table"; readonly table: LockTable } | LockEvent;

interface LockLog {
  readonly lines: AppendLog;
  /** Bytes of its first line, the table. */
  readonly start: number;
}

/** An owner may run for months, and the next start reads the file at once. */
const COMPACT_BYTES = 4 * 1024 * 1024;

/** Opens the table of `folder`. Needs: the caller owns the data folder. Error: `journal-broken` for a damaged line. */
export async function openLocks(options: {
  readonly folder: string;
  readonly files: FileOperations;
  readonly clock: () => Date;
  /** So many bytes of events are folded into the table; default 4 MiB. */
  readonly compactBytes?: number;
}): Promise<Locks> {
  const { folder, files, clock, compactBytes = COMPACT_BYTES } = options;
  const path = join(folder, "locks.jsonl");
  await files.makeFolder(folder);
  let table = await readTable(path, files);
  /** Undefined while the file has to be begun anew, with the table as it is. */
  let log: LockLog | undefined = await begin();
  let isClosed = false;
  const mutex = createMutex();

  async function begin(): Promise<LockLog> {
    const start = sealLine({ kind: "table", table });
    await replaceFile(files, path, join(folder, `tmp-${randomUUID()}`), start);
    await files.syncFolder(folder);
    return { lines: await openAppendLog({ path, size: start.byteLength, files }), start: start.byteLength };
  }

  async function record(event: LockEvent): Promise<void> {
    const next = applyLockEvent(table, event);
    if (next === table) return;
    if (isClosed) throw new StoreError("stopped", `${path} was closed`);
    log ??= await begin();
    const { lines, start } = log;
    await lines.append(sealLine(event));
    table = next;
    if (lines.size - start < compactBytes) return;
    log = undefined;
    // Every line is on the disk already, whatever closing says.
    await lines.close().catch(() => undefined);
  }
  const time = () => clock().toISOString();

  return {
    request: (request) =>
      mutex.run(async () => {
        await record({ kind: "request", request, time: time() });
        return answer(table, request.request);
      }),
    release: ({ request, token }) =>
      mutex.run(async () => {
        const entry = findEntry(table, request);
        if (entry === undefined || (token !== undefined && entry.token !== token)) return;
        await record({ kind: "release", request, time: time() });
      }),
    reap: (request) => mutex.run(() => record({ kind: "reap", request, time: time() })),
    recordPrepared: (transaction, prepared) =>
      mutex.run(async () => {
        const holder = table.entries.find(
          (entry) => entry.token !== undefined && entry.request.transaction === transaction,
        );
        if (holder === undefined)
          throw new StoreError("lock-lost", `transaction ${transaction} holds no lock`, { transaction });
        await record({ kind: "prepared", transaction, prepared, time: time() });
      }),
    holds: (token, key) => holdsKey(table, token, key),
    isNewest: (transaction, { device, persistId }) =>
      newestPrepared(table, transaction).some((one) => one.device === device && one.persistId === persistId),
    list: () => ({
      holders: table.entries.filter((entry) => entry.token !== undefined),
      waiters: table.entries.filter((entry) => entry.token === undefined),
    }),
    close: () =>
      mutex.run(async () => {
        isClosed = true;
        await log?.lines.close();
      }),
  };
}

function answer(table: LockTable, request: string): LockAnswer {
  const entry = findEntry(table, request);
  if (entry === undefined) throw new Error(`request ${request} was not taken up`);
  if (entry.token !== undefined) return { kind: "granted", token: entry.token, inherited: entry.inherited };
  const place = table.entries.indexOf(entry);
  const isAhead = (other: LockEntry, index: number): boolean =>
    [...(index < place ? other.request.keys : []), ...heldKeys(other)].some((key) => entry.request.keys.includes(key));
  return { kind: "waiting", behind: table.entries.filter(isAhead) };
}

function sealLine(line: LogLine): Uint8Array {
  const text = canonicalJson(line);
  return Buffer.from(`${digestOf(text)} ${text}\n`, "utf8");
}

async function readTable(path: string, files: FileOperations): Promise<LockTable> {
  if ((await files.size(path)) === undefined) return EMPTY_LOCKS;
  let table = EMPTY_LOCKS;
  let number = 0;
  // A tail without newline was never acknowledged; compaction leaves it behind.
  for (const { text } of completeLines(await files.read(path))) {
    number += 1;
    const digest: Digest = text.slice(0, 64);
    const json = text.slice(65);
    if (digestOf(json) !== digest) {
      throw new StoreError("journal-broken", `line ${number} of the lock table does not have its digest`, {
        record: number,
        segment: path,
      });
    }
    const line = JSON.parse(json) as LogLine;
    table = line.kind === "table" ? line.table : applyLockEvent(table, line);
  }
  return table;
}
