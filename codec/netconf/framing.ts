/**
 * Message framing of NETCONF over SSH (RFC 6242, section 4), by octets and for either side. This folder owns NETCONF itself; this file owns
 * the border between a stream that may be cut anywhere and whole messages. Nothing is decoded, trimmed or rewritten here: a cut may fall
 * inside a character, and the sizes count what was really sent.
 */
export type Framing = "end-of-message" | "chunked";

const marker = new TextEncoder().encode("]]>]]>");
/** RFC 6242, 4.2: chunk-size is at most this. */
const maxChunkSize = 4_294_967_295;

/** Default upper bound of one message: 256 MiB. */
export const defaultMaxMessageBytes = 256 * 1024 * 1024;

export type FrameResult =
  | { readonly kind: "message"; readonly bytes: Uint8Array }
  /** Nothing complete yet: push more. */
  | { readonly kind: "incomplete" }
  /** The session must end (RFC 6242, 4.2). The decoder stays in this state. */
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "too-large"; readonly limit: number };

export interface FrameDecoderOptions {
  readonly maxMessageBytes?: number;
}

export interface ChunkedOptions {
  /** `ignore-one`: a quirk of some servers, which send one LF too many directly after their hello. Never the default. */
  readonly lineFeedAfterHello?: "refuse" | "ignore-one";
}

type ChunkState = "start" | "hash" | "size-or-end" | "size" | "data" | "end";

/**
 * Cuts a stream into messages. Starts in end-of-message framing, as every session does; `useChunked` applies to all octets not yet consumed,
 * also to those that arrived together with the hello. Work is linear in what arrives, whatever the pieces are.
 */
export class FrameDecoder {
  readonly #maxMessageBytes: number;
  readonly #input: Uint8Array[] = [];
  /** Next octet in the first piece of input. */
  #offset = 0;
  #framing: Framing = "end-of-message";
  #message = new OctetBuffer();
  #failure: FrameResult | undefined;
  /** How many octets of the marker the message ends with. */
  #matched = 0;
  #state: ChunkState = "start";
  #size = 0;
  #digits = 0;
  /** Octets of the current chunk that are still to come. */
  #remaining = 0;
  #chunks = 0;
  #lineFeed: "refuse" | "ignore-one" = "refuse";

  constructor(options: FrameDecoderOptions = {}) {
    this.#maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
  }

  get framing(): Framing {
    return this.#framing;
  }

  /** Switches after both hellos, between two messages. Throws a RangeError inside of one. */
  useChunked(options: ChunkedOptions = {}): void {
    if (this.#message.length > 0) {
      throw new RangeError("the framing changes only between two messages");
    }
    this.#framing = "chunked";
    this.#lineFeed = options.lineFeedAfterHello ?? "refuse";
  }

  /** Adds octets as they came. The array is not copied at once, so it may not be changed afterwards. */
  push(bytes: Uint8Array): void {
    if (bytes.length > 0) {
      this.#input.push(bytes);
    }
  }

  /** The next whole message, if it is there. Call again until it answers something else than `message`. */
  next(): FrameResult {
    if (this.#failure !== undefined) {
      return this.#failure;
    }
    let used = 0;
    try {
      for (const piece of this.#input) {
        const result = this.#framing === "chunked" ? this.#readChunked(piece) : this.#readEndOfMessage(piece);
        if (result !== undefined) {
          if (result.kind !== "message") {
            this.#failure = result;
          }
          return result;
        }
        used += 1;
        this.#offset = 0;
      }
    } finally {
      // One removal for all pieces used up; removing them one by one would be quadratic.
      this.#input.splice(0, used);
    }
    return { kind: "incomplete" };
  }

  /** Whether the stream ends cleanly here: between two messages, nothing left over. */
  get isBetweenMessages(): boolean {
    return (
      this.#failure === undefined &&
      this.#message.length === 0 &&
      this.#input.length === 0 &&
      this.#state === "start" &&
      this.#chunks === 0
    );
  }

