import { compareText } from "../../model/compare-text.ts";
import type {
  DefinitionState,
  DesiredDevice,
  DesiredItem,
  DesiredState,
  ServiceLink,
  ServiceState,
} from "../../services/desired-state.ts";
import {
  type DefinitionForm,
  type ItemForm,
  type ServiceForm,
  type WholeDeviceForm,
  subjectKey,
} from "../apply/forms.ts";
import type { DeviceRecord } from "../journal/record.ts";
import * as statements from "../statements/reads.ts";
import { StoreError } from "../store-error.ts";
import { type ConditionReads, PAUSED, saysPaused } from "./condition-reads.ts";
import { type DeviceAtRevision, type DeviceState, createDeviceCache } from "./device-cache.ts";
import type { Reader } from "./reader.ts";
import type { AtRevision, Timeline } from "./revision-reads.ts";

/** What is wanted: devices, their items, instances and links. Every read at a revision may fail with `pruned`. */
export interface DesiredReads {
  /** Managed and paused devices by name. */
  devices(): Promise<readonly DeviceRecord[]>;
  /** Those and the removed ones. */
  everyDevice(): Promise<readonly DeviceRecord[]>;
  /** By id (removed ones too), else by the name it has now. */
  device(idOrName: string): Promise<DeviceRecord | undefined>;
  /** Undefined before the first import (at that revision): such a device has no goal. Error: `unknown-device`. */
  desiredDevice(device: string, at?: AtRevision): Promise<DesiredDevice | undefined>;
  /** The named part, or all, of one revision. Devices without an import and services that do not exist are left out. */
  desiredState(
    part: { readonly devices: readonly string[] | "all"; readonly services: readonly string[] | "all" },
    at?: AtRevision,
  ): Promise<DesiredState>;
  services(at?: AtRevision): Promise<readonly ServiceState[]>;
  service(name: string, at?: AtRevision): Promise<ServiceState | undefined>;
  /** What an instance owns and depends on, on all devices. */
  linksOf(service: string, at?: AtRevision): Promise<readonly ServiceLink[]>;
  definitions(at?: AtRevision): Promise<readonly DefinitionState[]>;
}

export function createDesiredReads(
  { rows, builds, parse, parseAll, forms, firstForm }: Reader,
  { lookAt }: Timeline,
  conditions: ConditionReads,
): DesiredReads {
  const everyDevice = () => forms<DeviceRecord>(statements.DEVICES);
  async function devices(): Promise<readonly DeviceRecord[]> {
    return (await everyDevice()).filter((record) => record.state !== "removed");
  }

  const cache = createDeviceCache();

  async function deviceAt(id: string, revision: number): Promise<DesiredDevice | undefined> {
    const [row] = await rows(statements.DEVICE, { id });
    if (row === undefined) throw new StoreError("unknown-device", `there is no device ${id}`, { device: id });
    const { name } = await parse<DeviceRecord>(row["form"]);
    // What is wanted of a device is the same from the revision that wrote it last until it is written again.
    const written = Number(row["revision"]);
    const state = await cache.get({ device: id, revision: Math.min(written, revision), build: builds() }, stateAt);
    return state === undefined ? undefined : { device: id, name, ...state };
  }

  async function stateAt({ device: id, revision }: DeviceAtRevision): Promise<DeviceState | undefined> {
    let moduleSet: string | undefined;
    const items = new Map<string, DesiredItem>();
    const found = await parseAll<ItemForm | WholeDeviceForm>(
      await rows(statements.VERSIONS_AT, { device: id, revision }),
    );
    for (const form of found) {
      if ("moduleSet" in form) moduleSet = form.moduleSet;
      else items.set(form.item.path, form);
    }
    if (moduleSet === undefined) return undefined;
    const links = [
      ...(await forms<ServiceLink>(statements.OWNS_INTO_DEVICE, { device: id, revision })),
      ...(await forms<ServiceLink>(statements.DEPENDS_INTO_DEVICE, { device: id, revision })),
    ];
    return {
      moduleSet,
      items: sortedByPath(items),
      links: links.sort(byServiceAndPath),
    };
  }

  /** The scan of all conditions is cheaper than a lookup for each of many services. */
  async function servicesAt(revision: number): Promise<readonly ServiceState[]> {
    const found = await rows(statements.SERVICES_AT, { revision });
    const paused = new Set((await conditions.conditions()).filter(saysPaused).map((one) => subjectKey(one.subject)));
    return Promise.all(
      found.map(async (row) => {
        const name = String(row["service"]);
        return {
          name,
          ...(await parse<ServiceForm>(row["form"])),
          paused: paused.has(subjectKey({ kind: "service", name })),
        };
      }),
    );
  }

  async function serviceAt(name: string, revision: number): Promise<ServiceState | undefined> {
    const form = await firstForm<ServiceForm>(statements.SERVICE_AT, { service: name, revision });
    if (form === undefined) return undefined;
    const paused = await conditions.condition({ kind: "service", name }, PAUSED);
    return { name, ...form, paused: paused !== undefined && saysPaused(paused) };
  }

  const definitionsAt = (revision: number): Promise<readonly DefinitionState[]> =>
    forms<DefinitionForm>(statements.DEFINITIONS_AT, { revision });

  return {
    devices,
    everyDevice,
    async device(idOrName) {
      return (
        (await firstForm<DeviceRecord>(statements.DEVICE, { id: idOrName })) ??
        (await firstForm<DeviceRecord>(statements.DEVICE_BY_NAME, { name: idOrName }))
      );
    },
    desiredDevice: (id, at) => lookAt(at, (revision) => deviceAt(id, revision)),
    desiredState: (part, at) =>
      lookAt(at, async (revision) => {
        const ids = part.devices === "all" ? (await devices()).map((record) => record.id) : part.devices;
        const states =
          part.services === "all"
            ? await servicesAt(revision)
            : await Promise.all(part.services.map((name) => serviceAt(name, revision)));
        const found = await Promise.all(ids.map((id) => deviceAt(id, revision)));
        return {
          revision,
          devices: new Map(found.flatMap((one) => (one === undefined ? [] : [[one.device, one] as const]))),
          services: new Map(states.flatMap((state) => (state === undefined ? [] : [[state.name, state] as const]))),
          definitions: new Map((await definitionsAt(revision)).map((definition) => [definition.name, definition])),
        };
      }),
    services: (at) => lookAt(at, servicesAt),
    service: (name, at) => lookAt(at, (revision) => serviceAt(name, revision)),
    linksOf: (name, at) =>
      lookAt(at, async (revision) => {
        const parameters = { service: name, revision };
        const owns = await forms<ServiceLink>(statements.OWNS_OF_SERVICE, parameters);
        const depends = await forms<ServiceLink>(statements.DEPENDS_OF_SERVICE, parameters);
        return [...owns, ...depends].sort(byServiceAndPath);
      }),
    definitions: (at) => lookAt(at, definitionsAt),
  };
}

function byServiceAndPath(a: ServiceLink, b: ServiceLink): number {
  return (
    compareText(a.service, b.service) ||
    compareText(a.device, b.device) ||
    compareText(a.path, b.path) ||
    compareText(a.relation, b.relation)
  );
}

function sortedByPath(items: ReadonlyMap<string, DesiredItem>): ReadonlyMap<string, DesiredItem> {
  return new Map([...items].sort(([a], [b]) => compareText(a, b)));
}
