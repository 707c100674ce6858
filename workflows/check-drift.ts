/** Drift: the meaningful difference between the goal and what the device shows. Reads only. */
import { upsertSearchAttributes } from "@temporalio/workflow";
import type { CheckDriftInput, CheckDriftResult, DriftOutcome } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { failureWords } from "./failure-words.ts";

export async function checkDrift(input: CheckDriftInput): Promise<CheckDriftResult> {
  upsertSearchAttributes({ TenureDevice: [...input.devices], TenurePhase: ["checking drift"] });
  const outcomes = await Promise.all(
    input.devices.map(async (device): Promise<DriftOutcome> => {
      try {
        const target = await graph.planTarget({ device, proposal: undefined });
        const outcome = await readFrom(`drift of ${target.device.name}`).checkDriftOf({ target });
        if (outcome.kind !== "failed")
          await graph.recordSyncState({
            device,
            inSync: outcome.kind === "in-sync" ? "yes" : "no",
            revision: outcome.revision,
          });
        return outcome;
      } catch (error) {
        const words = failureWords(error);
        return { kind: "failed", device, code: words.type, message: words.message };
      }
    }),
  );
  return { outcomes };
}
