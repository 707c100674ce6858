import { describe, expect, it } from "vitest";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { textOf } from "../../codec/xml/xml-element.ts";
import { encodeMessage, FrameDecoder, type FrameResult } from "../../codec/netconf/framing.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";

function chunkedDecoder(maxMessageBytes?: number): FrameDecoder {
  const decoder = new FrameDecoder(maxMessageBytes === undefined ? {} : { maxMessageBytes });
  decoder.useChunked();
  return decoder;
}

function textIn(frame: FrameResult): string {
  if (frame.kind !== "message") {
    throw new Error(`expected a message, got ${JSON.stringify(frame)}`);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(frame.bytes);
}

function valueIn(frame: FrameResult): string {
  const root = parseXml(textIn(frame));
  if (root.kind === "failed") {
    throw new Error(root.error.message);
  }
  return textOf(root.value);
}

function bytesOf(encoded: ReturnType<typeof encodeMessage>): Uint8Array {
  if (encoded.kind === "refused") {
    throw new Error(encoded.reason);
  }
  return encoded.bytes;
}

describe("case 01: the marker inside of content", () => {
  const payload = '<data><note text="end ]]>]]> mark"/><!-- ]]>]]> --></data>';

  it("is nothing special in chunked framing", () => {
    const decoder = chunkedDecoder();
    decoder.push(bytesOf(encodeMessage(payload, "chunked")));
    expect(textIn(decoder.next())).toBe(payload);
    expect(decoder.next().kind).toBe("incomplete");
  });

  it.each([payload, "<!-- ]]>]]> -->", "x]]>]]>", "]]>]]>", "ends with ]]>"])(
    "is refused in end-of-message framing: %j",
    (text) => {
      expect(encodeMessage(text, "end-of-message").kind).toBe("refused");
    },
  );
});

describe("case 02: sizes count octets", () => {
  it.each([
    ["Zürich–Köln 🛰", 20],
    ["🛰", 4],
    ["a", 1],
  ])("%s is %d octets", (text, size) => {
    const framed = Buffer.from(bytesOf(encodeMessage(text, "chunked"))).toString("utf8");
    expect(framed).toBe(`\n#${String(size)}\n${text}\n##\n`);
    const decoder = chunkedDecoder();
    decoder.push(Buffer.from(framed));
    expect(textIn(decoder.next())).toBe(text);
  });
});

describe("case 03: cuts inside of a character", () => {
  const message = "<d>日本</d>";

  it("every chunk size and every read size give the same text", () => {
    for (let chunk = 1; chunk <= Buffer.byteLength(message); chunk += 1) {
      const stream = bytesOf(encodeMessage(message, "chunked", { maxChunkBytes: chunk }));
      for (let size = 1; size <= stream.length; size += 1) {
        const decoder = chunkedDecoder();
        for (let start = 0; start < stream.length; start += size) {
          expect(decoder.next().kind).toBe("incomplete");
          decoder.push(stream.subarray(start, start + size));
        }
        expect(textIn(decoder.next())).toBe(message);
      }
    }
  });

  it("every cut in two gives the same text in end-of-message framing", () => {
    const stream = bytesOf(encodeMessage(message, "end-of-message"));
    for (let cut = 1; cut < stream.length; cut += 1) {
      const decoder = new FrameDecoder();
      decoder.push(stream.subarray(0, cut));
      expect(decoder.next().kind).toBe("incomplete");
      decoder.push(stream.subarray(cut));
      expect(textIn(decoder.next())).toBe(message);
    }
  });
});

it("case 04: chunks are joined with nothing between them", () => {
  const decoder = chunkedDecoder();
  decoder.push(Buffer.from("\n#19\n<n>core-rtr-1.metro\n#10\n-north</n>\n##\n"));
  expect(valueIn(decoder.next())).toBe("core-rtr-1.metro-north");
});

describe("case 05: the marker cut by reads", () => {
  it.each([1, 2, 3, 4, 5])("after %d of its octets", (count) => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from(`<hello/>${"]]>]]>".slice(0, count)}`));
    expect(decoder.next().kind).toBe("incomplete");
    decoder.push(Buffer.from(`${"]]>]]>".slice(count)}<rpc`));
    expect(textIn(decoder.next())).toBe("<hello/>");
    expect(decoder.next().kind).toBe("incomplete");
    decoder.push(Buffer.from("/>]]>]]>"));
    expect(textIn(decoder.next())).toBe("<rpc/>");
  });

  it.each(["]]>]]x", "]]>x]]>", "]]]>]", "]]>]", "]", "]]>]>"])("a false start stays content: %j", (start) => {
    const stream = Buffer.from(`<a>${start}</a>]]>]]>`);
    for (let cut = 1; cut < stream.length; cut += 1) {
      const decoder = new FrameDecoder();
      decoder.push(stream.subarray(0, cut));
      decoder.next();
      decoder.push(stream.subarray(cut));
      expect(textIn(decoder.next())).toBe(`<a>${start}</a>`);
    }
  });

  it("the marker right after brackets that look like it", () => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from("x]]>]]]]>]]>y"));
    expect(textIn(decoder.next())).toBe("x]]>]]");
    expect(decoder.isBetweenMessages).toBe(false);
  });
});

it("case 06: a size counts CR and LF as sent; only the XML reader turns CR LF into LF", () => {
  const content = "<banner>line1&#13;\r\nline2</banner>";
  const decoder = chunkedDecoder();
  decoder.push(Buffer.from(`\n#${String(content.length)}\n${content}\n##\n`));
  const frame = decoder.next();
  expect(textIn(frame)).toBe(content);
  expect(valueIn(frame)).toBe("line1\r\nline2");
});

