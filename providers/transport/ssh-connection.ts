/**
 * The SSH side of a device: connect, check the host key, authenticate, open a subsystem. This folder owns what
 * several protocols share on their way to a device; every failure leaves it as a `ProviderError` that says whether
 * the address, the key or the credentials are at fault.
 */
import { createHash } from "node:crypto";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
// Its names exist only on the default export when Node itself loads this CommonJS package.
import ssh2, { type AnyAuthMethod, type Client, type ClientChannel } from "ssh2";
import { isProviderError, ProviderError, ProviderErrorCode } from "../error.ts";

/** Resolved credentials. They live in memory only and never enter a message, an error or a log. */
export interface SshCredentials {
  readonly username: string;
  readonly proof:
    | { readonly kind: "password"; readonly password: string }
    /** PEM or OpenSSH format. */
    | { readonly kind: "private-key"; readonly privateKey: string; readonly passphrase?: string };
}

/** What is known about the host key. Fingerprints have OpenSSH's form, `SHA256:` and unpadded base64. */
export type HostKeyPolicy =
  | { readonly kind: "pinned"; readonly sha256: string }
  /**
   * Trust on first use, said explicitly: `onAccept` gets the key before anything secret is sent; when it throws,
   * the key is refused.
   */
  | { readonly kind: "accept-new"; readonly onAccept: (sha256: string) => void }
  /** Nothing is known: refuse with the fingerprint, so that a person can compare and accept it. */
  | { readonly kind: "refuse-unknown" };

export interface SshConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly credentials: SshCredentials;
  readonly hostKey: HostKeyPolicy;
  /** For connecting, key exchange and authentication together. Default 20 s. */
  readonly connectTimeoutMs?: number;
  /** An unanswered keepalive ends the connection after `intervalMs` x `maxMissed`. Default 15 s x 3. */
  readonly keepalive?: { readonly intervalMs: number; readonly maxMissed: number };
  readonly signal?: AbortSignal;
}

export interface SshConnection {
  /** `host:port`, for messages. */
  readonly target: string;
  readonly hostKeySha256: string;
  /** Opens a subsystem (RFC 4254, 6.5). Its octets are not touched: no encoding, no line ends. */
  readonly openSubsystem: (name: string, options?: { readonly timeoutMs?: number }) => Promise<Duplex>;
  /** Why the connection ended, once it did; for the message of whoever notices first. Never rejects. */
  readonly ended: Promise<ProviderError>;
  /** Says good-bye and waits until the socket is closed. Safe to call again. */
  readonly close: () => Promise<void>;
  /** Drops the socket at once. */
  readonly destroy: () => void;
}

const defaultConnectTimeoutMs = 20_000;
const defaultSubsystemTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;

/**
 * Connects and authenticates. The host key is decided on before anything secret is sent. One attempt with one
 * credential: a wrong password costs the account one failure, never several.
 *
 * Throws Unreachable, HostKeyUnknown, HostKeyMismatch, AuthenticationFailed, Cancelled, or ProtocolError when the
 * peer is no SSH server that shares an algorithm with us. After a throw no socket is left open.
 */
