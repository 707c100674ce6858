/**
 * Work under locks. The grant may come with transactions whose holder ended without releasing: their devices are
 * settled first - confirmed where the decision says confirm, cancelled otherwise - so that nobody builds on a
 * provisional commit of somebody else.
 */
import { ApplicationFailure, CancellationScope, sleep } from "@temporalio/workflow";
import type {
  CancelResult,
  CommitResult,
  ConfirmResult,
  InheritedPlan,
  InheritedTransaction,
  LockGrant,
  LockRequest,
  PreparedReference,
} from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import { PlanState } from "../contract/plan-state.ts";
import { graph, locks, readFrom, waitForLocks, writeTo } from "./activity-proxies.ts";
import { settleBackoffMs } from "./backoff.ts";
import { cutText } from "./cut-outcomes.ts";
import { failureWords, isTerminalAccess } from "./failure-words.ts";

/** About 25 minutes, more than twice the default confirm window. */
const SETTLE_ATTEMPTS = 12;

const MAX_REASON = 2_000;

/**
 * Waits for the locks, settles what their earlier holders left, does the work and releases. A cancel of the current
 * scope ends the wait alone: once granted, nothing is torn.
 *
 * Releasing says that everything is settled, so it happens only when the work has ended well. When `work` throws, or an
 * inherited device cannot be settled (`Unreachable`), the locks stay with this workflow; after its end they go on, with
 * what is still unsettled, to whoever waits next. So `work` gives its ordinary failures as results.
 */
export async function withLocks<T>(request: LockRequest, work: (grant: LockGrant) => Promise<T>): Promise<T> {
  const grant = await acquire(request);
  return CancellationScope.nonCancellable(async () => {
    for (const inherited of grant.inherited) {
      const unsettled: string[] = [];
      for (const prepared of inherited.devices) {
        const objection = await settle(inherited, prepared, grant.token);
        if (objection !== undefined) unsettled.push(objection);
      }
      await settlePlan(inherited, unsettled);
    }
    const result = await work(grant);
    await locks.releaseLocks({ request: request.request, token: grant.token });
    return result;
  });
}

async function acquire(request: LockRequest): Promise<LockGrant> {
  try {
    return await waitForLocks(`wait for the locks of ${request.request}`).acquireLocks(request);
  } catch (error) {
    // The place in the queue would hold up everybody behind it until this workflow has ended.
    await CancellationScope.nonCancellable(() => locks.releaseLocks({ request: request.request, token: 0 }));
    throw error;
  }
}

/** A confirm that stands is the whole change: what its own workflow did not commit or record any more is done here. */
async function settlePlan({ decision, plan }: InheritedTransaction, unsettled: readonly string[]): Promise<void> {
  if (plan === undefined) return;
  const objections = [...unsettled];
  let revision: number | undefined;
  if (decision === "confirm" && plan.body !== undefined) {
    const committed = await commitInherited(plan, plan.body);
    if (committed.kind === "committed") ({ revision } = committed);
    else objections.push(`desired state did not take the change: ${committed.reasons.join("; ")}`);
  }
  const done = decision === "confirm" ? PlanState.applied : PlanState.aborted;
  await graph.recordSettledPlan({
    plan: plan.plan,
    state: objections.length === 0 ? done : PlanState.partial,
    revision,
    reason: cutText(
      ["its workflow was ended; settled by the next holder of its locks", ...objections].join("; "),
      MAX_REASON,
    ),
  });
}

/** A body that is refused for good must not keep everybody from these locks for ever. */
async function commitInherited({ plan, author, cause }: InheritedPlan, body: string): Promise<CommitResult> {
  try {
    return await graph.commitRevision({
      body,
      key: `plan/${plan}/revision`,
      actor: author,
      cause: { kind: cause, plan },
    });
  } catch (error) {
    return { kind: "stale", reasons: [failureWords(error).message] };
  }
}

/** Defined: the device does not show what was decided, in words. */
async function settle(
  { transaction, decision }: InheritedTransaction,
  prepared: PreparedReference,
  token: number,
): Promise<string | undefined> {
  const device = await graph.deviceReference({ device: prepared.device });
  const ticket = {
    transaction,
    token,
    persistId: prepared.persistId,
    section: prepared.section,
    phase: "first",
  } as const;
  for (let attempt = 0; attempt < SETTLE_ATTEMPTS; attempt += 1) {
    try {
      const { kind } =
        decision === "confirm"
          ? await writeTo(`settle (confirm) ${device.name}`).confirmDevice({ device, ticket })
          : await writeTo(`settle (cancel) ${device.name}`).cancelDevice({ device, ticket });
      return objectionTo(device.name, kind);
    } catch (error) {
      if (isTerminalAccess(failureWords(error))) break;
      await sleep(settleBackoffMs(attempt));
    }
  }
  // It can be read but not settled: its confirm window is long over, so it shows one state or the other, and the
  // step-0 check of whoever works next decides on what it really shows.
  try {
    await readFrom(`look at ${device.name}`).observeDevice({ device });
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      `${device.name} does not answer, and transaction ${transaction} may have left something on it: ${failureWords(error).message}`,
      FailureType.unreachable,
    );
  }
  return `${device.name} could be read but not settled`;
}

function objectionTo(name: string, kind: ConfirmResult["kind"] | CancelResult["kind"]): string | undefined {
  switch (kind) {
    case "confirmed":
    case "clean":
      return undefined;
    case "reverted":
      return `${name} had taken the change back`;
    case "unsettled":
      return `${name} shows neither the planned nor the earlier state`;
  }
}
