/** Drift: the meaningful difference between the goal and what the device shows. Reads only. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import type { CheckDriftInput, CheckDriftResult, DriftOutcome } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { cutText } from "./cut-outcomes.ts";
import { failureWords } from "./failure-words.ts";
import { DEVICE_WINDOW, inWindows } from "./in-windows.ts";
import { recordAnswered, recordSilent } from "./record-reach.ts";
import { withLocks } from "./with-locks.ts";

export async function checkDrift(input: CheckDriftInput): Promise<CheckDriftResult> {
  const devices = [...new Set(input.devices)];
  upsertSearchAttributes({ TenureDevice: devices, TenurePhase: ["checking drift"] });
  let done = 0;
  const outcomes = await inWindows(devices, DEVICE_WINDOW, async (device) => {
    const outcome = await checkUnderLock(input, device);
    done += 1;
    setCurrentDetails(`${done} of ${devices.length} device(s) checked or failed`);
    return outcome;
  });
  return { outcomes };
}

/**
 * Under the device's lock, since a read that overlaps an apply would show a provisional state: it comes before the
 * apply or after it.
 */
function checkUnderLock(input: CheckDriftInput, device: string): Promise<DriftOutcome> {
  const request = {
    request: `drift/${input.submission}/${device}`,
    keys: [`device/${device}`],
    workflowId: workflowInfo().workflowId,
    transaction: undefined,
  };
  return withLocks(request, () => checkOne(device)).catch((error: unknown): DriftOutcome => {
    const words = failureWords(error);
    return { kind: "failed", device, code: words.type, message: cutText(words.message, 300) };
  });
}

async function checkOne(device: string): Promise<DriftOutcome> {
  try {
    const target = await graph.planTarget({ device, proposal: undefined });
    let outcome: DriftOutcome;
    try {
      outcome = await readFrom(`drift of ${target.device.name}`).checkDriftOf({ target });
    } catch (error) {
      const words = await recordSilent(device, error);
      return { kind: "failed", device, code: words.type, message: words.message };
    }
    await recordAnswered(device);
    if (outcome.kind !== "failed")
      await graph.recordSyncState({
        device,
        inSync: outcome.kind === "in-sync" ? "yes" : "no",
        revision: outcome.revision,
      });
    return outcome;
  } catch (error) {
    const words = failureWords(error);
    return { kind: "failed", device, code: words.type, message: cutText(words.message, 300) };
  }
}
