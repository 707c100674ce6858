/**
 * What the HTTP API of the graph's owner takes and answers (paths below `/v1`). The command line and the console are
 * written against these shapes alone. Members that are `undefined` are absent on the wire.
 */
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Item } from "../model/item.ts";
import type { Value } from "../model/value.ts";
import type { Evidence, LinkRelation, ServiceLink, ServiceStatus, Setter } from "../services/desired-state.ts";
import type { LockRequest, RevisionCause } from "./activities.ts";
import type { HostKeyPolicy } from "./device-reference.ts";
import type { DevicePhase } from "./messages.ts";
import type { DeviceOutcome, PlanDirection, PlanState, TransactionPolicy } from "./plan-state.ts";

/** Header that names the acting person, percent-encoded, until there are users. */
export const ACTOR_HEADER = "x-tenure-actor";
/** The longest that one request waits, in seconds; who wants to wait longer asks again. */
export const MAX_WAIT_SECONDS = 25;

/** Every answer with an error status. Programs match on `code`, never on `message`. */
export interface ApiErrorBody {
  readonly code: string;
  readonly message: string;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  /** How many diagnostics were left out. */
  readonly omitted?: number | undefined;
  readonly remedy?: string | undefined;
}

/* ---------------------------------------------------------------- work that runs ---- */

/** Work that was started. `run` is the Temporal workflow id, for Temporal's own UI too. */
export interface StartedRun {
  readonly run: string;
}
export interface StartedDevice extends StartedRun {
  readonly device: string;
  readonly name: string;
}
/** A put, a removal, a rollback or a drift plan on its way to a plan. */
export interface StartedSubmission extends StartedRun {
  readonly submission: string;
  readonly plan: string;
}
export type RunView<T> =
  | { readonly kind: "running"; readonly run: string }
  | { readonly kind: "completed"; readonly run: string; readonly result: T }
  | { readonly kind: "failed"; readonly run: string; readonly error: ApiErrorBody };
export type SubmissionView =
  | { readonly kind: "running"; readonly submission: string; readonly plan: string }
  | { readonly kind: "planned"; readonly submission: string; readonly plan: PlanSummary }
  /** A preview, or a record: then with the revision that it became. */
  | {
      readonly kind: "compiled";
      readonly submission: string;
      readonly proposal: string;
      readonly revision: number | undefined;
    }
  | { readonly kind: "failed"; readonly submission: string; readonly plan: string; readonly error: ApiErrorBody };

/* ---------------------------------------------------------------- requests ---- */

export interface DeviceSettings {
  /** `HOST:PORT`, an IPv6 host in brackets; without port the protocol's own. */
  readonly address: string;
  readonly credentials: string;
  readonly provider?: string | undefined;
  readonly profile?: string | undefined;
  readonly hostKey?: HostKeyPolicy | undefined;
  /** Module texts, for a device that cannot give its own. */
  readonly modules?: readonly { readonly name: string; readonly text: string }[] | undefined;
}
export interface AddDeviceRequest extends DeviceSettings {
  readonly name: string;
}
export type SetDeviceRequest = Partial<DeviceSettings>;
/** Names or ids; none: all managed devices. */
export interface DevicesRequest {
  readonly devices?: readonly string[] | undefined;
}
export interface ImportRequest extends DevicesRequest {
  readonly mode: "record" | "preview";
  readonly empty: "refuse" | "allow";
}
export interface ChangeOptions {
  readonly mode: "plan" | "preview" | "record";
  readonly policy?: TransactionPolicy | undefined;
  readonly includeDrift?: "include" | "leave" | undefined;
  readonly unrelated?: "refuse" | "allow" | undefined;
}
export interface PutServicesRequest extends ChangeOptions {
  readonly files: readonly { readonly name: string; readonly text: string }[];
}
export type RemoveServiceRequest = ChangeOptions;
/** Devices by name or id; none: all. */
export interface RollbackRequest extends ChangeOptions, DevicesRequest {
  readonly to: number;
}
export interface CreatePlanRequest extends DevicesRequest {
  readonly direction: "enforce" | "accept";
  readonly paths?: readonly string[] | undefined;
  readonly policy?: TransactionPolicy | undefined;
  readonly unrelated?: "refuse" | "allow" | undefined;
}
export interface ApprovePlanRequest {
  readonly digest: string;
  readonly comment?: string | undefined;
  readonly hold?: "hold" | "start" | undefined;
}
export interface DecidePlanRequest {
  readonly comment?: string | undefined;
}
export interface DecisionAnswer {
  readonly plan: string;
  readonly state: PlanState;
  /** Said at every approval that a policy lets the author give. */
  readonly notice?: string | undefined;
}

