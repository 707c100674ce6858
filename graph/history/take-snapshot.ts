/**
 * Writes the state that an image holds down in documents, for the day on which the records that led to it are dropped.
 * What ended before is not in it: closed spans, tombstones that nothing names, plans that are over. The same image gives
 * the same documents, so that a snapshot can be recomputed from itself.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PlanState } from "../../contract/plan-state.ts";
import { compareText } from "../../model/compare-text.ts";
import type { Evidence, Inconsistency, ServiceLink } from "../../services/desired-state.ts";
import {
  type DefinitionForm,
  type DeletedForm,
  type ItemForm,
  type ServiceForm,
  type WholeDeviceForm,
  itemOfVersion,
} from "../apply/forms.ts";
import type { EdgeName, NodeName } from "../apply/change.ts";
import { type Digest, canonicalJsonInTurns } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { ConditionEntry, DeviceRecord, PlanRecord, RevisionEntry } from "../journal/record.ts";
import type { ParameterRow } from "../ladybug.ts";
import { mayChange } from "../plan-transitions.ts";
import type { ApprovalView, DecisionView, OutcomeView, PlanView, Recorded } from "../reads.ts";
import { OPEN_END } from "../schema/migrations.ts";
import type { GraphImage } from "../start/image.ts";
import { loadText } from "../stored-text.ts";
import type {
  SnapshotDevice,
  SnapshotDocument,
  SnapshotKeys,
  SnapshotManifest,
  SnapshotPlans,
  SnapshotRevisions,
  SnapshotServices,
} from "./snapshot-documents.ts";

/** So many rows of a device are read before something else may run: some 20 ms. */
const ROWS_A_TURN = 2000;

export interface SnapshotInput {
  readonly image: GraphImage;
  readonly documents: DocumentStore;
  /** Times of the records that left a key. */
  readonly times: ReadonlyMap<number, string>;
  /** The record that the image ends with. */
  readonly record: number;
  readonly digest: Digest;
  /** Keys, decisions and closed plans from before this time are left out: ISO 8601, UTC. */
  readonly keysSince: string;
  /** Takes each document and answers its digest. `history`: what the document mentions may be gone. */
  readonly store: (text: string, mentions: "needed" | "history") => Promise<Digest>;
}

export interface Snapshot {
  readonly manifest: Digest;
  readonly revision: number;
  readonly revisionTime: string | undefined;
}

/** Errors: `document-missing`, `document-damaged` for long texts that the image names. */
export async function takeSnapshot(input: SnapshotInput): Promise<Snapshot> {
  const reader = readerOf(input);
  const put = async (document: SnapshotDocument) =>
    input.store(
      await canonicalJsonInTurns(document),
      document.format === "tenure-snapshot-revisions/1" ? "history" : "needed",
    );
  const revisions = new Map(reader.nodes("Revision").map((row) => [Number(row["id"]), row]));
  const revision = Math.max(0, ...revisions.keys());
  /** Revisions that something in the snapshot names. */
  const named = new Set([revision]);

  const devices: SnapshotManifest["devices"][number][] = [];
  for await (const document of deviceDocuments(reader, named)) {
    devices.push({ device: document.device.id, document: await put(document) });
  }
  const manifest: SnapshotManifest = {
    format: "tenure-snapshot/1",
    record: input.record,
    digest: input.digest,
    revision,
    keysSince: input.keysSince,
    devices,
    services: await put(await servicesDocument(reader, named)),
    plans: await put(await plansDocument(reader, input.keysSince, named)),
    conditions: await put({
      format: "tenure-snapshot-conditions/1",
      conditions: await Promise.all(
        sorted(reader.nodes("Condition")).map((row) => reader.form<ConditionEntry & Recorded>(row)),
      ),
    }),
    keys: await put(keysDocument(reader, input, named)),
    revisions: await put(await revisionsDocument(reader, revisions, named)),
  };
  const time = revisions.get(revision)?.["time"];
  return { manifest: await put(manifest), revision, revisionTime: time === undefined ? undefined : String(time) };
}

/* ---- rows ---- */

interface RowReader {
  nodes(node: NodeName): readonly ParameterRow[];
  /** Edges that stand. */
  edges(edge: EdgeName): readonly ParameterRow[];
  form<T>(row: ParameterRow, column?: "form" | "latest"): Promise<T>;
}

function readerOf({ image, documents }: SnapshotInput): RowReader {
  return {
    nodes: (node) => image.nodes(node),
    edges: (edge) => image.edges(edge).filter((row) => (row["valid_to"] ?? OPEN_END) === OPEN_END),
    form: async <T>(row: ParameterRow, column: "form" | "latest" = "form") =>
      JSON.parse(await loadText(String(row[column]), documents)) as T,
  };
}

