import type { Duplex } from "node:stream";
import { formatXml } from "../../../codec/xml/format-xml.ts";
import {
  decodeUtf8,
  readXml,
  type XmlElementStart,
  type XmlHandler,
  type XmlLimits,
  XmlTreeBuilder,
} from "../../../codec/xml/read-xml.ts";
import type { XmlElement } from "../../../codec/xml/xml-element.ts";
import { describeXmlError, XmlErrorCode, type XmlResult } from "../../../codec/xml/xml-result.ts";
import { ProviderError, ProviderErrorCode } from "../../error.ts";
import { netconfBaseNamespace } from "./namespaces.ts";
import { type ChunkedOptions, encodeMessage, FrameDecoder, type FrameResult } from "../../../codec/netconf/framing.ts";

export interface XmlChannelLimits {
  readonly maxMessageBytes?: number;
  readonly xml?: Partial<XmlLimits>;
}

export interface XmlChannelOptions {
  readonly stream: Duplex;
  /** Named in every error. */
  readonly target: string;
  readonly limits?: XmlChannelLimits;
  /** One whole message. It may call `useChunked`, which then holds for the very next octet. */
  readonly onMessage: (root: XmlElement) => void;
  /**
   * Asked at the start of each message: who reads the content of the `data` elements right below its root? They are
   * empty in the message then. The content may be that of a message that proves broken later.
   */
  readonly dataReaderOf?: (root: XmlElementStart) => XmlHandler | undefined;
  /**
   * Nothing more will come. Called once: at the end of the stream, or when what came is no message; the owner
   * closes the transport.
   */
  readonly onEnd: (error: ProviderError) => void;
}

/** A message that is ready to go, already framed. */
export interface PreparedMessage {
  readonly bytes: Uint8Array;
}

/** Octets to XML messages and back over one stream, for as long as both sides keep to the rules. */
export class XmlChannel {
  readonly #options: XmlChannelOptions;
  readonly #decoder: FrameDecoder;
  #state: "open" | "ended" = "open";

  constructor(options: XmlChannelOptions) {
    const { stream, limits } = options;
    this.#options = options;
    this.#decoder = new FrameDecoder(
      limits?.maxMessageBytes === undefined ? {} : { maxMessageBytes: limits.maxMessageBytes },
    );
    stream.on("data", (bytes: Uint8Array) => {
      this.#receive(bytes);
    });
    stream.on("error", (error: Error) => {
      this.#end(this.#error(ProviderErrorCode.Unreachable, `the stream broke: ${error.message}`));
    });
    const atEnd = (): void => {
      const where = this.#decoder.isBetweenMessages
        ? "the peer closed the session"
        : "the stream ended inside of a message";
      this.#end(this.#error(ProviderErrorCode.Unreachable, where));
    };
    stream.on("end", atEnd);
    stream.on("close", atEnd);
  }

  useChunked(options: ChunkedOptions = {}): void {
    this.#decoder.useChunked(options);
  }

  /**
   * Serialises and frames without sending. Throws InvalidArgument when XML or the framing cannot carry the message.
   */
  prepare(root: XmlElement): PreparedMessage {
    const text = formatXml(root);
    if (text.kind === "failed") {
      throw this.#error(ProviderErrorCode.InvalidArgument, `the message cannot be written: ${text.error.message}`);
    }
    const encoded = encodeMessage(text.value, this.#decoder.framing);
    if (encoded.kind === "refused") {
      throw this.#error(ProviderErrorCode.InvalidArgument, encoded.reason);
    }
    return { bytes: encoded.bytes };
  }

  /** Hands the whole message to the transport in one write. */
  send(message: PreparedMessage): void {
    this.#options.stream.write(message.bytes);
  }

  #receive(bytes: Uint8Array): void {
    this.#decoder.push(bytes);
    while (this.#state === "open") {
      const frame = this.#decoder.next();
      if (frame.kind === "incomplete") {
        return;
      }
      if (frame.kind !== "message") {
        this.#end(this.#frameError(frame));
        return;
      }
      const decoded = decodeUtf8(frame.bytes);
      const parsed: XmlResult<XmlElement> = decoded.kind === "failed" ? decoded : this.#read(decoded.value);
      if (parsed.kind === "failed") {
        const code =
          parsed.error.code === XmlErrorCode.LimitExceeded
            ? ProviderErrorCode.LimitExceeded
            : ProviderErrorCode.ProtocolError;
        this.#end(this.#error(code, `a message cannot be read: ${describeXmlError(parsed.error)}`));
        return;
      }
      this.#options.onMessage(parsed.value);
    }
  }

  #read(text: string): XmlResult<XmlElement> {
    const builder = new XmlTreeBuilder();
    const reader = new MessageReader(builder, (root) => this.#options.dataReaderOf?.(root));
    const read = readXml(text, reader, { limits: this.#options.limits?.xml ?? {} });
    if (read.kind === "failed") {
      return read;
    }
    // A text that is well-formed has a root.
    return builder.root === undefined
      ? { kind: "failed", error: { code: XmlErrorCode.NotWellFormed, message: "the message has no root element" } }
      : { kind: "ok", value: builder.root };
  }

  #frameError(frame: Exclude<FrameResult, { readonly kind: "message" | "incomplete" }>): ProviderError {
    return frame.kind === "too-large"
      ? this.#error(
          ProviderErrorCode.LimitExceeded,
          `a message exceeds the limit maxMessageBytes of ${String(frame.limit)}`,
        )
      : this.#error(ProviderErrorCode.ProtocolError, `malformed framing: ${frame.reason} (RFC 6242, section 4.2)`);
  }

  #end(error: ProviderError): void {
    if (this.#state === "open") {
      this.#state = "ended";
      this.#options.onEnd(error);
    }
  }

  #error(code: ProviderErrorCode, what: string): ProviderError {
    return new ProviderError({ code, message: `NETCONF with ${this.#options.target}: ${what}` });
  }
}

/** A message into its tree, but what stands below its `data` elements into a reader of its own, if there is one. */
class MessageReader implements XmlHandler {
  readonly #message: XmlHandler;
  readonly #dataReaderOf: (root: XmlElementStart) => XmlHandler | undefined;
  #dataReader: XmlHandler | undefined;
  #depth = 0;
  /** Within a `data` element that has a reader. */
  #inData = false;

  constructor(message: XmlHandler, dataReaderOf: (root: XmlElementStart) => XmlHandler | undefined) {
    this.#message = message;
    this.#dataReaderOf = dataReaderOf;
  }

  open(start: XmlElementStart, end: number): void {
    this.#depth += 1;
    if (this.#inData) {
      this.#dataReader?.open(start, end);
      return;
    }
    if (this.#depth === 1) this.#dataReader = this.#dataReaderOf(start);
    this.#inData =
      this.#depth === 2 &&
      this.#dataReader !== undefined &&
      start.name === "data" &&
      start.namespace === netconfBaseNamespace;
    this.#message.open(start, end);
  }

  text(value: string): void {
    if (this.#inData) this.#dataReader?.text(value);
    else this.#message.text(value);
  }

  close(): void {
    if (this.#inData && this.#depth > 2) {
      this.#dataReader?.close();
    } else {
      this.#inData = false;
      this.#message.close();
    }
    this.#depth -= 1;
  }
}
