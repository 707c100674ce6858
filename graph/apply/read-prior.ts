import type { Run } from "../ladybug.ts";
import { batches } from "../ladybug.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import {
  CONDITION,
  CURRENT_OF,
  CURRENT_SERVICES,
  DEFINITIONS_AT,
  DEVICE,
  KNOWN_ITEMS,
  KNOWN_SERVICES,
} from "../statements/reads.ts";
import { OPEN_END } from "../schema/migrations.ts";
import { loadText } from "../stored-text.ts";
import type { ItemForm, ServiceForm } from "./forms.ts";
import type { Prior, PriorItem, PriorKeys, PriorService } from "./prior.ts";

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
  };
}

async function readItems(
  run: Run,
  documents: DocumentStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PriorItem>> {
  const items = new Map<string, PriorItem>();
  for (const batch of batches(ids)) {
    for (const row of await run(KNOWN_ITEMS, { ids: batch })) items.set(String(row["item"]), { current: undefined });
    for (const row of await run(CURRENT_OF, { ids: batch })) {
      const state = String(row["state"]);
      const form =
        state === "present" ? (JSON.parse(await loadText(String(row["form"]), documents)) as ItemForm) : undefined;
      items.set(String(row["item"]), { current: { version: String(row["version"]), state, form } });
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
    for (const row of await run(CURRENT_SERVICES, { ids: batch, open: OPEN_END })) {
      const form = JSON.parse(await loadText(String(row["form"]), documents)) as ServiceForm;
      services.set(String(row["service"]), { current: { version: String(row["id"]), form } });
    }
  }
  return services;
}

async function readDefinitions(run: Run, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const wanted = new Set(names);
  const rows = await run(DEFINITIONS_AT, { revision: OPEN_END - 1 });
  return new Map(
    rows.filter((row) => wanted.has(String(row["name"]))).map((row) => [String(row["name"]), String(row["id"])]),
  );
}
