/**
 * The only place that touches LadybugDB's own interface, and that knows its dangers: one `Database` on a file, never a
 * checkpoint that was not asked for (one that is killed ruins the file), one writer at a time, a connection that saw a
 * failed transaction is not used again, parameter batches of bounded size, rows paged out so that a long result does
 * not hold the event loop.
 */
import { copyFile, statfs } from "node:fs/promises";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  Connection as LadybugConnection,
  Database,
  type LbugValue,
  type PreparedStatement,
  type QueryResult,
} from "lbug";
import { type FileOperations, syncFile } from "./files.ts";
import { createMutex } from "./mutex.ts";

export type PropertyValue = string | number;
/** Parameters of one row: every row of a batch has the same members in the same order (fields bind by position). */
export type ParameterRow = Readonly<Record<string, PropertyValue>>;
export type Parameters = Readonly<Record<string, PropertyValue | readonly PropertyValue[] | readonly ParameterRow[]>>;
export type ResultRow = Readonly<Record<string, PropertyValue | null>>;

/** Runs one statement; statements come from `statements/`, values only as parameters. */
export type Run = (statement: string, parameters?: Parameters) => Promise<readonly ResultRow[]>;

export interface Ladybug {
  readonly file: string;
  /** Sees what was committed before it began. */
  readonly read: Run;
  /** All or nothing. On an error nothing is committed and the connection is replaced. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** One statement outside a transaction: schema changes and COPY, which do not roll back cleanly. */
  direct(statement: string, parameters?: Parameters): Promise<void>;
  /**
   * Folds the write-ahead log into the main file; the state before is kept aside until it succeeded. Where there is no
   * room for both, nothing is done and the log grows on. When it fails the database is `spoilt`.
   */
  checkpoint(): Promise<"folded" | "no-room">;
  /** A checkpoint failed: whoever asked this database anything, or closed it, would end the process. */
  readonly spoilt: boolean;
  /** Leaves the files as they are: nothing is folded. */
  close(): Promise<void>;
}

export const MAX_BATCH_ROWS = 1000;

/** Cuts rows into batches that one statement may take. */
export function* batches<T>(rows: readonly T[], size = MAX_BATCH_ROWS): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

const ROWS_A_TURN = 2000;

export interface LadybugOptions {
  readonly bufferPoolBytes?: number;
}

/** Opens or creates the database `file`. Needs: nobody else has it open, in this process or another. */
export async function openLadybug(file: string, files: FileOperations, options: LadybugOptions = {}): Promise<Ladybug> {
  const database = new Database(
    file,
    options.bufferPoolBytes ?? 512 * 1024 * 1024,
    true,
    false,
    2 ** 36,
    false, // autoCheckpoint
    undefined,
    true, // a log that cannot be replayed is an error, not a silent loss
    true,
  );
  await database.init();
  const reader = await connect(database);
  let writer = await connect(database);
  const reads = createMutex();
  const writes = createMutex();
  let spoilt = false;

  async function replaceWriter(): Promise<void> {
    // Closing waits for the connection's statements; a poisoned one may fail at that, and is let go.
    await writer.close().catch(() => undefined);
    writer = await connect(database);
  }

  return {
    file,
    get spoilt() {
      return spoilt;
    },
    read: (statement, parameters) =>
      reads.run(async () => {
        if (spoilt) throw new Error("the database was spoilt by a checkpoint that failed");
        return reader.run(statement, parameters);
      }),
    transaction: (work) =>
      writes.run(async () => {
        try {
          await writer.execute("BEGIN TRANSACTION");
          const result = await work((statement, parameters) => writer.run(statement, parameters));
          await writer.execute("COMMIT");
          return result;
        } catch (error) {
          await writer.execute("ROLLBACK").catch(() => undefined);
          await replaceWriter();
          throw error;
        }
      }),
    direct: (statement, parameters) => writes.run(() => writer.execute(statement, parameters)),
    checkpoint: () =>
      writes.run(() =>
        reads.run(async () => {
          if (!(await hasRoomToFold(file))) return "no-room";
          await keepAside(file, files);
          try {
            await writer.execute("CHECKPOINT");
          } catch (error) {
            spoilt = true;
            throw error;
          }
          await dropAside(file, files);
          return "folded";
        }),
      ),
    async close() {
      await writes.run(() =>
        reads.run(async () => {
          if (spoilt) return;
          await reader.close();
          await writer.close();
          await database.close();
        }),
      );
    },
  };
}

interface Connection {
  readonly run: Run;
  /** Without looking at what comes back: reports of COPY and schema statements have types of their own. */
  execute(statement: string, parameters?: Parameters): Promise<void>;
  close(): Promise<void>;
}

