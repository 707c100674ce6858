/** Steps 4 and 5 of a transaction for one device: what was prepared is confirmed, or taken back, as decided. */
import { sleep } from "@temporalio/workflow";
import type { ConfirmResult, WriteTicket } from "../contract/activities.ts";
import { writeTo } from "./activity-proxies.ts";
import { settleBackoffMs } from "./backoff.ts";
import { failureWords, isTerminalAccess } from "./failure-words.ts";
import { attemptPrepare } from "./prepare-device.ts";
import {
  type DeviceRun,
  type TransactionState,
  differencesLine,
  enterPhase,
  finish,
  newTicket,
  referenceOf,
} from "./transaction-state.ts";

/**
 * With `settleBackoffMs` a device is asked for about an hour before its outcome is called unknown, most often in the
 * first minute, in which the time kept back for confirming runs. The count also bounds the history: 500 silent devices
 * stay below the 50,000 events that a workflow may have.
 */
const SETTLE_ATTEMPTS = 19;

const NEITHER = "neither the planned nor the earlier state";

export async function abort(state: TransactionState, run: DeviceRun): Promise<void> {
  const { ticket } = run;
  if (ticket === undefined) {
    finish(state, run, "not-applied", { message: run.failure });
    return;
  }
  enterPhase(state, run, "cancelling");
  const device = referenceOf(run);
  const answer = await askUntilAnswered(() => writeTo(`cancel ${device.name}`).cancelDevice({ device, ticket }));
  if (answer.kind === "silent") finish(state, run, "unknown", { message: answer.message });
  else if (answer.result.kind === "clean")
    finish(state, run, "rolled-back", { message: run.failure, observation: answer.result.observation });
  else
    finish(state, run, "unknown", {
      message: NEITHER,
      observation: answer.result.observation,
      differences: answer.result.differences,
    });
}

/**
 * Confirms; a device that took its provisional commit back meanwhile is applied once more, once. Never throws: what goes
 * wrong with one device must not end the confirmation of the others.
 */
export async function confirm(state: TransactionState, run: DeviceRun, token: number): Promise<void> {
  try {
    await confirmOrAgain(state, run, token);
  } catch (error) {
    finish(state, run, "unknown", { message: failureWords(error).message });
  }
}

async function confirmOrAgain(state: TransactionState, run: DeviceRun, token: number): Promise<void> {
  const first = await confirmTicket(state, run, run.ticket);
  if (first?.kind !== "reverted") return;
  const again = await applyOnceMore(state, run, token);
  if (again.kind === "failed") {
    finish(state, run, again.outcome, { message: again.message, observation: first.observation });
    return;
  }
  const second = await confirmTicket(state, run, again.ticket);
  if (second?.kind === "reverted")
    finish(state, run, "rolled-back", {
      message: "the device took the change back twice",
      observation: second.observation,
    });
}

/** Finishes the device unless it reverted, which is the caller's to act on. */
async function confirmTicket(
  state: TransactionState,
  run: DeviceRun,
  ticket: WriteTicket | undefined,
): Promise<Extract<ConfirmResult, { kind: "reverted" }> | undefined> {
  const device = referenceOf(run);
  if (ticket === undefined) {
    finish(state, run, "unknown", { message: "decided without a prepared device; look at it before anything else" });
    return undefined;
  }
  enterPhase(state, run, "confirming");
  const answer = await askUntilAnswered(() => writeTo(`confirm ${device.name}`).confirmDevice({ device, ticket }));
  if (answer.kind === "silent") {
    finish(state, run, "unknown", { message: answer.message });
    return undefined;
  }
  const { result } = answer;
  switch (result.kind) {
    case "reverted":
      return result;
    case "confirmed": {
      const { observation, foreign } = result;
      const message =
        foreign.length === 0
          ? undefined
          : `somebody else changed ${differencesLine(foreign)}; kept, and reported as drift`;
      finish(state, run, "applied", { message, observation, differences: foreign });
      return undefined;
    }
    case "unsettled":
      finish(state, run, "unknown", {
        message: NEITHER,
        observation: result.observation,
        differences: result.differences,
      });
      return undefined;
  }
}

type OnceMore =
  | { readonly kind: "written"; readonly ticket: WriteTicket }
  | { readonly kind: "failed"; readonly outcome: "rolled-back" | "unknown"; readonly message: string };

async function applyOnceMore(state: TransactionState, run: DeviceRun, token: number): Promise<OnceMore> {
  let refusal = "";
  for (let attempt = 0; attempt < SETTLE_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await sleep(settleBackoffMs(attempt - 1));
    enterPhase(state, run, "preparing");
    const ticket = await newTicket(state, run, token, "again");
    run.ticket = ticket;
    const attempted = await attemptPrepare(state, run, ticket);
    switch (attempted.kind) {
      // A lost attempt may stand: the confirmation that follows finds out.
      case "prepared":
      case "lost":
        return { kind: "written", ticket };
      case "failed":
        // Something unverified may stand until the device's own timer takes it back.
        return { kind: "failed", outcome: mayStand(run) ? "unknown" : "rolled-back", message: attempted.message };
      case "clean":
        refusal = attempted.message;
    }
  }
  return { kind: "failed", outcome: "rolled-back", message: `could not be applied once more: ${refusal}` };
}

function mayStand(run: DeviceRun): boolean {
  return run.ticket !== undefined;
}

type Answer<T> =
  | { readonly kind: "answered"; readonly result: T }
  | { readonly kind: "silent"; readonly message: string };

/** Confirming and cancelling by id are safe to repeat: a repeat reads back what the first one did. */
async function askUntilAnswered<T>(ask: () => Promise<T>): Promise<Answer<T>> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { kind: "answered", result: await ask() };
    } catch (error) {
      const words = failureWords(error);
      if (attempt >= SETTLE_ATTEMPTS - 1 || isTerminalAccess(words)) return { kind: "silent", message: words.message };
      await sleep(settleBackoffMs(attempt));
    }
  }
}
