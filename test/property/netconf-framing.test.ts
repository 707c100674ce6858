import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeMessage, FrameDecoder, type Framing } from "../../codec/netconf/framing.ts";

/** Octets that are likely to look like framing, characters of several octets among them. */
const pieces = fc.constantFrom("]", "]]", ">", "]]>", "#", "\n", "\n#1\n", "\n##\n", "\r\n", "<a>", "日", "🛰", "9");
const payloads = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

function framed(payload: string, framing: Framing, maxChunkBytes: number): Uint8Array | undefined {
  const encoded = encodeMessage(payload, framing, { maxChunkBytes });
  return encoded.kind === "framed" ? encoded.bytes : undefined;
}

/** Delivers the stream in the given sizes over and over and gives back all messages as text. */
function received(stream: Uint8Array, framing: Framing, sizes: readonly number[]): readonly string[] {
  const decoder = new FrameDecoder();
  if (framing === "chunked") {
    decoder.useChunked();
  }
  const messages: string[] = [];
  let turn = 0;
  for (let start = 0; start < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    decoder.push(stream.subarray(start, start + size));
    start += size;
    for (let frame = decoder.next(); frame.kind !== "incomplete"; frame = decoder.next()) {
      if (frame.kind !== "message") {
        throw new Error(JSON.stringify(frame));
      }
      messages.push(new TextDecoder("utf-8", { fatal: true }).decode(frame.bytes));
    }
  }
  expect(decoder.isBetweenMessages).toBe(true);
  return messages;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

it("chunked: any messages in any chunks over any reads come out the same", () => {
  fc.assert(
    fc.property(
      fc.array(payloads, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      sizes,
      (list, chunk, reads) => {
        const stream = Buffer.concat(list.map((payload) => framed(payload, "chunked", chunk) ?? new Uint8Array()));
        expect(received(stream, "chunked", reads)).toEqual(list);
      },
    ),
    { numRuns: 1000 },
  );
});

it("end-of-message: what the encoder accepts comes out the same; it refuses exactly what shows the marker early", () => {
  fc.assert(
    fc.property(fc.array(payloads, { minLength: 1, maxLength: 4 }), sizes, (list, reads) => {
      const accepted = list.filter((payload) => {
        const showsEarly = `${payload}]]>]]>`.indexOf("]]>]]>") < payload.length;
        expect(framed(payload, "end-of-message", 1) === undefined).toBe(showsEarly);
        return !showsEarly;
      });
      const stream = Buffer.concat(accepted.map((payload) => framed(payload, "end-of-message", 1) ?? new Uint8Array()));
      expect(received(stream, "end-of-message", reads)).toEqual(accepted);
    }),
    { numRuns: 1000 },
  );
});

it("arbitrary octets never crash the decoder and a failure is final", () => {
  const framings = fc.constantFrom<Framing>("chunked", "end-of-message");
  const octets = fc.array(fc.constantFrom(0x0a, 0x23, 0x30, 0x31, 0x39, 0x5d, 0x3e, 0x41), { maxLength: 40 });
  fc.assert(
    fc.property(framings, octets, (framing, list) => {
      const decoder = new FrameDecoder({ maxMessageBytes: 20 });
      if (framing === "chunked") {
        decoder.useChunked();
      }
      for (const octet of list) {
        decoder.push(Uint8Array.of(octet));
        const frame = decoder.next();
        if (frame.kind === "malformed" || frame.kind === "too-large") {
          decoder.push(Buffer.from("\n#1\nx\n##\n]]>]]>"));
          expect(decoder.next()).toEqual(frame);
          return;
        }
      }
    }),
    { numRuns: 1000 },
  );
});
