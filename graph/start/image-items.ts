import type { EdgeRow, NodeRow, UpdateRow } from "../apply/change.ts";
import { itemOfVersion } from "../apply/forms.ts";

type Open<Row> = { -readonly [Column in keyof Row]: Row[Column] };

/**
 * Items and their versions in memory: the tables with a row for each data node, so a million of each must fit. Only
 * the newest version of an item ever changes, and is found by its item; edges from devices follow from the rows.
 */
export interface ImageItems {
  readonly items: readonly NodeRow<"Item">[];
  readonly versions: readonly NodeRow<"Version">[];
  deviceVersions(): Iterable<EdgeRow<"deviceVersion">>;
  has(item: string): boolean;
  /** Undefined for an item that only links or evidence name. */
  newest(item: string): NodeRow<"Version"> | undefined;
  addItems(rows: readonly NodeRow<"Item">[]): void;
  addVersions(rows: readonly NodeRow<"Version">[]): void;
  renewItems(rows: readonly UpdateRow<"Item">[]): void;
  endVersions(rows: readonly UpdateRow<"Version">[]): void;
}

interface Entry {
  readonly item: Open<NodeRow<"Item">>;
  newest: Open<NodeRow<"Version">> | undefined;
}

/** Throws where rows meet what cannot be: an item or version that stands already, or does not. */
export function createImageItems(): ImageItems {
  const entries = new Map<string, Entry>();
  const items: NodeRow<"Item">[] = [];
  const versions: NodeRow<"Version">[] = [];

  function entryOf(id: string): Entry {
    const entry = entries.get(id);
    if (entry === undefined) throw new Error(`item ${id} is missing`);
    return entry;
  }

  return {
    items,
    versions,
    *deviceVersions() {
      for (const { id } of versions) yield { from: entryOf(itemOfVersion(String(id))).item.device, to: id };
    },
    has: (item) => entries.has(item),
    newest: (item) => entries.get(item)?.newest,
    addItems(rows) {
      for (const { id, device, path, current } of rows) {
        const key = String(id);
        if (entries.has(key)) throw new Error(`item ${key} stands already`);
        const item = { id, device, path, current };
        entries.set(key, { item, newest: undefined });
        items.push(item);
      }
    },
    addVersions(rows) {
      for (const { id, state, form, valid_from, valid_to, previous } of rows) {
        const entry = entryOf(itemOfVersion(String(id)));
        if (entry.newest?.id === id) throw new Error(`version ${String(id)} stands already`);
        const version = { id, state, form, valid_from, valid_to, previous };
        entry.newest = version;
        versions.push(version);
      }
    },
    renewItems(rows) {
      for (const { id, current } of rows) entryOf(String(id)).item.current = current;
    },
    endVersions(rows) {
      for (const { id, valid_to } of rows) {
        const { newest } = entryOf(itemOfVersion(String(id)));
        if (newest?.id !== id) throw new Error(`version ${String(id)} is not the newest of its item`);
        newest.valid_to = valid_to;
      }
    },
  };
}