export async function connectSsh(options: SshConnectOptions): Promise<SshConnection> {
  const target = options.host.includes(":")
    ? `[${options.host}]:${String(options.port)}`
    : `${options.host}:${String(options.port)}`;
  const { signal } = options;
  if (signal?.aborted === true) {
    throw cancelled(target);
  }
  checkPrivateKey(options.credentials, target);
  const client = new ssh2.Client();
  // Our own socket: the library's `destroy` does nothing once its side has said good-bye, and would wait for a dead
  // peer for ever.
  const socket = new Socket();
  socket.setNoDelay(true);
  let hostKeySha256 = "";
  let refusal: ProviderError | undefined;
  let firstError: ProviderError | undefined;

  const ended = new Promise<ProviderError>((resolve) => {
    // Stays for the life of the connection: the library reports trouble here at any time, and an error event
    // without a listener ends the process.
    client.on("error", (error) => {
      firstError ??= refusal ?? fromSshError(error, target);
    });
    client.on("close", () => {
      resolve(firstError ?? unreachable(target, "the connection was closed"));
    });
  });
  const destroy = (): void => {
    socket.destroy();
  };
  let closed = false;
  void ended.then(() => {
    closed = true;
  });

  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      firstError ??= cancelled(target);
      destroy();
      reject(firstError);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const settle = (finish: () => void): void => {
      signal?.removeEventListener("abort", abort);
      finish();
    };
    client.once("ready", () => {
      settle(resolve);
    });
    void ended.then((error) => {
      settle(() => {
        reject(error);
      });
    });
    client.on("error", () => {
      destroy();
    });
    try {
      client.connect({
        sock: socket.connect({ host: options.host, port: options.port }),
        username: options.credentials.username,
        readyTimeout: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
        keepaliveInterval: options.keepalive?.intervalMs ?? 15_000,
        keepaliveCountMax: options.keepalive?.maxMissed ?? 3,
        hostVerifier: (key: Buffer): boolean => {
          hostKeySha256 = hostKeyFingerprint(key);
          refusal = refusalOf(options.hostKey, hostKeySha256, target);
          return refusal === undefined;
        },
        authHandler: authenticateOnce(options.credentials),
      });
    } catch (error) {
      // Only arguments are refused at once, such as a port that is none.
      socket.destroy();
      settle(() => {
        reject(
          new ProviderError({
            code: ProviderErrorCode.InvalidArgument,
            message: `cannot connect to ${target}: ${messageOf(error)}`,
          }),
        );
      });
    }
  });
  return {
    target,
    hostKeySha256,
    ended,
    destroy,
    openSubsystem: (name, subsystemOptions = {}) =>
      openSubsystem(client, ended, target, name, subsystemOptions.timeoutMs ?? defaultSubsystemTimeoutMs),
    close: async () => {
      if (closed) {
        return;
      }
      client.end();
      const timer = setTimeout(destroy, closeTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** OpenSSH's SHA-256 fingerprint of a public key in wire format. */
export function hostKeyFingerprint(key: Uint8Array): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/u, "")}`;
}

async function openSubsystem(
  client: Client,
  ended: Promise<ProviderError>,
  target: string,
  name: string,
  timeoutMs: number,
): Promise<Duplex> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(unreachable(target, `the subsystem "${name}" did not open within ${String(timeoutMs)} ms`));
    }, timeoutMs);
  });
  const opened = new Promise<ClientChannel>((resolve, reject) => {
    client.subsys(name, (error, channel) => {
      if (error === undefined) {
        resolve(channel);
        return;
      }
      reject(
        new ProviderError({
          code: ProviderErrorCode.ProtocolError,
          message: `${target} did not open the subsystem "${name}": ${error.message}`,
          remedy: `enable ${name} on the device, or use the port where it listens`,
          cause: error,
        }),
      );
    });
  });
  const lost = ended.then((error) => {
    throw error;
  });
  try {
    const channel = await Promise.race([opened, timedOut, lost]);
    // Nobody reads what a subsystem writes there, and an unread stream stops the whole channel.
    channel.stderr.resume();
    return channel;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks for the methods first ("none"), then sends the one credential by the one method that fits it. Many devices
 * take a password only by keyboard-interactive.
 */
function authenticateOnce(credentials: SshCredentials) {
  const { username, proof } = credentials;
  let sent = false;
  return (methodsLeft: readonly string[] | null): AnyAuthMethod | false => {
    if (methodsLeft === null) {
      return { type: "none", username };
    }
    if (sent) {
      return false;
    }
    sent = true;
    if (proof.kind === "private-key") {
      return methodsLeft.includes("publickey")
        ? {
            type: "publickey",
            username,
            key: proof.privateKey,
            ...(proof.passphrase === undefined ? {} : { passphrase: proof.passphrase }),
          }
        : false;
    }
    if (methodsLeft.includes("password")) {
      return { type: "password", username, password: proof.password };
    }
    if (!methodsLeft.includes("keyboard-interactive")) {
      return false;
    }
    let answered = false;
    return {
      type: "keyboard-interactive",
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => {
        // Only a single hidden question is about the password, and only once; to anything else there is no answer.
        const isPassword = prompts.length === 1 && prompts[0]?.echo !== true && !answered;
        answered ||= isPassword;
        finish(prompts.map(() => (isPassword ? proof.password : "")));
      },
    };
  };
}

/** Finds an unusable key before a connection is made; the library would skip it in silence. */
function checkPrivateKey({ proof }: SshCredentials, target: string): void {
  if (proof.kind === "private-key") {
    const parsed = ssh2.utils.parseKey(proof.privateKey, proof.passphrase);
    const key = Array.isArray(parsed) ? (parsed as readonly (typeof parsed)[])[0] : parsed;
    if (key instanceof Error) {
      throw new ProviderError({
        code: ProviderErrorCode.AuthenticationFailed,
        message: `the private key for ${target} cannot be used: ${key.message}`,
      });
    }
    if (key?.isPrivateKey() !== true) {
      throw new ProviderError({
        code: ProviderErrorCode.AuthenticationFailed,
        message: `the key for ${target} is a public key, not a private one`,
      });
    }
  }
}

function refusalOf(policy: HostKeyPolicy, presented: string, target: string): ProviderError | undefined {
  switch (policy.kind) {
    case "pinned":
      return policy.sha256 === presented
        ? undefined
        : new ProviderError({
            code: ProviderErrorCode.HostKeyMismatch,
            message: `the host key of ${target} is ${presented}, but ${policy.sha256} is pinned`,
            details: [
              { fieldPath: "hostKey.expected", description: policy.sha256 },
              { fieldPath: "hostKey.presented", description: presented },
            ],
          });
    case "refuse-unknown":
      return new ProviderError({
        code: ProviderErrorCode.HostKeyUnknown,
        message: `the host key of ${target} is not known; it presents ${presented}`,
        details: [{ fieldPath: "hostKey.presented", description: presented }],
      });
    case "accept-new":
      try {
        policy.onAccept(presented);
        return undefined;
      } catch (error) {
        return isProviderError(error)
          ? error
          : new ProviderError({
              code: ProviderErrorCode.HostKeyUnknown,
              message: `the host key ${presented} of ${target} could not be accepted: ${messageOf(error)}`,
              details: [{ fieldPath: "hostKey.presented", description: presented }],
              cause: error,
            });
      }
  }
}

function fromSshError(error: Error, target: string): ProviderError {
  const level = "level" in error ? error.level : undefined;
  if (level === "client-authentication") {
    return new ProviderError({
      code: ProviderErrorCode.AuthenticationFailed,
      message: `${target} did not accept the credentials`,
    });
  }
  // A peer that hangs up before its first line has broken no rule.
  if (
    level === "client-socket" ||
    level === "client-timeout" ||
    level === "client-dns" ||
    error.message.startsWith("Connection lost")
  ) {
    return unreachable(target, messageOf(error));
  }
  return new ProviderError({
    code: ProviderErrorCode.ProtocolError,
    message: `SSH with ${target} failed: ${messageOf(error)}`,
    cause: error,
  });
}

function unreachable(target: string, why: string): ProviderError {
  return new ProviderError({ code: ProviderErrorCode.Unreachable, message: `${target} is not reachable: ${why}` });
}

function cancelled(target: string): ProviderError {
  return new ProviderError({ code: ProviderErrorCode.Cancelled, message: `connecting to ${target} was cancelled` });
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "unknown cause";
}
