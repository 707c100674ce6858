import { setTimeout as delay } from "node:timers/promises";
import { type FrameResult, type Framing, FrameDecoder, encodeMessage } from "../codec/netconf/framing.ts";
import { formatXml } from "../codec/xml/format-xml.ts";
import { decodeUtf8, parseXml } from "../codec/xml/read-xml.ts";
import {
  type XmlElement,
  attributeValue,
  childElements,
  findChild,
  findChildren,
  textOf,
  xmlElement,
  xmlTextElement,
} from "../codec/xml/xml-element.ts";
import type { Device, Reply } from "./device.ts";
import { type Fault, type FaultTable, actionsOf } from "./faults.ts";
import { baseCapability, baseNamespace, type SessionId } from "./netconf-names.ts";
import { type ProtocolRequest, readRequest } from "./protocol-request.ts";
import { type RpcError, applicationError, lockDenied, protocolError, rpcErrorToXml } from "./rpc-error.ts";
import type { RpcLog } from "./rpc-log.ts";

/** The transport below a session. */
export interface SessionWire {
  readonly write: (bytes: Uint8Array) => void;
  /** Ends it after everything written has gone out. */
  readonly end: () => void;
  /** Cuts it off. */
  readonly drop: () => void;
}

export interface SessionOptions {
  readonly device: Device;
  readonly faults: FaultTable;
  readonly log: RpcLog;
  readonly wire: SessionWire;
  readonly user: string;
  /** Cuts replies into chunks of at most so many octets, where chunks are used. */
  readonly maxChunkBytes: number | undefined;
}

/** What an operation is addressed by in the log and by faults, found without understanding the whole of it. */
interface Addressed {
  readonly operation: XmlElement;
  readonly number: number;
  readonly faults: readonly Fault[];
}

/**
 * The server's side of one NETCONF session: hellos, framing, replies with the attributes of their request (RFC 6241, sections 4 and 8.1),
 * one operation after the other. Faults are worked into what the client sees here.
 */
export class NetconfServerSession {
  readonly #options: SessionOptions;
  readonly #id: SessionId;
  readonly #decoder = new FrameDecoder({ maxMessageBytes: 64 * 1024 * 1024 });
  readonly #closed = new AbortController();
  #framing: Framing = "end-of-message";
  #greeted: "yes" | "no" = "no";
  #work: Promise<void> = Promise.resolve();

