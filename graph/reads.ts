import type { PlanState } from "../contract/plan-state.ts";
import { compareText } from "../model/compare-text.ts";
import type { Item } from "../model/item.ts";
import type {
  DefinitionState,
  DesiredDevice,
  DesiredItem,
  DesiredState,
  Evidence,
  ServiceLink,
  ServiceState,
} from "../services/desired-state.ts";
import {
  type DefinitionForm,
  type DeletedForm,
  type ItemForm,
  type ServiceForm,
  type WholeDeviceForm,
  conditionId,
  idempotencyId,
  itemId,
  subjectKey,
} from "./apply/forms.ts";
import type { DocumentStore } from "./documents/document-store.ts";
import type {
  ApprovalEntry,
  ConditionEntry,
  DecisionEntry,
  DeviceRecord,
  JournalKind,
  OutcomeEntry,
  PlanEntry,
  PlanRecord,
  RefusalEntry,
  RevisionEntry,
  Subject,
} from "./journal/record.ts";
import type { Parameters, ResultRow, Run } from "./ladybug.ts";
import * as statements from "./statements/reads.ts";
import { StoreError } from "./store-error.ts";
import { loadText } from "./stored-text.ts";

/** When a record was journalled: ISO 8601, UTC. */
export interface Recorded {
  readonly time: string;
}

export type RevisionView = RevisionEntry & Recorded & { readonly record: number };
export interface PlanView {
  readonly plan: PlanRecord;
  readonly state: PlanState;
  readonly opened: string;
  /** The newest transition: who, why, since when. */
  readonly latest: Extract<PlanEntry, { readonly event: "state" }> & Recorded;
}
export type ApprovalView =
  | ({ readonly kind: "approval" } & ApprovalEntry & Recorded)
  | ({ readonly kind: "refusal" } & RefusalEntry & Recorded);
export type DecisionView = DecisionEntry & Recorded;
export type OutcomeView = OutcomeEntry & Recorded;
export type ConditionView = ConditionEntry & Recorded;

/** One span in the life of an item. */
export type ItemVersion =
  | ({ readonly kind: "present"; readonly from: number; readonly until: number | undefined } & ItemForm)
  | { readonly kind: "deleted"; readonly from: number; readonly until: number | undefined };

/** Who set an item, who owns it, who depends on it. */
export interface Blame {
  readonly item: DesiredItem | undefined;
  readonly owners: readonly ServiceLink[];
  readonly dependants: readonly ServiceLink[];
}

export interface ItemChange {
  readonly device: string;
  readonly path: string;
  /** Undefined: it vanished. */
  readonly item: Item | undefined;
}

/** At a revision, or now when none is named. */
export interface AtRevision {
  readonly revision?: number | undefined;
}

/** Everything that can be asked. Answers of one call belong to one revision; nothing here waits for a writer. */
export interface StoreReads {
  /** Managed and paused devices by name. */
  devices(): Promise<readonly DeviceRecord[]>;
  /** By id (removed ones too), else by the name it has now. */
  device(idOrName: string): Promise<DeviceRecord | undefined>;
  /** Undefined before the first import (at that revision): such a device has no goal. Error: `unknown-device`. */
  desiredDevice(device: string, at?: AtRevision): Promise<DesiredDevice | undefined>;
  /** The named part, or all, of one revision. Devices without an import and services that do not exist are left out. */
  desiredState(
    part: { readonly devices: readonly string[] | "all"; readonly services: readonly string[] | "all" },
    at?: AtRevision,
  ): Promise<DesiredState>;
  services(at?: AtRevision): Promise<readonly ServiceState[]>;
  service(name: string, at?: AtRevision): Promise<ServiceState | undefined>;
  /** What an instance owns and depends on, on all devices. */
  linksOf(service: string, at?: AtRevision): Promise<readonly ServiceLink[]>;
  definitions(at?: AtRevision): Promise<readonly DefinitionState[]>;
  currentRevision(): Promise<number>;
  revision(number: number): Promise<RevisionView | undefined>;
  /** Newest first. */
  revisions(range?: {
    readonly from?: number;
    readonly to?: number;
    readonly limit?: number;
  }): Promise<readonly RevisionView[]>;
  /** Newest revision at or before an instant; 0 when there was none. */
  revisionAt(time: Date): Promise<number>;
  /** What a revision changed, by device and path. Error: `unknown-revision`. */
  changesOf(revision: number): Promise<readonly ItemChange[]>;
  /** Newest first; empty for a path that never was. */
  history(device: string, path: string): Promise<readonly ItemVersion[]>;
  blame(device: string, path: string, at?: AtRevision): Promise<Blame>;
  evidence(device: string, path?: string): Promise<readonly (Evidence & { readonly revision: number })[]>;
  plans(): Promise<readonly PlanView[]>;
  plan(id: string): Promise<PlanView | undefined>;
  /** Approvals and refusals of a plan, oldest first. */
  approvals(plan: string): Promise<readonly ApprovalView[]>;
  /** The newest outcome of each device of a plan. */
  outcomes(plan: string): Promise<readonly OutcomeView[]>;
  decision(transaction: string): Promise<DecisionView | undefined>;
  conditions(subject?: Subject): Promise<readonly ConditionView[]>;
  condition(subject: Subject, type: string): Promise<ConditionView | undefined>;
  /** What the first delivery under an idempotency key was told; undefined when there was none. */
  answerTo(kind: JournalKind, key: string): Promise<string | undefined>;
}

