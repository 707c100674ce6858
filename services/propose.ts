/**
 * From a submission to a proposal: the write set that would become the next revision, and why each item changes, goes
 * or stays. Pure: the state comes in, nothing is written. This folder owns the ownership rules of Tenure.
 */
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../model/diagnostic.ts";
import { compareText } from "../model/compare-text.ts";
import type { Item } from "../model/item.ts";
import { parentPathText } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { assertYields } from "./assert-yields.ts";
import { basisOf } from "./basis.ts";
import type { Yield } from "./compile-instance.ts";
import { type SubmittedYield, conflictsOf } from "./conflicts.ts";
import type {
  DefinitionWrite,
  DesiredState,
  DeviceId,
  RevisionBody,
  ServiceLink,
  ServiceWrite,
  StatusWrite,
} from "./desired-state.ts";
import { type DependencyDiagnosticCode, type SubmittedDependencies, dependencyCycles } from "./dependency-cycles.ts";
import { type DeviceDraft, draftsOf, writtenPaths } from "./device-draft.ts";
import type { Explanation } from "./explanation.ts";
import { type Judged, judgedBy } from "./judged.ts";
import { release } from "./release.ts";
import { judgedPaths, servicesNear, statusOf, statusesEqual, unmetRequirement } from "./status.ts";

/** One instance of the submission, compiled on each target. */
export interface PutInstance {
  readonly kind: "put";
  readonly name: string;
  readonly definition: { readonly name: string; readonly version: string; readonly document: string };
  /** Canonical JSON text. */
  readonly parameters: string;
  readonly yields: ReadonlyMap<DeviceId, readonly Yield[]>;
  readonly position: SourcePosition;
}
export interface RemoveInstance {
  readonly kind: "remove";
  readonly name: string;
}
export type Change = PutInstance | RemoveInstance;

export interface Proposal {
  readonly body: RevisionBody;
  readonly explanations: readonly Explanation[];
  /** Devices whose desired configuration changes or is asserted. */
  readonly devices: readonly DeviceId[];
  /**
   * What the proposal wants of each of these devices, whether or not desired state said so before: a put asserts every
   * value it yields. Items sorted by path, with the entries and presence containers they stand in.
   */
  readonly wishes: readonly DeviceWish[];
}

export interface DeviceWish {
  readonly device: DeviceId;
  readonly put: readonly Item[];
  readonly remove: readonly string[];
}

export type ProposeDiagnosticCode = "conflict" | "unknown-service" | DependencyDiagnosticCode;

export interface ProposeOptions {
  /** Links on devices that `state` does not hold, of the services through which a dependency may come back. */
  readonly linksElsewhere?: Iterable<ServiceLink>;
}

/**
 * Guarantees the same proposal, to the letter, whatever the order of changes, devices and yields by device: instances are
 * gone through by name.
 *
 * Needs in `state`: every device that an instance targets now or targeted before, and every device on which a service
 * with a link there has links (its status is judged whole). `schemas` has a schema for each of these devices.
 *
 * Errors: `conflict` and `unknown-service`, all of them; else `dependency-cycle`, all of them.
 */
export function propose(
  state: DesiredState,
  schemas: ReadonlyMap<DeviceId, Schema>,
  submitted: readonly Change[],
  definitions: readonly DefinitionWrite[],
  { linksElsewhere = [] }: ProposeOptions = {},
): Result<Proposal> {
  const refused = [...unknownServices(state, submitted), ...conflictsOf(submittedYields(state, schemas, submitted))];
  if (refused.length > 0) return failure(refused);
  const changes = [...submitted].sort((a, b) => compareText(a.name, b.name));
  const explanations: Explanation[] = [];
  const drafts = draftsOf(state, schemas);
  const asserted = new Map<DeviceId, string[]>();
  const writers = new Map<string, string>();
  for (const draft of drafts.values()) applyChanges(draft, changes, asserted, writers, explanations);
  const cycles = dependencyCycles({
    links: [...[...drafts.values()].flatMap((draft) => [...draft.links()]), ...linksElsewhere],
    submitted: changes.flatMap(dependenciesOf),
    deviceName: (id) => state.devices.get(id)?.name ?? id,
  });
  if (cycles.length > 0) return failure(cycles);

  const touched = new Map<DeviceId, readonly string[]>();
  for (const [id, draft] of drafts) {
    const paths = [...(asserted.get(id) ?? []), ...writtenPaths(draft)];
    if (paths.length > 0) touched.set(id, paths);
  }
  const statusWrites = statuses(state, drafts, changes, writers);
  const names = [
    ...new Set([...changes.map((change) => change.name), ...statusWrites.map((each) => each.service)]),
  ].sort();
  const judged = new Map<DeviceId, Judged>();
  for (const [id, draft] of drafts) {
    const paths = [...(touched.get(id) ?? []), ...judgedPaths(names, draft)];
    if (paths.length > 0) judged.set(id, judgedBy(draft, draft.writes(), paths));
  }
  return ok({
    explanations,
    wishes: [...touched.keys()].sort().map((id) => wishOf(draftOf(drafts, id), asserted.get(id) ?? [])),
    devices: [...touched.keys()].sort(),
    body: {
      format: "tenure-revision/1",
      devices: [...touched.keys()].sort().map((id) => draftOf(drafts, id).writes()),
      services: changes.map((change) => serviceWrite(change)),
      definitions: [...definitions].sort((a, b) => compareText(a.name, b.name)),
      statuses: statusWrites,
      evidence: [],
      basis: basisOf(state, judged, {
        services: names,
        definitions: [...new Set([...definitions.map((each) => each.name), ...definitionNames(changes)])].sort(),
      }),
    },
  });
}

