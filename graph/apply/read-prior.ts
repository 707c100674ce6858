import type { Run } from "../ladybug.ts";
import { batches } from "../ladybug.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import {
  CONDITION,
  DEFINITIONS_AT,
  DEVICE,
  ITEMS,
  KNOWN_SERVICES,
  PLANS_IN_STATES,
  SERVICE_AT,
  VERSIONS,
} from "../statements/reads.ts";
import { OPEN_END } from "../schema/migrations.ts";
import { loadText } from "../stored-text.ts";
import { type ItemForm, type ServiceForm, itemOfVersion, versionId } from "./forms.ts";
import { type Prior, type PriorItem, type PriorKeys, type PriorService, UNSTARTED_STATES } from "./prior.ts";

/** Reads from the graph what a record's write set depends on; cost follows the number of keys. */
export async function readPriorFromGraph(run: Run, documents: DocumentStore, keys: PriorKeys): Promise<Prior> {
  const devices = new Set<string>();
  for (const id of keys.devices) if ((await run(DEVICE, { id })).length > 0) devices.add(id);
  const conditions = new Set<string>();
  for (const id of keys.conditions) if ((await run(CONDITION, { id })).length > 0) conditions.add(id);
  return {
    devices,
    conditions,
    items: await readItems(run, documents, keys.items),
    services: await readServices(run, documents, keys.services),
    definitions: await readDefinitions(run, keys.definitions),
    openPlans: keys.plans === "none" ? [] : await readOpenPlans(run),
  };
}

async function readItems(
  run: Run,
  documents: DocumentStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PriorItem>> {
  const items = new Map<string, PriorItem>();
  for (const batch of batches(ids)) {
    const versions: string[] = [];
    for (const row of await run(ITEMS, { ids: batch })) {
      const id = String(row["item"]);
      items.set(id, { current: undefined });
      if (row["current"] !== 0) versions.push(versionId(id, Number(row["current"])));
    }
    // An empty list does not bind.
    if (versions.length === 0) continue;
    for (const row of await run(VERSIONS, { ids: versions })) {
      const state = String(row["state"]);
      const form =
        state === "present" ? (JSON.parse(await loadText(String(row["form"]), documents)) as ItemForm) : undefined;
      items.set(itemOfVersion(String(row["id"])), { current: { revision: Number(row["since"]), state, form } });
    }
  }
  return items;
}

async function readServices(
  run: Run,
  documents: DocumentStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PriorService>> {
  const services = new Map<string, PriorService>();
  for (const batch of batches(ids)) {
    for (const row of await run(KNOWN_SERVICES, { ids: batch }))
      services.set(String(row["service"]), { current: undefined });
  }
  // One at a time: many at once would scan the versions of all services.
  for (const service of services.keys()) {
    const [row] = await run(SERVICE_AT, { service, revision: OPEN_END - 1 });
    if (row === undefined) continue;
    const form = JSON.parse(await loadText(String(row["form"]), documents)) as ServiceForm;
    services.set(service, { current: { version: String(row["id"]), form } });
  }
  return services;
}

async function readOpenPlans(run: Run): Promise<readonly string[]> {
  const rows = await run(PLANS_IN_STATES, { states: UNSTARTED_STATES });
  return rows.map((row) => String(row["id"])).sort();
}

async function readDefinitions(run: Run, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const wanted = new Set(names);
  const rows = await run(DEFINITIONS_AT, { revision: OPEN_END - 1 });
  return new Map(
    rows.filter((row) => wanted.has(String(row["name"]))).map((row) => [String(row["name"]), String(row["id"])]),
  );
}