  /** Says hello at once. `receive` and `transportClosed` have to be called as the transport has something to say. */
  constructor(options: SessionOptions) {
    this.#options = options;
    const { device, wire, user } = options;
    this.#id = device.open({
      user,
      end: () => {
        this.#closed.abort();
        wire.drop();
      },
    });
    this.#send(helloElement(device.capabilities, this.#id));
  }

  receive(bytes: Uint8Array): void {
    if (this.#closed.signal.aborted) return;
    this.#decoder.push(bytes);
    for (let frame = this.#next(); frame.kind !== "incomplete"; frame = this.#next()) {
      if (frame.kind !== "message") {
        this.#end("drop");
        return;
      }
      const message = frame.bytes;
      // The framing changes with the client's hello, before the next message is cut out.
      if (this.#greeted === "no") this.#greet(message);
      else
        this.#work = this.#work
          .then(() => this.#receiveMessage(message))
          .catch((error: unknown) => this.#broken(error));
    }
  }

  transportClosed(): void {
    this.#closed.abort();
    this.#options.device.close(this.#id);
  }

  #next(): FrameResult {
    return this.#closed.signal.aborted ? { kind: "incomplete" } : this.#decoder.next();
  }

  /** RFC 6241, section 8.1: a client that names a session id, or shares no base version, has no session. */
  #greet(message: Uint8Array): void {
    const hello = readMessage(message);
    const list = hello === undefined ? undefined : findChild(hello, baseNamespace, "capabilities");
    const isHello = hello?.namespace === baseNamespace && hello.name === "hello";
    if (!isHello || list === undefined || findChild(hello, baseNamespace, "session-id") !== undefined) {
      this.#end("drop");
      return;
    }
    const theirs = findChildren(list, baseNamespace, "capability").map((each) => textOf(each).trim());
    const { bases } = this.#options.device.offer;
    const common = bases.filter((base) => theirs.includes(baseCapability[base]));
    if (common.length === 0) {
      this.#end("drop");
      return;
    }
    this.#greeted = "yes";
    if (common.includes("1.1")) {
      this.#framing = "chunked";
      this.#decoder.useChunked();
    }
  }

  async #receiveMessage(message: Uint8Array): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const rpc = readMessage(message);
    if (rpc?.namespace !== baseNamespace || rpc.name !== "rpc") {
      // There is no message-id to answer with (RFC 6241, appendix A, malformed-message).
      if (this.#framing === "chunked") {
        const error = { ...protocolError("malformed-message", "this is no rpc"), type: "rpc" } as const;
        this.#send(replyElement([], [rpcErrorToXml(this.#options.device.schema, error)]));
      }
      this.#end("end");
      return;
    }
    const [operation, second] = childElements(rpc);
    const problem = envelopeProblem(rpc, operation, second);
    if (operation === undefined || problem !== undefined) {
      const error = problem ?? protocolError("missing-element", "the rpc has no operation");
      this.#reply(rpc, [], { kind: "errors", errors: [error] });
      return;
    }
    await this.#answer(rpc, operation);
  }

  async #answer(rpc: XmlElement, operation: XmlElement): Promise<void> {
    const { faults: table, log } = this.#options;
    const number = log.received({ session: this.#id, operation: operation.name, ...addressOf(operation) });
    const addressed: Addressed = { operation, number, faults: table.take(operation.name) };
    const drop = actionsOf(addressed.faults, "drop-session")[0]?.when;
    try {
      await this.#hold(addressed, "before");
      if (drop === "before") this.#end("drop");
      this.#mustLive();
      const { reply, closes } = this.#carryOut(addressed);
      if (drop === "after") this.#end("drop");
      for (const { milliseconds } of actionsOf(addressed.faults, "delay")) {
        await delay(milliseconds, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
      await this.#hold(addressed, "after");
      this.#mustLive();
      this.#reply(rpc, addressed.faults, reply);
      const errorTags = reply.kind === "errors" ? reply.errors.map(({ tag }) => tag) : [];
      log.ended(number, { outcome: errorTags.length > 0 ? "error" : "ok", errorTags });
      if (closes === "yes") this.#end("end");
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      log.ended(number, { outcome: "dropped", errorTags: [] });
    }
  }

  #mustLive(): void {
    if (this.#closed.signal.aborted) throw new SessionGone();
  }

  #carryOut({ operation, number, faults }: Addressed): { readonly reply: Reply; readonly closes: "yes" | "no" } {
    const { device, log } = this.#options;
    const read = readRequest(operation, device.offer);
    if (read.kind === "refused") return { reply: { kind: "errors", errors: [read.error] }, closes: "no" };
    const forced = forcedReply(read.request, faults);
    if (forced !== undefined) return { reply: forced, closes: "no" };
    log.carriedOut(number);
    const closes = read.request.kind === "close-session" ? "yes" : "no";
    try {
      return { reply: device.execute(this.#id, read.request, faults), closes };
    } catch (error) {
      const message = `the device failed: ${error instanceof Error ? error.message : String(error)}`;
      return { reply: { kind: "errors", errors: [applicationError("operation-failed", message)] }, closes };
    }
  }

  async #hold({ faults }: Addressed, when: "before" | "after"): Promise<void> {
    const { signal } = this.#closed;
    for (const hold of actionsOf(faults, "hold")) {
      if (hold.when !== when || signal.aborted) continue;
      const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([this.#options.faults.hold(hold.id), gone]);
    }
  }

  #reply(rpc: XmlElement, faults: readonly Fault[], reply: Reply): void {
    const { schema } = this.#options.device;
    const warnings = actionsOf(faults, "warn").map(
      ({ message }): RpcError => ({ ...applicationError("operation-failed", message), severity: "warning" }),
    );
    const before = warnings.map((warning) => rpcErrorToXml(schema, warning));
    switch (reply.kind) {
      case "ok":
        this.#send(replyElement(rpc.attributes, [...before, xmlElement({ namespace: baseNamespace, name: "ok" })]));
        return;
      case "data":
        this.#send(replyElement(rpc.attributes, [...before, ...reply.content]));
        return;
      case "errors": {
        const errors = reply.errors.map((error) => rpcErrorToXml(schema, error));
        this.#send(replyElement(rpc.attributes, [...before, ...errors]));
        return;
      }
    }
  }

  #send(element: XmlElement): void {
    const text = formatXml(element);
    if (text.kind === "failed") throw new TypeError(`a message cannot be written: ${text.error.message}`);
    const { maxChunkBytes, wire } = this.#options;
    const framed = encodeMessage(text.value, this.#framing, maxChunkBytes === undefined ? {} : { maxChunkBytes });
    if (framed.kind === "refused") throw new TypeError(`a message cannot be framed: ${framed.reason}`);
    wire.write(framed.bytes);
  }

  /** A fault of the simulator itself: the client must not wait for an answer, and somebody has to see it. */
  #broken(error: unknown): void {
    process.emitWarning(error instanceof Error ? error : String(error));
    this.#end("drop");
  }

  #end(how: "end" | "drop"): void {
    this.#closed.abort();
    this.#options.device.close(this.#id);
    this.#options.wire[how]();
  }
}

/** Leaves the answering of an operation whose session is over; never leaves this file. */
class SessionGone extends Error {}

/** The reply that a fault dictates without anything being carried out, if one does. */
function forcedReply(request: ProtocolRequest, faults: readonly Fault[]): Reply | undefined {
  const [fail] = actionsOf(faults, "fail");
  if (fail !== undefined) return { kind: "errors", errors: [applicationError(fail.tag, fail.message)] };
  const [deny] = actionsOf(faults, "deny-lock");
  if (deny !== undefined && (request.kind === "lock" || request.kind === "unlock")) {
    return { kind: "errors", errors: [lockDenied(deny.session, "somebody else holds the lock")] };
  }
  const reads = request.kind === "get" || request.kind === "get-config" || request.kind === "get-schema";
  return actionsOf(faults, "ignore").length > 0 && !reads ? { kind: "ok" } : undefined;
}

function envelopeProblem(
  rpc: XmlElement,
  operation: XmlElement | undefined,
  second: XmlElement | undefined,
): RpcError | undefined {
  if (attributeValue(rpc, "", "message-id") === undefined) {
    return {
      ...protocolError("missing-attribute", "the rpc has no message-id", {
        info: [
          { name: "bad-attribute", text: "message-id" },
          { name: "bad-element", text: "rpc" },
        ],
      }),
      type: "rpc",
    };
  }
  if (operation !== undefined && second !== undefined) {
    const info = [{ name: "bad-element", text: second.name }];
    return protocolError("bad-element", "the rpc has more than one operation", { info });
  }
  return undefined;
}

function addressOf(operation: XmlElement): {
  readonly datastore: string | undefined;
  readonly persist: string | undefined;
  readonly persistId: string | undefined;
} {
  const child = (name: string): XmlElement | undefined => childElements(operation).find((each) => each.name === name);
  const place = child("target") ?? child("source");
  const text = (name: string): string | undefined => {
    const element = child(name);
    return element === undefined ? undefined : textOf(element);
  };
  return {
    datastore: place === undefined ? undefined : childElements(place)[0]?.name,
    persist: text("persist"),
    persistId: text("persist-id"),
  };
}

function readMessage(bytes: Uint8Array): XmlElement | undefined {
  const text = decodeUtf8(bytes);
  if (text.kind === "failed") return undefined;
  const root = parseXml(text.value);
  return root.kind === "ok" ? root.value : undefined;
}

function helloElement(capabilities: readonly string[], id: SessionId): XmlElement {
  return xmlElement({
    namespace: baseNamespace,
    name: "hello",
    children: [
      xmlElement({
        namespace: baseNamespace,
        name: "capabilities",
        children: capabilities.map((uri) => xmlTextElement({ namespace: baseNamespace, name: "capability" }, uri)),
      }),
      xmlTextElement({ namespace: baseNamespace, name: "session-id" }, String(id)),
    ],
  });
}

/** All attributes of the request come back with the reply (RFC 6241, section 4.2). */
function replyElement(attributes: XmlElement["attributes"], children: readonly XmlElement[]): XmlElement {
  return xmlElement({ namespace: baseNamespace, name: "rpc-reply", attributes, children });
}