function stands(row: ParameterRow): boolean {
  return row["valid_to"] === OPEN_END;
}

/** By key, as numbers where keys are numbers. */
function sorted(rows: readonly ParameterRow[]): readonly ParameterRow[] {
  return [...rows].sort((a, b) => {
    const [left, right] = [a["id"] ?? "", b["id"] ?? ""];
    return typeof left === "number" && typeof right === "number"
      ? left - right
      : compareText(String(left), String(right));
  });
}

/* ---- devices ---- */

interface DeviceRows {
  readonly versions: ParameterRow[];
  readonly links: ParameterRow[];
  readonly evidence: ParameterRow[];
}

async function* deviceDocuments(reader: RowReader, named: Set<number>): AsyncGenerator<SnapshotDevice> {
  const devices = new Map<string, DeviceRows>();
  for (const row of reader.nodes("Device")) devices.set(String(row["id"]), { versions: [], links: [], evidence: [] });
  const rowsOf = (id: unknown): DeviceRows => {
    const rows = devices.get(String(id));
    if (rows === undefined) throw new Error(`device ${String(id)} is missing`);
    return rows;
  };

  const linked = new Set<string>();
  for (const link of [...reader.edges("owns"), ...reader.edges("dependsOn")]) {
    linked.add(String(link["to"]));
    rowsOf(link["device"]).links.push(link);
  }
  const deviceOf = new Map(reader.nodes("Item").map((row) => [row["id"], row["device"]]));
  for (const version of reader.nodes("Version").filter(stands)) {
    const item = itemOfVersion(String(version["id"]));
    if (version["state"] === "deleted" && !linked.has(item)) continue;
    rowsOf(deviceOf.get(item)).versions.push(version);
  }
  const evidence = new Map(reader.nodes("Evidence").map((row) => [row["id"], row]));
  for (const { from, to } of reader.edges("evidenceOf")) {
    const row = evidence.get(from);
    if (row !== undefined && linked.has(String(to))) rowsOf(row["device"]).evidence.push(row);
  }

  for (const row of sorted(reader.nodes("Device"))) yield deviceDocument(reader, row, rowsOf(row["id"]), named);
}

async function deviceDocument(
  reader: RowReader,
  device: ParameterRow,
  rows: DeviceRows,
  named: Set<number>,
): Promise<SnapshotDevice> {
  let moduleSet: SnapshotDevice["moduleSet"];
  const items: SnapshotDevice["items"][number][] = [];
  const deleted: SnapshotDevice["deleted"][number][] = [];
  for (const [index, row] of rows.versions.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn();
    const from = Number(row["valid_from"]);
    named.add(from);
    if (row["state"] === "device") {
      moduleSet = { ...(await reader.form<WholeDeviceForm>(row)), from };
    } else if (row["state"] === "deleted") {
      deleted.push({ ...(await reader.form<DeletedForm>(row)), from });
    } else {
      const form = await reader.form<ItemForm>(row);
      named.add(form.since);
      if (form.setBy.kind === "rollback") named.add(form.setBy.revision);
      items.push({ ...form, from });
    }
  }
  const links: SnapshotDevice["links"][number][] = [];
  for (const row of rows.links) {
    const { device: _device, ...link } = await reader.form<ServiceLink>(row);
    const from = Number(row["valid_from"]);
    named.add(from);
    if (link.existedBefore !== undefined) named.add(link.existedBefore.since);
    links.push({ ...link, from });
  }
  const evidence: SnapshotDevice["evidence"][number][] = [];
  for (const row of rows.evidence) {
    const { device: _device, ...found } = await reader.form<Evidence>(row);
    const [revision, index] = String(row["id"]).split("/").map(Number);
    if (revision === undefined || index === undefined) throw new Error(`${String(row["id"])} is no evidence`);
    named.add(revision);
    evidence.push({ ...found, revision, index });
  }
  return {
    format: "tenure-snapshot-device/1",
    device: await reader.form<DeviceRecord>(device),
    written: Number(device["revision"]),
    moduleSet,
    items: items.sort((a, b) => compareText(a.item.path, b.item.path)),
    deleted: deleted.sort((a, b) => compareText(a.path, b.path)),
    links: links.sort(
      (a, b) => compareText(a.service, b.service) || compareText(a.path, b.path) || compareText(a.relation, b.relation),
    ),
    evidence: evidence.sort((a, b) => a.revision - b.revision || a.index - b.index),
  };
}

/* ---- services ---- */

