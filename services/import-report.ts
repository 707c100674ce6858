/** What an import changes and whom it affects, as people read it before (`--preview`) or after it is recorded. */
import { compareText } from "../model/compare-text.ts";
import { type Item, itemsEqualButTypes } from "../model/item.ts";
import type { Schema } from "../model/schema.ts";
import type { DesiredDevice, DeviceId, Evidence, RevisionBody, ServiceStatus } from "./desired-state.ts";
import { retypeItem } from "./retype.ts";

/**
 * `retyped`: the same text, whose type is another one in the device's new module set. `unfit`: gone, and the new module
 * set would have no place or no value for it.
 */
export type ImportChangeKind = "added" | "changed" | "removed" | "retyped" | "unfit";

export interface ImportChange {
  readonly kind: ImportChangeKind;
  readonly path: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

export interface ImportReport {
  readonly format: "tenure-import/1";
  readonly device: DeviceId;
  readonly totals: Readonly<Record<ImportChangeKind, number>>;
  /** By path; the first `SHOWN_CHANGES` of them. */
  readonly changes: readonly ImportChange[];
  /**
   * Items that are not deployed or disappeared, or contradict, each with every service that requires it; of those that
   * nobody requires the first `SHOWN_CHANGES`.
   */
  readonly evidence: readonly Evidence[];
  /** Services whose status is another one afterwards. */
  readonly services: readonly { readonly service: string; readonly status: ServiceStatus["kind"] }[];
}

/** A first import changes everything; nobody reads more than this. */
export const SHOWN_CHANGES = 1_000;

/** Needs: `body` was made by `observeChange` from a state in which the device was `before`. */
export function importReport(before: DesiredDevice, schema: Schema, body: RevisionBody): ImportReport {
  const { device } = before;
  const writes = body.devices.find((each) => each.device === device);
  const isRetyped = writes?.moduleSet !== undefined;
  const changes: ImportChange[] = [];
  for (const { item } of writes?.put ?? []) {
    const was = before.items.get(item.path)?.item;
    const kind = was === undefined ? "added" : itemsEqualButTypes(was, item) ? "retyped" : "changed";
    changes.push({ kind, path: item.path, before: was, after: item });
  }
  for (const path of writes?.remove ?? []) {
    const was = before.items.get(path)?.item;
    const fits = was === undefined || !isRetyped || retypeItem(was, schema).fits;
    changes.push({ kind: fits ? "removed" : "unfit", path, before: was, after: undefined });
  }
  changes.sort((a, b) => compareText(a.path, b.path));
  const totals = { added: 0, changed: 0, removed: 0, retyped: 0, unfit: 0 };
  for (const { kind } of changes) totals[kind] += 1;
  return {
    format: "tenure-import/1",
    device,
    totals,
    changes: changes.slice(0, SHOWN_CHANGES),
    evidence: shownEvidence(body.evidence.filter((each) => each.device === device)),
    services: body.statuses.map(({ service, status }) => ({ service, status: status.kind })),
  };
}

/** All that somebody requires; of the rest no more than of the changes. */
function shownEvidence(evidence: readonly Evidence[]): readonly Evidence[] {
  const unrequired = evidence.filter(({ services }) => services.length === 0);
  const left = new Set(unrequired.slice(SHOWN_CHANGES));
  return evidence.filter((each) => !left.has(each));
}

/** Every service that the import makes another one, or that requires something it shows otherwise; sorted. */
export function affectedServices({
  evidence,
  services,
}: Pick<ImportReport, "evidence" | "services">): readonly string[] {
  return [...new Set([...services.map((each) => each.service), ...evidence.flatMap((each) => each.services)])].sort(
    compareText,
  );
}
