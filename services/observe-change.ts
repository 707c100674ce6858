/**
 * From an observation to a write set: an import or an accepted drift makes desired state what the device shows.
 * Definitions, parameters and links stay; services whose requirements are no longer met become inconsistent (rule 7).
 */
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import { type Item, itemsEqual, itemsEqualButTypes } from "../model/item.ts";
import { isAtOrBelow, parentPathText } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { valuesEqual } from "../model/value.ts";
import { itemValue } from "./assert-yields.ts";
import { basisOf } from "./basis.ts";
import type {
  DesiredState,
  DeviceId,
  Evidence,
  RevisionBody,
  ServiceStatus,
  Setter,
  StatusWrite,
} from "./desired-state.ts";
import { type DeviceDraft, draftsOf, linksEqual, optionalValuesEqual } from "./device-draft.ts";
import { endOtherCases } from "./end-other-cases.ts";
import { type Judged, judgedBy } from "./judged.ts";
import { retypeItem, retypeLink, retypeWords } from "./retype.ts";
import { judgedPaths, servicesNear, statusOf, statusesEqual } from "./status.ts";

export interface ObservedDevice {
  readonly device: DeviceId;
  readonly items: readonly Item[];
  /** Digest of the observation document. */
  readonly observation: string;
  /** Set when the device is typed against another module set than before. */
  readonly moduleSet: string | undefined;
  /**
   * Newest database revision that was seen on the device before, by an import or by reading back an apply. What a later
   * one brought and the device lacks was not deployed; what was there before disappeared. Left out: all was seen.
   */
  readonly seen?: number;
}

export interface ObserveOptions {
  readonly setBy: Setter;
  /** Only these paths and what is below them; empty: the whole device. */
  readonly paths: readonly string[];
}

/**
 * The write set that takes over what was observed, whole or (`paths`) in part; the parts are closed so that they fit:
 * with the entries they stand in, the other cases they end, and the order of the lists they touch. The body has no
 * devices, statuses or evidence when nothing differs. Needs the same state as `propose`, complete observations, and of
 * an observed device the schema that its observation was read with.
 *
 * Where that is another one than before, what stands is first put in its form: an item whose type alone is another one
 * keeps its setter, and a link keeps meaning what it required.
 */
export function observeChange(
  state: DesiredState,
  schemas: ReadonlyMap<DeviceId, Schema>,
  observed: readonly ObservedDevice[],
  options: ObserveOptions,
): RevisionBody {
  const drafts = draftsOf(state, schemas);
  const evidence: Evidence[] = [];
  const touched = new Set<DeviceId>();
  const moduleSets = new Map<DeviceId, string>();
  for (const each of observed) {
    const draft = drafts.get(each.device);
    if (draft === undefined) throw new RangeError(`no state of device ${each.device}`);
    if (each.moduleSet !== undefined && each.moduleSet !== draft.base.moduleSet) {
      moduleSets.set(each.device, each.moduleSet);
      retype(draft);
    }
    take(draft, each, options);
    evidence.push(...evidenceOf(draft, each));
    if (draft.touched().length > 0) touched.add(each.device);
  }
  const statusWrites = statuses(state, drafts, new Set(moduleSets.keys()));
  return {
    format: "tenure-revision/1",
    devices: [...new Set([...touched, ...moduleSets.keys()])].sort().map((id) => {
      const draft = drafts.get(id);
      if (draft === undefined) throw new RangeError(`no state of device ${id}`);
      return { ...draft.writes(), moduleSet: moduleSets.get(id) };
    }),
    services: [],
    definitions: [],
    statuses: statusWrites,
    evidence,
    basis: basisOfObservation(state, drafts, statusWrites, options),
  };
}

/**
 * An import tells what is, whatever desired state was; only the statuses it gives are judged by what stands elsewhere
 * too. An accepted drift was approved against one state.
 */
