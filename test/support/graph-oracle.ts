/**
 * What desired state must be after each revision, worked out from the revision bodies alone: plain maps in memory, none
 * of the graph's code. A reconstruction by the graph must have the same digest.
 */
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type {
  DefinitionState,
  DesiredItem,
  DesiredState,
  RevisionBody,
  ServiceLink,
  ServiceState,
  ServiceStatus,
} from "../../services/desired-state.ts";

interface OracleDevice {
  moduleSet: string | undefined;
  readonly items: Map<string, DesiredItem>;
  readonly links: Map<string, ServiceLink>;
}
type OracleService = Omit<ServiceState, "paused">;

export interface GraphOracle {
  readonly revision: number;
  /** Takes the next revision. */
  accept(body: RevisionBody): void;
  digest(): string;
  /** The compared text itself, for the message of a failure. */
  text(): string;
}

export function createOracle(): GraphOracle {
  const devices = new Map<string, OracleDevice>();
  const services = new Map<string, OracleService>();
  const definitions = new Map<string, DefinitionState>();
  let revision = 0;

  function deviceOf(id: string): OracleDevice {
    const known = devices.get(id) ?? { moduleSet: undefined, items: new Map(), links: new Map() };
    devices.set(id, known);
    return known;
  }

  function acceptItems(body: RevisionBody): void {
    for (const writes of body.devices) {
      const device = deviceOf(writes.device);
      device.moduleSet = writes.moduleSet ?? device.moduleSet;
      for (const { item, setBy, retained } of writes.put) {
        const before = device.items.get(item.path);
        const same =
          before !== undefined &&
          canonicalJson(before.item) === canonicalJson(item) &&
          canonicalJson(before.setBy) === canonicalJson(setBy);
        device.items.set(item.path, { item, setBy, retained, since: same ? before.since : revision });
      }
      for (const path of writes.remove) device.items.delete(path);
      for (const link of writes.removeLinks) device.links.delete(linkKey(link));
      for (const link of writes.putLinks) device.links.set(linkKey(link), link);
    }
  }

  function acceptServices(body: RevisionBody): void {
    const statuses = new Map(body.statuses.map((write) => [write.service, numbered(write.status, revision)]));
    for (const write of body.services) {
      if (write.kind === "remove") {
        services.delete(write.name);
        continue;
      }
      const { name, definition, parameters, targets } = write;
      const status = statuses.get(name) ?? { kind: "consistent" };
      services.set(name, { name, definition, parameters, targets, status, revision });
    }
    for (const [name, status] of statuses) {
      const stands = services.get(name);
      if (stands !== undefined) services.set(name, { ...stands, status });
    }
    for (const name of body.removedDefinitions ?? []) definitions.delete(name);
    for (const { name, version, document } of body.definitions)
      definitions.set(name, { name, version, document, revision });
  }

  const text = () =>
    textOf({
      devices: [...devices]
        .filter(([, device]) => device.moduleSet !== undefined)
        .map(([device, { moduleSet, items, links }]) => ({
          device,
          moduleSet,
          items: [...items.values()],
          links: [...links.values()],
        })),
      services: [...services.values()],
      definitions: [...definitions.values()],
    });

  return {
    get revision() {
      return revision;
    },
    accept(body) {
      revision += 1;
      acceptItems(body);
      acceptServices(body);
    },
    digest: () => digestOf(text()),
    text,
  };
}

/** The same text for what the store tells of a revision. A device's name and a service's pause have no revision. */
export function textOfState(state: DesiredState): string {
  return textOf({
    devices: [...state.devices.values()].map(({ device, moduleSet, items, links }) => ({
      device,
      moduleSet,
      items: [...items.values()],
      links,
    })),
    services: [...state.services.values()].map(({ paused: _paused, ...service }) => service),
    definitions: [...state.definitions.values()],
  });
}

interface Parts {
  readonly devices: readonly {
    readonly device: string;
    readonly moduleSet: string | undefined;
    readonly items: readonly DesiredItem[];
    readonly links: readonly ServiceLink[];
  }[];
  readonly services: readonly OracleService[];
  readonly definitions: readonly DefinitionState[];
}

function textOf({ devices, services, definitions }: Parts): string {
  return canonicalJson({
    devices: sorted(devices, (one) => one.device).map((device) => ({
      ...device,
      items: sorted(device.items, (one) => one.item.path),
      links: sorted(device.links, linkKey),
    })),
    services: sorted(services, (one) => one.name),
    definitions: sorted(definitions, (one) => one.name),
  });
}

function linkKey(link: Pick<ServiceLink, "service" | "relation" | "path">): string {
  return `${link.service} ${link.relation} ${link.path}`;
}

function numbered(status: ServiceStatus, revision: number): ServiceStatus {
  if (status.kind === "consistent") return status;
  return { ...status, because: status.because.map((one) => (one.revision === 0 ? { ...one, revision } : one)) };
}

function sorted<T>(values: readonly T[], keyOf: (value: T) => string): readonly T[] {
  return [...values].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}
