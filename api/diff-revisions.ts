import type { DiffView } from "../contract/api.ts";
import type { GraphStore } from "../graph/store.ts";
import { itemsEqual } from "../model/item.ts";
import type { ServiceState } from "../services/desired-state.ts";
import { deviceNames } from "./views.ts";

/**
 * What changed between two revisions, in the direction asked for. Only devices that a revision in between wrote are
 * read. Needs: both revisions exist (0 is the empty state).
 */
export async function diffRevisions(
  store: GraphStore,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<DiffView> {
  const touched = new Map<string, Set<string>>();
  for (let revision = Math.min(from, to) + 1; revision <= Math.max(from, to); revision += 1) {
    for (const { device, path } of await store.changesOf(revision)) {
      const paths = touched.get(device);
      if (paths === undefined) touched.set(device, new Set([path]));
      else paths.add(path);
    }
  }
  const names = await deviceNames(store);
  const items: DiffView["items"][number][] = [];
  for (const [device, paths] of [...touched].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = (await store.desiredDevice(device, { revision: from }))?.items;
    const after = (await store.desiredDevice(device, { revision: to }))?.items;
    for (const path of [...paths].sort()) {
      const [old, now] = [before?.get(path)?.item, after?.get(path)?.item];
      const isSame = old === undefined || now === undefined ? old === now : itemsEqual(old, now);
      if (!isSame) items.push({ device: names.get(device) ?? device, path, before: old, after: now });
    }
  }
  return { from, to, items, services: await diffServices(store, { from, to }) };
}

async function diffServices(
  store: GraphStore,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<DiffView["services"]> {
  const byName = async (revision: number) =>
    new Map((await store.services({ revision })).map((service) => [service.name, service]));
  const [before, after] = [await byName(from), await byName(to)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((service): DiffView["services"] => {
    const [old, now] = [before.get(service), after.get(service)];
    if (old === undefined) return [{ service, change: "added" }];
    if (now === undefined) return [{ service, change: "removed" }];
    return sameService(old, now) ? [] : [{ service, change: "changed" }];
  });
}

function sameService(a: ServiceState, b: ServiceState): boolean {
  return (
    a.parameters === b.parameters &&
    a.definition.document === b.definition.document &&
    a.status.kind === b.status.kind &&
    a.targets.join(" ") === b.targets.join(" ")
  );
}
