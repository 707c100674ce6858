/**
 * A device's desired state under change: the state as it stands plus what a submission puts and removes so far. Rules
 * read through it and write into it; at the end it says what differs.
 */
import { compareText } from "../model/compare-text.ts";
import { type Item, itemsEqual } from "../model/item.ts";
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { type Value, valuesEqual } from "../model/value.ts";
import { schemaAlong } from "../plan/schema-along.ts";
import type {
  DesiredDevice,
  DesiredItem,
  DesiredState,
  DeviceId,
  DeviceWrites,
  LinkKey,
  ServiceLink,
  Setter,
} from "./desired-state.ts";
import { LinkIndex, linkText } from "./link-index.ts";
import { GrowingPaths, SortedPaths, prefixBelow } from "./sorted-paths.ts";
import { type WatchedReference, watchText } from "./watched-references.ts";

export { linkText } from "./link-index.ts";

/** Revision number of items that this write set brings. */
const UNNUMBERED = 0;

interface OrderEdit {
  /** Segment keys, first to last. */
  readonly keys: Set<string>;
  setBy: Setter;
}

export class DeviceDraft {
  readonly base: DesiredDevice;
  readonly schema: Schema;
  /** undefined marks a removed item. */
  readonly #items = new Map<string, DesiredItem | undefined>();
  /** Paths that are not in the base and stood at some time since. */
  readonly #added = new GrowingPaths();
  readonly #links: LinkIndex;
  /** The links of the base; made when asked for. */
  #before: LinkIndex | undefined;
  /** Orders under change, by list path: written as items when somebody asks for them, not at every entry. */
  readonly #orders = new Map<string, OrderEdit>();
  readonly #chosenCases = new Set<string>();
  readonly #judged = new Set<string>();
  readonly #watched = new Map<string, WatchedReference>();

  constructor(base: DesiredDevice, schema: Schema) {
    this.base = base;
    this.schema = schema;
    this.#links = new LinkIndex(base.links);
  }

  item(path: string): DesiredItem | undefined {
    if (this.#orders.has(path)) this.#settleOrder(path);
    return this.#items.has(path) ? this.#items.get(path) : this.base.items.get(path);
  }

  /** Does this submission bring the item, or bring it back? */
  isNew(path: string): boolean {
    return !this.base.items.has(path) || this.item(path) === undefined;
  }

  put(item: Item, setBy: Setter): void {
    const before = this.item(item.path);
    const sameValue = before !== undefined && itemsEqual(before.item, item);
    if (sameValue && !before.retained) return;
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
    if (this.item(path) !== undefined) this.#items.set(path, undefined);
  }

  /** Paths of the items strictly below, as they stand now; sorted. */
  below(path: string): readonly string[] {
    return this.startingWith(prefixBelow(path));
  }

  /** Paths of the items whose path starts with this text, as they stand now; sorted. */
  startingWith(prefix: string): readonly string[] {
    const paths = [...SortedPaths.of(this.base.items).startingWith(prefix), ...this.#added.startingWith(prefix)];
    return paths.filter((path) => this.item(path) !== undefined).sort();
  }

  /** Paths of the retained items as they stand now, what stands in others before these. */
  retained(): readonly string[] {
    const found: string[] = [];
    for (const [path, item] of this.base.items) if (item.retained && !this.#items.has(path)) found.push(path);
    for (const [path, item] of this.#items) if (item?.retained === true) found.push(path);
    return found.sort().reverse();
  }

  links(): IterableIterator<ServiceLink> {
    return this.#links.all();
  }

  linksAtOrBelow(path: string): readonly ServiceLink[] {
    return this.#links.atOrBelow(path);
  }

  linksAt(path: string): readonly ServiceLink[] {
    return this.#links.at(path);
  }

  /** Who owned an item when the submission came: also those that it takes it from. */
  ownersBefore(path: string): readonly ServiceLink[] {
    this.#before ??= new LinkIndex(this.base.links);
    return this.#before.at(path).filter((link) => link.relation === "owns");
  }

  linksOf(service: string): readonly ServiceLink[] {
    return this.#links.of(service);
  }

  putLink(link: ServiceLink): void {
    this.#links.put(link);
  }

  removeLink(link: LinkKey): void {
    this.#links.remove(link);
  }

  /** Notes a path that a rule decided by and that may stay as it is. */
  judge(path: string): void {
    this.#judged.add(path);
  }

  get judged(): Iterable<string> {
    return this.#judged;
  }

  /** Notes a reference that nothing makes, for which something goes. */
  watch(reference: WatchedReference): void {
    this.#watched.set(watchText(reference), reference);
  }

  get watched(): readonly WatchedReference[] {
    return [...this.#watched.values()];
  }

  /** Notes that a choice has its case in this submission; true the first time. */
  chooseCase(choice: string): boolean {
    if (this.#chosenCases.has(choice)) return false;
    this.#chosenCases.add(choice);
    return true;
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
    const edit = this.#orderEdit(listPath, setBy);
    const size = edit.keys.size;
    if (change === "append") edit.keys.add(segmentKey(last));
    else edit.keys.delete(segmentKey(last));
    if (edit.keys.size !== size) edit.setBy = setBy;
  }

  #orderEdit(listPath: string, setBy: Setter): OrderEdit {
    const known = this.#orders.get(listPath);
    if (known !== undefined) return known;
    const present = this.item(listPath)?.item;
    const edit = { keys: new Set(present?.kind === "order" ? present.order : []), setBy };
    this.#orders.set(listPath, edit);
    return edit;
  }

  #settleOrder(listPath: string): void {
    const edit = this.#orders.get(listPath);
    if (edit === undefined) return;
    this.#orders.delete(listPath);
    if (edit.keys.size === 0) this.remove(listPath);
    else this.put({ kind: "order", path: listPath, order: [...edit.keys] }, edit.setBy);
  }

  /** Paths whose item differs from the base now. */
  touched(): readonly string[] {
    for (const listPath of [...this.#orders.keys()]) this.#settleOrder(listPath);
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
    const after = new Map([...this.links()].map((link) => [linkText(link), link]));
    const putLinks = [...after].filter(([key, link]) => !linksEqual(before.get(key), link));
    const removeLinks = [...before].filter(([key]) => !after.has(key));
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

/** A draft of every device of a state, by id. Needs a schema for each. */
export function draftsOf(
  state: Pick<DesiredState, "devices">,
  schemas: ReadonlyMap<DeviceId, Schema>,
): Map<DeviceId, DeviceDraft> {
  const drafts = new Map<DeviceId, DeviceDraft>();
  for (const [id, device] of [...state.devices].sort(([a], [b]) => compareText(a, b))) {
    const schema = schemas.get(id);
    if (schema === undefined) throw new RangeError(`no schema of device ${id}`);
    drafts.set(id, new DeviceDraft(device, schema));
  }
  return drafts;
}

/** Paths of the items and links that differ from the base. */
export function writtenPaths(draft: DeviceDraft): readonly string[] {
  const { putLinks, removeLinks } = draft.writes();
  return [...draft.touched(), ...putLinks.map((link) => link.path), ...removeLinks.map((link) => link.path)];
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function differs(before: DesiredItem | undefined, after: DesiredItem | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.retained !== after.retained || !itemsEqual(before.item, after.item);
}

/** Links of one key; what comes out of the store has its members in another order and lacks the undefined ones. */
export function linksEqual(a: ServiceLink | undefined, b: ServiceLink): boolean {
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
