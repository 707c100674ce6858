/** Import: the whole configuration of each device becomes its desired state, one revision a device. */
import { upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import type { ImportDevicesInput, ImportDevicesResult, ImportOutcome } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { failureWords } from "./failure-words.ts";
import { withLocks } from "./with-locks.ts";

export async function importDevices(input: ImportDevicesInput): Promise<ImportDevicesResult> {
  upsertSearchAttributes({ TenureDevice: [...input.devices], TenurePhase: ["importing"] });
  const outcomes = await Promise.all(input.devices.map((device) => importOne(input, device)));
  return { outcomes };
}

/** One dead device neither blocks nor changes the others. */
async function importOne(input: ImportDevicesInput, device: string): Promise<ImportOutcome> {
  const request = {
    request: `import/${input.submission}/${device}`,
    keys: [`device/${device}`],
    workflowId: workflowInfo().workflowId,
    transaction: undefined,
  };
  try {
    return await withLocks(request, async () => {
      const reference = await graph.deviceReference({ device });
      const observed = await readFrom(`read ${reference.name}`).observeDevice({ device: reference });
      return graph.importObservation({
        submission: input.submission,
        device,
        observation: observed.observation,
        actor: input.actor,
        mode: input.mode,
        empty: input.empty,
      });
    });
  } catch (error) {
    const words = failureWords(error);
    return { kind: "failed", device, code: words.type, message: words.message };
  }
}
