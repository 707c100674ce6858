import { ApplicationFailure, RawValue } from "@temporalio/common";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_PAYLOAD_BYTES, isUndecodable, payloadConverter, requireFits } from "../../contract/payload-converter.ts";

const context = { type: "workflow", namespace: "default", workflowId: "plan/p1" } as const;

function failureOf(convert: () => unknown): ApplicationFailure {
  try {
    convert();
  } catch (error) {
    if (error instanceof ApplicationFailure) return error;
    throw error;
  }
  throw new Error("it was let through");
}

describe("out", () => {
  test("JSON values come back as they are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  test("the limit counts bytes, not characters", () => {
    const text = (characters: number) => "é".repeat(characters);
    const most = (MAX_PAYLOAD_BYTES - 2) / 2;
    requireFits(text(most), context);
    expect(failureOf(() => payloadConverter.toPayload(text(most + 1), context))).toMatchObject({
      type: "PayloadTooLarge",
      nonRetryable: true,
      message: "a string for workflow plan/p1 takes 262146 bytes; the limit is 262144. Pass a document digest instead.",
    });
  });

  test("a refusal names the shape and not the contents", () => {
    const { message } = failureOf(() =>
      payloadConverter.toPayload({ password: "hunter2", blob: "x".repeat(MAX_PAYLOAD_BYTES) }),
    );
    expect(message).toMatch(/^an object with password, blob for Temporal takes/);
    expect(message).not.toContain("hunter2");
    const activity = {
      type: "activity",
      namespace: "default",
      activityId: "prepare r1",
      workflowId: "apply/p1",
      isLocal: false,
    } as const;
    expect(
      failureOf(() => payloadConverter.toPayload(new Uint8Array(MAX_PAYLOAD_BYTES + 1), activity)).message,
    ).toMatch(/^bytes for activity prepare r1 of workflow apply\/p1 takes/);
  });

  test("what is no JSON is refused, so that it cannot fail a workflow task for ever", () => {
    const circle: Record<string, unknown> = {};
    circle["circle"] = circle;
    for (const value of [circle, 1n])
      expect(failureOf(() => payloadConverter.toPayload(value))).toMatchObject({
        type: "InvalidArgument",
        nonRetryable: true,
      });
  });

  test("the SDK's own values pass", () => {
    const raw = new RawValue("x".repeat(MAX_PAYLOAD_BYTES + 1));
    expect(payloadConverter.toPayload(raw)).toBe(raw.payload);
  });
});

describe("in", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  test.each([
    ["no metadata", {}, "none"],
    ["unknown encoding", { metadata: { encoding: bytes("json/protobuf") }, data: bytes("{}") }, "json/protobuf"],
    ["no JSON", { metadata: { encoding: bytes("json/plain") }, data: bytes("{") }, "json/plain"],
    ["no data", { metadata: { encoding: bytes("json/plain") } }, "json/plain"],
  ])("%s is an undecodable value", (_, payload, encoding) => {
    const value: unknown = payloadConverter.fromPayload(payload);
    expect(isUndecodable(value)).toBe(true);
    expect(value).toMatchObject({ kind: "undecodable", encoding });
  });

  test("never throws, whatever the bytes", () => {
    const encodings = fc.constantFrom("json/plain", "binary/plain", "binary/null", "json/other");
    fc.assert(
      fc.property(encodings, fc.uint8Array(), (encoding, data) => {
        payloadConverter.fromPayload({ metadata: { encoding: bytes(encoding) }, data });
      }),
    );
  });

  test("ordinary values are not taken for it", () => {
    for (const value of [undefined, null, "undecodable", { kind: "prepared" }, []])
      expect(isUndecodable(value)).toBe(false);
  });
});