/* ---------------------------------------------------------------- views ---- */

export interface HealthView {
  readonly version: string;
  readonly pid: number;
  readonly dataFolder: string;
  readonly revision: number;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly ui: string | undefined };
}

export type SyncState =
  /** No import yet: there is no desired state to compare with. */
  | { readonly kind: "not-imported" }
  /** Desired state has changed since the device was last compared, or it never was: not known for `desired`. */
  | {
      readonly kind: "unchecked";
      /** Newest revision that wrote the device. */
      readonly desired: number;
      /** What was found of an earlier one. */
      readonly last:
        | { readonly kind: "in-sync" | "drift"; readonly revision: number; readonly since: string }
        | undefined;
    }
  | { readonly kind: "in-sync"; readonly revision: number; readonly since: string }
  | { readonly kind: "drift"; readonly revision: number; readonly since: string; readonly message: string };

export interface DeviceView {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly address: string;
  readonly credentials: string;
  readonly hostKey: HostKeyPolicy;
  readonly profile: { readonly name: string | undefined; readonly chosen: "named" | "announced" };
  readonly moduleSet: string | undefined;
  readonly state: "managed" | "paused" | "removed";
  readonly sync: SyncState;
}
export interface ConditionLine {
  readonly type: string;
  readonly status: "true" | "false" | "unknown";
  readonly reason: string;
  readonly message: string;
  readonly path: string | undefined;
  /** Revision that it was found on. */
  readonly revision: number | undefined;
  /** `earlier`: what it is about has changed since `revision`, so that it says nothing of the present. */
  readonly describes: "current" | "earlier";
  readonly time: string;
}
export interface DeviceDetail extends DeviceView {
  readonly conditions: readonly ConditionLine[];
  readonly services: readonly string[];
  readonly openPlans: readonly string[];
}

export interface LockLine {
  readonly request: LockRequest;
  readonly since: string;
  /** Undefined while it waits. */
  readonly token: number | undefined;
}
export interface StatusView {
  readonly health: HealthView;
  readonly devices: readonly DeviceView[];
  readonly openPlans: readonly PlanSummary[];
  readonly inconsistentServices: readonly string[];
  readonly pausedServices: readonly string[];
  readonly holders: readonly LockLine[];
  readonly waiters: readonly LockLine[];
}

export interface PlanSummary {
  readonly plan: string;
  readonly digest: string;
  readonly direction: PlanDirection;
  readonly policy: TransactionPolicy;
  readonly author: string;
  readonly state: PlanState;
  readonly opened: string;
  readonly since: string;
  readonly operations: number;
  readonly proposal: string | undefined;
  readonly follows: string | undefined;
  /** Why it is in this state, where something is to be said. */
  readonly reason: string | undefined;
  readonly revision: number | undefined;
}
export interface PlanApproval {
  readonly kind: "approval" | "refusal";
  readonly actor: string;
  readonly what: string;
  readonly message: string | undefined;
  readonly time: string;
}
export interface PlanDetail extends PlanSummary {
  /** Section digests by device name: what the header, whose digest the plan's is, says. */
  readonly sections: Readonly<Record<string, string>>;
  readonly approvals: readonly PlanApproval[];
  readonly outcomes: readonly PlanOutcome[];
}
export interface PlanOutcome extends DeviceOutcome {
  readonly name: string;
}
export interface PlanProgressView {
  readonly plan: string;
  readonly state: PlanState;
  readonly waitingFor: string | undefined;
  readonly devices: readonly { readonly device: string; readonly name: string; readonly phase: DevicePhase }[];
}

export interface ServiceView {
  readonly name: string;
  readonly definition: { readonly name: string; readonly version: string };
  readonly targets: readonly string[];
  /** Its devices by name. */
  readonly status: ServiceStatus;
  readonly revision: number;
  /** Of now, and so of no earlier revision: undefined where one was asked for. */
  readonly paused: "paused" | "active" | undefined;
}
export interface ServiceDetail extends ServiceView {
  readonly parameters: unknown;
  /** What was found of it lately; none where an earlier revision was asked for. */
  readonly conditions: readonly ConditionLine[];
  readonly links: readonly (Pick<ServiceLink, "path" | "relation" | "value" | "scope" | "onRemove"> & {
    readonly device: string;
  })[];
}
export interface DefinitionView {
  readonly name: string;
  readonly version: string;
  readonly document: string;
  readonly revision: number;
}
export interface DefinitionDetail extends DefinitionView {
  readonly content: unknown;
}

