/** First contact with a device: host key, capabilities, YANG modules; then the device is a record of the journal. */
import { upsertSearchAttributes } from "@temporalio/workflow";
import type { AddDeviceInput, AddDeviceResult } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";

export async function addDevice(input: AddDeviceInput): Promise<AddDeviceResult> {
  upsertSearchAttributes({ TenureDevice: [input.device.id], TenurePhase: ["contacting"] });
  const contact = await readFrom(`contact ${input.device.name}`).contactDevice({
    device: input.device,
    modules: input.modules,
  });
  await graph.recordDevice({
    submission: input.submission,
    modules: input.modules,
    device: contact.device,
    actor: input.actor,
    named: input.device.profile,
    profile: contact.profile,
  });
  return { device: contact.device, modules: contact.modules, profile: contact.profile };
}
