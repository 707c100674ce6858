/**
 * A device's desired state under change: the state as it stands plus what a submission puts and removes so far. Rules
 * read through it and write into it; at the end it says what differs.
 */
import { type Item, itemsEqual } from "../model/item.ts";
import { type InstancePath, formatInstancePath, isAtOrBelow, segmentKey } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { type Value, valuesEqual } from "../model/value.ts";
import { schemaAlong } from "../plan/schema-along.ts";
import { SortedPaths } from "./sorted-paths.ts";
import type { DesiredDevice, DesiredItem, DeviceWrites, LinkKey, ServiceLink, Setter } from "./desired-state.ts";

/** Revision number of items that this write set brings. */
const UNNUMBERED = 0;

interface LinkIndex {
  readonly paths: SortedPaths;
  readonly links: ReadonlyMap<string, readonly ServiceLink[]>;
}

export class DeviceDraft {
  readonly base: DesiredDevice;
  readonly schema: Schema;
  /** undefined marks a removed item. */
  readonly #items = new Map<string, DesiredItem | undefined>();
  /** Paths that stand now and are not in the base. */
  readonly #added = new Set<string>();
  readonly #links = new Map<string, ServiceLink>();
  readonly #basePaths: SortedPaths;
  /** Links by path, made when asked for after a change. */
  #byPath: LinkIndex | undefined;

  constructor(base: DesiredDevice, schema: Schema) {
    this.base = base;
    this.schema = schema;
    this.#basePaths = SortedPaths.of(base.items);
    for (const link of base.links) this.#links.set(linkText(link), link);
  }

  item(path: string): DesiredItem | undefined {
    return this.#items.has(path) ? this.#items.get(path) : this.base.items.get(path);
  }

  put(item: Item, setBy: Setter): void {
    const before = this.item(item.path);
    if (before !== undefined && itemsEqual(before.item, item) && !before.retained) return;
    const sameValue = before !== undefined && itemsEqual(before.item, item);
    if (!this.base.items.has(item.path)) this.#added.add(item.path);
    this.#items.set(
      item.path,
      sameValue ? { ...before, retained: false } : { item, setBy, since: UNNUMBERED, retained: false },
    );
  }

  /** Marks an item as kept after its last owner went. */
  retain(path: string): void {
    const before = this.item(path);
    if (before !== undefined && !before.retained) this.#items.set(path, { ...before, retained: true });
  }

  remove(path: string): void {
    if (this.item(path) === undefined) return;
    this.#items.set(path, undefined);
    this.#added.delete(path);
  }

  /** Paths of the items strictly below, as they stand now. */
  below(path: string): readonly string[] {
    const found = this.#basePaths.below(path).filter((candidate) => this.item(candidate) !== undefined);
    for (const candidate of this.#added) if (candidate !== path && isAtOrBelow(candidate, path)) found.push(candidate);
    return found;
  }

  /** Paths of the retained items as they stand now, what stands in others before these. */
  retained(): readonly string[] {
    const found: string[] = [];
    for (const [path, item] of this.base.items) if (item.retained && !this.#items.has(path)) found.push(path);
    for (const [path, item] of this.#items) if (item?.retained === true) found.push(path);
    return found.sort().reverse();
  }

  links(): IterableIterator<ServiceLink> {
    return this.#links.values();
  }

  linksAtOrBelow(path: string): readonly ServiceLink[] {
    const { paths } = this.#linkIndex();
    return [...this.linksAt(path), ...paths.below(path).flatMap((each) => this.linksAt(each))];
  }

  linksAt(path: string): readonly ServiceLink[] {
    return this.#linkIndex().links.get(path) ?? [];
  }

  linksOf(service: string): readonly ServiceLink[] {
    return [...this.#links.values()].filter((link) => link.service === service);
  }

  putLink(link: ServiceLink): void {
    this.#links.set(linkText(link), link);
    this.#byPath = undefined;
  }

  removeLink(link: LinkKey): void {
    this.#links.delete(linkText(link));
    this.#byPath = undefined;
  }

  #linkIndex(): LinkIndex {
    if (this.#byPath === undefined) {
      const links = new Map<string, ServiceLink[]>();
      for (const link of this.#links.values()) {
        const same = links.get(link.path);
        if (same === undefined) links.set(link.path, [link]);
        else same.push(link);
      }
      this.#byPath = { paths: SortedPaths.of(links), links };
    }
    return this.#byPath;
  }

  /**
   * Appends a new entry to the order of its user-ordered list, or takes a removed one out. An order belongs to no
   * service: who adds an entry adds it at the end, and whoever moves it later (a device, a person) is not contradicted.
   */
  reorder(path: InstancePath, change: "append" | "take-out", setBy: Setter): void {
    const last = path.at(-1);
    if (last === undefined || last.kind === "node") return;
    const schema = schemaAlong(this.schema, path).at(-1);
    if (schema === undefined || (schema.kind !== "list" && schema.kind !== "leaf-list") || schema.orderedBy !== "user")
      return;
    const listPath = formatInstancePath([...path.slice(0, -1), { kind: "node", module: last.module, name: last.name }]);
    const present = this.item(listPath)?.item;
    const order = present?.kind === "order" ? present.order : [];
    const key = segmentKey(last);
    const without = order.filter((each) => each !== key);
    const after = change === "append" ? (order.includes(key) ? order : [...order, key]) : without;
    if (after.length === 0) this.remove(listPath);
    else this.put({ kind: "order", path: listPath, order: after }, setBy);
  }

  /** Paths whose item differs from the base now. */
  touched(): readonly string[] {
    return [...this.#items.keys()].filter((path) => differs(this.base.items.get(path), this.#items.get(path))).sort();
  }

  writes(): DeviceWrites {
    const put = [];
    const remove = [];
    for (const path of this.touched()) {
      const after = this.#items.get(path);
      if (after === undefined) remove.push(path);
      else put.push({ item: after.item, setBy: after.setBy, retained: after.retained });
    }
    const before = new Map(this.base.links.map((link) => [linkText(link), link]));
    const putLinks = [...this.#links.entries()].filter(([key, link]) => !linksEqual(before.get(key), link));
    const removeLinks = [...before.entries()].filter(([key]) => !this.#links.has(key));
    return {
      device: this.base.device,
      moduleSet: undefined,
      put,
      remove,
      putLinks: putLinks.sort(byKey).map(([, link]) => link),
      removeLinks: removeLinks
        .sort(byKey)
        .map(([, link]) => ({ service: link.service, path: link.path, relation: link.relation })),
    };
  }
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function differs(before: DesiredItem | undefined, after: DesiredItem | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.retained !== after.retained || !itemsEqual(before.item, after.item);
}

export function linkText(link: LinkKey): string {
  return `${link.service}\n${link.relation}\n${link.path}`;
}

/** Links of one key; what comes out of the store has its members in another order and lacks the undefined ones. */
function linksEqual(a: ServiceLink | undefined, b: ServiceLink): boolean {
  return (
    a !== undefined &&
    a.scope === b.scope &&
    a.onRemove === b.onRemove &&
    a.implied === b.implied &&
    a.existedBefore?.since === b.existedBefore?.since &&
    optionalValuesEqual(a.existedBefore?.value, b.existedBefore?.value) &&
    optionalValuesEqual(a.value, b.value)
  );
}

/** Two values that may both be absent. */
export function optionalValuesEqual(a: Value | undefined, b: Value | undefined): boolean {
  return a === undefined || b === undefined ? a === b : valuesEqual(a, b);
}
