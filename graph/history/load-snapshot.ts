/**
 * The rows of a snapshot: what an image, and so a rebuilt graph, starts from when the records before it are gone. What
 * the documents say becomes rows of today's model here, whatever model was in use when they were written.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Change, EdgeRow, NodeRow } from "../apply/change.ts";
import { WHOLE_DEVICE, conditionId, itemId, subjectKey, versionId } from "../apply/forms.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import { readFormat } from "../documents/typed-documents.ts";
import type { SnapshotEntry } from "../journal/record.ts";
import { OPEN_END } from "../schema/migrations.ts";
import { StoreError } from "../store-error.ts";
import { type Overflow, storeOverflow, storedText } from "../stored-text.ts";
import type {
  SnapshotConditions,
  SnapshotDevice,
  SnapshotKeys,
  SnapshotManifest,
  SnapshotPlans,
  SnapshotRevisions,
  SnapshotServices,
} from "./snapshot-documents.ts";

/** So many items are turned into rows before something else may run: some 20 ms. */
const ITEMS_A_TURN = 2000;

export interface LoadedSnapshot {
  readonly manifest: SnapshotManifest;
  /** Times of the records that left a key. */
  readonly times: ReadonlyMap<number, string>;
}

/**
 * Hands the rows of a snapshot to `take`, document by document, long texts being stored before. Errors:
 * `document-missing`, `document-damaged`, `journal-broken` when the manifest speaks of another record.
 */
export async function loadSnapshot(
  { record, digest, manifest: name }: Pick<SnapshotEntry, "record" | "digest" | "manifest">,
  documents: DocumentStore,
  take: (changes: readonly Change[]) => void,
): Promise<LoadedSnapshot> {
  const read = (document: string) => documents.getText(document);
  const manifest = await readFormat<SnapshotManifest>(read, name, "tenure-snapshot/1");
  if (manifest.record !== record || manifest.digest !== digest) {
    throw new StoreError("journal-broken", `snapshot ${name} is of another state than that of record ${record}`, {
      record,
    });
  }
  const takeAll = async (changesOf: (overflow: Overflow) => readonly Change[] | Promise<readonly Change[]>) => {
    const overflow: Overflow = new Map();
    const changes = await changesOf(overflow);
    await storeOverflow(overflow, documents);
    take(changes);
  };

  for (const { document } of manifest.devices) {
    const device = await readFormat<SnapshotDevice>(read, document, "tenure-snapshot-device/1");
    await takeAll((overflow) => deviceChanges(device, overflow));
  }
  const services = await readFormat<SnapshotServices>(read, manifest.services, "tenure-snapshot-services/1");
  await takeAll((overflow) => serviceChanges(services, overflow));
  const plans = await readFormat<SnapshotPlans>(read, manifest.plans, "tenure-snapshot-plans/1");
  await takeAll((overflow) => planChanges(plans, overflow));
  const { conditions } = await readFormat<SnapshotConditions>(
    read,
    manifest.conditions,
    "tenure-snapshot-conditions/1",
  );
  await takeAll((overflow) => {
    const rows = conditions.map((condition) => ({
      id: conditionId(condition.subject, condition.type),
      subject: subjectKey(condition.subject),
      form: storedText(canonicalJson(condition), overflow),
    }));
    return [{ kind: "create", node: "Condition", rows }];
  });
  const { revisions } = await readFormat<SnapshotRevisions>(read, manifest.revisions, "tenure-snapshot-revisions/1");
  await takeAll((overflow) => {
    const rows = revisions.map(({ revision, record: n, time, ...form }) => ({
      id: revision,
      record: n,
      time,
      form: storedText(canonicalJson(form), overflow),
    }));
    return [{ kind: "create", node: "Revision", rows }];
  });
  const { keys } = await readFormat<SnapshotKeys>(read, manifest.keys, "tenure-snapshot-keys/1");
  take([{ kind: "create", node: "Key", rows: keys.map(({ id, record: n, answer }) => ({ id, record: n, answer })) }]);
  return { manifest, times: new Map(keys.map((key) => [key.record, key.time])) };
}

