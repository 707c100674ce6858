/**
 * Back to an earlier revision: the proposal that makes configuration, links, instances and definitions what they were
 * at revision N, on top of what stands now. It is planned, approved and applied like a put.
 *
 * Values and links are restored as they stood, so no rule is asked again what goes or stays; an item that differs has
 * the rollback as its setter, since that is who gave it its value. Only on a device that had no configuration yet at N do
 * the rules of removal decide, for the instances that go from it.
 */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { compareText } from "../model/compare-text.ts";
import { itemsEqual } from "../model/item.ts";
import type { Schema } from "../model/schema.ts";
import { itemValue } from "./assert-yields.ts";
import { basisOf } from "./basis.ts";
import type {
  DefinitionWrite,
  DesiredDevice,
  DesiredState,
  DeviceId,
  Inconsistency,
  RevisionBody,
  ServiceLink,
  ServiceState,
  ServiceStatus,
  ServiceWrite,
  StatusWrite,
} from "./desired-state.ts";
import { type DeviceDraft, draftsOf, linksEqual, writtenPaths } from "./device-draft.ts";
import type { Explanation } from "./explanation.ts";
import { type Judged, judgedBy } from "./judged.ts";
import { linkText } from "./link-index.ts";
import { type Proposal, wishOf } from "./propose.ts";
import { release } from "./release.ts";
import { retypeDevice, retypeWords } from "./retype.ts";
import { judgedPaths, servicesNear, statusOf, statusesEqual } from "./status.ts";
import { instanceDifferences } from "./instance-differences.ts";

export type RollbackDiagnosticCode = "rollback-outside" | "rollback-removed-device";

export interface RollbackRequest {
  /** Desired state as it stands. Devices that are managed no more are absent. */
  readonly now: DesiredState;
  /** Desired state at the revision to return to. */
  readonly then: DesiredState;
  /** Of every device of `now`. */
  readonly schemas: ReadonlyMap<DeviceId, Schema>;
  /** Whose configuration and links return; what other devices have stays as it is. */
  readonly devices: readonly DeviceId[] | "all";
}

/**
 * Needs in both states: every service and definition; every device asked for that was written since `then`, and every
 * device that a service with a target among them targets now or targeted then. Guarantees that the revision which the
 * body becomes has the items (values), links, instances, definitions and statuses of `then`, as far as devices were
 * asked for, were imported then and are managed now; the others are told as left alone.
 *
 * Errors, all of them: `rollback-outside` (an instance that differs reaches a device that was not asked for),
 * `rollback-removed-device` (an instance of then targets a device that is managed no more), and those of `retypeDevice`.
 */
export function rollback(request: RollbackRequest): Result<Proposal> {
  const { now, then, schemas } = request;
  const changed = differingInstances(request);
  const refused: Diagnostic[] = changed.flatMap((each) => unreachable(each, request));
  const targets = new Map<DeviceId, DesiredDevice>();
  for (const [id, device] of then.devices) {
    const present = now.devices.get(id);
    if (present === undefined || !isAskedFor(request, id)) continue;
    const target = asTypedNow(device, present, schemaOf(schemas, id));
    if (target.kind === "ok") targets.set(id, target.value);
    else refused.push(...target.diagnostics);
  }
  if (refused.length > 0) return failure(refused);

  const explanations: Explanation[] = [];
  const drafts = draftsOf(now, schemas);
  for (const [id, draft] of drafts) {
    const target = targets.get(id);
    if (target !== undefined) restore(draft, target, then.revision, explanations);
    else if (!then.devices.has(id) && isAskedFor(request, id)) letGo(draft, changed, explanations);
  }
  for (const [id, { name }] of then.devices)
    if (!now.devices.has(id) && isAskedFor(request, id))
      explanations.push({ kind: "left-alone", device: id, path: "/", name, reason: "removed" });

  const definitions = definitionWrites(request, changed);
  return ok(proposalOf(request, { changed, targets, drafts, definitions, explanations }));
}

interface Restored {
  readonly changed: readonly InstanceChange[];
  readonly targets: ReadonlyMap<DeviceId, DesiredDevice>;
  readonly drafts: ReadonlyMap<DeviceId, DeviceDraft>;
  readonly definitions: { readonly put: readonly DefinitionWrite[]; readonly remove: readonly string[] };
  readonly explanations: readonly Explanation[];
}

function proposalOf(request: RollbackRequest, restored: Restored): Proposal {
  const { now } = request;
  const { changed, drafts, definitions, explanations } = restored;
  const statuses = statusWrites(request, restored);
  const names = [...new Set([...changed.map((each) => each.name), ...statuses.map((each) => each.service)])].sort();
  const writes = [];
  const wishes = [];
  const judged = new Map<DeviceId, Judged>();
  for (const [id, draft] of drafts) {
    const written = draft.writes();
    const paths = writtenPaths(draft);
    if (paths.length > 0) {
      writes.push(written);
      wishes.push(
        wishOf(
          draft,
          written.put.map((each) => each.item.path),
        ),
      );
    }
    const all = [...paths, ...judgedPaths(names, draft)];
    if (all.length > 0) judged.set(id, judgedBy(draft, written, all));
  }
  const body: RevisionBody = {
    format: "tenure-revision/1",
    devices: writes,
    services: changed.map(serviceWrite),
    definitions: definitions.put,
    ...(definitions.remove.length === 0 ? {} : { removedDefinitions: definitions.remove }),
    statuses,
    evidence: [],
    basis: basisOf(now, judged, {
      services: names,
      definitions: [
        ...new Set([
          ...definitions.put.map((each) => each.name),
          ...definitions.remove,
          ...changed.flatMap((each) => each.after?.definition.name ?? []),
        ]),
      ].sort(),
    }),
  };
  return { body, explanations, wishes, devices: writes.map((each) => each.device) };
}