function basisOfObservation(
  state: DesiredState,
  drafts: ReadonlyMap<DeviceId, DeviceDraft>,
  statusWrites: readonly StatusWrite[],
  options: ObserveOptions,
): RevisionBody["basis"] {
  const services = statusWrites.map((each) => each.service);
  const judged = new Map<DeviceId, Judged>();
  for (const [id, draft] of drafts) {
    const paths = judgedPaths(services, draft);
    if (options.setBy.kind === "import") {
      if (paths.length > 0) judged.set(id, { paths, stands: [], references: [] });
      continue;
    }
    const all = [...draft.touched(), ...paths];
    if (all.length > 0) judged.set(id, judgedBy(draft, draft.writes(), all));
  }
  return basisOf(state, judged, { services, definitions: [] });
}

/** What the schema has no place or value for stays as it is: the device, which does not have it, decides. */
function retype(draft: DeviceDraft): void {
  const { base, schema } = draft;
  for (const { item, setBy, retained } of base.items.values()) {
    const again = retypeItem(item, schema).item;
    if (itemsEqual(again, item)) continue;
    draft.remove(item.path);
    draft.put(again, setBy);
    if (retained) draft.retain(again.path);
  }
  for (const link of base.links) {
    const again = retypeLink(link, schema);
    if (again.path === link.path && linksEqual(link, again)) continue;
    draft.removeLink(link);
    draft.putLink(again);
  }
}

function take(draft: DeviceDraft, observed: ObservedDevice, options: ObserveOptions): void {
  const items = new Map(observed.items.map((item) => [item.path, item]));
  if (options.paths.length > 0) {
    takePart(draft, items, options);
    return;
  }
  for (const item of observed.items) takeItem(draft, item, options.setBy);
  for (const path of draft.below("/")) if (!items.has(path)) draft.remove(path);
}

function takePart(draft: DeviceDraft, items: ReadonlyMap<string, Item>, { setBy, paths }: ObserveOptions): void {
  const within = (path: string): boolean => paths.some((each) => isAtOrBelow(path, each));
  const lists = new Set<string>();
  const noteList = (path: string): void => {
    const kind = (items.get(path) ?? draft.base.items.get(path)?.item)?.kind;
    if (kind === "order") lists.add(path);
    if (kind === "entry" || kind === "leaf-list-entry")
      lists.add(path.slice(0, path.indexOf("[", parentPathText(path).length)));
  };
  for (const item of items.values()) {
    if (!within(item.path) || item.kind === "order") continue;
    if (draft.item(item.path) === undefined) {
      for (let at = parentPathText(item.path); at !== "/"; at = parentPathText(at)) {
        const above = items.get(at);
        if (above === undefined || draft.item(at) !== undefined) continue;
        takeItem(draft, above, setBy);
        noteList(at);
      }
      const parsed = parseCanonicalPath(draft.schema, item.path);
      if (parsed.kind === "ok") endOtherCases(draft, parsed.value.path).forEach(noteList);
    }
    takeItem(draft, item, setBy);
    noteList(item.path);
  }
  for (const path of draft.base.items.keys()) {
    if (!within(path)) continue;
    if (!items.has(path)) draft.remove(path);
    noteList(path);
  }
  for (const list of lists) takeOrder(draft, { list, observed: items.get(list) }, setBy);
}

/** The observed order of the entries that desired state has now; what the device lacks comes last, as it stood. */
function takeOrder(
  draft: DeviceDraft,
  { list, observed }: { readonly list: string; readonly observed: Item | undefined },
  setBy: Setter,
): void {
  const stored = draft.item(list)?.item;
  if (observed?.kind !== "order" && stored?.kind !== "order") return;
  const first = observed?.kind === "order" ? observed.order : [];
  const seen = new Set(first);
  const rest = stored?.kind === "order" ? stored.order.filter((key) => !seen.has(key)) : [];
  const order = [...first, ...rest].filter((key) => draft.item(list + key.slice(key.indexOf("["))) !== undefined);
  if (order.length === 0) draft.remove(list);
  else draft.put({ kind: "order", path: list, order }, setBy);
}

