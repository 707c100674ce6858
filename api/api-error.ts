import type { ApiErrorBody } from "../contract/api.ts";
import { type FailureDetails, FailureType } from "../contract/failure.ts";
import { type StoreErrorCode, isStoreError } from "../graph/store-error.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { TemporalUnavailableError } from "../runtime/temporal-port.ts";

/** An answer with an error status: what the caller did or asked for cannot be. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ApiErrorBody;

  constructor(status: number, body: ApiErrorBody) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
  }
}

export function badRequest(message: string, diagnostics: readonly Diagnostic[] = []): ApiError {
  return new ApiError(400, { code: "bad-request", message, ...(diagnostics.length === 0 ? {} : { diagnostics }) });
}

export function notFound(code: string, message: string, remedy?: string): ApiError {
  return new ApiError(404, { code, message, ...(remedy === undefined ? {} : { remedy }) });
}

export function conflict(code: string, message: string, remedy?: string): ApiError {
  return new ApiError(409, { code, message, ...(remedy === undefined ? {} : { remedy }) });
}

/** 404: what was named does not exist. 409: it stands otherwise than the caller thought. The rest is ours: 500. */
const STORE_STATUS: Readonly<Partial<Record<StoreErrorCode, number>>> = {
  "unknown-device": 404,
  "unknown-plan": 404,
  "unknown-revision": 404,
  pruned: 410,
  "unknown-document": 404,
  "document-missing": 404,
  "name-taken": 409,
  "not-empty": 409,
  "key-conflict": 409,
  "stale-basis": 409,
  "wrong-digest": 409,
  "wrong-state": 409,
  "lock-lost": 409,
  "bad-body": 409,
  "not-canonical": 400,
  "record-too-large": 413,
  "no-space": 507,
};

/** Status and body for whatever a handler threw; undefined: nobody foresaw it, log it. */
export function errorAnswer(error: unknown): { readonly status: number; readonly body: ApiErrorBody } | undefined {
  if (error instanceof ApiError) return error;
  if (isStoreError(error)) {
    return { status: STORE_STATUS[error.code] ?? 500, body: { code: error.code, message: error.message } };
  }
  if (error instanceof TemporalUnavailableError) {
    return {
      status: 503,
      body: {
        code: "temporal-unavailable",
        message: error.message,
        remedy: "start that Temporal server again; what was begun continues by itself",
      },
    };
  }
  const status = statusOfFastify(error);
  return status === undefined
    ? undefined
    : { status, body: { code: "bad-request", message: (error as Error).message } };
}

/** Fastify's own refusals (malformed JSON, too large, ..) carry a status. */
function statusOfFastify(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

const REMEDIES: Readonly<Record<string, string>> = {
  [FailureType.notImported]: "import it first: tenure import NAME",
  [FailureType.stale]: "make a new plan from what stands now",
  [FailureType.authenticationFailed]: "correct what the reference names, or give another one: --credentials REF",
  [FailureType.unreachable]: "check the address and the network between worker and device",
};

/** A failed workflow in the API's words. */
export function failureBody(failure: {
  readonly code: string;
  readonly message: string;
  readonly details: FailureDetails;
}): ApiErrorBody {
  const { code, message, details } = failure;
  const remedy = code === FailureType.hostKey ? hostKeyRemedy(details) : REMEDIES[code];
  return {
    code,
    message,
    ...(details.diagnostics.length === 0 ? {} : { diagnostics: details.diagnostics }),
    ...(details.omitted === 0 ? {} : { omitted: details.omitted }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** The option that accepts the key which the device presented, for a person who knows that it is right. */
function hostKeyRemedy({ diagnostics }: FailureDetails): string | undefined {
  const presented = diagnostics.find(({ places }) =>
    places.some((place) => place.kind === "field" && place.path === "hostKey.presented"),
  );
  return presented === undefined ? undefined : `if that key is right, accept it with: --host-key ${presented.message}`;
}
