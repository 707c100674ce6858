/** Step 1 of a transaction for one device: a confirmed commit that stands, verified, until the decision. */
import { sleep } from "@temporalio/workflow";
import type { WriteTicket } from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import { writeTo } from "./activity-proxies.ts";
import { backoffMs } from "./backoff.ts";
import { workflowNow } from "./clock.ts";
import { type FailureWords, failureWords, isTerminalAccess } from "./failure-words.ts";
import {
  type DeviceRun,
  type TransactionState,
  differencesLine,
  enterPhase,
  isCancelRequested,
  newTicket,
  referenceOf,
} from "./transaction-state.ts";

export type Prepared =
  | { readonly kind: "prepared" }
  | { readonly kind: "failed"; readonly message: string; readonly cause: FailureCause };

/** `aborting`: only because of another device, whose failure is the one to report. */
export type FailureCause = "stale" | "aborting" | "other";

/**
 * Prepares, and prepares again what was lost, while the deadline (milliseconds since the epoch) allows. Never throws: a
 * failure of one device is a result, so that the others are waited for and aborted. Whatever may stand on the device is
 * in `run.ticket` afterwards.
 */
export async function prepare(
  state: TransactionState,
  run: DeviceRun,
  options: { readonly token: number; readonly deadline: number },
): Promise<Prepared> {
  let result: Prepared;
  try {
    result = await prepareInTime(state, run, options);
  } catch (error) {
    result = { kind: "failed", message: failureWords(error).message, cause: "other" };
  }
  if (result.kind === "prepared") return result;
  state.failed = true;
  run.failure = result.message;
  return { ...result, message: `${referenceOf(run).name}: ${result.message}` };
}

async function prepareInTime(
  state: TransactionState,
  run: DeviceRun,
  { token, deadline }: { readonly token: number; readonly deadline: number },
): Promise<Prepared> {
  /** What an attempt was last told, for whoever asks why it took too long. */
  let last = "";
  for (let attempt = 0; ; attempt += 1) {
    if (state.failed || isCancelRequested(state))
      return { kind: "failed", message: "not prepared: the transaction is being aborted", cause: "aborting" };
    if (workflowNow() >= deadline) return { kind: "failed", message: `not prepared in time${last}`, cause: "other" };
    enterPhase(state, run, "preparing");
    run.ticket = await newTicket(state, run, token, "first");
    const attempted = await attemptPrepare(state, run, run.ticket);
    switch (attempted.kind) {
      case "prepared":
        enterPhase(state, run, "prepared");
        return attempted;
      case "failed":
        return attempted;
      case "clean":
        last = `: ${attempted.message}`;
        break;
      case "lost":
        last = ": the session was lost";
        // Whatever stands under this persist id is cancelled and proven gone before another attempt.
        if (!(await cancelUntilClean(state, run, run.ticket, deadline)))
          return { kind: "failed", message: "the state after a lost session could not be settled", cause: "other" };
        break;
    }
    run.ticket = undefined;
    await sleep(backoffMs(attempt));
  }
}

export type Attempt =
  | Prepared
  /** Nothing was sent; trying again is safe. */
  | { readonly kind: "clean"; readonly message: string }
  /** The attempt ended without telling what it did. */
  | { readonly kind: "lost" };

/** One attempt. `run.ticket` is cleared where the device says that nothing of it stands. */
export async function attemptPrepare(state: TransactionState, run: DeviceRun, ticket: WriteTicket): Promise<Attempt> {
  const device = referenceOf(run);
  try {
    const result = await writeTo(`prepare ${device.name}`).prepareDevice({
      device,
      ticket,
      timing: state.input.timing,
      unrelated: state.input.unrelated,
    });
    switch (result.kind) {
      case "prepared":
        run.adopted = result.adopted;
        return { kind: "prepared" };
      case "unverified":
        return {
          kind: "failed",
          message: `the device shows something else than planned: ${differencesLine(result.differences)}`,
          cause: "other",
        };
      case "stale":
        run.ticket = undefined;
        return { kind: "failed", message: result.reasons.join("; "), cause: "stale" };
      case "refused":
        run.ticket = undefined;
        if (result.retry === "later") return { kind: "clean", message: result.message };
        return { kind: "failed", message: result.message, cause: "other" };
    }
  } catch (error) {
    const words = failureWords(error);
    if (isLost(words)) return { kind: "lost" };
    return { kind: "failed", message: words.message, cause: words.type === FailureType.stale ? "stale" : "other" };
  }
}

/** These may have written something; an error of another type was seen before anything was sent, or says so itself. */
function isLost(words: FailureWords): boolean {
  return words.type === "Lost" || words.type === FailureType.outcomeUnknown || words.type === FailureType.internal;
}

async function cancelUntilClean(
  state: TransactionState,
  run: DeviceRun,
  ticket: WriteTicket,
  deadline: number,
): Promise<boolean> {
  const device = referenceOf(run);
  enterPhase(state, run, "settling");
  for (let attempt = 0; workflowNow() < deadline; attempt += 1) {
    try {
      const result = await writeTo(`settle ${device.name}`).cancelDevice({ device, ticket });
      return result.kind === "clean";
    } catch (error) {
      if (isTerminalAccess(failureWords(error))) return false;
      await sleep(backoffMs(attempt));
    }
  }
  return false;
}