describe("case 07: the grammar of chunks, to the letter", () => {
  it("each message begins with its own LF and ends with the last LF", () => {
    const hello = Buffer.from(bytesOf(encodeMessage("<hello/>", "end-of-message"))).toString();
    const rpc = Buffer.from(bytesOf(encodeMessage("<rpc/>", "chunked"))).toString();
    expect(hello + rpc).toBe("<hello/>]]>]]>\n#6\n<rpc/>\n##\n");
  });

  it.each([
    ["no leading LF", "#5\n<ok/>\n##\n"],
    ["a spare LF", "\n\n#5\n<ok/>\n##\n"],
    ["CR LF", "\r\n#5\r\n<ok/>\r\n##\r\n"],
    ["size 0", "\n#0\n\n##\n"],
    ["a leading zero", "\n#05\n<ok/>\n##\n"],
    ["a sign", "\n#+5\n<ok/>\n##\n"],
    ["a blank", "\n# 5\n<ok/>\n##\n"],
    ["hexadecimal", "\n#5a\n<ok/>\n##\n"],
    ["no size", "\n#\n<ok/>\n##\n"],
    ["4294967296", "\n#4294967296\n"],
    ["eleven digits", "\n#12345678901\n"],
    ["an end without a chunk", "\n##\n"],
    ["more data than the size says", "\n#4\n<ok/>\n##\n"],
    ["less data than the size says", "\n#6\n<ok/>\n##\n"],
    ["three hashes", "\n#5\n<ok/>\n###\n"],
    ["end-of-message framing", "<ok/>]]>]]>"],
  ])("refuses %s, and stays refused", (_title, text) => {
    for (const pieces of [[text], text.split("")]) {
      const decoder = chunkedDecoder(5_000_000_000);
      for (const piece of pieces) {
        decoder.push(Buffer.from(piece));
        decoder.next();
      }
      expect(decoder.next()).toMatchObject({ kind: "malformed" });
      decoder.push(Buffer.from("\n#5\n<ok/>\n##\n"));
      expect(decoder.next().kind).toBe("malformed");
    }
  });

  it("accepts the largest size there is", () => {
    const decoder = chunkedDecoder(5_000_000_000);
    decoder.push(Buffer.from("\n#4294967295\n<"));
    expect(decoder.next().kind).toBe("incomplete");
  });

  it("a quirk lets one spare LF through, directly after the hello and nowhere else", () => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from("<hello/>]]>]]>\n\n#5\n<ok/>\n##\n\n\n#5\n<ok/>\n##\n"));
    expect(textIn(decoder.next())).toBe("<hello/>");
    decoder.useChunked({ lineFeedAfterHello: "ignore-one" });
    expect(textIn(decoder.next())).toBe("<ok/>");
    expect(decoder.next().kind).toBe("malformed");
  });
});

describe("limits and cost", () => {
  it("refuses an announced size above the limit before the data comes", () => {
    const decoder = chunkedDecoder(10);
    decoder.push(Buffer.from("\n#6\n<aaaa>\n#5\n"));
    expect(decoder.next()).toEqual({ kind: "too-large", limit: 10 });
  });

  it.each([9, 10, 11])("end-of-message: %d octets under a limit of 10", (length) => {
    for (const size of [1, 4, 100]) {
      const decoder = new FrameDecoder({ maxMessageBytes: 10 });
      const stream = Buffer.from(`${"x".repeat(length)}]]>]]>`);
      for (let start = 0; start < stream.length; start += size) {
        decoder.push(stream.subarray(start, start + size));
        decoder.next();
      }
      decoder.push(Buffer.from("y]]>]]>"));
      expect(decoder.next().kind).toBe(length > 10 ? "too-large" : "message");
    }
  });

  it("an endless message without a marker ends at the limit", () => {
    const decoder = new FrameDecoder({ maxMessageBytes: 10 });
    decoder.push(Buffer.from("x".repeat(17)));
    expect(decoder.next()).toEqual({ kind: "too-large", limit: 10 });
  });

  it("the switch to chunked holds for octets that came together with the hello, and not inside of a message", () => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from("<hello/>]]>]]>\n#5\n<ok/>\n##\n"));
    decoder.next();
    decoder.useChunked();
    expect(textIn(decoder.next())).toBe("<ok/>");
    decoder.push(Buffer.from("\n#5\n<o"));
    decoder.next();
    expect(() => {
      decoder.useChunked();
    }).toThrow(RangeError);
  });

  it.each(["chunked", "end-of-message"] as const)(
    "%s: 10 times the octets cost some 10 times the processor time, not 100 times",
    (framing) => {
      const time = (octets: number): number => {
        const stream = bytesOf(encodeMessage(Buffer.alloc(octets, "x"), framing, { maxChunkBytes: 4096 }));
        const started = cpuTimeMs();
        const decoder = framing === "chunked" ? chunkedDecoder() : new FrameDecoder();
        for (let start = 0; start < stream.length; start += 32 * 1024) {
          decoder.push(stream.subarray(start, start + 32 * 1024));
          const frame = decoder.next();
          if (frame.kind === "message") {
            expect(frame.bytes.length).toBe(octets);
          }
        }
        return cpuTimeMs() - started;
      };
      time(1_000_000);
      const small = Math.min(time(1_000_000), time(1_000_000), time(1_000_000));
      const large = Math.min(time(10_000_000), time(10_000_000));
      // Quadratic work would give 100; the rest is room for the collector of garbage.
      expect(large / Math.max(small, 1)).toBeLessThan(60);
    },
  );

  it("refuses an empty message in both framings", () => {
    expect(encodeMessage("", "chunked").kind).toBe("refused");
    expect(encodeMessage("", "end-of-message").kind).toBe("refused");
  });
});
