/**
 * What the graph does with a revision body, on a plain state in memory: numbers, setters, links, statuses. Bodies and
 * stored forms pass through canonical JSON, as in the journal, so that nothing relies on what it would lose.
 */
import { canonicalJson } from "../../graph/canonical-json.ts";
import { itemsEqualButTypes } from "../../model/item.ts";
import type {
  DesiredDevice,
  DesiredItem,
  DesiredState,
  DeviceWrites,
  RevisionBody,
  ServiceLink,
  ServiceState,
  ServiceStatus,
} from "../../services/desired-state.ts";

export function stored<T extends object>(value: T): T {
  return JSON.parse(canonicalJson(value)) as T;
}

/** The state after a body was accepted as the next revision. */
export function acceptBody(state: DesiredState, given: RevisionBody): DesiredState {
  const body = stored(given);
  const revision = state.revision + 1;
  const devices = new Map(state.devices);
  for (const writes of body.devices) {
    const device = devices.get(writes.device);
    if (device === undefined) throw new RangeError(`no device ${writes.device}`);
    devices.set(writes.device, written(device, writes, revision));
  }
  const definitions = new Map(state.definitions);
  for (const write of body.definitions) definitions.set(write.name, { ...write, revision });
  for (const name of body.removedDefinitions ?? []) definitions.delete(name);
  return { revision, devices, services: servicesAfter(state, body, revision), definitions };
}

function written(device: DesiredDevice, writes: DeviceWrites, revision: number): DesiredDevice {
  const items = new Map(device.items);
  for (const path of writes.remove) items.delete(path);
  for (const { item, setBy, retained } of writes.put) {
    const earlier: DesiredItem | undefined = items.get(item.path);
    const same =
      earlier !== undefined &&
      itemsEqualButTypes(earlier.item, item) &&
      canonicalJson(earlier.setBy) === canonicalJson(setBy);
    items.set(item.path, { item, setBy, retained, since: same ? earlier.since : revision });
  }
  const links = new Map<string, ServiceLink>(device.links.map((link) => [linkKey(link), link]));
  for (const link of writes.removeLinks) links.delete(linkKey(link));
  for (const link of writes.putLinks) links.set(linkKey(link), link);
  return { ...device, moduleSet: writes.moduleSet ?? device.moduleSet, items, links: [...links.values()] };
}

function linkKey(link: Pick<ServiceLink, "service" | "relation" | "path">): string {
  return `${link.service} ${link.relation} ${link.path}`;
}

function servicesAfter(state: DesiredState, body: RevisionBody, revision: number): ReadonlyMap<string, ServiceState> {
  const services = new Map(state.services);
  for (const write of body.services) {
    if (write.kind === "remove") {
      services.delete(write.name);
      continue;
    }
    const { name, definition, parameters, targets } = write;
    services.set(name, {
      name,
      definition,
      parameters,
      targets,
      status: { kind: "consistent" },
      revision,
      paused: false,
    });
  }
  for (const { service, status } of body.statuses) {
    const present = services.get(service);
    if (present !== undefined) services.set(service, { ...present, status: numbered(status, revision) });
  }
  return services;
}

/** Revision 0 of a reason means the revision that carries it. */
function numbered(status: ServiceStatus, revision: number): ServiceStatus {
  if (status.kind === "consistent") return status;
  return { ...status, because: status.because.map((each) => (each.revision === 0 ? { ...each, revision } : each)) };
}
