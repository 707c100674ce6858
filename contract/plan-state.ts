/** States of a plan and outcomes of a device: the same words in CLI, API, journal and Temporal. */
export const PlanState = {
  planning: "planning",
  waiting: "waiting",
  held: "held",
  applying: "applying",
  applied: "applied",
  partial: "partial",
  aborted: "aborted",
  stale: "stale",
  rejected: "rejected",
  withdrawn: "withdrawn",
  expired: "expired",
  cancelled: "cancelled",
  failed: "failed",
} as const;
export type PlanState = (typeof PlanState)[keyof typeof PlanState];

/** A plan in one of these states never changes again (a per-device `partial` may be retried device by device). */
export const FINAL_PLAN_STATES: ReadonlySet<PlanState> = new Set([
  PlanState.applied,
  PlanState.partial,
  PlanState.aborted,
  PlanState.stale,
  PlanState.rejected,
  PlanState.withdrawn,
  PlanState.expired,
  PlanState.cancelled,
  PlanState.failed,
]);

export type DeviceOutcomeKind =
  | "applied"
  | "not-applied"
  | "rolled-back"
  | "compensated"
  | "compensation-refused"
  | "unknown";

export interface DeviceOutcome {
  readonly device: string;
  readonly kind: DeviceOutcomeKind;
  /** One line for people: why, or what differs. */
  readonly message: string | undefined;
  /** Digest of the observation that shows it, where there is one. */
  readonly observation: string | undefined;
  /** Paths whose value on the device differs from the planned one, cut to a page. */
  readonly differences: readonly PathDifference[];
}

export interface PathDifference {
  readonly path: string;
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

export type { PlanDirection, TransactionPolicy } from "../plan/plan-document.ts";