const MAX_REVISIONS = 1000;
/** Type of the condition by which a service instance is paused. */
export const PAUSED = "Paused";

function saysPaused(condition: ConditionEntry): boolean {
  return condition.type === PAUSED && condition.status === "true";
}

export function createReads(read: Run, documents: DocumentStore): StoreReads {
  async function parse<T>(stored: ResultRow[string] | undefined): Promise<T> {
    return JSON.parse(await loadText(String(stored), documents)) as T;
  }
  async function forms<T>(statement: string, parameters: Parameters): Promise<readonly T[]> {
    return Promise.all((await read(statement, parameters)).map((row) => parse<T>(row["form"])));
  }
  async function firstForm<T>(statement: string, parameters: Parameters): Promise<T | undefined> {
    return (await forms<T>(statement, parameters))[0];
  }

  async function currentRevision(): Promise<number> {
    const [row] = await read(statements.CURRENT_REVISION);
    return Number(row?.["revision"] ?? 0);
  }
  const revisionOf = async (at: AtRevision | undefined) => at?.revision ?? (await currentRevision());

  async function device(idOrName: string): Promise<DeviceRecord | undefined> {
    return (
      (await firstForm<DeviceRecord>(statements.DEVICE, { id: idOrName })) ??
      (await firstForm<DeviceRecord>(statements.DEVICE_BY_NAME, { name: idOrName }))
    );
  }

  async function desiredDevice(id: string, at?: AtRevision): Promise<DesiredDevice | undefined> {
    const revision = await revisionOf(at);
    const record = await firstForm<DeviceRecord>(statements.DEVICE, { id });
    if (record === undefined) throw new StoreError("unknown-device", `there is no device ${id}`, { device: id });
    let moduleSet: string | undefined;
    const items = new Map<string, DesiredItem>();
    for (const row of await read(statements.VERSIONS_AT, { device: id, revision })) {
      if (row["state"] === "device") {
        moduleSet = (await parse<WholeDeviceForm>(row["form"])).moduleSet;
      } else {
        const form = await parse<ItemForm>(row["form"]);
        items.set(form.item.path, form);
      }
    }
    if (moduleSet === undefined) return undefined;
    const links = [
      ...(await forms<ServiceLink>(statements.OWNS_INTO_DEVICE, { device: id, revision })),
      ...(await forms<ServiceLink>(statements.DEPENDS_INTO_DEVICE, { device: id, revision })),
    ];
    return {
      device: id,
      name: record.name,
      moduleSet,
      items: sortedByPath(items),
      links: links.sort(byServiceAndPath),
    };
  }

  /** The scan of all conditions is cheaper than a lookup for each of many services. */
  async function services(at?: AtRevision): Promise<readonly ServiceState[]> {
    const rows = await read(statements.SERVICES_AT, { revision: await revisionOf(at) });
    const conditions = await forms<ConditionView>(statements.CONDITIONS, {});
    const paused = new Set(conditions.filter(saysPaused).map((one) => subjectKey(one.subject)));
    return Promise.all(
      rows.map(async (row) => {
        const name = String(row["service"]);
        return {
          name,
          ...(await parse<ServiceForm>(row["form"])),
          paused: paused.has(subjectKey({ kind: "service", name })),
        };
      }),
    );
  }
  async function service(name: string, at?: AtRevision): Promise<ServiceState | undefined> {
    const form = await firstForm<ServiceForm>(statements.SERVICE_AT, { service: name, revision: await revisionOf(at) });
    if (form === undefined) return undefined;
    const paused = await condition({ kind: "service", name }, PAUSED);
    return { name, ...form, paused: paused !== undefined && saysPaused(paused) };
  }
  async function definitions(at?: AtRevision): Promise<readonly DefinitionState[]> {
    return forms<DefinitionForm>(statements.DEFINITIONS_AT, { revision: await revisionOf(at) });
  }
  async function condition(subject: Subject, type: string): Promise<ConditionView | undefined> {
    return firstForm<ConditionView>(statements.CONDITION, { id: conditionId(subject, type) });
  }
  async function devices(): Promise<readonly DeviceRecord[]> {
    return (await forms<DeviceRecord>(statements.DEVICES, {})).filter((record) => record.state !== "removed");
  }

  async function revisionView(row: ResultRow): Promise<RevisionView> {
    const form = await parse<Omit<RevisionEntry, "revision">>(row["form"]);
    return { ...form, revision: Number(row["revision"]), record: Number(row["record"]), time: String(row["time"]) };
  }
  async function revision(number: number): Promise<RevisionView | undefined> {
    const [row] = await read(statements.REVISION, { id: number });
    return row === undefined ? undefined : revisionView(row);
  }

  async function planView(row: ResultRow): Promise<PlanView> {
    return {
      plan: await parse<PlanRecord>(row["form"]),
      state: String(row["state"]) as PlanState,
      opened: String(row["opened"]),
      latest: await parse<PlanView["latest"]>(row["latest"]),
    };
  }

  async function itemVersion(row: ResultRow): Promise<ItemVersion> {
    const until = Number(row["until"]);
    const span = { from: Number(row["since"]), until: until === Number.MAX_SAFE_INTEGER ? undefined : until };
    return row["state"] === "deleted"
      ? { kind: "deleted", ...span }
      : { kind: "present", ...span, ...(await parse<ItemForm>(row["form"])) };
  }

  async function* versionsOf(item: string): AsyncGenerator<ResultRow> {
    let [row] = await read(statements.CURRENT_VERSION, { item });
    while (row !== undefined) {
      yield row;
      [row] = await read(statements.PREVIOUS_OF, { id: String(row["id"]) });
    }
  }

  return {
    devices,
    device,
    desiredDevice,
    services,
    service,
    definitions,
    currentRevision,
    revision,
    condition,
    async desiredState(part, at) {
      const at_ = { revision: await revisionOf(at) };
      const ids = part.devices === "all" ? (await devices()).map((record) => record.id) : part.devices;
      const states =
        part.services === "all"
          ? await services(at_)
          : await Promise.all(part.services.map((name) => service(name, at_)));
      const found = await Promise.all(ids.map((id) => desiredDevice(id, at_)));
      return {
        revision: at_.revision,
        devices: new Map(found.flatMap((one) => (one === undefined ? [] : [[one.device, one] as const]))),
        services: new Map(states.flatMap((state) => (state === undefined ? [] : [[state.name, state] as const]))),
        definitions: new Map((await definitions(at_)).map((definition) => [definition.name, definition])),
      };
    },
    async linksOf(name, at) {
      const parameters = { service: name, revision: await revisionOf(at) };
      const owns = await forms<ServiceLink>(statements.OWNS_OF_SERVICE, parameters);
      const depends = await forms<ServiceLink>(statements.DEPENDS_OF_SERVICE, parameters);
      return [...owns, ...depends].sort(byServiceAndPath);
    },
    async revisions(range = {}) {
      const limit = Math.min(range.limit ?? MAX_REVISIONS, MAX_REVISIONS);
      const rows = await read(statements.REVISIONS, {
        from: range.from ?? 0,
        to: range.to ?? Number.MAX_SAFE_INTEGER,
        limit,
      });
      return Promise.all(rows.map(revisionView));
    },
    async revisionAt(time) {
      const [row] = await read(statements.REVISION_AT_TIME, { time: time.toISOString() });
      return Number(row?.["revision"] ?? 0);
    },
    async changesOf(number) {
      const view = await revision(number);
      if (view === undefined)
        throw new StoreError("unknown-revision", `there is no revision ${number}`, { revision: number });
      const changes: ItemChange[] = [];
      for (const id of view.devices) {
        for (const row of await read(statements.VERSIONS_OF_REVISION, { device: id, revision: number })) {
          if (row["state"] === "device") continue;
          const form = await parse<ItemForm | DeletedForm>(row["form"]);
          changes.push(
            "item" in form
              ? { device: id, path: form.item.path, item: form.item }
              : { device: id, path: form.path, item: undefined },
          );
        }
      }
      return changes.sort((a, b) => compareText(a.device, b.device) || compareText(a.path, b.path));
    },
    async history(id, path) {
      const versions: ItemVersion[] = [];
      for await (const row of versionsOf(itemId(id, path))) versions.push(await itemVersion(row));
      return versions;
    },
    async blame(id, path, at) {
      const number = await revisionOf(at);
      const item = itemId(id, path);
      let found: DesiredItem | undefined;
      for await (const row of versionsOf(item)) {
        if (Number(row["since"]) > number) continue;
        if (row["state"] === "present") found = await parse<ItemForm>(row["form"]);
        break;
      }
      const parameters = { item, revision: number };
      return {
        item: found,
        owners: await forms<ServiceLink>(statements.OWNERS_OF_ITEM, parameters),
        dependants: await forms<ServiceLink>(statements.DEPENDANTS_OF_ITEM, parameters),
      };
    },
    async evidence(id, path) {
      const rows =
        path === undefined
          ? await read(statements.EVIDENCE_ON_DEVICE, { device: id })
          : await read(statements.EVIDENCE_ON_ITEM, { item: itemId(id, path) });
      return Promise.all(
        rows.map(async (row) => ({ ...(await parse<Evidence>(row["form"])), revision: Number(row["revision"]) })),
      );
    },
    plans: async () => Promise.all((await read(statements.PLANS)).map(planView)),
    async plan(id) {
      const [row] = await read(statements.PLAN, { id });
      return row === undefined ? undefined : planView(row);
    },
    async approvals(plan) {
      const rows = await read(statements.APPROVALS, { plan });
      return Promise.all(
        rows.map(async (row): Promise<ApprovalView> => {
          return row["kind"] === "approval"
            ? { kind: "approval", ...(await parse<ApprovalEntry & Recorded>(row["form"])) }
            : { kind: "refusal", ...(await parse<RefusalEntry & Recorded>(row["form"])) };
        }),
      );
    },
    async outcomes(plan) {
      const newest = new Map<string, OutcomeView>();
      for (const outcome of await forms<OutcomeView>(statements.OUTCOMES, { plan }))
        newest.set(outcome.device, outcome);
      return [...newest.values()].sort((a, b) => compareText(a.device, b.device));
    },
    decision: (transaction) => firstForm<DecisionView>(statements.DECISION, { id: transaction }),
    conditions: (subject) =>
      subject === undefined
        ? forms<ConditionView>(statements.CONDITIONS, {})
        : forms<ConditionView>(statements.CONDITIONS_OF, { subject: subjectKey(subject) }),
    async answerTo(kind, key) {
      const [row] = await read(statements.KEY, { id: idempotencyId(kind, key) });
      return row === undefined ? undefined : String(row["answer"]);
    },
  };
}

function byServiceAndPath(a: ServiceLink, b: ServiceLink): number {
  return (
    compareText(a.service, b.service) ||
    compareText(a.device, b.device) ||
    compareText(a.path, b.path) ||
    compareText(a.relation, b.relation)
  );
}

function sortedByPath(items: ReadonlyMap<string, DesiredItem>): ReadonlyMap<string, DesiredItem> {
  return new Map([...items].sort(([a], [b]) => compareText(a, b)));
}