function dependenciesOf(change: Change): readonly SubmittedDependencies[] {
  if (change.kind === "remove") return [];
  const { name, position, yields } = change;
  const depends = [...yields].flatMap(([device, all]) =>
    all.filter((each) => each.relation === "depends").map((each) => ({ device, path: each.text, writer: each.writer })),
  );
  return [{ name, position, depends }];
}

/** What the writes of a draft and the asserted paths want of the device, with what these stand in. */
export function wishOf(draft: DeviceDraft, asserted: readonly string[]): DeviceWish {
  const writes = draft.writes();
  const put = new Map<string, Item>(writes.put.map((each) => [each.item.path, each.item]));
  for (const path of asserted) {
    for (let at = path; at !== "/"; at = parentPathText(at)) {
      const item = draft.item(at)?.item;
      if (item !== undefined) put.set(at, item);
    }
  }
  return {
    device: draft.base.device,
    put: [...put.values()].sort((a, b) => compareText(a.path, b.path)),
    remove: writes.remove,
  };
}

function draftOf(drafts: ReadonlyMap<DeviceId, DeviceDraft>, id: DeviceId): DeviceDraft {
  const draft = drafts.get(id);
  if (draft === undefined) throw new RangeError(`no state of device ${id}`);
  return draft;
}

function definitionNames(changes: readonly Change[]): readonly string[] {
  return changes.filter((change) => change.kind === "put").map((change) => change.definition.name);
}

function serviceWrite(change: Change): ServiceWrite {
  if (change.kind === "remove") return { kind: "remove", name: change.name };
  return {
    kind: "put",
    name: change.name,
    definition: change.definition,
    parameters: change.parameters,
    targets: [...change.yields.keys()].sort(),
  };
}

/** Rules 1, 2, 4, 5, 8. Lets go of what is no longer yielded only after everything new is asserted, so that nothing goes and comes back. */
function applyChanges(
  draft: DeviceDraft,
  changes: readonly Change[],
  asserted: Map<DeviceId, string[]>,
  writers: Map<string, string>,
  explanations: Explanation[],
): void {
  const device = draft.base.device;
  const released: ServiceLink[] = [];
  const explained = explanations.length;
  const paths: string[] = [];
  for (const change of changes) {
    const before = draft.linksOf(change.name);
    const yields = change.kind === "put" ? (change.yields.get(device) ?? []) : [];
    const after = assertYields(draft, change.name, yields, explanations);
    for (const link of before) draft.removeLink(link);
    for (const link of after) draft.putLink(link);
    const kept = new Set(after.map((link) => `${link.relation} ${link.path}`));
    released.push(...before.filter((link) => !kept.has(`${link.relation} ${link.path}`)));
    for (const each of yields) {
      if (each.relation !== "owns") continue;
      writers.set(`${device} ${each.text}`, change.name);
      paths.push(each.text);
    }
  }
  if (paths.length > 0) asserted.set(device, paths);
  for (const each of explanations.slice(explained))
    if (each.kind === "case-ended") writers.set(`${device} ${each.path}`, each.service);
  release(draft, released, explanations);
  for (const change of changes) {
    for (const link of draft.linksOf(change.name)) {
      const unmet = link.relation === "depends" ? unmetRequirement(draft, link) : undefined;
      if (unmet === undefined) continue;
      const { path, service, value: required } = link;
      explanations.push({ kind: "missing", device, path, service, required, found: unmet.found });
    }
  }
}

function statuses(
  state: DesiredState,
  drafts: ReadonlyMap<DeviceId, DeviceDraft>,
  changes: readonly Change[],
  writers: ReadonlyMap<string, string>,
): readonly StatusWrite[] {
  const removed = new Set(changes.filter((change) => change.kind === "remove").map((change) => change.name));
  const submitted = new Set(changes.map((change) => change.name));
  const affected = new Set([...submitted, ...servicesNear(drafts)]);
  const cause = {
    kind: "submission" as const,
    writers: (device: DeviceId, path: string) => writers.get(`${device} ${path}`),
  };
  const writes: StatusWrite[] = [];
  for (const service of [...affected].sort()) {
    if (removed.has(service)) continue;
    const before = state.services.get(service)?.status ?? { kind: "consistent" as const };
    const status = statusOf(service, drafts, before, cause);
    // A put makes an instance consistent unless its write says otherwise, even in words that were said before.
    const said = submitted.has(service)
      ? status.kind === "consistent" && before.kind === "consistent" && state.services.has(service)
      : statusesEqual(status, before);
    if (!said) writes.push({ service, status });
  }
  return writes;
}

function unknownServices(state: DesiredState, changes: readonly Change[]): readonly Diagnostic[] {
  return changes
    .filter((change) => change.kind === "remove" && !state.services.has(change.name))
    .map((change) => ({
      code: "unknown-service" satisfies ProposeDiagnosticCode,
      severity: "error" as const,
      message: `no service instance ${change.name}`,
      places: [{ kind: "field" as const, path: change.name }],
      expected: [...state.services.keys()].sort().slice(0, 12).join(", ") || "none is there",
    }));
}

function submittedYields(
  state: DesiredState,
  schemas: ReadonlyMap<DeviceId, Schema>,
  changes: readonly Change[],
): readonly SubmittedYield[] {
  return changes.flatMap((change) =>
    change.kind === "remove"
      ? []
      : [...change.yields].flatMap(([id, yields]) => {
          const schema = schemas.get(id);
          if (schema === undefined) throw new RangeError(`no schema of device ${id}`);
          const device = state.devices.get(id)?.name ?? id;
          return yields.map((each) => ({ device, schema, yield: each, instance: change.position }));
        }),
  );
}