async function deviceChanges(document: SnapshotDevice, overflow: Overflow): Promise<readonly Change[]> {
  const { device, written } = document;
  const items = new Map<string, NodeRow<"Item">>();
  const versions: NodeRow<"Version">[] = [];
  const ofDevice: EdgeRow<"deviceVersion">[] = [];
  const text = (value: object) => storedText(canonicalJson(value), overflow);

  /** What is named by links or evidence alone stands without a version; those that have one come first. */
  function item(path: string, current = 0): string {
    const id = itemId(device.id, path);
    if (!items.has(id)) items.set(id, { id, device: device.id, path: storedText(path, overflow), current });
    return id;
  }
  function version(path: string, state: "present" | "deleted" | "device", form: object, from: number): void {
    const id = item(path, from);
    const row = versionId(id, from);
    versions.push({ id: row, state, form: text(form), valid_from: from, valid_to: OPEN_END, previous: 0 });
    ofDevice.push({ from: device.id, to: row });
  }

  if (document.moduleSet !== undefined) {
    const { from, ...form } = document.moduleSet;
    version(WHOLE_DEVICE, "device", form, from);
  }
  for (const [index, { from, ...form }] of document.items.entries()) {
    if (index % ITEMS_A_TURN === ITEMS_A_TURN - 1) await nextTurn();
    version(form.item.path, "present", form, from);
  }
  for (const { from, ...form } of document.deleted) version(form.path, "deleted", form, from);

  const links = document.links.map(({ from, ...link }) => ({
    relation: link.relation,
    row: {
      from: link.service,
      to: item(link.path),
      device: device.id,
      form: text({ ...link, device: device.id }),
      valid_from: from,
      valid_to: OPEN_END,
    },
  }));
  const linkRows = (relation: "owns" | "depends") =>
    links.filter((link) => link.relation === relation).map((link) => link.row);
  const evidence = document.evidence.map(({ revision, index, ...found }) => ({
    node: {
      id: `${revision}/${index}`,
      device: device.id,
      revision,
      form: text({ ...found, device: device.id }),
    },
    item: item(found.path),
  }));

  return [
    {
      kind: "create",
      node: "Device",
      rows: [{ id: device.id, name: device.name, state: device.state, form: text(device), revision: written }],
    },
    { kind: "create", node: "Item", rows: [...items.values()] },
    { kind: "create", node: "Version", rows: versions },
    { kind: "connect", edge: "deviceVersion", rows: ofDevice },
    { kind: "connect", edge: "owns", rows: linkRows("owns") },
    { kind: "connect", edge: "dependsOn", rows: linkRows("depends") },
    { kind: "create", node: "Evidence", rows: evidence.map((one) => one.node) },
    { kind: "connect", edge: "evidenceOf", rows: evidence.map((one) => ({ from: one.node.id, to: one.item })) },
  ];
}

function serviceChanges(document: SnapshotServices, overflow: Overflow): readonly Change[] {
  const text = (value: object) => storedText(canonicalJson(value), overflow);
  const versions = document.services.map(({ name, from, ...form }) => ({
    id: versionId(name, from),
    service: name,
    form: text(form),
    valid_from: from,
    valid_to: OPEN_END,
  }));
  const targets = document.targets.map(({ service, device, from }) => ({
    from: service,
    to: device,
    valid_from: from,
    valid_to: OPEN_END,
  }));
  const definitions = document.definitions.map((form) => ({
    id: versionId(form.name, form.revision),
    name: form.name,
    form: text(form),
    valid_from: form.revision,
    valid_to: OPEN_END,
  }));
  return [
    { kind: "create", node: "Service", rows: document.services.map(({ name }) => ({ id: name })) },
    { kind: "create", node: "ServiceVersion", rows: versions },
    { kind: "connect", edge: "serviceVersion", rows: versions.map(({ id, service }) => ({ from: service, to: id })) },
    { kind: "connect", edge: "targets", rows: targets },
    { kind: "create", node: "Definition", rows: definitions },
  ];
}

function planChanges(document: SnapshotPlans, overflow: Overflow): readonly Change[] {
  const text = (value: object) => storedText(canonicalJson(value), overflow);
  const plans = document.plans.map(({ plan, state, opened, latest }) => ({
    id: plan.plan,
    digest: plan.digest,
    state,
    opened,
    form: text(plan),
    latest: text(latest),
  }));
  const approvals = document.approvals.map(({ kind, record, ...form }) => ({
    id: record,
    plan: form.plan,
    kind,
    form: text(form),
  }));
  const decisions = document.decisions.map((form) => ({ id: form.transaction, form: text(form) }));
  const outcomes = document.outcomes.map(({ record, ...form }) => ({ id: record, plan: form.plan, form: text(form) }));
  return [
    { kind: "create", node: "Plan", rows: plans },
    { kind: "create", node: "Approval", rows: approvals },
    { kind: "create", node: "Decision", rows: decisions },
    { kind: "create", node: "Outcome", rows: outcomes },
  ];
}
