/**
 * The one translator from our errors to Temporal's: which type crosses the boundary, whether a retry makes sense, and a
 * page of diagnostics. Everything a workflow knows of a failure comes through here.
 */
import { ApplicationFailure } from "@temporalio/common";
import { type FailureDetails, FailureType, MAX_FAILURE_DIAGNOSTICS } from "../contract/failure.ts";
import { type StoreError, isStoreError } from "../graph/store-error.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { type ProviderError, ProviderErrorCode, isProviderError } from "../providers/error.ts";
import { CredentialsError } from "../runtime/credentials.ts";
import { OwnerError } from "../runtime/owner-client.ts";

const typeOfCode: Readonly<Record<ProviderErrorCode, FailureType>> = {
  UnsupportedField: FailureType.unsupportedField,
  InvalidArgument: FailureType.invalidArgument,
  FailedPrecondition: FailureType.failedPrecondition,
  Unreachable: FailureType.unreachable,
  AuthenticationFailed: FailureType.authenticationFailed,
  HostKeyUnknown: FailureType.hostKey,
  HostKeyMismatch: FailureType.hostKey,
  LockDenied: FailureType.failedPrecondition,
  DeviceRejected: FailureType.deviceRejected,
  OutcomeUnknown: FailureType.outcomeUnknown,
  ProtocolError: FailureType.protocol,
  LimitExceeded: FailureType.limitExceeded,
  CapabilityMissing: FailureType.capabilityMissing,
  Cancelled: FailureType.outcomeUnknown,
};

/** Refused input: diagnostics with their places. */
export class RefusedError extends Error {
  readonly type: FailureType;
  readonly diagnostics: readonly Diagnostic[];
  constructor(message: string, diagnostics: readonly Diagnostic[], type: FailureType = FailureType.refused) {
    super(message);
    this.name = "RefusedError";
    this.type = type;
    this.diagnostics = diagnostics;
  }
}

/** The fence said no: nothing was sent. */
export class FencedError extends Error {
  constructor(reason: string) {
    super(`nothing was sent: ${reason}`);
    this.name = "FencedError";
  }
}

export function toApplicationFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof RefusedError) return make(error.message, error.type, "never", error.diagnostics, error);
  if (error instanceof FencedError) return make(error.message, FailureType.fenced, "never", [], error);
  if (isProviderError(error)) return ofProviderError(error);
  if (error instanceof CredentialsError)
    return make(error.message, FailureType.authenticationFailed, "never", [], error);
  if (isStoreError(error)) return ofStoreError(error);
  if (error instanceof OwnerError) return make(error.message, FailureType.internal, "later", [], error);
  const message = error instanceof Error ? error.message : String(error);
  return make(message, FailureType.internal, "later", [], error);
}

/** Only what may pass by itself is worth another try; a wrong state or an unknown plan stays what it is. */
const PASSING: ReadonlySet<string> = new Set(["no-space", "stopped"]);

function ofStoreError(error: StoreError): ApplicationFailure {
  const passes = PASSING.has(error.code);
  return make(
    `${error.message} [${error.code}]`,
    passes ? FailureType.internal : FailureType.refused,
    passes ? "later" : "never",
    [],
    error,
  );
}

function ofProviderError(error: ProviderError): ApplicationFailure {
  const diagnostics: Diagnostic[] = [
    ...error.details.map((detail) => ({
      code: error.code,
      severity: "error" as const,
      message: detail.description,
      places: [{ kind: "field" as const, path: detail.fieldPath }],
    })),
    ...error.reports.map((report) => ({
      code: report.tag,
      severity: report.severity,
      message: report.message ?? report.tag,
      places: report.path === undefined ? [] : [{ kind: "instance" as const, path: report.path }],
    })),
  ];
  return make(
    `${error.message} (${error.remedy})`,
    typeOfCode[error.code],
    error.retryable ? "later" : "never",
    diagnostics,
    error,
  );
}

function make(
  message: string,
  type: FailureType,
  retry: "later" | "never",
  diagnostics: readonly Diagnostic[],
  cause: unknown,
): ApplicationFailure {
  const details: FailureDetails = {
    diagnostics: diagnostics.slice(0, MAX_FAILURE_DIAGNOSTICS),
    omitted: Math.max(0, diagnostics.length - MAX_FAILURE_DIAGNOSTICS),
  };
  return ApplicationFailure.create({
    message: message.slice(0, 4000),
    type,
    nonRetryable: retry === "never",
    details: [details],
    ...(cause instanceof Error ? { cause } : {}),
  });
}

/** Wraps every activity of an interface so that nothing but ApplicationFailure leaves it. */
export function translated<T extends object>(activities: T): T {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        try {
          return await activity(...args);
        } catch (error) {
          throw toApplicationFailure(error);
        }
      },
    ]),
  ) as T;
}
