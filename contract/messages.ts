/**
 * Names and arguments of updates, signals and queries of `planAndApply` and `applyTransaction`. An update and a signal
 * share the name `approve`: one code path serves the API and a plain Temporal client.
 */
import type { DeviceOutcome, PlanState } from "./plan-state.ts";

export const Message = {
  approve: "approve",
  reject: "reject",
  withdraw: "withdraw",
  apply: "apply",
  cancel: "cancel",
  retry: "retry",
  progress: "progress",
} as const;

/** A person's yes. It binds (plan id, digest). */
export interface ApproveArgs {
  readonly digest: string;
  readonly approver: string;
  readonly comment: string | undefined;
  /** Approve now, apply at `plan apply`. */
  readonly hold: "hold" | "start";
}

export interface DecisionArgs {
  readonly actor: string;
  readonly comment: string | undefined;
}

export interface RetryArgs {
  readonly actor: string;
  readonly device: string;
}

export type MessageAnswer =
  | { readonly kind: "accepted"; readonly state: PlanState }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export type DevicePhase =
  | "waiting"
  | "checking"
  | "preparing"
  | "prepared"
  | "confirming"
  | "cancelling"
  | "settling"
  | "done";

export interface PlanProgress {
  readonly plan: string;
  readonly state: PlanState;
  readonly digest: string | undefined;
  /** What is being waited for, in one line. */
  readonly waitingFor: string | undefined;
  readonly devices: readonly {
    readonly device: string;
    readonly phase: DevicePhase;
    readonly outcome: DeviceOutcome | undefined;
  }[];
}

export interface TransactionProgress {
  readonly transaction: string;
  readonly decided: "confirm" | "abort" | undefined;
  readonly devices: PlanProgress["devices"];
}
