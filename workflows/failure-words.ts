/** Reads what an activity failure says, without `instanceof` across the Temporal boundary on our own classes. */
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from "@temporalio/workflow";
import { type FailureDetails, FailureType } from "../contract/failure.ts";

export interface FailureWords {
  /** A `FailureType`, or `Lost` when the attempt ended without an answer (time-out, heartbeat, worker death). */
  readonly type: string;
  readonly message: string;
  readonly details: FailureDetails | undefined;
}

export function failureWords(error: unknown): FailureWords {
  let cause = error;
  for (
    let depth = 0;
    depth < 8 && (cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure);
    depth += 1
  ) {
    if (cause.cause === undefined) break;
    cause = cause.cause;
  }
  if (cause instanceof ApplicationFailure) {
    return {
      type: cause.type ?? "Internal",
      message: cause.message,
      details: isFailureDetails(cause.details?.[0]) ? cause.details[0] : undefined,
    };
  }
  if (cause instanceof TimeoutFailure) return { type: "Lost", message: cause.message, details: undefined };
  const message = cause instanceof Error ? cause.message : String(cause);
  return { type: "Lost", message, details: undefined };
}

/** Asking again with the same key or password does not help, and locks accounts. */
export function isTerminalAccess(words: FailureWords): boolean {
  return words.type === FailureType.authenticationFailed || words.type === FailureType.hostKey;
}

function isFailureDetails(value: unknown): value is FailureDetails {
  return typeof value === "object" && value !== null && "diagnostics" in value && Array.isArray(value.diagnostics);
}
