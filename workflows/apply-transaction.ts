/**
 * One transaction: a set of devices that change together. Prepare all under their locks, decide
 * once, then confirm all or abort all. The decision is a record of the graph owner; this workflow only asks for it.
 */
import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import type { LockGrant } from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import { Message, type TransactionProgress } from "../contract/messages.ts";
import type { ApplyTransactionInput, ApplyTransactionResult } from "../contract/workflows.ts";
import { graph, locks, readFrom } from "./activity-proxies.ts";
import { workflowNow } from "./clock.ts";
import { failureWords } from "./failure-words.ts";
import { prepare } from "./prepare-device.ts";
import { abort, confirm } from "./settle-device.ts";
import {
  type DeviceRun,
  type TransactionState,
  ended,
  enterPhase,
  finish,
  isCancelRequested,
  nameOf,
  newState,
  progressOf,
} from "./transaction-state.ts";
import { uncancellable } from "./uncancellable.ts";
import { withLocks } from "./with-locks.ts";

export const cancelSignal = defineSignal(Message.cancel);
export const transactionProgress = defineQuery<TransactionProgress>(Message.progress);

export async function applyTransaction(input: ApplyTransactionInput): Promise<ApplyTransactionResult> {
  const state = newState(input);
  const requestCancel = (): void => {
    state.cancelRequested = true;
  };
  setHandler(transactionProgress, () => progressOf(state));
  setHandler(cancelSignal, requestCancel);
  upsertSearchAttributes({ TenurePlan: [input.plan], TenureDevice: state.runs.map((run) => run.target.device) });
  return uncancellable(() => run(state), requestCancel);
}

async function run(state: TransactionState): Promise<ApplyTransactionResult> {
  const { input, runs } = state;
  const request = {
    request: input.transaction,
    keys: [...runs.map((each) => `device/${each.target.device}`), ...input.keys],
    workflowId: workflowInfo().workflowId,
    transaction: input.transaction,
  };
  // A cancel ends the wait for locks at once; from the grant on, the steps below look at the flag.
  const waiting = new CancellationScope({ cancellable: true });
  void condition(() => isCancelRequested(state)).then(() => {
    waiting.cancel();
  });
  let granted = "no" as "no" | "yes";
  try {
    return await waiting.run(() =>
      withLocks(request, (grant) => {
        granted = "yes";
        return underLocks(state, grant);
      }),
    );
  } catch (error) {
    if (granted === "yes") throw error;
    if (isCancelRequested(state)) return ended(state, "cancelled", { reason: "cancelled while waiting for locks" });
    return ended(state, "aborted", { reason: failureWords(error).message });
  }
}

async function underLocks(state: TransactionState, grant: LockGrant): Promise<ApplyTransactionResult> {
  const { input, runs } = state;
  // Step 0: nothing is written anywhere while one device, or the base of the change, is stale.
  const objection = await checkAll(state);
  if (objection !== undefined) return ended(state, objection.kind, { reason: objection.reason });
  if (isCancelRequested(state)) return ended(state, "cancelled", { reason: "cancelled before anything was written" });

  // Step 1: prepare every device that has something to change.
  const writing = runs.filter((each) => each.target.operations > 0);
  const deadline = workflowNow() + input.timing.confirmWindowMs - input.timing.reserveMs;
  const prepared = await Promise.all(writing.map((each) => prepare(state, each, { token: grant.token, deadline })));
  const failures = prepared.filter((each) => each.kind === "failed");

  // Step 3: one decision for all.
  const wanted = failures.length === 0 && !isCancelRequested(state) ? "confirm" : "abort";
  state.decided = await locks.decide({ transaction: input.transaction, value: wanted, deadline });
  if (state.decided === "abort") {
    await Promise.all(writing.map((each) => abort(state, each)));
    if (isCancelRequested(state)) return ended(state, "cancelled", { reason: "cancelled" });
    const kind = failures.some((each) => each.cause === "stale") ? "stale" : "aborted";
    const first = failures.find((each) => each.cause !== "aborting") ?? failures[0];
    return ended(state, kind, { reason: first?.message ?? "not every device was verified in time" });
  }

  // Step 4: confirm at once; the revision is committed beside it and never delays it.
  const [committed] = await Promise.all([commit(state), ...writing.map((each) => confirm(state, each, grant.token))]);
  for (const each of runs.filter((other) => other.target.operations === 0))
    finish(state, each, "applied", { message: "nothing to write" });
  const partial = committed.kind === "failed" || runs.some((each) => each.outcome?.kind !== "applied");
  return ended(
    state,
    partial ? "partial" : "applied",
    committed.kind === "failed" ? { reason: committed.reason } : { revision: committed.revision },
  );
}

interface Objection {
  readonly kind: "stale" | "aborted";
  readonly reason: string;
}

async function checkAll(state: TransactionState): Promise<Objection | undefined> {
  const { input, runs } = state;
  const base = await graph.checkBase({
    plan: input.plan,
    digest: input.digest,
    body: input.body,
    devices: runs.map((each) => each.target.device),
    writes: runs.filter((each) => each.target.operations > 0).map((each) => each.target.device),
  });
  if (base.kind === "stale") return { kind: "stale", reason: base.reasons.join("; ") };
  if (base.kind === "paused") return { kind: "aborted", reason: base.reasons.join("; ") };
  const objections = await Promise.all(runs.map((each) => check(state, each)));
  return objections.find((each) => each?.kind === "stale") ?? objections.find((each) => each !== undefined);
}

async function check(state: TransactionState, run: DeviceRun): Promise<Objection | undefined> {
  try {
    enterPhase(state, run, "checking");
    run.reference = await graph.deviceReference({ device: run.target.device });
    const verdict = await readFrom(`check ${run.reference.name}`).checkDevice({
      device: run.reference,
      section: run.target.section,
      unrelated: state.input.unrelated,
    });
    return verdict.kind === "fresh"
      ? undefined
      : { kind: "stale", reason: `${run.reference.name}: ${verdict.reasons.join("; ")}` };
  } catch (error) {
    const words = failureWords(error);
    const kind = words.type === FailureType.stale ? "stale" : "aborted";
    return { kind, reason: `${nameOf(run)}: ${words.message}` };
  }
}

function causeOf({ direction }: ApplyTransactionInput): "accept" | "change" {
  return direction === "accept" ? "accept" : "change";
}

type Committed =
  | { readonly kind: "committed"; readonly revision: number | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * The body and what the devices made themselves, as one revision; without a body the adopted nodes are a revision of
 * their own. Never throws: it runs beside the confirmations, which nothing may end.
 */
async function commit({ input, runs }: TransactionState): Promise<Committed> {
  const adopted = runs.map((run) => run.adopted).filter((digest) => digest !== undefined);
  if (input.body === undefined && adopted.length === 0) return { kind: "committed", revision: undefined };
  const failed = (why: string): Committed => ({
    kind: "failed",
    reason: `the devices carry the change, desired state does not: ${why}`,
  });
  try {
    const result = await graph.commitRevision({
      body: input.body,
      adopted,
      key: input.body === undefined ? `adopted/${input.transaction}` : `plan/${input.plan}/revision`,
      actor: input.actor,
      cause: { kind: input.body === undefined ? "adopted" : causeOf(input), plan: input.plan },
    });
    return result.kind === "committed" ? result : failed(result.reasons.join("; "));
  } catch (error) {
    return failed(failureWords(error).message);
  }
}
