/**
 * One NETCONF session as client: hellos, requests matched to replies by message-id, and an honest word about every
 * request that got no clear answer. A session never outlives a time-out: after one nobody knows what the device
 * still does, so the session is closed and the caller opens a new one to read back.
 */
import type { Duplex } from "node:stream";
import type { XmlHandler } from "../../../codec/xml/read-xml.ts";
import { attributeValue, type XmlElement, xmlElement } from "../../../codec/xml/xml-element.ts";
import { type DeviceReport, ProviderError, ProviderErrorCode } from "../../error.ts";
import { connectSsh, type SshConnectOptions } from "../../transport/ssh-connection.ts";
import { type NetconfCapabilities, parseCapabilities } from "./capabilities.ts";
import type { ChunkedOptions, Framing } from "../../../codec/netconf/framing.ts";
import { formatHello, negotiateFraming, parseHello } from "./hello.ts";
import {
  base10Capability,
  base11Capability,
  netconfBaseNamespace as base,
  notificationNamespace,
} from "./namespaces.ts";
import { rejectionError, RpcEffect } from "./rejection.ts";
import { describeReports, findRpcErrors, saysOk } from "./rpc-error.ts";
import { XmlChannel, type XmlChannelLimits } from "./xml-channel.ts";

export interface RpcEvent {
  /** `sending`: right before the request is written. `replied`: after its reply, also a rejecting one. */
  readonly phase: "sending" | "replied";
  readonly operation: string;
  readonly messageId: string;
}

export interface SessionOptions {
  /** Ours; both base versions unless said otherwise. */
  readonly capabilities?: readonly string[];
  /** For the server's hello. Default 20 s. */
  readonly helloTimeoutMs?: number;
  /** For each request that names no other. Default 60 s. */
  readonly requestTimeoutMs?: number;
  readonly limits?: XmlChannelLimits;
  /** A quirk of the device's profile. */
  readonly lineFeedAfterHello?: ChunkedOptions["lineFeedAfterHello"];
  /** Ends the session at once; nothing is sent afterwards, not even a good-bye. */
  readonly signal?: AbortSignal;
  /** On the clock of `performance.now()`, in ms. Nothing is sent and nothing awaited after it. */
  readonly deadline?: number;
  readonly onRpc?: (event: RpcEvent) => void;
  /** The whole `notification` element (RFC 5277, 4); without a listener they are dropped. */
  readonly onNotification?: (notification: XmlElement) => void;
}

export interface NetconfSessionOptions extends SessionOptions {
  readonly ssh: Omit<SshConnectOptions, "signal">;
}

/** A connected stream that a session takes over. */
export interface NetconfTransport {
  readonly target: string;
  readonly stream: Duplex;
  /** Why the connection below ended, once it did. */
  readonly ended: Promise<ProviderError>;
  readonly close: () => Promise<void>;
  readonly destroy: () => void;
}

export interface RpcRequest {
  /** The child of `rpc`; its local name is the operation's name in events and errors. */
  readonly body: XmlElement;
  readonly effect: RpcEffect;
  /** `ok`: an answer with neither ok nor a warning is no answer. `data`: anything without an error is one. */
  readonly expects: "ok" | "data";
  /** Reads what stands below `data` while it arrives; the reply's own `data` is empty then. */
  readonly dataReader?: XmlHandler | undefined;
  readonly timeoutMs?: number;
}

export interface RpcReply {
  /** The `rpc-reply` element. */
  readonly reply: XmlElement;
  readonly warnings: readonly DeviceReport[];
}

interface PendingRpc {
  readonly operation: string;
  readonly effect: RpcEffect;
  readonly dataReader: XmlHandler | undefined;
  readonly resolve: (reply: XmlElement) => void;
  readonly reject: (error: ProviderError) => void;
}

const defaultHelloTimeoutMs = 20_000;
const defaultRequestTimeoutMs = 60_000;
const closeTimeoutMs = 5_000;