  #readEndOfMessage(piece: Uint8Array): FrameResult | undefined {
    const start = this.#offset;
    let matched = this.#matched;
    for (let index = start; index < piece.length; index += 1) {
      matched = afterOctet(matched, piece[index] ?? 0);
      if (matched === marker.length) {
        this.#message.append(piece.subarray(start, index + 1));
        this.#matched = 0;
        this.#offset = index + 1;
        return this.#take(marker.length);
      }
    }
    this.#matched = matched;
    this.#message.append(piece.subarray(start));
    return this.#message.length > this.#maxMessageBytes + marker.length ? this.#tooLarge() : undefined;
  }

  #readChunked(piece: Uint8Array): FrameResult | undefined {
    while (this.#offset < piece.length) {
      if (this.#state === "data") {
        const end = Math.min(piece.length, this.#offset + this.#remaining);
        this.#message.append(piece.subarray(this.#offset, end));
        this.#remaining -= end - this.#offset;
        this.#offset = end;
        if (this.#remaining === 0) {
          this.#state = "start";
        }
        continue;
      }
      const octet = piece[this.#offset] ?? 0;
      this.#offset += 1;
      const result = this.#readHeader(octet);
      if (result !== undefined) {
        return result;
      }
    }
    return undefined;
  }

  /** One octet outside of chunk data: `LF HASH chunk-size LF` or `LF HASH HASH LF`. */
  #readHeader(octet: number): FrameResult | undefined {
    switch (this.#state) {
      case "start":
        return this.#expect(octet, lineFeed, "hash");
      case "hash":
        if (octet === lineFeed && this.#lineFeed === "ignore-one") {
          this.#lineFeed = "refuse";
          return undefined;
        }
        this.#lineFeed = "refuse";
        return this.#expect(octet, hash, "size-or-end");
      case "size-or-end":
        if (octet === hash) {
          this.#state = "end";
          return this.#chunks === 0 ? malformed("the message has no chunk") : undefined;
        }
        if (octet < digit1 || octet > digit9) {
          return malformed(`a chunk size begins with octet ${hex(octet)}`);
        }
        this.#size = octet - digit0;
        this.#digits = 1;
        this.#state = "size";
        return undefined;
      case "size":
        return this.#readSize(octet);
      case "end":
        if (octet !== lineFeed) {
          return malformed(`octet ${hex(octet)} where the end of chunks needs a line feed`);
        }
        this.#state = "start";
        this.#chunks = 0;
        return this.#take(0);
      case "data":
        throw new RangeError("chunk data has no header");
    }
  }

  #readSize(octet: number): FrameResult | undefined {
    if (octet === lineFeed) {
      if (this.#size > maxChunkSize) {
        return malformed(`the chunk size ${String(this.#size)} is above ${String(maxChunkSize)}`);
      }
      if (this.#message.length + this.#size > this.#maxMessageBytes) {
        return this.#tooLarge();
      }
      this.#remaining = this.#size;
      this.#chunks += 1;
      this.#state = "data";
      return undefined;
    }
    if (octet < digit0 || octet > digit9) {
      return malformed(`octet ${hex(octet)} in a chunk size`);
    }
    this.#size = this.#size * 10 + (octet - digit0);
    this.#digits += 1;
    return this.#digits > 10 ? malformed("a chunk size has more than 10 digits") : undefined;
  }

  #expect(octet: number, wanted: number, next: ChunkState): FrameResult | undefined {
    if (octet !== wanted) {
      return malformed(`octet ${hex(octet)} where a chunk needs ${hex(wanted)}`);
    }
    this.#state = next;
    return undefined;
  }

  #take(tail: number): FrameResult {
    const bytes = this.#message.take();
    const length = bytes.length - tail;
    return length > this.#maxMessageBytes ? this.#tooLarge() : { kind: "message", bytes: bytes.subarray(0, length) };
  }

  #tooLarge(): FrameResult {
    return { kind: "too-large", limit: this.#maxMessageBytes };
  }
}

export type FrameEncoding =
  | { readonly kind: "framed"; readonly bytes: Uint8Array }
  /** The payload cannot be sent in this framing; nothing may be written. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Frames one message, all in one buffer so that it goes out in one write. A string is sent as UTF-8; sizes are octets of that. In
 * end-of-message framing a payload that would show the marker early is refused: it cannot be escaped there. `maxChunkBytes` cuts chunks
 * (RFC 6242 allows it anywhere, also inside a character); by default a message is one chunk.
 */
export function encodeMessage(
  payload: string | Uint8Array,
  framing: Framing,
  options: { readonly maxChunkBytes?: number } = {},
): FrameEncoding {
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  if (bytes.length === 0) {
    return { kind: "refused", reason: "a message cannot be empty" };
  }
  if (framing === "end-of-message") {
    const framed = concatenate([bytes, marker]);
    return indexOfMarker(framed) === bytes.length
      ? { kind: "framed", bytes: framed }
      : { kind: "refused", reason: "the message holds the end-of-message marker ]]>]]>, which base:1.0 cannot carry" };
  }
  const size = Math.min(options.maxChunkBytes ?? maxChunkSize, maxChunkSize);
  if (!Number.isInteger(size) || size < 1) {
    throw new RangeError("maxChunkBytes is a positive integer");
  }
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const chunk = bytes.subarray(start, start + size);
    parts.push(new TextEncoder().encode(`\n#${String(chunk.length)}\n`), chunk);
  }
  parts.push(new TextEncoder().encode("\n##\n"));
  return { kind: "framed", bytes: concatenate(parts) };
}

const lineFeed = 0x0a;
const hash = 0x23;
const digit0 = 0x30;
const digit1 = 0x31;
const digit9 = 0x39;
const closingBracket = 0x5d;
const greaterThan = 0x3e;

/** How much of `]]>]]>` the stream ends with after one more octet (the matching automaton of Knuth, Morris and Pratt). */
function afterOctet(matched: number, octet: number): number {
  if (octet === closingBracket) {
    // "]]" stays "]]" under a third bracket, also when it was the second half of the marker.
    return matched === 2 || matched === 5 ? 2 : matched + 1;
  }
  return octet === greaterThan && (matched === 2 || matched === 5) ? matched + 1 : 0;
}

function malformed(reason: string): FrameResult {
  return { kind: "malformed", reason };
}

function hex(octet: number): string {
  return `0x${octet.toString(16).padStart(2, "0")}`;
}

/** Grows by doubling, so that a message of many small pieces costs neither quadratic copying nor an object a piece. */
class OctetBuffer {
  #octets = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#octets.length) {
      const grown = new Uint8Array(Math.max(needed, this.#octets.length * 2, 1024));
      grown.set(this.#octets.subarray(0, this.#length));
      this.#octets = grown;
    }
    this.#octets.set(bytes, this.#length);
    this.#length = needed;
  }

  take(): Uint8Array {
    const taken = this.#octets.subarray(0, this.#length);
    this.#octets = new Uint8Array(0);
    this.#length = 0;
    return taken;
  }
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function indexOfMarker(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x5d); at >= 0; at = bytes.indexOf(0x5d, at + 1)) {
    if (marker.every((octet, index) => bytes[at + index] === octet)) return at;
  }
  return -1;
}
