import { PlanState } from "../contract/plan-state.ts";

const AFTER_WAITING = [
  PlanState.held,
  PlanState.applying,
  PlanState.applied,
  PlanState.stale,
  PlanState.rejected,
  PlanState.withdrawn,
  PlanState.expired,
  PlanState.cancelled,
  PlanState.failed,
] as const;

/** Which state may follow which. A state that is final stays, but a `partial` plan may be retried device by device. */
const FOLLOWING: Readonly<Record<PlanState, readonly PlanState[]>> = {
  planning: [PlanState.waiting, ...AFTER_WAITING],
  waiting: AFTER_WAITING,
  held: [
    PlanState.applying,
    PlanState.stale,
    PlanState.rejected,
    PlanState.withdrawn,
    PlanState.expired,
    PlanState.cancelled,
    PlanState.failed,
  ],
  applying: [
    PlanState.applied,
    PlanState.partial,
    PlanState.aborted,
    PlanState.stale,
    PlanState.expired,
    PlanState.cancelled,
    PlanState.failed,
  ],
  partial: [PlanState.applying, PlanState.applied],
  applied: [],
  aborted: [],
  stale: [],
  rejected: [],
  withdrawn: [],
  expired: [],
  cancelled: [],
  failed: [],
};

export function mayFollow(from: PlanState, to: PlanState): boolean {
  return FOLLOWING[from].includes(to);
}

/** False for a state that stands for ever. */
export function mayChange(state: PlanState): boolean {
  return FOLLOWING[state].length > 0;
}
