/**
 * How errors become Temporal failures: as the SDK does it, then cut. A failure that is too large, or whose details cannot
 * be converted, hangs a workflow and ends a worker, so nothing here throws and nothing grows: messages, stacks, causes
 * and details all have a limit.
 */
import {
  DefaultFailureConverter,
  type FailureConverter,
  type Payload,
  type PayloadConverter,
  type ProtoFailure,
} from "@temporalio/common";
import type { FailureDetails } from "./failure.ts";
import { payloadConverter as guarded } from "./payload-converter.ts";

export const MAX_FAILURE_MESSAGE = 4_000;
export const MAX_FAILURE_STACK = 8_000;
export const MAX_FAILURE_DETAILS_BYTES = 32 * 1024;
export const MAX_FAILURE_CAUSES = 8;

const plain = new DefaultFailureConverter();

/** Guarantee: neither direction throws, and a failure made here stays below about 400 KB whatever the error carries. */
export const failureConverter: FailureConverter = {
  errorToFailure(error, payloadConverter, context) {
    try {
      return cutFailure(plain.errorToFailure(error, cutting(payloadConverter), context), 0);
    } catch {
      // A chain of causes that leads back to itself, or an error whose own properties throw.
      return {
        source: "TypeScriptSDK",
        message: "an error that could not be converted",
        applicationFailureInfo: { type: "Internal" },
      };
    }
  },
  failureToError(failure, payloadConverter, context) {
    return plain.failureToError(failure, payloadConverter, context);
  },
};

/** Converts details; what does not fit loses its tail of diagnostics, or else becomes a line that says so. */
function cutting(converter: PayloadConverter): PayloadConverter {
  return {
    toPayload(value, context, hint) {
      const whole = fitting(() => converter.toPayload(value, context, hint));
      if (whole !== undefined) return whole;
      const details = diagnosticsOf(value);
      for (let kept = details?.diagnostics.length ?? 0; details !== undefined && kept > 0; ) {
        kept = Math.floor(kept / 2);
        const shorter: FailureDetails = {
          diagnostics: details.diagnostics.slice(0, kept),
          omitted: details.omitted + details.diagnostics.length - kept,
        };
        const payload = fitting(() => converter.toPayload(shorter, context));
        if (payload !== undefined) return payload;
      }
      return CUT;
    },
    fromPayload: (payload, context, hint) => converter.fromPayload(payload, context, hint),
  };
}

/** Stands for details that could not be kept. */
const CUT: Payload = guarded.toPayload({ kind: "cut", reason: "the details were too large for a failure" });

function fitting(convert: () => Payload): Payload | undefined {
  try {
    const payload = convert();
    return (payload.data?.byteLength ?? 0) <= MAX_FAILURE_DETAILS_BYTES ? payload : undefined;
  } catch {
    return undefined;
  }
}

function diagnosticsOf(value: unknown): FailureDetails | undefined {
  if (typeof value !== "object" || value === null || !("diagnostics" in value) || !Array.isArray(value.diagnostics))
    return undefined;
  const omitted = "omitted" in value && typeof value.omitted === "number" ? value.omitted : 0;
  return { diagnostics: value.diagnostics as FailureDetails["diagnostics"], omitted };
}

/** A failure that came from elsewhere (its proto is passed on as it is) is cut by the same limits. */
function cutFailure(failure: ProtoFailure, depth: number): ProtoFailure {
  const {
    applicationFailureInfo: application,
    canceledFailureInfo: cancelled,
    timeoutFailureInfo: timeout,
    cause,
  } = failure;
  return {
    ...failure,
    message: cutText(failure.message, MAX_FAILURE_MESSAGE),
    stackTrace: cutText(failure.stackTrace, MAX_FAILURE_STACK),
    ...(application ? { applicationFailureInfo: { ...application, details: cutPayloads(application.details) } } : {}),
    ...(cancelled ? { canceledFailureInfo: { ...cancelled, details: cutPayloads(cancelled.details) } } : {}),
    ...(timeout
      ? { timeoutFailureInfo: { ...timeout, lastHeartbeatDetails: cutPayloads(timeout.lastHeartbeatDetails) } }
      : {}),
    cause: cause && depth < MAX_FAILURE_CAUSES ? cutFailure(cause, depth + 1) : null,
  };
}

/** The note counts towards the limit, so that a failure that passes through several hands is cut once. */
function cutText(text: string | null | undefined, limit: number): string {
  if (text === null || text === undefined) return "";
  const kept = limit - 40;
  return text.length <= limit ? text : `${text.slice(0, kept)} … (${text.length - kept} more characters)`;
}

interface PayloadList {
  readonly payloads?: readonly Payload[] | null;
}

/** The first payloads that fit together; the rest is replaced by one that says so. */
function cutPayloads(list: PayloadList | null | undefined): { payloads: Payload[] } | null {
  if (!list?.payloads) return null;
  let left = MAX_FAILURE_DETAILS_BYTES;
  const kept = list.payloads.filter((payload) => (left -= payload.data?.byteLength ?? 0) >= 0);
  return { payloads: kept.length === list.payloads.length ? kept : [...kept, CUT] };
}
