/**
 * Failure codes that cross the Temporal boundary: the `type` of an ApplicationFailure. Only
 * `activities/to-application-failure.ts` and workflows create such failures; everybody else matches on these words.
 */
import type { Diagnostic } from "../model/diagnostic.ts";

export const FailureType = {
  /** The submission or request is wrong: diagnostics say where. */
  refused: "Refused",
  /** A device without one complete import has no goal. */
  notImported: "NotImported",
  stale: "Stale",
  unreachable: "Unreachable",
  authenticationFailed: "AuthenticationFailed",
  hostKey: "HostKey",
  unsupportedField: "UnsupportedField",
  invalidArgument: "InvalidArgument",
  failedPrecondition: "FailedPrecondition",
  deviceRejected: "DeviceRejected",
  outcomeUnknown: "OutcomeUnknown",
  capabilityMissing: "CapabilityMissing",
  protocol: "ProtocolError",
  limitExceeded: "LimitExceeded",
  /** The fence said no: the lock is gone or the transaction is decided. Nothing was sent. */
  fenced: "Fenced",
  payloadTooLarge: "PayloadTooLarge",
  internal: "Internal",
} as const;
export type FailureType = (typeof FailureType)[keyof typeof FailureType];

/** `details[0]` of every ApplicationFailure of ours. At most `MAX_FAILURE_DIAGNOSTICS` entries; `omitted` counts the rest. */
export interface FailureDetails {
  readonly diagnostics: readonly Diagnostic[];
  readonly omitted: number;
}

export const MAX_FAILURE_DIAGNOSTICS = 50;
