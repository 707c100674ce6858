/**
 * Locks on devices, service instances and definitions: who may write them now, and who waits. Pure: a table is the fold
 * of its events, and every event is decided here. A request names all its keys at once and is granted when every one is
 * free and no earlier request overlaps; so nothing can deadlock, and nobody is overtaken for ever.
 */
import type { LockRequest, PreparedReference } from "../contract/activities.ts";

export type LockEvent =
  | { readonly kind: "request"; readonly request: LockRequest; readonly time: string }
  /** Its own end: whatever it left on devices is settled. */
  | { readonly kind: "release"; readonly request: string; readonly time: string }
  /** Its workflow is closed without a release: the keys go on, and what it prepared is the next holder's to settle. */
  | { readonly kind: "reap"; readonly request: string; readonly time: string }
  | {
      readonly kind: "prepared";
      readonly transaction: string;
      readonly prepared: PreparedReference;
      readonly time: string;
    };

export interface LockEntry {
  readonly request: LockRequest;
  readonly since: string;
  /** Set when it is granted; larger for each later grant, over restarts too. */
  readonly token: number | undefined;
  /** Left by earlier holders of its keys; settled once this one releases. */
  readonly inherited: readonly UnsettledTransaction[];
}

/** A transaction whose holder vanished. */
export interface UnsettledTransaction {
  readonly transaction: string;
  readonly keys: readonly string[];
  readonly devices: readonly PreparedReference[];
}

export interface LockTable {
  /** In the order of asking: holders and waiters. */
  readonly entries: readonly LockEntry[];
  readonly lastToken: number;
  /** Left behind, and not yet inherited by a holder. */
  readonly unsettled: readonly UnsettledTransaction[];
  readonly prepared: readonly { readonly transaction: string; readonly prepared: PreparedReference }[];
}

export const EMPTY_LOCKS: LockTable = { entries: [], lastToken: 0, unsettled: [], prepared: [] };

/** The table after an event. An event that says nothing new gives the same table object. */
export function applyLockEvent(table: LockTable, event: LockEvent): LockTable {
  switch (event.kind) {
    case "request": {
      if (findEntry(table, event.request.request) !== undefined) return table;
      const entry: LockEntry = { request: event.request, since: event.time, token: undefined, inherited: [] };
      return grantAll({ ...table, entries: [...table.entries, entry] });
    }
    case "prepared": {
      const { transaction, prepared } = event;
      const known = table.prepared.some(
        (one) => one.transaction === transaction && one.prepared.persistId === prepared.persistId,
      );
      return known ? table : { ...table, prepared: [...table.prepared, { transaction, prepared }] };
    }
    case "release": {
      const entry = findEntry(table, event.request);
      if (entry === undefined) return table;
      const settled = new Set([entry.request.transaction, ...entry.inherited.map((one) => one.transaction)]);
      return grantAll({
        ...without(table, entry),
        prepared: table.prepared.filter((one) => !settled.has(one.transaction)),
      });
    }
    case "reap": {
      const entry = findEntry(table, event.request);
      if (entry === undefined) return table;
      return grantAll({ ...without(table, entry), unsettled: [...table.unsettled, ...leftBy(table, entry)] });
    }
  }
}

export function findEntry(table: LockTable, request: string): LockEntry | undefined {
  return table.entries.find((entry) => entry.request.request === request);
}

/** Does this token still hold this key? The fence that a write asks right before it is sent. */
export function holdsKey(table: LockTable, token: number, key: string): boolean {
  return table.entries.some((entry) => entry.token === token && entry.request.keys.includes(key));
}

/** The newest persist id of each device: an older one was proven gone before the next was recorded. */
export function newestPrepared(table: LockTable, transaction: string): readonly PreparedReference[] {
  const newest = new Map<string, PreparedReference>();
  for (const one of table.prepared) {
    if (one.transaction === transaction) newest.set(one.prepared.device, one.prepared);
  }
  return [...newest.values()];
}

function without(table: LockTable, gone: LockEntry): LockTable {
  return { ...table, entries: table.entries.filter((entry) => entry !== gone) };
}

/** A waiter leaves nothing; a holder leaves its own transaction, which may be decided, and what it had inherited. */
function leftBy(table: LockTable, entry: LockEntry): readonly UnsettledTransaction[] {
  if (entry.token === undefined) return [];
  const { transaction, keys } = entry.request;
  const own = transaction === undefined ? [] : [{ transaction, keys, devices: newestPrepared(table, transaction) }];
  return [...entry.inherited, ...own];
}

/** What a holder keeps from others: its keys, and those of what it settles, which may still carry somebody's prepare. */
export function heldKeys(entry: LockEntry): readonly string[] {
  if (entry.token === undefined) return [];
  return [...entry.request.keys, ...entry.inherited.flatMap((left) => left.keys)];
}

function grantAll(table: LockTable): LockTable {
  // A holder may have inherited keys that somebody who asked before it waits for.
  const taken = new Set(table.entries.flatMap(heldKeys));
  let { lastToken, unsettled } = table;
  const entries = table.entries.map((present): LockEntry => {
    if (present.token !== undefined) return present;
    const { keys } = present.request;
    const blocked = keys.some((key) => taken.has(key));
    // Entries stand in the order of asking, and a waiter's keys count as taken for everyone behind it, granted or not: first come, first served.
    for (const key of keys) taken.add(key);
    if (blocked) return present;
    lastToken += 1;
    const inherited = unsettled.filter((left) => left.keys.some((key) => keys.includes(key)));
    unsettled = unsettled.filter((left) => !inherited.includes(left));
    const entry: LockEntry = { ...present, token: lastToken, inherited };
    for (const key of heldKeys(entry)) taken.add(key);
    return entry;
  });
  return { ...table, entries, lastToken, unsettled };
}