async function connect(database: Database): Promise<Connection> {
  const connection = new LadybugConnection(database, 2);
  await connection.init();
  const prepared = new Map<string, PreparedStatement>();

  async function prepare(statement: string): Promise<PreparedStatement> {
    const known = prepared.get(statement);
    if (known !== undefined) return known;
    const fresh = await connection.prepare(statement);
    if (!fresh.isSuccess()) throw new Error(fresh.getErrorMessage());
    prepared.set(statement, fresh);
    return fresh;
  }

  // A result that is not closed keeps the whole database open behind its back, lock and all, until it is collected.
  async function answerTo(statement: string, parameters: Parameters | undefined): Promise<QueryResult> {
    const answer =
      parameters === undefined
        ? await connection.query(statement)
        : await connection.execute(await prepare(statement), parameters as Record<string, LbugValue>);
    if (Array.isArray(answer)) {
      for (const one of answer) one.close();
      throw new Error("one statement at a time");
    }
    return answer;
  }

  // Otherwise the last close folds the log, without a copy kept aside.
  (await answerTo("CALL force_checkpoint_on_close=false", undefined)).close();

  return {
    async run(statement, parameters) {
      const answer = await answerTo(statement, parameters);
      try {
        return await allRows(answer);
      } finally {
        answer.close();
      }
    },
    async execute(statement, parameters) {
      (await answerTo(statement, parameters)).close();
    },
    close: () => connection.close(),
  };
}

async function allRows(answer: QueryResult): Promise<readonly ResultRow[]> {
  const rows: ResultRow[] = [];
  while (answer.hasNext()) {
    const row = answer.getNextSync();
    if (row === null) break;
    rows.push(plainRow(row));
    if (rows.length % ROWS_A_TURN === 0) await nextTurn();
  }
  return rows;
}

/** The row itself, made plain in its place: counts and sums come as BigInt; all ours are small. */
function plainRow(row: Record<string, LbugValue>): ResultRow {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "string" || typeof value === "number" || value === null) continue;
    if (typeof value !== "bigint") throw new Error("statements return strings and integers only");
    row[name] = Number(value);
  }
  return row as Record<string, PropertyValue | null>;
}

/** Is this LadybugDB's refusal of a file that another process has open? Its errors have no codes. */
export function isLockedElsewhere(message: string): boolean {
  return message.includes("Could not set lock on file");
}

/**
 * Is this LadybugDB's refusal of what a file holds? Then it was opened and locked: nobody else has it. For want of memory,
 * threads or file descriptors, or of the right to open it, errors have other names.
 */
export function isUnreadable(message: string): boolean {
  return message.startsWith("Runtime exception: ") || message.startsWith("Storage exception: ");
}

/* ---- files beside the database ---- */

const aside = (file: string) => ({ main: `${file}.before`, log: `${file}.before.wal` });

/** Signs that a checkpoint was cut short: such a file may crash whoever opens it. */
export function isInterrupted(file: string): boolean {
  return existsSync(`${file}.wal.checkpoint`) || existsSync(`${file}.shadow`);
}

/** The copy takes as much as main file and log together, and folding may take that again. */
async function hasRoomToFold(file: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dirname(file));
  const sizes = [file, `${file}.wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return bavail * bsize > 2 * sizes.reduce((sum, size) => sum + size, 0);
}

async function keepAside(file: string, files: FileOperations): Promise<void> {
  const kept = aside(file);
  await dropAside(file, files);
  // A pair of an earlier time must not come back in half after a power cut.
  await files.syncFolder(dirname(file));
  // The copy of the main file appears last and whole: where it stands, the pair is complete. (Reading the file closes a
  // descriptor of it, which ends LadybugDB's own lock on it: another reason for the owner's lock file.)
  if (existsSync(`${file}.wal`)) await copyDurably(`${file}.wal`, kept.log, files);
  await copyDurably(file, `${kept.main}.tmp`, files);
  await files.rename(`${kept.main}.tmp`, kept.main);
  await files.syncFolder(dirname(file));
}

async function copyDurably(from: string, to: string, files: FileOperations): Promise<void> {
  await copyFile(from, to);
  await syncFile(files, to);
}

async function dropAside(file: string, files: FileOperations): Promise<void> {
  const kept = aside(file);
  await files.remove(kept.main);
  await files.remove(kept.log);
}

/** Puts back the state kept before an interrupted checkpoint. False when there is none. */
export async function restoreAside(file: string, files: FileOperations): Promise<"restored" | "nothing-kept"> {
  const kept = aside(file);
  if (!existsSync(kept.main)) return "nothing-kept";
  const log = existsSync(kept.log);
  for (const suffix of ["", ".wal", ".wal.checkpoint", ".shadow", ".tmp"]) await files.remove(`${file}${suffix}`);
  if (log) await files.rename(kept.log, `${file}.wal`);
  await files.rename(kept.main, file);
  await files.syncFolder(dirname(file));
  return "restored";
}

/** Removes the database and everything beside it. */
export async function removeDatabase(file: string, files: FileOperations): Promise<void> {
  for (const suffix of ["", ".wal", ".wal.checkpoint", ".shadow", ".tmp", ".before.tmp"])
    await files.remove(`${file}${suffix}`);
  await dropAside(file, files);
}