/* ---- instances ---- */

/** An instance that is not what it was: now (`before` the rollback) and then (`after` it). */
export interface InstanceChange {
  readonly name: string;
  readonly before: ServiceState | undefined;
  readonly after: ServiceState | undefined;
}

/** Of the devices asked for. */
function differingInstances(request: RollbackRequest): readonly InstanceChange[] {
  const { now, then } = request;
  return instanceChanges([...now.services.values()], [...then.services.values()]).filter((each) =>
    targetsOf(each).some((id) => isAskedFor(request, id)),
  );
}

/** The instances that another definition text, other parameters or targets make another one; sorted by name. */
export function instanceChanges(
  now: readonly ServiceState[],
  then: readonly ServiceState[],
): readonly InstanceChange[] {
  const before = new Map(now.map((service) => [service.name, service]));
  const after = new Map(then.map((service) => [service.name, service]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((name) => ({ name, before: before.get(name), after: after.get(name) }))
    .filter((each) => !isSameInstance(each));
}

function isSameInstance({ before, after }: InstanceChange): boolean {
  return before !== undefined && after !== undefined && instanceDifferences(before, after).length === 0;
}

/** Ids of the devices on which it was or will be; sorted. */
export function targetsOf({ before, after }: InstanceChange): readonly DeviceId[] {
  return [...new Set([...(before?.targets ?? []), ...(after?.targets ?? [])])].sort();
}

/** Why an instance cannot return; an instance is one thing, so half of its targets never return alone. */
function unreachable(change: InstanceChange, request: RollbackRequest): readonly Diagnostic<RollbackDiagnosticCode>[] {
  const { now, then } = request;
  const name = (id: DeviceId): string => now.devices.get(id)?.name ?? then.devices.get(id)?.name ?? id;
  const places = [{ kind: "field", path: change.name }] as const;
  const removed = (change.after?.targets ?? []).filter((id) => !now.devices.has(id));
  if (removed.length > 0) {
    return [
      {
        code: "rollback-removed-device",
        severity: "error",
        message: `service ${change.name} of revision ${String(then.revision)} targets ${removed.map(name).join(", ")}, which was removed since`,
        places,
        remedy: "put the instance with the targets that are left, or roll back single devices with --device",
      },
    ];
  }
  const outside = targetsOf(change).filter((id) => !isAskedFor(request, id));
  if (outside.length === 0) return [];
  return [
    {
      code: "rollback-outside",
      severity: "error",
      message: `service ${change.name} differs from revision ${String(then.revision)} and also reaches ${outside.map(name).join(", ")}`,
      places,
      expected: "all devices of an instance that differs",
      remedy: `add ${outside.map((id) => `--device ${name(id)}`).join(" ")}`,
    },
  ];
}

function serviceWrite({ name, after }: InstanceChange): ServiceWrite {
  if (after === undefined) return { kind: "remove", name };
  const { definition, parameters, targets } = after;
  return { kind: "put", name, definition, parameters, targets };
}

/** A partial rollback leaves definitions alone, which belong to no device; only one that is gone and needed comes back. */
function definitionWrites({ now, then, devices }: RollbackRequest, changed: readonly InstanceChange[]) {
  const needed = new Set(changed.flatMap((each) => each.after?.definition.name ?? []));
  const put = [...then.definitions.values()]
    .filter(({ name, document }) => {
      const present = now.definitions.get(name);
      return devices === "all" ? present?.document !== document : present === undefined && needed.has(name);
    })
    .map(({ name, version, document }) => ({ name, version, document }))
    .sort((a, b) => compareText(a.name, b.name));
  const remove =
    devices === "all" ? [...now.definitions.keys()].filter((name) => !then.definitions.has(name)).sort() : [];
  return { put, remove };
}

/* ---- devices ---- */

function isAskedFor({ devices }: RollbackRequest, id: DeviceId): boolean {
  return devices === "all" || devices.includes(id);
}

function schemaOf(schemas: ReadonlyMap<DeviceId, Schema>, id: DeviceId): Schema {
  const schema = schemas.get(id);
  if (schema === undefined) throw new RangeError(`no schema of device ${id}`);
  return schema;
}

function asTypedNow(device: DesiredDevice, present: DesiredDevice, schema: Schema): Result<DesiredDevice> {
  return device.moduleSet === present.moduleSet ? ok(device) : retypeDevice(device, schema);
}

function restore(draft: DeviceDraft, target: DesiredDevice, revision: number, explanations: Explanation[]): void {
  const { device } = draft.base;
  const explain: Explanation[] = [];
  for (const [path, wanted] of target.items) {
    const present = draft.item(path);
    const isSame = present !== undefined && itemsEqual(present.item, wanted.item);
    draft.put(wanted.item, { kind: "rollback", revision });
    if (wanted.retained) draft.retain(path);
    if (isSame && present.retained === wanted.retained) continue;
    explain.push({
      kind: "restored",
      device,
      path,
      revision,
      change: present === undefined ? "added" : isSame ? "flag" : "changed",
      before: present && itemValue(present.item),
      after: itemValue(wanted.item),
      setBy: wanted.setBy,
    });
  }
  for (const [path, present] of draft.base.items) {
    if (target.items.has(path)) continue;
    draft.remove(path);
    explain.push({ kind: "undone", device, path, revision, before: itemValue(present.item), setBy: present.setBy });
  }
  relink(draft, target.links, explain);
  explanations.push(...explain.sort((a, b) => compareText(a.path, b.path)));
}

function relink(draft: DeviceDraft, wanted: readonly ServiceLink[], explain: Explanation[]): void {
  const { device, links: present } = draft.base;
  const before = new Map(present.map((link) => [linkText(link), link]));
  const say = ({ path, service, relation }: ServiceLink, change: "added" | "changed" | "ended"): void => {
    explain.push({ kind: "relinked", device, path, service, relation, change });
  };
  for (const link of wanted) {
    const stands = before.get(linkText(link));
    before.delete(linkText(link));
    if (linksEqual(stands, link)) continue;
    draft.putLink(link);
    say(link, stands === undefined ? "added" : "changed");
  }
  for (const link of before.values()) {
    draft.removeLink(link);
    say(link, "ended");
  }
}

/** A device without configuration at that time keeps what it has, but for what instances that go from it take along. */
function letGo(draft: DeviceDraft, changed: readonly InstanceChange[], explain: Explanation[]): void {
  const { device, name } = draft.base;
  explain.push({ kind: "left-alone", device, path: "/", name, reason: "imported-later" });
  const released = changed.flatMap((each) => draft.linksOf(each.name));
  for (const link of released) draft.removeLink(link);
  release(draft, released, explain);
}

/* ---- statuses ---- */

/** Statuses of the resulting state, in the words of then where the same is wrong again. */
function statusWrites(request: RollbackRequest, { changed, targets, drafts }: Restored): readonly StatusWrite[] {
  const { now, then } = request;
  const instances = new Map(now.services);
  for (const { name, after } of changed) {
    if (after === undefined) instances.delete(name);
    else instances.set(name, after);
  }
  const put = new Set(changed.map((each) => each.name));
  const affected = affectedServices(drafts);
  const writes: StatusWrite[] = [];
  for (const name of [...instances.keys()].sort()) {
    const [present, past] = [now.services.get(name), then.services.get(name)];
    const isSame = present !== undefined && past !== undefined && sameStatus(present.status, past.status);
    const isNear = instances.get(name)?.targets.some((id) => targets.has(id)) === true;
    if (!put.has(name) && !affected.has(name) && (isSame || !isNear)) continue;
    const said = wordsOf(past, (id) => targets.has(id)).map((words) => {
      const draft = drafts.get(words.device);
      const isMoved = then.devices.get(words.device)?.moduleSet !== draft?.base.moduleSet;
      return draft !== undefined && isMoved ? retypeWords(words, draft.schema) : words;
    });
    const because = [...said, ...wordsOf(present, (id) => !targets.has(id))];
    const before: ServiceStatus = because.length === 0 ? CONSISTENT : { kind: "inconsistent", because };
    const status = statusOf(name, drafts, before, { kind: "observation" });
    if (!isSaid(status, present, put.has(name) ? "put" : "stands")) writes.push({ service: name, status });
  }
  return writes;
}

const CONSISTENT: ServiceStatus = { kind: "consistent" };

/** Services with a link that changes, or to an item that does. */
function affectedServices(drafts: ReadonlyMap<DeviceId, DeviceDraft>): ReadonlySet<string> {
  const affected = servicesNear(drafts);
  for (const draft of drafts.values()) {
    const { putLinks, removeLinks } = draft.writes();
    for (const link of [...putLinks, ...removeLinks]) affected.add(link.service);
  }
  return affected;
}

function wordsOf(service: ServiceState | undefined, of: (device: DeviceId) => boolean): readonly Inconsistency[] {
  return service?.status.kind === "inconsistent" ? service.status.because.filter((each) => of(each.device)) : [];
}

/** A put makes an instance consistent unless its write says otherwise, even in words that were said before. */
function isSaid(status: ServiceStatus, present: ServiceState | undefined, how: "put" | "stands"): boolean {
  if (present === undefined) return false;
  return how === "put"
    ? status.kind === "consistent" && present.status.kind === "consistent"
    : sameStatus(status, present.status);
}

function sameStatus(a: ServiceStatus, b: ServiceStatus): boolean {
  if (statusesEqual(a, b)) return true;
  return JSON.stringify(a) === JSON.stringify(b);
}
