import type { DeviceRecord } from "../graph/journal/record.ts";
import type { GraphStore } from "../graph/store.ts";
import { ApiError, notFound } from "./api-error.ts";

/** By id or present name; removed devices are not found. Error 404 `unknown-device`. */
export async function findDevice(store: GraphStore, idOrName: string): Promise<DeviceRecord> {
  const device = await store.device(idOrName);
  if (device !== undefined && device.state !== "removed") return device;
  throw unknownDevice(idOrName);
}

/**
 * The device that was meant by an id or a name in `revision`: the one that has it now, if it had configuration then;
 * else the one device that had configuration then and has had that name, be it renamed or removed since.
 * Errors: 404 `unknown-device`, 409 `ambiguous-device` with their ids.
 */
export async function findDeviceAt(store: GraphStore, idOrName: string, revision: number): Promise<DeviceRecord> {
  const present = await store.device(idOrName);
  if (present?.id === idOrName) return present;
  if (present !== undefined && (await hadConfiguration(store, present, revision))) return present;
  const earlier: DeviceRecord[] = [];
  for (const device of await store.everyDevice()) {
    const isNamed =
      device.formerNames?.includes(idOrName) === true || (device.state === "removed" && device.name === idOrName);
    if (isNamed && (await hadConfiguration(store, device, revision))) earlier.push(device);
  }
  const [only, ...more] = earlier;
  if (only === undefined) {
    if (present !== undefined) return present;
    throw unknownDevice(idOrName);
  }
  if (more.length === 0) return only;
  throw new ApiError(409, {
    code: "ambiguous-device",
    message: `several devices have been called ${idOrName} by now`,
    remedy: `name one by its id: ${earlier.map((device) => device.id).join(", ")}`,
  });
}

/** One version of the whole device for each module set, so this reads a handful of rows. */
async function hadConfiguration(store: GraphStore, device: DeviceRecord, revision: number): Promise<boolean> {
  return (await store.moduleSets(device.id)).some(({ from }) => from <= revision);
}

function unknownDevice(idOrName: string): ApiError {
  return notFound("unknown-device", `there is no device ${idOrName}`, "tenure device list shows the names");
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
