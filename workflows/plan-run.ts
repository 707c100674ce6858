/** What `planAndApply` knows of its plan, and how it shows it: journal, query, search attribute, current details. */
import { setCurrentDetails, upsertSearchAttributes, type ChildWorkflowHandle } from "@temporalio/workflow";
import type { StoredPlan } from "../contract/activities.ts";
import type { DecisionArgs, PlanProgress } from "../contract/messages.ts";
import { type DeviceOutcome, type PlanDirection, PlanState } from "../contract/plan-state.ts";
import type { PlanAndApplyInput, PlanResult } from "../contract/workflows.ts";
import { graph } from "./activity-proxies.ts";
import type { applyTransaction } from "./apply-transaction.ts";

export interface PlanRun {
  readonly input: PlanAndApplyInput;
  state: PlanState;
  /** A handler has taken the state and waits for its activity. */
  busy: boolean;
  /** Somebody wants it to end; what has been decided still stands. */
  cancelRequested: boolean;
  stored: StoredPlan | undefined;
  start: "no" | "yes";
  /** Transactions that run now; the handle is there once the child has started. */
  readonly running: Map<string, ChildWorkflowHandle<typeof applyTransaction> | undefined>;
  /** Transactions that have not been started, while the plan is applied. */
  unstarted: number;
  outcomes: readonly DeviceOutcome[];
  reason: string | undefined;
  revision: number | undefined;
}

export function newPlanRun(input: PlanAndApplyInput): PlanRun {
  return {
    input,
    state: PlanState.planning,
    busy: false,
    cancelRequested: false,
    stored: undefined,
    start: "no",
    running: new Map(),
    unstarted: 0,
    outcomes: [],
    reason: undefined,
    revision: undefined,
  };
}

/** A flag that handlers set while the caller awaits; read through a call, because the compiler keeps what it saw before. */
export function isCancelRequested(run: PlanRun): boolean {
  return run.cancelRequested;
}

export function directionOf(input: PlanAndApplyInput): PlanDirection {
  return input.source.kind === "change" ? "change" : input.source.direction;
}

/** Every change of state is journalled; the journal, not the workflow, is what lists and audit read. */
export async function enter(run: PlanRun, state: PlanState, decision?: DecisionArgs): Promise<void> {
  enterRecorded(run, state);
  await graph.recordPlanState({
    plan: run.input.plan,
    state,
    decision,
    revision: run.revision,
    outcomes: run.outcomes,
    reason: run.reason,
  });
}

/** For a state that the journal has entered already, in the record that led to it. */
export function enterRecorded(run: PlanRun, state: PlanState): void {
  run.state = state;
  upsertSearchAttributes({ TenurePhase: [state] });
  showPlan(run);
}

export function resultOf(run: PlanRun): PlanResult {
  return {
    plan: run.input.plan,
    digest: run.stored?.digest,
    direction: directionOf(run.input),
    state: run.state,
    revision: run.revision,
    outcomes: run.outcomes,
  };
}

export function progressOf(run: PlanRun): PlanProgress {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.device, outcome]));
  return {
    plan: run.input.plan,
    state: run.state,
    digest: run.stored?.digest,
    waitingFor: waitingFor(run),
    devices: run.input.source.devices.map((device) => {
      const outcome = outcomes.get(device);
      return { device, phase: outcome === undefined ? "waiting" : "done", outcome };
    }),
  };
}

function waitingFor(run: PlanRun): string | undefined {
  switch (run.state) {
    case PlanState.waiting:
      return `approval of digest ${run.stored?.digest ?? ""}`;
    case PlanState.held:
      return "plan apply";
    case PlanState.applying:
      return `${run.running.size + run.unstarted} transaction(s)`;
    default:
      return undefined;
  }
}

/** For someone who has only Temporal's UI. */
export function showPlan(run: PlanRun): void {
  const { input, stored, reason } = run;
  const waiting = waitingFor(run);
  setCurrentDetails(
    [
      `**Plan ${input.plan}** by ${input.actor}: ${run.state}`,
      `${input.source.devices.length} device(s), ${stored?.operations ?? 0} operation(s), ${input.options.policy}`,
      ...(waiting === undefined ? [] : [`Waits for ${waiting}`]),
      ...(reason === undefined ? [] : [`Reason: ${reason}`]),
      ...[...run.running.keys()].slice(0, 30).map((transaction) => `- transaction ${transaction} runs`),
    ].join("\n"),
  );
}
