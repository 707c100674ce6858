import fc from "fast-check";
import { expect, test } from "vitest";
import { payloadConverter } from "../../contract/payload-converter.ts";
import type { DeviceOutcome } from "../../contract/plan-state.ts";
import { cutOutcomes } from "../../workflows/cut-outcomes.ts";
import { inWindows } from "../../workflows/in-windows.ts";

const outcome = (device: number, size: number): DeviceOutcome => ({
  device: `0000000-0000-0000-0000-${String(device).padStart(12, "0")}`,
  kind: "compensation-refused",
  message: "m".repeat(size),
  observation: "0".repeat(64),
  differences: Array.from({ length: 50 }, () => ({
    path: "/p".repeat(size),
    expected: "e".repeat(size),
    found: "f".repeat(size),
  })),
});

test.each([1, 2, 50, 499, 500])("%i outcomes fit into one payload, whatever each has to say", (count) => {
  const cut = cutOutcomes(Array.from({ length: count }, (_, index) => outcome(index, 5_000)));
  expect(cut).toHaveLength(count);
  expect(payloadConverter.toPayload(cut).data?.byteLength).toBeLessThan(210_000);
  expect(cutOutcomes(cut)).toEqual(cut);
  expect(cut.every((each) => each.observation !== undefined && (each.message ?? "").length >= 80)).toBe(true);
});

test("what fits is kept", () => {
  const outcomes = [
    { ...outcome(1, 20), differences: outcome(1, 20).differences.slice(0, 3) },
    { ...outcome(2, 0), message: undefined, differences: [] },
  ];
  expect(cutOutcomes(outcomes)).toEqual(outcomes);
});

test("work in windows: results in order, never more than the window at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 4 }), async (items, window) => {
      let running = 0;
      let most = 0;
      const results = await inWindows(items, window, async (item) => {
        running += 1;
        most = Math.max(most, running);
        for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
        running -= 1;
        return item * 2;
      });
      expect(results).toEqual(items.map((item) => item * 2));
      expect(most).toBeLessThanOrEqual(window);
    }),
  );
});