/**
 * Connects over SSH (RFC 6242), opens the subsystem `netconf` and exchanges hellos.
 *
 * Throws what `connectSsh` throws; Unreachable when no hello comes in time; ProtocolError for a malformed hello or
 * no base version in common; Cancelled for a deadline or signal. After a throw nothing is left open.
 */
export async function openNetconfSession(options: NetconfSessionOptions): Promise<NetconfSession> {
  const remaining = remainingMs(options.deadline);
  const connectTimeoutMs = Math.min(options.ssh.connectTimeoutMs ?? Number.POSITIVE_INFINITY, remaining);
  if (remaining <= 0) {
    throw deadlinePassed(`${options.ssh.host}:${String(options.ssh.port)}`);
  }
  const connection = await connectSsh({
    ...options.ssh,
    ...(connectTimeoutMs === Number.POSITIVE_INFINITY ? {} : { connectTimeoutMs }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  try {
    const stream = await connection.openSubsystem("netconf");
    const { target, ended, close, destroy } = connection;
    return await startNetconfSession({ target, stream, ended, close, destroy }, options);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/**
 * The part of `openNetconfSession` after the stream is there. The session owns the transport from here on and
 * destroys it on a throw.
 */
export async function startNetconfSession(
  transport: NetconfTransport,
  options: SessionOptions,
): Promise<NetconfSession> {
  const session = new NetconfSession(transport, options);
  await session.exchangeHellos();
  return session;
}

export class NetconfSession {
  readonly target: string;
  /** Why the session ended, once it did; also after an orderly close. Never rejects. */
  readonly ended: Promise<ProviderError>;
  readonly #transport: NetconfTransport;
  readonly #options: SessionOptions;
  readonly #channel: XmlChannel;
  readonly #pending = new Map<string, PendingRpc>();
  readonly #resolveEnded: (error: ProviderError) => void;
  #awaitHello: PendingHello | undefined;
  #established: Established | undefined;
  #end: ProviderError | undefined;
  #lastId = 0;

  /** Use `openNetconfSession`; a session is usable only after its hellos. */
  constructor(transport: NetconfTransport, options: SessionOptions) {
    this.target = transport.target;
    this.#transport = transport;
    this.#options = options;
    let resolveEnded: (error: ProviderError) => void = () => undefined;
    this.ended = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#resolveEnded = resolveEnded;
    this.#channel = new XmlChannel({
      stream: transport.stream,
      target: transport.target,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      onMessage: (root) => {
        this.#receive(root);
      },
      dataReaderOf: ({ attributes }) => {
        const messageId = attributes.find(({ namespace, name }) => namespace === "" && name === "message-id")?.value;
        return messageId === undefined ? undefined : this.#pending.get(messageId)?.dataReader;
      },
      onEnd: (error) => {
        this.#fail(error);
      },
    });
    void transport.ended.then((error) => {
      this.#fail(error);
    });
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The session id that the server gave, as lock owners are named. */
  get sessionId(): number {
    return this.#afterHello().sessionId;
  }

  /** What the server offers. */
  get capabilities(): NetconfCapabilities {
    return this.#afterHello().capabilities;
  }

  get framing(): Framing {
    return this.#afterHello().framing;
  }

  /**
   * @internal Part of opening: sends our hello at once and waits for the server's (RFC 6241, 8.1: neither side
   * waits for the other).
   */
  async exchangeHellos(): Promise<void> {
    this.#checkMaySend();
    const ours = this.#options.capabilities ?? [base10Capability, base11Capability];
    const established = new Promise<Established>((resolve, reject) => {
      this.#awaitHello = { ours, resolve, reject };
    });
    this.#channel.send(this.#channel.prepare(formatHello({ kind: "client", capabilities: ours })));
    const stopTimer = this.#startTimer("hello", this.#options.helloTimeoutMs ?? defaultHelloTimeoutMs);
    try {
      this.#established = await established;
    } finally {
      stopTimer();
    }
  }

  /**
   * Sends one rpc and waits for its reply. Several may wait at once; replies find their request by message-id only.
   *
   * Throws InvalidArgument (the request cannot be written), Cancelled or Unreachable (nothing was sent, or it
   * cannot have changed anything), OutcomeUnknown (it may have taken effect), LockDenied, FailedPrecondition or
   * DeviceRejected (the server said no), ProtocolError and LimitExceeded (the answer is unusable and the request
   * harmless).
   */
  async request(request: RpcRequest): Promise<RpcReply> {
    const { body, effect } = request;
    const operation = body.name;
    this.#lastId += 1;
    const messageId = String(this.#lastId);
    const message = this.#channel.prepare(
      xmlElement({
        namespace: base,
        name: "rpc",
        attributes: [{ namespace: "", name: "message-id", prefix: "", value: messageId }],
        children: [body],
      }),
    );
    this.#checkMaySend();
    this.#options.onRpc?.({ phase: "sending", operation, messageId });
    const answered = new Promise<XmlElement>((resolve, reject) => {
      this.#pending.set(messageId, { operation, effect, dataReader: request.dataReader, resolve, reject });
    });
    this.#channel.send(message);
    const stopTimer = this.#startTimer(
      operation,
      request.timeoutMs ?? this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    );
    let reply: XmlElement;
    try {
      reply = await answered;
    } finally {
      stopTimer();
    }
    this.#options.onRpc?.({ phase: "replied", operation, messageId });
    return this.#judge(request, reply);
  }

  /**
   * Says close-session where that is still allowed, then closes the transport; a server that does not answer is
   * left after 5 s. Never throws, and may be called again. Locks, an uncommitted candidate and a confirmed commit
   * without persist end with the session.
   */
  async close(): Promise<void> {
    if (this.#end === undefined) {
      const body = xmlElement({ namespace: base, name: "close-session" });
      // Whatever goes wrong here, the session ends; there is nobody to tell.
      await this.request({ body, effect: RpcEffect.None, expects: "data", timeoutMs: closeTimeoutMs }).catch(
        () => undefined,
      );
    }
    this.#fail(this.#error(ProviderErrorCode.Unreachable, "the session was closed"), "keep-transport");
    await this.#transport.close();
  }

  /** Drops the session without a word. Requests under way end as on a lost session. */
  destroy(): void {
    this.#fail(this.#error(ProviderErrorCode.Cancelled, "the session was dropped"));
  }

  #receive(root: XmlElement): void {
    if (this.#awaitHello !== undefined) {
      this.#receiveHello(root, this.#awaitHello);
    } else if (root.namespace === notificationNamespace && root.name === "notification") {
      this.#options.onNotification?.(root);
    } else if (root.namespace === base && root.name === "rpc-reply") {
      this.#receiveReply(root);
    } else {
      this.#fail(
        this.#error(ProviderErrorCode.ProtocolError, `a server does not send {${root.namespace}}${root.name}`),
      );
    }
  }

  #receiveHello(root: XmlElement, waiting: PendingHello): void {
    const result = parseHello(root);
    if (result.kind === "malformed") {
      this.#fail(this.#error(ProviderErrorCode.ProtocolError, result.reason));
      return;
    }
    const { hello } = result;
    if (hello.kind === "client") {
      this.#fail(this.#error(ProviderErrorCode.ProtocolError, "the server's hello has no session-id"));
      return;
    }
    const framing = negotiateFraming(waiting.ours, hello.capabilities);
    if (framing === undefined) {
      this.#fail(this.#error(ProviderErrorCode.ProtocolError, "the server offers no base version that we offer"));
      return;
    }
    if (framing === "chunked") {
      this.#channel.useChunked({ lineFeedAfterHello: this.#options.lineFeedAfterHello ?? "refuse" });
    }
    this.#awaitHello = undefined;
    waiting.resolve({ sessionId: hello.sessionId, capabilities: parseCapabilities(hello.capabilities), framing });
  }

  #receiveReply(root: XmlElement): void {
    const messageId = attributeValue(root, "", "message-id");
    const pending = messageId === undefined ? undefined : this.#pending.get(messageId);
    if (messageId === undefined || pending === undefined) {
      const what =
        messageId === undefined
          ? "a reply without message-id"
          : `a reply to message-id "${messageId}", which nobody waits for`;
      const words = describeReports(findRpcErrors(root));
      this.#fail(this.#error(ProviderErrorCode.ProtocolError, words === "" ? what : `${what}: ${words}`));
      return;
    }
    this.#pending.delete(messageId);
    pending.resolve(root);
  }

  #judge({ body, effect, expects }: RpcRequest, reply: XmlElement): RpcReply {
    const reports = findRpcErrors(reply);
    const errors = reports.filter(({ severity }) => severity === "error");
    if (errors.length > 0) {
      throw rejectionError({ target: this.target, operation: body.name, effect, errors });
    }
    if (expects === "ok" && reports.length === 0 && !saysOk(reply)) {
      throw this.#error(
        effect === RpcEffect.None ? ProviderErrorCode.ProtocolError : ProviderErrorCode.OutcomeUnknown,
        `the reply to ${body.name} says neither ok nor error`,
      );
    }
    return { reply, warnings: reports };
  }

  /** Throws when nothing may be sent any more. */
  #checkMaySend(): void {
    if (this.#options.signal?.aborted === true) {
      throw this.#error(ProviderErrorCode.Cancelled, "the work was cancelled; nothing was sent");
    }
    if (remainingMs(this.#options.deadline) <= 0) {
      throw deadlinePassed(this.target);
    }
    if (this.#end !== undefined) {
      throw new ProviderError({
        code: this.#end.code,
        message: `${this.#end.message}; nothing was sent`,
        cause: this.#end,
      });
    }
  }

  /** Ends the session when no answer comes in time, be it the request's own time or the deadline of all work. */
  #startTimer(operation: string, timeoutMs: number): () => void {
    const remaining = remainingMs(this.#options.deadline);
    const isDeadline = remaining < timeoutMs;
    const timer = setTimeout(
      () => {
        this.#fail(
          isDeadline
            ? this.#error(ProviderErrorCode.Cancelled, `the deadline passed before ${operation} was answered`)
            : this.#error(ProviderErrorCode.Unreachable, `no answer to ${operation} within ${String(timeoutMs)} ms`),
        );
      },
      Math.max(0, Math.min(timeoutMs, remaining)),
    );
    return () => {
      clearTimeout(timer);
    };
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#error(ProviderErrorCode.Cancelled, "the work was cancelled"));
  };

  /** Ends the session, once. What waits for an answer learns whether it may have taken effect. */
  #fail(error: ProviderError, transport: "destroy" | "keep-transport" = "destroy"): void {
    if (this.#end !== undefined) {
      return;
    }
    this.#end = error;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#awaitHello?.reject(error);
    for (const { operation, effect, reject } of this.#pending.values()) {
      reject(
        effect === RpcEffect.None
          ? error
          : new ProviderError({
              code: ProviderErrorCode.OutcomeUnknown,
              message: `${operation} was sent and may have taken effect: ${error.message}`,
              cause: error,
            }),
      );
    }
    this.#pending.clear();
    if (transport === "destroy") {
      this.#transport.destroy();
    }
    this.#resolveEnded(error);
  }

  #afterHello(): Established {
    if (this.#established === undefined) {
      throw new RangeError("the session has not exchanged its hellos");
    }
    return this.#established;
  }

  #error(code: ProviderErrorCode, what: string): ProviderError {
    return new ProviderError({ code, message: `NETCONF with ${this.target}: ${what}` });
  }
}

interface PendingHello {
  readonly ours: readonly string[];
  readonly resolve: (established: Established) => void;
  readonly reject: (error: ProviderError) => void;
}

interface Established {
  readonly sessionId: number;
  readonly capabilities: NetconfCapabilities;
  readonly framing: Framing;
}

function remainingMs(deadline: number | undefined): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline - performance.now();
}

function deadlinePassed(target: string): ProviderError {
  return new ProviderError({
    code: ProviderErrorCode.Cancelled,
    message: `the deadline for work on ${target} has passed; nothing was sent`,
  });
}
