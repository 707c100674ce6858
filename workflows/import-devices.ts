/** Import: the whole configuration of each device becomes its desired state, one revision a device. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import type { ImportDevicesInput, ImportDevicesResult, ImportOutcome } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { cutText } from "./cut-outcomes.ts";
import { failureWords } from "./failure-words.ts";
import { DEVICE_WINDOW, inWindows } from "./in-windows.ts";
import { recordAnswered, recordSilent } from "./record-reach.ts";
import { withLocks } from "./with-locks.ts";

export async function importDevices(input: ImportDevicesInput): Promise<ImportDevicesResult> {
  const devices = [...new Set(input.devices)];
  upsertSearchAttributes({ TenureDevice: devices, TenurePhase: ["importing"] });
  let done = 0;
  const outcomes = await inWindows(devices, DEVICE_WINDOW, async (device) => {
    const outcome = await importOne(input, device);
    done += 1;
    setCurrentDetails(`${done} of ${devices.length} device(s) imported or failed`);
    return outcome;
  });
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
  return withLocks(request, () => readAndRecord(input, device).catch((error: unknown) => failed(device, error))).catch(
    (error: unknown) => failed(device, error),
  );
}

async function readAndRecord(input: ImportDevicesInput, device: string): Promise<ImportOutcome> {
  const reference = await graph.deviceReference({ device });
  let observation: string;
  try {
    ({ observation } = await readFrom(`read ${reference.name}`).observeDevice({ device: reference }));
  } catch (error) {
    const words = await recordSilent(device, error);
    if (input.mode === "record") await graph.recordFailedImport({ device, message: words.message });
    return { kind: "failed", device, code: words.type, message: words.message };
  }
  await recordAnswered(device);
  const { submission, actor, mode, empty } = input;
  return graph.importObservation({ submission, device, observation, actor, mode, empty });
}

function failed(device: string, error: unknown): ImportOutcome {
  const words = failureWords(error);
  return { kind: "failed", device, code: words.type, message: cutText(words.message, 300) };
}