export interface RevisionLine {
  readonly revision: number;
  readonly time: string;
  readonly actor: string;
  readonly cause: RevisionCause;
  readonly devices: readonly string[];
}
export type HistoryLine =
  | {
      readonly kind: "present" | "deleted";
      readonly from: number;
      readonly until: number | undefined;
      /** Undefined: it was deleted in `from`. */
      readonly item: Item | undefined;
      readonly setBy: Setter | undefined;
      readonly time: string | undefined;
      readonly actor: string | undefined;
      /** Why the revision exists; undefined where its row was pruned. An import names its observation. */
      readonly cause: RevisionCause | undefined;
      /** What the observation of that revision had to say of the item. */
      readonly evidence: Pick<Evidence, "kind" | "expected" | "found" | "observation" | "services"> | undefined;
    }
  /** What the item was before that revision may have been dropped. */
  | { readonly kind: "pruned"; readonly until: number };
export interface BlameLine {
  readonly path: string;
  /** Undefined, as are `setBy` and `since`: not there, though services own it or depend on it. */
  readonly item: Item | undefined;
  readonly setBy: Setter | undefined;
  readonly since: number | undefined;
  readonly retained: boolean;
  readonly owners: readonly string[];
  readonly dependants: readonly { readonly service: string; readonly value: Value | undefined }[];
}
/** What an instance is, beside its links and status. */
export interface InstanceForm {
  readonly definition: { readonly name: string; readonly version: string; readonly document: string };
  readonly parameters: unknown;
  readonly targets: readonly string[];
}
/** From `from` to `to`, in that direction; `from` may be the later one. Devices by name. */
export interface DiffView {
  readonly from: number;
  readonly to: number;
  /** Devices that have (another) configuration model. */
  readonly moduleSets: readonly {
    readonly device: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  readonly items: readonly {
    readonly device: string;
    readonly path: string;
    readonly before: Item | undefined;
    readonly after: Item | undefined;
  }[];
  /** Owners and dependants. */
  readonly links: readonly {
    readonly device: string;
    readonly path: string;
    readonly service: string;
    readonly relation: LinkRelation;
    readonly change: "added" | "removed" | "changed";
    /** What was and is required of the item. */
    readonly before: Value | undefined;
    readonly after: Value | undefined;
  }[];
  readonly services: readonly {
    readonly service: string;
    readonly change: "added" | "removed" | "changed";
    /** What differs, where it is there before and after. */
    readonly differs: readonly ("definition" | "parameters" | "targets")[];
    readonly before: InstanceForm | undefined;
    readonly after: InstanceForm | undefined;
  }[];
  /** Undefined where the instance is not there. Devices by name. */
  readonly statuses: readonly {
    readonly service: string;
    readonly before: ServiceStatus | undefined;
    readonly after: ServiceStatus | undefined;
  }[];
  readonly definitions: readonly {
    readonly definition: string;
    readonly before: { readonly version: string; readonly document: string } | undefined;
    readonly after: { readonly version: string; readonly document: string } | undefined;
  }[];
}
export interface CheckView {
  readonly findings: readonly { readonly code: string; readonly place: string }[];
}

/* ---- history and backups ---- */

/** What a prune dropped, or would drop. */
export interface PruneView {
  readonly alreadyThere: boolean;
  /** Journal records and their bytes; undefined: no segment is old enough. */
  readonly dropped:
    | { readonly first: number; readonly last: number; readonly revisions: number; readonly bytes: number }
    | undefined;
  /** Oldest revision that can still be told. */
  readonly prunedAt: { readonly revision: number; readonly time: string } | undefined;
  /** Time of the newest record in the oldest segment that stays. */
  readonly oldestKept: string | undefined;
  readonly documents: { readonly count: number; readonly bytes: number };
}

export interface BackupView {
  readonly folder: string;
  readonly time: string;
  readonly records: { readonly first: number; readonly last: number; readonly digest: string };
  readonly revision: number;
  /** Ids of the keys without which its secrets cannot be read; they are not in it. */
  readonly secretKeys: readonly string[];
  readonly documents: { readonly count: number; readonly bytes: number };
}
