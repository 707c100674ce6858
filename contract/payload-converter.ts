/**
 * The one way of values into and out of Temporal. Configuration never travels there: activities pass document digests,
 * so a large payload is a fault. Temporal would retry an oversized one for ever; this converter refuses it at once, as a
 * failure that names what was too large. In the other direction it never throws, because a workflow task that cannot
 * read its input is retried for ever too: what cannot be read becomes an `Undecodable` value that handlers refuse.
 *
 * Every worker, client and workflow bundle of ours uses this module and `failure-converter.ts`.
 */
import {
  ApplicationFailure,
  defaultPayloadConverter,
  type Payload,
  type PayloadConverter,
  RawValue,
} from "@temporalio/common";
import { FailureType } from "./failure.ts";

/** The largest payload that is let through: an eighth of what Temporal's server takes, so that sums stay below it too. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/** A payload that nobody here can read: an unknown encoding, or text that is no JSON. */
export interface Undecodable {
  readonly kind: "undecodable";
  readonly encoding: string;
  readonly reason: string;
}

export function isUndecodable(value: unknown): value is Undecodable {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "undecodable";
}

type Context = Parameters<PayloadConverter["toPayload"]>[1];

/**
 * Guarantee: `toPayload` gives at most `MAX_PAYLOAD_BYTES` or throws a non-retryable ApplicationFailure of type
 * `PayloadTooLarge` (`InvalidArgument` for a value that is no JSON); `fromPayload` never throws.
 */
export const payloadConverter: PayloadConverter = {
  toPayload(value, context, hint) {
    // The SDK's own answers (stack traces, metadata) are not ours to refuse: a refusal there is never delivered.
    if (value instanceof RawValue) return value.payload;
    const payload = convert(value, context, hint);
    const bytes = payload.data?.byteLength ?? 0;
    if (bytes <= MAX_PAYLOAD_BYTES) return payload;
    throw ApplicationFailure.nonRetryable(
      `${describe(value)} for ${owner(context)} takes ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Pass a document digest instead.`,
      FailureType.payloadTooLarge,
    );
  },
  fromPayload(payload, context, hint) {
    try {
      return defaultPayloadConverter.fromPayload(payload, context, hint);
    } catch (error) {
      const undecodable: Undecodable = { kind: "undecodable", encoding: encodingOf(payload), reason: reasonOf(error) };
      // The one value that is of no caller's type; handlers ask `isUndecodable` before they believe the type.
      return undecodable as never;
    }
  },
};

/**
 * Refuses a value that would not fit. Needed where a throw of the converter itself would hang: the SDK converts a
 * workflow's own result, and a query's, after the last place that could turn a throw into a failure.
 */
export function requireFits(value: unknown, context: Context): void {
  payloadConverter.toPayload(value, context);
}

function convert(value: unknown, context: Context, hint: Parameters<PayloadConverter["toPayload"]>[2]): Payload {
  try {
    return defaultPayloadConverter.toPayload(value, context, hint);
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      `${describe(value)} for ${owner(context)} cannot be written as JSON: ${reasonOf(error)}`,
      FailureType.invalidArgument,
    );
  }
}

function owner(context: Context): string {
  switch (context?.type) {
    case "workflow":
      return `workflow ${context.workflowId}`;
    case "activity":
      return `activity ${context.activityId ?? "?"}${context.workflowId === undefined ? "" : ` of workflow ${context.workflowId}`}`;
    case undefined:
      return "Temporal";
  }
}

/** The shape of a value without its contents: they may be secret, and they are too large to show. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const names = Object.keys(value);
  return `an object with ${names.slice(0, 8).join(", ")}${names.length > 8 ? `, and ${names.length - 8} more` : ""}`;
}

function encodingOf(payload: Payload): string {
  const bytes = payload.metadata?.["encoding"];
  // No `instanceof`: in the workflow sandbox these bytes are of the realm outside.
  return bytes ? new TextDecoder("utf-8").decode(bytes).slice(0, 100) : "none";
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