/** A read that hides explicitness says nothing about it: the stored word is kept where the value is the same. */
function takeItem(draft: DeviceDraft, item: Item, setBy: Setter): void {
  const stored = draft.item(item.path)?.item;
  if (
    item.kind === "leaf" &&
    stored?.kind === "leaf" &&
    item.origin === "unknown" &&
    valuesEqual(item.value, stored.value)
  )
    return;
  const retained = draft.item(item.path)?.retained === true;
  draft.put(item, setBy);
  if (retained) draft.retain(item.path);
}

interface GatheredEvidence {
  readonly services: Set<string>;
  expected: Evidence["expected"];
}

function evidenceOf(draft: DeviceDraft, observed: ObservedDevice): readonly Evidence[] {
  const found = new Map<string, Omit<Evidence, "services" | "expected"> & GatheredEvidence>();
  const touched = new Set(draft.touched().filter((path) => !isRetypedAlone(draft, path)));
  for (const link of draft.links()) {
    if (!touched.has(link.path)) continue;
    const item = draft.item(link.path)?.item;
    const value = item === undefined ? undefined : itemValue(item);
    if (item !== undefined && (link.value === undefined || optionalValuesEqual(value, link.value))) continue;
    const before = found.get(link.path);
    if (before !== undefined) {
      before.services.add(link.service);
      before.expected ??= link.value;
      continue;
    }
    found.set(link.path, {
      device: observed.device,
      path: link.path,
      kind: item === undefined ? absenceOf(draft, link.path, observed) : "contradicted",
      expected: link.value,
      found: value,
      observation: observed.observation,
      services: new Set([link.service]),
    });
  }
  // What the device lacks is gone, whether somebody requires it or not.
  for (const path of touched) {
    const before = draft.base.items.get(path)?.item;
    if (before === undefined || before.kind === "order" || draft.item(path) !== undefined || found.has(path)) continue;
    found.set(path, {
      device: observed.device,
      path,
      kind: absenceOf(draft, path, observed),
      expected: itemValue(before),
      found: undefined,
      observation: observed.observation,
      services: new Set(),
    });
  }
  return [...found.values()]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((each) => ({ ...each, services: [...each.services].sort() }));
}

/** The same text as before, of another type. */
function isRetypedAlone(draft: DeviceDraft, path: string): boolean {
  const before = draft.base.items.get(path)?.item;
  const after = draft.item(path)?.item;
  return before !== undefined && after !== undefined && itemsEqualButTypes(before, after);
}

function absenceOf(draft: DeviceDraft, path: string, { seen }: ObservedDevice): "not-deployed" | "disappeared" {
  const before = draft.base.items.get(path);
  return before !== undefined && seen !== undefined && before.since > seen ? "not-deployed" : "disappeared";
}

function statuses(
  state: DesiredState,
  drafts: ReadonlyMap<DeviceId, DeviceDraft>,
  retyped: ReadonlySet<DeviceId>,
): readonly StatusWrite[] {
  const writes: StatusWrite[] = [];
  for (const service of [...servicesNear(drafts)].sort()) {
    const before = state.services.get(service)?.status ?? { kind: "consistent" as const };
    const said = retyped.size === 0 ? before : inWordsOf(before, drafts, retyped);
    const status = statusOf(service, drafts, said, { kind: "observation" });
    if (!statusesEqual(status, before)) writes.push({ service, status });
  }
  return writes;
}

/** The same status, about paths and values as the new schemas spell them. */
function inWordsOf(
  status: ServiceStatus,
  drafts: ReadonlyMap<DeviceId, DeviceDraft>,
  retyped: ReadonlySet<DeviceId>,
): ServiceStatus {
  if (status.kind === "consistent") return status;
  const because = status.because.map((words) => {
    const schema = drafts.get(words.device)?.schema;
    if (schema === undefined || !retyped.has(words.device)) return words;
    const again = retypeWords(words, schema);
    const isSame =
      again.path === words.path &&
      optionalValuesEqual(again.required, words.required) &&
      optionalValuesEqual(again.found, words.found);
    return isSame ? words : again;
  });
  return { kind: "inconsistent", because };
}
