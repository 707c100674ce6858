/** Inputs and results of the workflows. Configuration never travels here: only ids, digests and counts. */
import type { DeviceReference } from "./device-reference.ts";
import type { DeviceOutcome, PlanDirection, PlanState, TransactionPolicy } from "./plan-state.ts";

/** Names under which workflows are registered. */
export const WorkflowName = {
  addDevice: "addDevice",
  importDevices: "importDevices",
  checkDrift: "checkDrift",
  changeService: "changeService",
  planAndApply: "planAndApply",
  applyTransaction: "applyTransaction",
} as const;

/** Workflow ids are made of business ids, so that the same submission cannot run twice. */
export const workflowId = {
  addDevice: (deviceId: string) => `device/${deviceId}`,
  importDevices: (submission: string) => `import/${submission}`,
  checkDrift: (submission: string) => `drift/${submission}`,
  changeService: (submission: string) => `change/${submission}`,
  planAndApply: (plan: string) => `plan/${plan}`,
  applyTransaction: (transaction: string) => `apply/${transaction}`,
} as const;

export interface AddDeviceInput {
  /** Business id of the request; a second delivery is the same request. */
  readonly submission: string;
  readonly device: DeviceReference;
  readonly actor: string;
  /** Digest of a document with module texts by name, for a device that cannot give its schemas. */
  readonly modules: string | undefined;
}
export interface AddDeviceResult {
  readonly device: DeviceReference;
  readonly modules: number;
  readonly profile: string;
}

export interface ImportDevicesInput {
  readonly submission: string;
  readonly devices: readonly string[];
  readonly actor: string;
  readonly mode: "record" | "preview";
  readonly empty: "refuse" | "allow";
}
/** One line of an import: what the new revision says of this device. */
export type ImportOutcome =
  | {
      readonly kind: "imported";
      readonly device: string;
      readonly revision: number;
      readonly items: number;
      /** Added or with another value; a type that changes alone is counted under `retyped`. */
      readonly changed: number;
      readonly removed: number;
      readonly retyped: number;
      /** Of the removed: those that the device's new module set has no place or value for. */
      readonly unfit: number;
      /** Services that become another status, or require what the device lacks or contradicts. */
      readonly affectedServices: readonly string[];
      readonly evidence: number;
      /** Digest of the ImportReport, which lists all of it. */
      readonly report: string;
    }
  | { readonly kind: "unchanged"; readonly device: string; readonly items: number }
  | { readonly kind: "failed"; readonly device: string; readonly code: string; readonly message: string };
export interface ImportDevicesResult {
  readonly outcomes: readonly ImportOutcome[];
}

export interface CheckDriftInput {
  readonly submission: string;
  readonly devices: readonly string[];
  readonly actor: string;
}
export type DriftOutcome =
  | { readonly kind: "in-sync"; readonly device: string; readonly revision: number }
  | {
      readonly kind: "drift";
      readonly device: string;
      readonly revision: number;
      readonly operations: number;
      /** Digest of the section document that shows the operations an enforce plan would have. */
      readonly section: string;
    }
  | { readonly kind: "failed"; readonly device: string; readonly code: string; readonly message: string };
export interface CheckDriftResult {
  readonly outcomes: readonly DriftOutcome[];
}

/** What a change is made of. */
export type Submission =
  | { readonly kind: "put" /** Digest of a SubmissionDocument. */; readonly document: string }
  | { readonly kind: "remove"; readonly service: string }
  /** Configuration, links, instances and definitions of revision `to`; of these devices (ids), or of all. */
  | { readonly kind: "rollback"; readonly to: number; readonly devices: readonly string[] | "all" };

export interface PlanOptions {
  readonly policy: TransactionPolicy;
  readonly includeDrift: "include" | "leave";
  readonly unrelated: "refuse" | "allow";
}

export interface ChangeServiceInput {
  readonly submissionId: string;
  readonly plan: string;
  readonly submission: Submission;
  readonly actor: string;
  readonly mode: "plan" | "preview" | "record";
  readonly options: PlanOptions;
  /** Undefined: `DEFAULT_TIMING`. */
  readonly timing: TransactionTiming | undefined;
}
export interface ChangeServiceResult {
  readonly proposal: string;
  /** Undefined for a preview, a record, and a rollback that finds everything as it was. */
  readonly plan: PlanResult | undefined;
  /** Set under `record`. */
  readonly revision: number | undefined;
}

export type PlanSource =
  /** A proposal: its document, its revision body, and the devices it touches. */
  | {
      readonly kind: "change";
      readonly proposal: string;
      /** Undefined: desired state stays as it is. */
      readonly body: string | undefined;
      readonly devices: readonly string[];
      /** Lock keys of the instances and definitions that the body writes or was compiled from. */
      readonly keys: readonly string[];
    }
  | {
      readonly kind: "drift";
      readonly direction: "enforce" | "accept";
      readonly devices: readonly string[];
      readonly paths: readonly string[];
    };

export interface PlanAndApplyInput {
  readonly plan: string;
  readonly actor: string;
  readonly source: PlanSource;
  readonly options: PlanOptions;
  readonly timing: TransactionTiming;
}
/** Milliseconds. The window is the confirm time-out of a prepared device, the reserve what is kept back to confirm in. */
export interface TransactionTiming {
  readonly confirmWindowMs: number;
  readonly reserveMs: number;
}
export const DEFAULT_TIMING: TransactionTiming = { confirmWindowMs: 600_000, reserveMs: 120_000 };

export interface PlanResult {
  readonly plan: string;
  readonly digest: string | undefined;
  readonly direction: PlanDirection;
  readonly state: PlanState;
  readonly revision: number | undefined;
  readonly outcomes: readonly DeviceOutcome[];
}

export interface TransactionDevice {
  /** Device id. */
  readonly device: string;
  readonly section: string;
  /** 0: nothing is written; the device only has to stand where the plan saw it. */
  readonly operations: number;
}
export interface ApplyTransactionInput {
  readonly transaction: string;
  readonly plan: string;
  readonly digest: string;
  readonly actor: string;
  /** What the revision is for, where there is a body. */
  readonly direction: PlanDirection;
  readonly devices: readonly TransactionDevice[];
  /** Lock keys beside the devices: `instance/<name>`, `definition/<name>`. */
  readonly keys: readonly string[];
  /** Revision body that becomes desired state at the decision; undefined when none does. */
  readonly body: string | undefined;
  readonly unrelated: "refuse" | "allow";
  readonly timing: TransactionTiming;
}
export interface ApplyTransactionResult {
  readonly kind: "applied" | "partial" | "aborted" | "stale" | "cancelled";
  readonly revision: number | undefined;
  readonly outcomes: readonly DeviceOutcome[];
  /** Why nothing was done, in one line, for stale, aborted and cancelled. */
  readonly reason: string | undefined;
}
