import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState, TimeoutFailure } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import { MAX_FAILURE_CAUSES, failureConverter } from "../../contract/failure-converter.ts";
import { MAX_PAYLOAD_BYTES, payloadConverter } from "../../contract/payload-converter.ts";

const big = "x".repeat(MAX_PAYLOAD_BYTES * 2);
const toFailure = (error: unknown) => failureConverter.errorToFailure(error, payloadConverter);
const there = (error: unknown): Error => failureConverter.failureToError(toFailure(error), payloadConverter);
/** About what goes over the wire: bytes count as they are, and what the protocol has no field for does not. */
const sizeOf = (error: unknown): number =>
  JSON.stringify(toFailure(error), (_, value: unknown) => {
    if (value instanceof Error) return undefined;
    return value instanceof Uint8Array ? "#".repeat(value.byteLength) : value;
  }).length;

describe("what fits is kept", () => {
  test("type, message, details and cause", () => {
    const failure = ApplicationFailure.create({
      message: "no",
      type: "Refused",
      nonRetryable: true,
      details: [{ diagnostics: [1], omitted: 0 }],
      cause: new Error("why"),
    });
    expect(there(failure)).toMatchObject({
      message: "no",
      type: "Refused",
      nonRetryable: true,
      details: [{ diagnostics: [1], omitted: 0 }],
      cause: { message: "why" },
    });
  });
});

describe("what does not fit is cut", () => {
  test.each([
    ["message", new Error(big)],
    ["details", ApplicationFailure.nonRetryable("no", "Refused", big, big)],
    [
      "many details",
      ApplicationFailure.nonRetryable("no", "Refused", ...Array.from({ length: 100 }, () => "y".repeat(30_000))),
    ],
    ["details of a cancel", new CancelledFailure("no", [big])],
    ["details of the last heartbeat", new TimeoutFailure("late", big, "HEARTBEAT")],
    [
      "a cause",
      new ActivityFailure(
        "failed",
        "prepareDevice",
        "prepare r1",
        RetryState.TIMEOUT,
        "worker",
        ApplicationFailure.nonRetryable(big, "Refused", big),
      ),
    ],
    ["something that is no error", big],
    ["an object", { text: big }],
  ])("%s", (_, error) => {
    expect(sizeOf(error)).toBeLessThan(400_000);
  });

  test("diagnostics lose their tail, and the count says how many", () => {
    const diagnostics = Array.from({ length: 50 }, (_, index) => ({ code: `c${index}`, message: "x".repeat(2_000) }));
    expect(there(ApplicationFailure.nonRetryable("no", "Refused", { diagnostics, omitted: 7 }))).toMatchObject({
      details: [{ diagnostics: diagnostics.slice(0, 12), omitted: 7 + 38 }],
    });
  });

  test("a chain of causes has an end, also one that leads back to itself", () => {
    let chain = new Error("innermost");
    for (let depth = 0; depth < 100; depth += 1) chain = new Error(`level ${depth}`, { cause: chain });
    let depth = 0;
    for (let at: unknown = there(chain); at instanceof Error; at = at.cause) depth += 1;
    expect(depth).toBe(MAX_FAILURE_CAUSES + 1);
    const circle = new Error("circle");
    circle.cause = circle;
    expect(there(circle).message).toBe("an error that could not be converted");
  });

  test("a failure that came from elsewhere is cut too when it is passed on", () => {
    const foreign = failureConverter.failureToError(
      {
        message: big,
        stackTrace: big,
        applicationFailureInfo: {
          type: "Foreign",
          details: { payloads: [{ metadata: {}, data: new Uint8Array(MAX_PAYLOAD_BYTES) }] },
        },
      },
      payloadConverter,
    );
    const passed = toFailure(foreign);
    expect(passed.message?.length).toBeLessThanOrEqual(4_000);
    expect(passed.stackTrace?.length).toBeLessThanOrEqual(8_000);
    expect(passed.applicationFailureInfo?.details?.payloads?.[0]?.data?.byteLength).toBeLessThan(200);
  });
});