async function servicesDocument(reader: RowReader, named: Set<number>): Promise<SnapshotServices> {
  const services: SnapshotServices["services"][number][] = [];
  for (const row of reader.nodes("ServiceVersion").filter(stands)) {
    const form = await reader.form<ServiceForm>(row);
    const from = Number(row["valid_from"]);
    const because: readonly Inconsistency[] = form.status.kind === "inconsistent" ? form.status.because : [];
    for (const revision of [from, form.revision, ...because.map((each) => each.revision)]) named.add(revision);
    services.push({ name: String(row["service"]), ...form, from });
  }
  const targets = reader.edges("targets").map((row) => {
    const from = Number(row["valid_from"]);
    named.add(from);
    return { service: String(row["from"]), device: String(row["to"]), from };
  });
  const definitions = await Promise.all(
    reader
      .nodes("Definition")
      .filter(stands)
      .map((row) => reader.form<DefinitionForm>(row)),
  );
  for (const definition of definitions) named.add(definition.revision);
  return {
    format: "tenure-snapshot-services/1",
    services: services.sort((a, b) => compareText(a.name, b.name)),
    targets: targets.sort((a, b) => compareText(a.service, b.service) || compareText(a.device, b.device)),
    definitions: definitions.sort((a, b) => compareText(a.name, b.name)),
  };
}

/* ---- plans, keys, revisions ---- */

async function plansDocument(reader: RowReader, since: string, named: Set<number>): Promise<SnapshotPlans> {
  const plans: PlanView[] = [];
  for (const row of sorted(reader.nodes("Plan"))) {
    const state = String(row["state"]) as PlanState;
    const latest = await reader.form<PlanView["latest"]>(row, "latest");
    if (!mayChange(state) && latest.time < since) continue;
    if (latest.revision !== undefined) named.add(latest.revision);
    plans.push({ plan: await reader.form<PlanRecord>(row), state, opened: String(row["opened"]), latest });
  }
  const kept = new Set(plans.map(({ plan }) => plan.plan));
  const ofKept = (node: "Approval" | "Outcome") =>
    sorted(reader.nodes(node)).filter((row) => kept.has(String(row["plan"])));

  const approvals: SnapshotPlans["approvals"][number][] = [];
  for (const row of ofKept("Approval")) {
    const view = await reader.form<Omit<ApprovalView, "kind">>(row);
    approvals.push({ ...view, kind: row["kind"], record: Number(row["id"]) } as SnapshotPlans["approvals"][number]);
  }
  const outcomes: SnapshotPlans["outcomes"][number][] = [];
  for (const row of ofKept("Outcome")) {
    outcomes.push({ ...(await reader.form<OutcomeView>(row)), record: Number(row["id"]) });
  }
  const decisions: DecisionView[] = [];
  for (const row of sorted(reader.nodes("Decision"))) {
    const decision = await reader.form<DecisionView>(row);
    if (decision.time >= since || kept.has(planOf(decision.transaction))) decisions.push(decision);
  }
  return { format: "tenure-snapshot-plans/1", plans, approvals, decisions, outcomes };
}

/** A transaction is named by its plan, or by plan and device (`PLAN/DEVICE`) where each device has one of its own. */
function planOf(transaction: string): string {
  return transaction.split("/")[0] ?? transaction;
}

function keysDocument(
  reader: RowReader,
  { times, keysSince }: Pick<SnapshotInput, "times" | "keysSince">,
  named: Set<number>,
): SnapshotKeys {
  const keys: SnapshotKeys["keys"][number][] = [];
  for (const row of sorted(reader.nodes("Key"))) {
    const record = Number(row["record"]);
    const time = times.get(record);
    if (time === undefined) throw new Error(`the time of record ${record} is unknown`);
    if (time < keysSince) continue;
    const [id, answer] = [String(row["id"]), String(row["answer"])];
    // A repeat is told its revision, and may ask for it.
    if (id.startsWith("revision|")) named.add(Number(answer));
    keys.push({ id, record, answer, time });
  }
  return { format: "tenure-snapshot-keys/1", keys };
}

async function revisionsDocument(
  reader: RowReader,
  rows: ReadonlyMap<number, ParameterRow>,
  named: ReadonlySet<number>,
): Promise<SnapshotRevisions> {
  const revisions: SnapshotRevisions["revisions"][number][] = [];
  for (const number of [...named].sort((a, b) => a - b)) {
    const row = rows.get(number);
    if (row === undefined) continue;
    const form = await reader.form<Omit<RevisionEntry, "revision">>(row);
    revisions.push({ ...form, revision: number, record: Number(row["record"]), time: String(row["time"]) });
  }
  return { format: "tenure-snapshot-revisions/1", revisions };
}
