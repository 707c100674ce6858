/**
 * Rule 4 lets an item go when nothing points at it by leafref. Whether something does at the time of the commit is told
 * here from paths and values alone, without a schema and so without the steps that narrow a reference: it can only err
 * towards stale.
 */
import type { Item } from "../model/item.ts";
import { parentPathText } from "../model/path.ts";
import type { DesiredDevice } from "./desired-state.ts";

/** What would point at an item that goes. */
export interface WatchedReference {
  /** Path of the leaf or leaf-list (perhaps a key) without the keys of the entries it stands in. */
  readonly leaf: string;
  readonly value: string;
}

/** Tells two references apart. */
export function watchText({ leaf, value }: WatchedReference): string {
  return `${leaf}\n${value}`;
}

/** Paths of the items that make each of these references, sorted, by `watchText`. Linear in the items of the device. */
export function referring(
  device: DesiredDevice,
  watched: readonly WatchedReference[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>(watched.map((each) => [watchText(each), []]));
  if (watched.length === 0) return found;
  const values = new Set(watched.map((each) => each.value));
  for (const { item } of device.items.values()) {
    for (const made of referencesOf(item, values)) found.get(watchText(made))?.push(item.path);
  }
  for (const paths of found.values()) paths.sort();
  return found;
}

/** The leafs that an item brings, itself or the keys of an entry, that have one of the values. */
function referencesOf(item: Item, values: ReadonlySet<string>): readonly WatchedReference[] {
  switch (item.kind) {
    case "leaf":
    case "leaf-list-entry": {
      const { value } = item;
      return value.kind === "plain" && values.has(value.text)
        ? [{ leaf: withoutKeys(item.path), value: value.text }]
        : [];
    }
    case "entry": {
      const keys = [...lastSegment(item.path).matchAll(KEY)].flatMap(([, name = "", single, double]) => {
        const value = single?.replaceAll("''", "'") ?? double ?? "";
        return values.has(value) ? [{ name, value }] : [];
      });
      return keys.map(({ name, value }) => ({ leaf: `${withoutKeys(item.path)}/${name}`, value }));
    }
    case "container":
    case "anydata":
    case "order":
      return [];
  }
}

/** As `predicate` of model/path.ts writes it. */
const KEY = /\[([^\]=]+)=(?:'((?:[^']|'')*)'|"([^"]*)")\]/g;

function lastSegment(path: string): string {
  const above = parentPathText(path);
  return above === "/" ? path : path.slice(above.length);
}

function withoutKeys(path: string): string {
  return path.replaceAll(KEY, "");
}
