/**
 * One owner a data folder: taken before journal or graph are opened, by a lock of the operating system that ends with
 * its process however that ends. Plain Node has no such lock, but LadybugDB takes one on each file it opens, so a tiny
 * database of its own serves; nothing is ever written into it. A file beside it says who the owner is, for people.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Database } from "lbug";
import { messageOf } from "./append-log.ts";
import { type FileOperations, replaceFile } from "./files.ts";
import { isLockedElsewhere, isUnreadable } from "./ladybug.ts";
import { StoreError } from "./store-error.ts";

export interface OwnerInfo {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** Where its API answers, once it does. */
  readonly api?: string | undefined;
}

export interface OwnerLock {
  /** Adds what a second opener should be told. */
  announce(api: string): Promise<void>;
  release(): Promise<void>;
}

/** LadybugDB's lock belongs to the process and does not see a second opener inside it; this does. */
const heldHere = new Set<string>();

/**
 * Errors: `already-open` with the owner's pid, since and api where another process has the folder (or this one already).
 * Never waits.
 */
export async function acquireOwnerLock(options: {
  readonly lockFile: string;
  readonly infoFile: string;
  readonly files: FileOperations;
  readonly clock: () => Date;
}): Promise<OwnerLock> {
  const { infoFile, files } = options;
  const lockFile = resolve(options.lockFile);
  if (heldHere.has(lockFile)) throw alreadyOpen(await readOwnerInfo(infoFile), lockFile);
  heldHere.add(lockFile);
  let database: Database;
  try {
    database = await lockOrReplace(lockFile, infoFile, files);
  } catch (error) {
    heldHere.delete(lockFile);
    throw error;
  }
  let info: OwnerInfo = { pid: process.pid, since: options.clock().toISOString() };
  const write = () =>
    replaceFile(files, infoFile, `${infoFile}.${randomUUID()}`, Buffer.from(`${JSON.stringify(info)}\n`));
  const letGo = async () => {
    await database.close();
    heldHere.delete(lockFile);
  };
  try {
    await write();
  } catch (error) {
    await letGo();
    throw error;
  }

  return {
    async announce(api) {
      info = { ...info, api };
      await write();
    },
    async release() {
      try {
        await files.remove(infoFile);
      } finally {
        await letGo();
      }
    },
  };
}

/** Who owns the folder, as far as is known. The info of a killed owner stays until the next one writes its own. */
export async function readOwnerInfo(infoFile: string): Promise<OwnerInfo | undefined> {
  try {
    const { pid, since, api } = JSON.parse(await readFile(infoFile, "utf8")) as Partial<OwnerInfo>;
    return typeof pid === "number" && typeof since === "string" ? { pid, since, api } : undefined;
  } catch {
    return undefined;
  }
}

async function lockOrReplace(lockFile: string, infoFile: string, files: FileOperations): Promise<Database> {
  try {
    return await openLocked(lockFile);
  } catch (error) {
    if (isLockedElsewhere(messageOf(error))) throw alreadyOpen(await readOwnerInfo(infoFile), lockFile);
    // What failed before its content was read says nothing about an owner, whose lock would go with the file's name.
    if (!isUnreadable(messageOf(error))) throw cannotLock(error);
    // Cut off while it was made: nobody has it open, and nothing is in it.
    await files.remove(lockFile);
    await files.remove(`${lockFile}.wal`);
    try {
      return await openLocked(lockFile);
    } catch (second) {
      if (isLockedElsewhere(messageOf(second))) throw alreadyOpen(await readOwnerInfo(infoFile), lockFile);
      throw cannotLock(second);
    }
  }
}

function cannotLock(error: unknown): StoreError {
  return new StoreError("stopped", `cannot lock the data folder: ${messageOf(error)}`, {}, error);
}

async function openLocked(lockFile: string): Promise<Database> {
  const database = new Database(lockFile, 8 * 1024 * 1024, false, false, 64 * 1024 * 1024, false);
  await database.init();
  return database;
}

function alreadyOpen(owner: OwnerInfo | undefined, lockFile: string): StoreError {
  const who = owner === undefined ? "another process" : `process ${owner.pid} since ${owner.since}`;
  const where = owner?.api === undefined ? "" : `; its API answers at ${owner.api}`;
  const details = { pid: owner?.pid, since: owner?.since, api: owner?.api, lock: lockFile };
  return new StoreError("already-open", `the data folder belongs to ${who}${where}`, details);
}
