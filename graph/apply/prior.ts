import { PlanState } from "../../contract/plan-state.ts";
import type { RevisionBody } from "../../services/desired-state.ts";
import type { JournalRecord } from "../journal/record.ts";
import { WHOLE_DEVICE, conditionId, itemId } from "./forms.ts";
import type { ItemForm, ServiceForm } from "./forms.ts";

/** The part of the graph that one record's write set depends on, by id or name. */
export interface PriorKeys {
  readonly devices: readonly string[];
  readonly items: readonly string[];
  readonly services: readonly string[];
  readonly definitions: readonly string[];
  readonly conditions: readonly string[];
  /** `open`: which plans may still be approved or started. */
  readonly plans: "open" | "none";
}

export interface PriorItem {
  /** Its newest version, by the revision with which that began. Undefined: only links or evidence name the item. */
  readonly current:
    | { readonly revision: number; readonly state: string; readonly form: ItemForm | undefined }
    | undefined;
}
export interface PriorService {
  readonly current: { readonly version: string; readonly form: ServiceForm } | undefined;
}

/** What stands there; what is absent from a map does not exist. */
export interface Prior {
  readonly devices: ReadonlySet<string>;
  readonly items: ReadonlyMap<string, PriorItem>;
  readonly services: ReadonlyMap<string, PriorService>;
  /** By name: id of the current row. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly conditions: ReadonlySet<string>;
  /** Ids of the plans that may still be approved or started, sorted; read only where it is asked for. */
  readonly openPlans: readonly string[];
}

/** States of a plan that has not begun to write: an approval may still come, or stands and waits for its start. */
export const UNSTARTED_STATES: readonly string[] = [PlanState.planning, PlanState.waiting, PlanState.held];

/** Reads the part named by `keys`, from the graph or from the image of a rebuild. */
export type ReadPrior = (keys: PriorKeys) => Promise<Prior>;

const NOTHING: PriorKeys = { devices: [], items: [], services: [], definitions: [], conditions: [], plans: "none" };

/** What must be known before the record can be turned into rows. `body` is given for revisions. */
export function priorKeysOf(record: JournalRecord, body: RevisionBody | undefined): PriorKeys {
  switch (record.kind) {
    case "device":
      return { ...NOTHING, devices: [record.body.device.id] };
    case "condition":
      return { ...NOTHING, conditions: [conditionId(record.body.subject, record.body.type)] };
    case "revision":
      return body === undefined ? NOTHING : keysOfBody(body);
    case "plan":
    case "approval":
    case "refusal":
    case "decision":
    case "outcome":
    case "snapshot":
    case "prune":
      return NOTHING;
    case "rekey":
      return { ...NOTHING, plans: "open" };
  }
}

function keysOfBody(body: RevisionBody): PriorKeys {
  const items = new Set<string>();
  const services = new Set<string>();
  for (const writes of body.devices) {
    if (writes.moduleSet !== undefined) items.add(itemId(writes.device, WHOLE_DEVICE));
    for (const put of writes.put) items.add(itemId(writes.device, put.item.path));
    for (const path of writes.remove) items.add(itemId(writes.device, path));
    for (const link of [...writes.putLinks, ...writes.removeLinks]) {
      items.add(itemId(writes.device, link.path));
      services.add(link.service);
    }
  }
  for (const evidence of body.evidence) items.add(itemId(evidence.device, evidence.path));
  for (const service of body.services) services.add(service.name);
  for (const status of body.statuses) services.add(status.service);
  return {
    devices: body.devices.map((writes) => writes.device),
    items: [...items],
    services: [...services],
    definitions: [
      ...new Set([...body.definitions.map((definition) => definition.name), ...(body.removedDefinitions ?? [])]),
    ],
    conditions: [],
    plans: "none",
  };
}
