/** What a transaction knows of its devices, and how it shows it: query, current details, outcomes. */
import { setCurrentDetails } from "@temporalio/workflow";
import type { WriteTicket } from "../contract/activities.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { DevicePhase, TransactionProgress } from "../contract/messages.ts";
import type { DeviceOutcome, PathDifference } from "../contract/plan-state.ts";
import type { ApplyTransactionInput, ApplyTransactionResult, TransactionDevice } from "../contract/workflows.ts";
import { graph } from "./activity-proxies.ts";
import { cutOutcomes, cutText } from "./cut-outcomes.ts";

export interface DeviceRun {
  readonly target: TransactionDevice;
  /** Known from step 0 on. */
  reference: DeviceReference | undefined;
  phase: DevicePhase;
  attempts: number;
  /** The ticket under which something may stand on the device. */
  ticket: WriteTicket | undefined;
  /** Digest of what the device made itself beyond the plan, as its read-back showed. */
  adopted: string | undefined;
  /** Why it could not be prepared. */
  failure: string | undefined;
  outcome: DeviceOutcome | undefined;
}

export interface TransactionState {
  readonly input: ApplyTransactionInput;
  readonly runs: readonly DeviceRun[];
  cancelRequested: boolean;
  /** A device failed for good: the others start no further attempt. */
  failed: boolean;
  decided: "confirm" | "abort" | undefined;
}

export function newState(input: ApplyTransactionInput): TransactionState {
  const runs = input.devices.map(
    (target): DeviceRun => ({
      target,
      reference: undefined,
      phase: "waiting",
      attempts: 0,
      ticket: undefined,
      adopted: undefined,
      failure: undefined,
      outcome: undefined,
    }),
  );
  return { input, runs, cancelRequested: false, failed: false, decided: undefined };
}

/** A flag that handlers set while the caller awaits; read through a call, because the compiler keeps what it saw before. */
export function isCancelRequested(state: TransactionState): boolean {
  return state.cancelRequested;
}

export function progressOf(state: TransactionState): TransactionProgress {
  const outcomes = new Map(outcomesOf(state).map((outcome) => [outcome.device, outcome]));
  return {
    transaction: state.input.transaction,
    decided: state.decided,
    devices: state.runs.map(({ target: { device }, phase }) => ({ device, phase, outcome: outcomes.get(device) })),
  };
}

export function enterPhase(state: TransactionState, run: DeviceRun, phase: DevicePhase): void {
  run.phase = phase;
  show(state);
}

export interface FinishOptions {
  readonly message?: string | undefined;
  readonly observation?: string | undefined;
  readonly differences?: readonly PathDifference[];
}

export function finish(
  state: TransactionState,
  run: DeviceRun,
  kind: DeviceOutcome["kind"],
  options: FinishOptions = {},
): void {
  const { message, observation, differences = [] } = options;
  run.outcome = { device: run.target.device, kind, message, observation, differences };
  enterPhase(state, run, "done");
}

/** Ends the transaction: a device that has no outcome yet was not touched. */
export function ended(
  state: TransactionState,
  kind: ApplyTransactionResult["kind"],
  { reason, revision }: { readonly reason?: string | undefined; readonly revision?: number | undefined } = {},
): ApplyTransactionResult {
  for (const run of state.runs) if (run.outcome === undefined) finish(state, run, "not-applied", { message: reason });
  return {
    kind,
    revision,
    reason: reason === undefined ? undefined : cutText(reason, 2_000),
    outcomes: outcomesOf(state),
  };
}

function outcomesOf(state: TransactionState): readonly DeviceOutcome[] {
  return cutOutcomes(state.runs.map((run) => run.outcome).filter((outcome) => outcome !== undefined));
}

/** The persist id is made before anything is sent, and known to the owner before that: a successor can always find it. */
export async function newTicket(
  state: TransactionState,
  run: DeviceRun,
  token: number,
  phase: WriteTicket["phase"],
): Promise<WriteTicket> {
  run.attempts += 1;
  const { device, section } = run.target;
  const { transaction } = state.input;
  const ticket: WriteTicket = {
    transaction,
    token,
    persistId: `${transaction}/${device}/${run.attempts}`,
    section,
    phase,
  };
  await graph.recordPrepared({ transaction, prepared: { device, section, persistId: ticket.persistId } });
  return ticket;
}

export function referenceOf(run: DeviceRun): DeviceReference {
  if (run.reference === undefined) throw new Error(`device ${run.target.device} has no reference yet`);
  return run.reference;
}

export function nameOf(run: DeviceRun): string {
  return run.reference?.name ?? run.target.device;
}

export function differencesLine(differences: readonly PathDifference[]): string {
  const first = differences
    .slice(0, 3)
    .map((each) => `${each.path} (expected ${each.expected ?? "nothing"}, found ${each.found ?? "nothing"})`);
  return first.join(", ") + (differences.length > 3 ? ` and ${differences.length - 3} more` : "");
}

const SHOWN_DEVICES = 30;

/** For someone who has only Temporal's UI: what stands, and what is waited for. */
function show(state: TransactionState): void {
  const open = state.runs.filter((run) => run.phase !== "done");
  const lines = open
    .slice(0, SHOWN_DEVICES)
    .map((run) => `- ${nameOf(run)}: ${run.phase}${run.attempts > 1 ? ` (attempt ${run.attempts})` : ""}`);
  if (open.length > SHOWN_DEVICES) lines.push(`- and ${open.length - SHOWN_DEVICES} more`);
  setCurrentDetails(
    [
      `**Transaction ${state.input.transaction}** of plan ${state.input.plan}: ${state.decided === undefined ? "undecided" : `decided ${state.decided}`}`,
      `${state.runs.length - open.length} of ${state.runs.length} device(s) done`,
      ...lines,
    ].join("\n"),
  );
}
