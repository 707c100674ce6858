import { type DeviceReport, ProviderError, ProviderErrorCode } from "../../error.ts";
import { describeReports } from "./rpc-error.ts";

/** What an operation may have done when no clear answer to it is known. */
export const RpcEffect = {
  /** Nothing that outlives the session, or nothing in a datastore that a device acts on. */
  None: "none",
  /** Running, startup or a pending commit may have changed. */
  MayChange: "may-change",
  /** As MayChange, and even a rejection may leave a part in effect (edits of running without rollback-on-error). */
  MayChangeInPart: "may-change-in-part",
} as const;
export type RpcEffect = (typeof RpcEffect)[keyof typeof RpcEffect];

export interface RejectedRpc {
  readonly target: string;
  readonly operation: string;
  readonly effect: RpcEffect;
  /** Of severity error, at least one. */
  readonly errors: readonly DeviceReport[];
}

/**
 * The error for a reply that holds rpc-errors (RFC 6241, appendix A): who may do what now, the device's words kept
 * as data.
 */
export function rejectionError({ target, operation, effect, errors }: RejectedRpc): ProviderError {
  const code = rejectionCode(effect, errors);
  const words = describeReports(errors);
  const partly = code === ProviderErrorCode.OutcomeUnknown ? ", and a part of it may be in effect" : "";
  return new ProviderError({
    code,
    message: `${target} rejected ${operation}${partly}: ${words}`,
    reports: errors,
    details: errors.flatMap((error) => [
      { fieldPath: error.path ?? "", description: describeReports([error]) },
      ...error.info
        .filter(({ name }) => name === "session-id")
        .map(({ text }) => ({ fieldPath: "session-id", description: text })),
    ]),
  });
}

function rejectionCode(effect: RpcEffect, errors: readonly DeviceReport[]): ProviderErrorCode {
  const tags = errors.map(({ tag }) => tag);
  if (tags.includes("lock-denied")) {
    return ProviderErrorCode.LockDenied;
  }
  const isPartial =
    effect === RpcEffect.MayChangeInPart || tags.includes("rollback-failed") || tags.includes("partial-operation");
  if (effect !== RpcEffect.None && isPartial) {
    return ProviderErrorCode.OutcomeUnknown;
  }
  return tags.every((tag) => tag === "in-use" || tag === "resource-denied")
    ? ProviderErrorCode.FailedPrecondition
    : ProviderErrorCode.DeviceRejected;
}
