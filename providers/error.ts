/**
 * The one error that providers throw. This file owns the question "what may the caller do now": each code has one
 * answer to "retry?" and one sentence for a person, so nobody above has to know a protocol. Alternatives are codes,
 * never subclasses.
 */
export const ProviderErrorCode = {
  /** The request holds a field that this device cannot realise. Stays until the field is removed. */
  UnsupportedField: "UnsupportedField",
  InvalidArgument: "InvalidArgument",
  /** The device is not in the state that the request needs, and may be later. Nothing was changed. */
  FailedPrecondition: "FailedPrecondition",
  /** No answer, and nothing on the device can have changed through this request. */
  Unreachable: "Unreachable",
  AuthenticationFailed: "AuthenticationFailed",
  HostKeyUnknown: "HostKeyUnknown",
  HostKeyMismatch: "HostKeyMismatch",
  /** Somebody else holds the lock; `lockOwner` reads who. */
  LockDenied: "LockDenied",
  /** The device understood and refused; `reports` holds its words. Nothing was changed. */
  DeviceRejected: "DeviceRejected",
  /** The request may have taken effect: read back and decide, never send it again blindly. */
  OutcomeUnknown: "OutcomeUnknown",
  /** The peer does not keep to the protocol. */
  ProtocolError: "ProtocolError",
  LimitExceeded: "LimitExceeded",
  CapabilityMissing: "CapabilityMissing",
  /** The caller withdrew, or its deadline passed, and nothing on the device can have changed through this request. */
  Cancelled: "Cancelled",
} as const;
export type ProviderErrorCode = (typeof ProviderErrorCode)[keyof typeof ProviderErrorCode];

interface CodeMeaning {
  readonly retry: "later" | "never";
  readonly remedy: string;
}

const meanings: Readonly<Record<ProviderErrorCode, CodeMeaning>> = {
  UnsupportedField: { retry: "never", remedy: "remove the field, or use a device that supports it" },
  InvalidArgument: { retry: "never", remedy: "correct the request" },
  FailedPrecondition: { retry: "later", remedy: "wait until the device is ready for the request" },
  Unreachable: { retry: "later", remedy: "check that the device is up and reachable at this address and port" },
  AuthenticationFailed: { retry: "never", remedy: "correct the credentials, then set or resume the device" },
  HostKeyUnknown: { retry: "never", remedy: "compare the fingerprint with the device's own, then accept it" },
  HostKeyMismatch: {
    retry: "never",
    remedy: "find out why the key changed; accept the new one only if the device was really re-keyed",
  },
  LockDenied: { retry: "later", remedy: "wait for the owner of the lock, or ask a person to end that session" },
  DeviceRejected: { retry: "never", remedy: "read the device's own errors and correct the request" },
  OutcomeUnknown: { retry: "never", remedy: "read the device back before anything else is decided" },
  ProtocolError: { retry: "never", remedy: "report it to the vendor of the device, or set a quirk of its profile" },
  LimitExceeded: { retry: "never", remedy: "read less at once, or raise the limit that is named" },
  CapabilityMissing: { retry: "never", remedy: "enable the capability on the device, or choose another way" },
  Cancelled: { retry: "never", remedy: "start again if the work is still wanted" },
};

export interface ProviderErrorDetail {
  /** Path of the field that is at fault, in the words of the request; for a device's report its error-path. */
  readonly fieldPath: string;
  readonly description: string;
}

/** One error or warning as a device reported it (RFC 6241, 4.3; RFC 8040, 7.1 has the same fields). */
export interface DeviceReport {
  readonly type: string;
  readonly tag: string;
  readonly severity: "error" | "warning";
  readonly appTag?: string;
  /** Verbatim, with the prefixes that it uses. */
  readonly path?: string;
  readonly pathPrefixes?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly info: readonly DeviceReportInfo[];
}

export interface DeviceReportInfo {
  readonly namespace: string;
  readonly name: string;
  readonly text: string;
}

export interface ProviderErrorInput {
  readonly code: ProviderErrorCode;
  /**
   * Names the device and what was tried. Never a credential: messages reach logs, the workflow history and people.
   */
  readonly message: string;
  readonly details?: readonly ProviderErrorDetail[];
  readonly reports?: readonly DeviceReport[];
  /** Replaces the general sentence of the code. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  readonly details: readonly ProviderErrorDetail[];
  readonly reports: readonly DeviceReport[];
  /** What a person should do now. */
  readonly remedy: string;

  constructor(input: ProviderErrorInput) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.name = "ProviderError";
    this.code = input.code;
    this.retryable = meanings[input.code].retry === "later";
    this.details = input.details ?? [];
    this.reports = input.reports ?? [];
    this.remedy = input.remedy ?? meanings[input.code].remedy;
  }
}

export function isProviderError(value: unknown): value is ProviderError {
  return value instanceof ProviderError;
}

/**
 * Who holds the lock that was denied: the session id of the device's own report. 0 means that no NETCONF session
 * holds it (a terminal, for example), so no session can be ended to free it (RFC 6241, 7.5). Undefined when the
 * device did not say.
 */
export function lockOwner(error: ProviderError): number | undefined {
  if (error.code !== ProviderErrorCode.LockDenied) {
    return undefined;
  }
  const text = error.reports
    .flatMap(({ info }) => info)
    .find(({ name }) => name === "session-id")
    ?.text.trim();
  return text !== undefined && /^\d{1,10}$/u.test(text) ? Number(text) : undefined;
}
