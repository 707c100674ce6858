import type { DeviceRecord } from "../graph/journal/record.ts";
import type { GraphStore } from "../graph/store.ts";
import { notFound } from "./api-error.ts";

/** By id or present name; removed devices are not found. Error 404 `unknown-device`. */
export async function findDevice(store: GraphStore, idOrName: string): Promise<DeviceRecord> {
  const device = await store.device(idOrName);
  if (device !== undefined && device.state !== "removed") return device;
  throw notFound("unknown-device", `there is no device ${idOrName}`, "tenure device list shows the names");
}

/** The named devices once each, or all managed and paused ones when none is named. */
export async function findDevices(
  store: GraphStore,
  names: readonly string[] | undefined,
): Promise<readonly DeviceRecord[]> {
  if (names === undefined || names.length === 0) {
    const all = await store.devices();
    if (all.length > 0) return all;
    throw notFound(
      "no-devices",
      "there is no device yet",
      "add one: tenure device add NAME --address HOST:PORT --credentials REF",
    );
  }
  const found = new Map<string, DeviceRecord>();
  for (const name of names) {
    const device = await findDevice(store, name);
    found.set(device.id, device);
  }
  return [...found.values()];
}
