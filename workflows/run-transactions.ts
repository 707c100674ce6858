/** An approved plan becomes transactions: one of all its devices, or one of each. */
import { ParentClosePolicy, startChild, workflowInfo } from "@temporalio/workflow";
import { Message } from "../contract/messages.ts";
import { PlanState } from "../contract/plan-state.ts";
import {
  type ApplyTransactionInput,
  type ApplyTransactionResult,
  type TransactionDevice,
  workflowId,
} from "../contract/workflows.ts";
import { graph } from "./activity-proxies.ts";
import { applyTransaction } from "./apply-transaction.ts";
import { cutOutcomes } from "./cut-outcomes.ts";
import { failureWords } from "./failure-words.ts";
import { DEVICE_WINDOW, inWindows } from "./in-windows.ts";
import type { MadePlan } from "./make-plan.ts";
import { type PlanRun, directionOf, enter, isCancelRequested, showPlan } from "./plan-run.ts";
import { withLocks } from "./with-locks.ts";

export async function applyTogether(run: PlanRun, made: MadePlan): Promise<void> {
  run.unstarted = 1;
  await enter(run, PlanState.applying);
  const result = await runTransaction(
    run,
    transactionInput(run, made, { transaction: run.input.plan, devices: made.devices, body: made.body }),
  );
  run.outcomes = result.outcomes;
  run.revision = result.revision;
  // Who cancelled, and why, is said in the plan; the transaction knows only that somebody did.
  run.reason = result.kind === "cancelled" ? (run.reason ?? result.reason) : (result.reason ?? run.reason);
  await enter(run, result.kind);
}

/** Desired state takes the change at approval; each device then follows on its own. */
export async function applyEach(run: PlanRun, made: MadePlan): Promise<void> {
  run.unstarted = made.devices.length;
  await enter(run, PlanState.applying);
  const ended = await commitUnderLocks(run, made);
  if (ended !== undefined) {
    await enter(run, ended);
    return;
  }
  const results = await inWindows(made.devices, DEVICE_WINDOW, (device) =>
    runTransaction(
      run,
      transactionInput(run, made, {
        transaction: `${run.input.plan}/${device.device}`,
        devices: [device],
        body: undefined,
      }),
    ),
  );
  const unplanned = made.unreachable.map(({ device, message }) => ({
    device,
    kind: "not-applied" as const,
    message: `it could not be read when the plan was made: ${message}`,
    observation: undefined,
    differences: [],
  }));
  run.outcomes = cutOutcomes([...results.flatMap((result) => result.outcomes), ...unplanned]);
  run.reason = results.find((result) => result.reason !== undefined)?.reason ?? run.reason;
  await enter(run, together(run, [...results.map((result) => result.kind), ...unplanned.map(() => PlanState.aborted)]));
}

/** One word for all devices. Where desired state already took the change, a plan that is not applied is partial. */
function together(run: PlanRun, kinds: readonly ApplyTransactionResult["kind"][]): ApplyTransactionResult["kind"] {
  const [only = PlanState.applied, ...others] = new Set(kinds);
  if (others.length > 0) return PlanState.partial;
  return run.revision !== undefined && only !== PlanState.applied ? PlanState.partial : only;
}

interface TransactionPart {
  readonly transaction: string;
  readonly devices: readonly TransactionDevice[];
  readonly body: string | undefined;
}

function transactionInput({ input }: PlanRun, made: MadePlan, part: TransactionPart): ApplyTransactionInput {
  return {
    ...part,
    plan: input.plan,
    digest: made.stored.digest,
    actor: input.actor,
    direction: directionOf(input),
    keys: part.body === undefined ? [] : made.keys,
    unrelated: input.options.unrelated,
    timing: input.timing,
  };
}

/** Never throws: what becomes of one device neither ends nor hides the others. */
async function runTransaction(run: PlanRun, input: ApplyTransactionInput): Promise<ApplyTransactionResult> {
  const { transaction } = input;
  run.unstarted -= 1;
  if (isCancelRequested(run))
    return withoutAnswer(input, { kind: "cancelled", outcome: "not-applied", reason: "cancelled before it started" });
  run.running.set(transaction, undefined);
  try {
    const child = await startChild(applyTransaction, {
      args: [input],
      workflowId: workflowId.applyTransaction(transaction),
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `apply plan ${input.plan} to ${input.devices.length} device(s)`,
    });
    run.running.set(transaction, child);
    showPlan(run);
    // A cancel that came while it started had nobody to tell.
    if (isCancelRequested(run)) await child.signal(Message.cancel).catch(() => undefined);
    return await child.result();
  } catch (error) {
    // Terminated, or failed: its decision stands, and the next holder of its locks settles what it left.
    return withoutAnswer(input, {
      kind: "partial",
      outcome: "unknown",
      reason: `its transaction ended without an answer: ${failureWords(error).message}`,
    });
  } finally {
    run.running.delete(transaction);
    showPlan(run);
  }
}

interface NoAnswer {
  readonly kind: ApplyTransactionResult["kind"];
  readonly outcome: "not-applied" | "unknown";
  readonly reason: string;
}

function withoutAnswer(input: ApplyTransactionInput, { kind, outcome, reason }: NoAnswer): ApplyTransactionResult {
  const outcomes = input.devices.map(({ device }) => ({
    device,
    kind: outcome,
    message: reason,
    observation: undefined,
    differences: [],
  }));
  return { kind, reason, revision: undefined, outcomes: cutOutcomes(outcomes) };
}

/** Commits the revision of a per-device plan. Defined: the plan ends here, in that state. */
async function commitUnderLocks(
  run: PlanRun,
  made: MadePlan,
): Promise<typeof PlanState.stale | typeof PlanState.cancelled | undefined> {
  const { plan, actor } = run.input;
  const { body } = made;
  if (body === undefined) return undefined;
  const request = {
    request: `${plan}/revision`,
    keys: [...made.devices.map((each) => `device/${each.device}`), ...made.keys],
    workflowId: workflowInfo().workflowId,
    transaction: undefined,
  };
  const result = await withLocks(request, async () => {
    const base = await graph.checkBase({ plan, digest: made.stored.digest, body, devices: [], writes: [] });
    if (base.kind !== "valid") return { kind: "stale" as const, reasons: base.reasons };
    if (isCancelRequested(run)) return { kind: "cancelled" as const };
    return graph.commitRevision({
      body,
      key: `plan/${plan}/revision`,
      actor,
      cause: { kind: directionOf(run.input) === "accept" ? "accept" : "change", plan },
    });
  });
  switch (result.kind) {
    case "committed":
      run.revision = result.revision;
      return undefined;
    case "stale":
      run.reason = result.reasons.join("; ");
      return PlanState.stale;
    case "cancelled":
      return PlanState.cancelled;
  }
}
