import { type PlanHeader, type PlanSection, parseHeaderDocument, parseSectionDocument } from "../plan/plan-document.ts";
import { must } from "../graph/documents/typed-documents.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { GraphStore } from "../graph/store.ts";
import { isOpen } from "./views.ts";

/** The header whose digest the plan's is. The document store proves digests at each read. */
export async function readHeader(store: GraphStore, digest: string): Promise<PlanHeader> {
  const text = await store.documents.getText(digest);
  return must("plan header", parseHeaderDocument(text, { expected: digest, actual: digest }));
}

export async function readSection(store: GraphStore, digest: string): Promise<PlanSection> {
  const text = await store.documents.getText(digest);
  return must("plan section", parseSectionDocument(text, { expected: digest, actual: digest }));
}

/** Ids of the open plans that have a section for the device, or were made for it. */
export async function plansOf(store: GraphStore, device: DeviceRecord): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { plan } of (await store.plans()).filter(isOpen)) {
    const header = await readHeader(store, plan.digest);
    const named = header.scope.kind === "devices" ? header.scope.devices : [];
    // By id too: the device may have had another name when the plan was made.
    const sections = await Promise.all(Object.values(header.sections).map((digest) => readSection(store, digest)));
    if (
      named.includes(device.id) ||
      named.includes(device.name) ||
      sections.some((section) => section.device === device.id)
    )
      found.push(plan.plan);
  }
  return found;
}
