import type { DiffView, InstanceForm } from "../contract/api.ts";
import type { GraphStore } from "../graph/store.ts";
import { compareText } from "../model/compare-text.ts";
import { itemsEqual } from "../model/item.ts";
import type { DesiredDevice, ServiceLink, ServiceState } from "../services/desired-state.ts";
import { linksEqual } from "../services/device-draft.ts";
import { linkText } from "../services/link-index.ts";
import { deviceNames, statusView } from "./views.ts";
import { instanceDifferences } from "../services/instance-differences.ts";

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * All that differs between two revisions, in the direction asked for. Only devices that a revision in between wrote are
 * read. Needs: both revisions exist (0 is the empty state). Errors: `pruned`.
 */
export async function diffRevisions(store: GraphStore, { from, to }: Span): Promise<DiffView> {
  const names = await deviceNames(store);
  const name = (id: string): string => names.get(id) ?? id;
  const [before, after] = [await servicesAt(store, from), await servicesAt(store, to)];
  const devices: DeviceDiff[] = [];
  for (const id of await writtenBetween(store, { from, to })) {
    const [old, now] = [
      await store.desiredDevice(id, { revision: from }),
      await store.desiredDevice(id, { revision: to }),
    ];
    devices.push(diffDevice(name(id), old, now));
  }
  devices.sort((a, b) => compareText(a.device, b.device));
  return {
    from,
    to,
    moduleSets: devices.flatMap((each) => each.moduleSets),
    items: devices.flatMap((each) => each.items),
    links: devices.flatMap((each) => each.links),
    services: diffServices(before, after, name),
    statuses: diffStatuses(before, after, names),
    definitions: await diffDefinitions(store, { from, to }),
  };
}

async function writtenBetween(store: GraphStore, { from, to }: Span): Promise<readonly string[]> {
  const [oldest, newest] = [Math.min(from, to), Math.max(from, to)];
  const written = new Set<string>();
  for (let last = newest; last > oldest; ) {
    const page = await store.revisions({ from: oldest + 1, to: last });
    for (const revision of page) for (const device of revision.devices) written.add(device);
    last = (page.at(-1)?.revision ?? oldest + 1) - 1;
  }
  return [...written].sort();
}

type DeviceDiff = Pick<DiffView, "moduleSets" | "items" | "links"> & { readonly device: string };

function diffDevice(device: string, old: DesiredDevice | undefined, now: DesiredDevice | undefined): DeviceDiff {
  return {
    device,
    moduleSets: old?.moduleSet === now?.moduleSet ? [] : [{ device, before: old?.moduleSet, after: now?.moduleSet }],
    items: keysOf(old?.items, now?.items).flatMap((path) => {
      const [before, after] = [old?.items.get(path)?.item, now?.items.get(path)?.item];
      const isSame = before !== undefined && after !== undefined && itemsEqual(before, after);
      return isSame ? [] : [{ device, path, before, after }];
    }),
    links: diffLinks(device, old?.links ?? [], now?.links ?? []),
  };
}

function diffLinks(device: string, old: readonly ServiceLink[], now: readonly ServiceLink[]): DiffView["links"] {
  const [before, after] = [byKey(old), byKey(now)];
  const found = keysOf(before, after).flatMap((key): DiffView["links"] => {
    const [was, is] = [before.get(key), after.get(key)];
    const link = is ?? was;
    if (link === undefined || (is !== undefined && linksEqual(was, is))) return [];
    const { path, service, relation } = link;
    const change = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return [{ device, path, service, relation, change, before: was?.value, after: is?.value }];
  });
  return [...found].sort((a, b) => compareText(a.path, b.path) || compareText(a.service, b.service));
}

function byKey(links: readonly ServiceLink[]): ReadonlyMap<string, ServiceLink> {
  return new Map(links.map((link) => [linkText(link), link]));
}

type Services = ReadonlyMap<string, ServiceState>;

async function servicesAt(store: GraphStore, revision: number): Promise<Services> {
  return new Map((await store.services({ revision })).map((service) => [service.name, service]));
}

function diffServices(before: Services, after: Services, name: (id: string) => string): DiffView["services"] {
  return keysOf(before, after).flatMap((service): DiffView["services"] => {
    const [old, now] = [before.get(service), after.get(service)];
    const [was, is] = [instanceForm(old, name), instanceForm(now, name)];
    if (old === undefined || now === undefined) {
      return [{ service, change: old === undefined ? "added" : "removed", differs: [], before: was, after: is }];
    }
    const differs = instanceDifferences(old, now);
    return differs.length === 0 ? [] : [{ service, change: "changed", differs, before: was, after: is }];
  });
}

function instanceForm(service: ServiceState | undefined, name: (id: string) => string): InstanceForm | undefined {
  if (service === undefined) return undefined;
  const { definition, parameters, targets } = service;
  return { definition, parameters: JSON.parse(parameters) as unknown, targets: targets.map(name).sort() };
}

/** A put again in between leaves an instance as it was, but not always its status. */
function diffStatuses(before: Services, after: Services, names: ReadonlyMap<string, string>): DiffView["statuses"] {
  const view = (of: ServiceState | undefined) => (of === undefined ? undefined : statusView(of.status, names));
  return keysOf(before, after).flatMap((service) => {
    const [old, now] = [view(before.get(service)), view(after.get(service))];
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ service, before: old, after: now }];
  });
}

async function diffDefinitions(store: GraphStore, { from, to }: Span): Promise<DiffView["definitions"]> {
  const at = async (revision: number) =>
    new Map(
      (await store.definitions({ revision })).map(({ name, version, document }) => [name, { version, document }]),
    );
  const [before, after] = [await at(from), await at(to)];
  return keysOf(before, after).flatMap((definition) => {
    const [old, now] = [before.get(definition), after.get(definition)];
    return old?.document === now?.document ? [] : [{ definition, before: old, after: now }];
  });
}

function keysOf(
  a: ReadonlyMap<string, unknown> | undefined,
  b: ReadonlyMap<string, unknown> | undefined,
): readonly string[] {
  return [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])].sort(compareText);
}
