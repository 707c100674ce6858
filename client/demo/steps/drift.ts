/** Steps around drift: it is found, and a plan in one of two directions is made of it. */
import { z } from "zod";
import { checkFact } from "../fact.ts";
import type { Step } from "../stage.ts";
import { planSummarySchema, takeNewPlan } from "./plans.ts";

const driftSchema = z.object({
  outcomes: z.array(z.object({ kind: z.enum(["in-sync", "drift"]), operations: z.number().optional() })),
});
const statusSchema = z.object({
  devices: z.array(z.object({ name: z.string(), sync: z.object({ kind: z.string() }) })),
});
const DRIFT_EXIT = 3;

/** `drift` ends with exit code 3 and the device is marked; nothing is repaired by itself. */
export function driftFound(device: string, expected: { readonly operations: number }): Step {
  return async (stage) => {
    const { outcomes } = await stage.tenure(["drift", device], driftSchema, { exit: DRIFT_EXIT });
    const [outcome] = outcomes;
    checkFact(`drift of ${device}`, { expected: [{ kind: "drift", ...expected }], found: outcomes });
    const { devices } = await stage.tenure(["status"], statusSchema);
    const sync = devices.find(({ name }) => name === device)?.sync.kind;
    checkFact(`how ${device} stands`, { expected: "drift", found: sync });
    stage.narrator.say(
      `${device}: ${sync ?? "?"}; ${String(outcome?.operations ?? 0)} operation(s) would bring it back (exit code ${String(DRIFT_EXIT)}).`,
    );
  };
}

/** `plan create --direction ..`: enforce brings the device back, accept takes over what it has. */
export function planDrift(direction: "enforce" | "accept", device: string): Step {
  return async (stage) => {
    const words = ["plan", "create", "--device", device, "--direction", direction];
    takeNewPlan(stage, await stage.tenure(words, planSummarySchema), direction);
  };
}
