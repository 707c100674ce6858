import { setImmediate as nextTurn } from "node:timers/promises";
import type { RevisionBody, ServiceLink, ServiceStatus, ServiceWrite } from "../../services/desired-state.ts";
import { itemsEqualButTypes } from "../../model/item.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { RecordEnvelope, RevisionEntry } from "../journal/record.ts";
import { OPEN_END } from "../schema/migrations.ts";
import { type Overflow, storedText } from "../stored-text.ts";
import type { Change, EdgeEnd, EdgeName, EdgeRow, NodeRow, SpanEdge, UpdateRow } from "./change.ts";
import { type ItemForm, type ServiceForm, WHOLE_DEVICE, itemId, versionId } from "./forms.ts";
import type { Prior } from "./prior.ts";

/** So many items are turned into rows before something else may run: some 50 ms. */
const ITEMS_A_TURN = 5000;

export interface RevisionInput {
  readonly record: RecordEnvelope;
  readonly entry: RevisionEntry;
  readonly body: RevisionBody;
  readonly prior: Prior;
  readonly overflow: Overflow;
}

/** The rows of one revision: everything it says, together. Needs: the body was checked against the graph it meets. */
export async function applyRevision(input: RevisionInput): Promise<readonly Change[]> {
  const { record, entry, body, overflow } = input;
  const items = await itemRows(input);
  const links = linkRows(input, items);
  const services = serviceRows(input);
  const evidence = evidenceRows(input, items);
  const definitions = definitionRows(input);
  const revision: NodeRow<"Revision"> = {
    id: entry.revision,
    record: record.n,
    time: record.time,
    form: storedText(
      canonicalJson({
        actor: entry.actor,
        cause: entry.cause,
        key: entry.key,
        body: entry.body,
        devices: entry.devices,
      }),
      overflow,
    ),
  };
  const namedServices = new Set([
    ...body.services.map((write) => write.name),
    ...body.devices.flatMap((d) => d.putLinks.map((l) => l.service)),
  ]);
  const newServices = [...namedServices].filter((name) => !input.prior.services.has(name)).map((id) => ({ id }));

  const changes: readonly Change[] = [
    { kind: "create", node: "Revision", rows: [revision] },
    { kind: "update", node: "DeviceRevision", rows: entry.devices.map((id) => ({ id, revision: entry.revision })) },
    { kind: "create", node: "Item", rows: items.created },
    { kind: "update", node: "Item", rows: items.renewed },
    { kind: "update", node: "Version", rows: items.ended },
    { kind: "create", node: "Version", rows: items.versions },
    { kind: "connect", edge: "deviceVersion", rows: items.ofDevice },
    { kind: "create", node: "Service", rows: newServices },
    { kind: "update", node: "ServiceVersion", rows: services.ended },
    { kind: "create", node: "ServiceVersion", rows: services.versions },
    { kind: "connect", edge: "serviceVersion", rows: services.ofService },
    { kind: "close", edge: "targets", rows: services.targetsEnded },
    { kind: "connect", edge: "targets", rows: services.targets },
    { kind: "close", edge: "owns", rows: links.owns.ended },
    { kind: "connect", edge: "owns", rows: links.owns.started },
    { kind: "close", edge: "dependsOn", rows: links.dependsOn.ended },
    { kind: "connect", edge: "dependsOn", rows: links.dependsOn.started },
    { kind: "update", node: "Definition", rows: definitions.ended },
    { kind: "create", node: "Definition", rows: definitions.started },
    { kind: "create", node: "Evidence", rows: evidence.nodes },
    { kind: "connect", edge: "evidenceOf", rows: evidence.edges },
  ];
  return changes.filter((change) => change.rows.length > 0);
}

/* ---- items ---- */

interface ItemRows {
  readonly created: NodeRow<"Item">[];
  /** Items that stood and get another version. */
  readonly renewed: UpdateRow<"Item">[];
  readonly ended: UpdateRow<"Version">[];
  readonly versions: NodeRow<"Version">[];
  readonly ofDevice: EdgeRow<"deviceVersion">[];
  /** Ids of items that this revision creates, also those that only a link or evidence names. */
  readonly known: Set<string>;
}

async function itemRows({ entry, body, prior, overflow }: RevisionInput): Promise<ItemRows> {
  const rows: ItemRows = {
    created: [],
    renewed: [],
    ended: [],
    versions: [],
    ofDevice: [],
    known: new Set(prior.items.keys()),
  };
  const { revision } = entry;

  function add(
    { device, id, path }: { readonly device: string; readonly id: string; readonly path: string },
    state: "present" | "deleted" | "device",
    form: object,
  ): void {
    const earlier = prior.items.get(id)?.current;
    if (rows.known.has(id)) {
      rows.renewed.push({ id, current: revision });
    } else {
      rows.known.add(id);
      rows.created.push({ id, device, path: storedText(path, overflow), current: revision });
    }
    const version = versionId(id, revision);
    rows.versions.push({
      id: version,
      state,
      form: storedText(canonicalJson(form), overflow),
      valid_from: revision,
      valid_to: OPEN_END,
      previous: earlier?.revision ?? 0,
    });
    rows.ofDevice.push({ from: device, to: version });
    if (earlier !== undefined) rows.ended.push({ id: versionId(id, earlier.revision), valid_to: revision });
  }

  let done = 0;
  for (const writes of body.devices) {
    const { device } = writes;
    if (writes.moduleSet !== undefined) {
      const id = itemId(device, WHOLE_DEVICE);
      add({ device, id, path: WHOLE_DEVICE }, "device", { moduleSet: writes.moduleSet });
    }
    for (const put of writes.put) {
      done += 1;
      if (done % ITEMS_A_TURN === 0) await nextTurn();
      const { path } = put.item;
      const id = itemId(device, path);
      const earlier = prior.items.get(id)?.current?.form;
      const form: ItemForm = {
        item: put.item,
        setBy: put.setBy,
        since: earlier !== undefined && saysTheSame(earlier, put) ? earlier.since : revision,
        retained: put.retained,
      };
      add({ device, id, path }, "present", form);
    }
    for (const path of writes.remove) {
      const id = itemId(device, path);
      if (prior.items.get(id)?.current?.state === "present") add({ device, id, path }, "deleted", { path });
    }
  }
  return rows;
}

/** A change of `retained`, or of the type in a new module set, does not make the value a newer one. */
function saysTheSame(earlier: ItemForm, put: Pick<ItemForm, "item" | "setBy">): boolean {
  return itemsEqualButTypes(earlier.item, put.item) && canonicalJson(earlier.setBy) === canonicalJson(put.setBy);
}

/** An item that only a link or evidence names stands without a version. */
function ensureItem(rows: ItemRows, device: string, path: string, overflow: Overflow): string {
  const id = itemId(device, path);
  if (!rows.known.has(id)) {
    rows.known.add(id);
    rows.created.push({ id, device, path: storedText(path, overflow), current: 0 });
  }
  return id;
}

/* ---- links ---- */

type LinkEdge = Extract<EdgeName, "owns" | "dependsOn"> & SpanEdge;
type LinkRows = Readonly<Record<LinkEdge, { readonly ended: EdgeEnd[]; readonly started: EdgeRow<LinkEdge>[] }>>;

function edgeOf(relation: ServiceLink["relation"]): LinkEdge {
  return relation === "owns" ? "owns" : "dependsOn";
}

function linkRows({ entry, body, overflow }: RevisionInput, items: ItemRows): LinkRows {
  const rows: LinkRows = { owns: { ended: [], started: [] }, dependsOn: { ended: [], started: [] } };
  for (const writes of body.devices) {
    for (const link of writes.removeLinks) {
      const to = itemId(writes.device, link.path);
      if (items.known.has(to))
        rows[edgeOf(link.relation)].ended.push({ from: link.service, to, valid_to: entry.revision });
    }
    for (const link of writes.putLinks) {
      const to = ensureItem(items, writes.device, link.path, overflow);
      const { ended, started } = rows[edgeOf(link.relation)];
      // A link that stands already is replaced: what it requires may have changed.
      ended.push({ from: link.service, to, valid_to: entry.revision });
      started.push({
        from: link.service,
        to,
        device: writes.device,
        form: storedText(canonicalJson(link), overflow),
        valid_from: entry.revision,
        valid_to: OPEN_END,
      });
    }
  }
  return rows;
}

/* ---- services ---- */

interface ServiceRows {
  readonly ended: UpdateRow<"ServiceVersion">[];
  readonly versions: NodeRow<"ServiceVersion">[];
  readonly ofService: EdgeRow<"serviceVersion">[];
  readonly targetsEnded: EdgeEnd[];
  readonly targets: EdgeRow<"targets">[];
}

function serviceRows({ entry, body, prior, overflow }: RevisionInput): ServiceRows {
  const rows: ServiceRows = { ended: [], versions: [], ofService: [], targetsEnded: [], targets: [] };
  const { revision } = entry;
  const statuses = new Map(body.statuses.map((write) => [write.service, write.status]));
  const written = new Map<string, ServiceWrite>(body.services.map((write) => [write.name, write]));

  for (const name of new Set([...written.keys(), ...statuses.keys()])) {
    const earlier = prior.services.get(name)?.current;
    const next = nextForm(written.get(name), statuses.get(name), earlier?.form, revision);
    if (earlier === undefined && next === undefined) continue;
    if (earlier !== undefined) rows.ended.push({ id: earlier.version, valid_to: revision });
    if (next !== undefined) {
      const id = versionId(name, revision);
      rows.versions.push({
        id,
        service: name,
        form: storedText(canonicalJson(next), overflow),
        valid_from: revision,
        valid_to: OPEN_END,
      });
      rows.ofService.push({ from: name, to: id });
    }
    const before = new Set(earlier?.form.targets);
    const after = new Set(next?.targets);
    for (const to of before) if (!after.has(to)) rows.targetsEnded.push({ from: name, to, valid_to: revision });
    for (const to of after)
      if (!before.has(to)) rows.targets.push({ from: name, to, valid_from: revision, valid_to: OPEN_END });
  }
  return rows;
}

/** An instance after this revision; undefined when it is gone (or never was, for a stray status). */
function nextForm(
  write: ServiceWrite | undefined,
  status: ServiceStatus | undefined,
  earlier: ServiceForm | undefined,
  revision: number,
): ServiceForm | undefined {
  if (write?.kind === "remove") return undefined;
  const numbered = status === undefined ? undefined : numberedStatus(status, revision);
  if (write === undefined) {
    return earlier === undefined ? undefined : { ...earlier, status: numbered ?? earlier.status };
  }
  const { definition, parameters, targets } = write;
  // A put asserts everything anew, so the instance is consistent unless the same revision says otherwise.
  return { definition, parameters, targets, status: numbered ?? { kind: "consistent" }, revision };
}

/** A write set cannot know its own number: 0 stands for it. */
function numberedStatus(status: ServiceStatus, revision: number): ServiceStatus {
  if (status.kind === "consistent") return status;
  const because = status.because.map((each) => (each.revision === 0 ? { ...each, revision } : each));
  return { kind: "inconsistent", because };
}

/* ---- definitions, evidence ---- */

function definitionRows({ entry, body, prior, overflow }: RevisionInput) {
  const ended: UpdateRow<"Definition">[] = [];
  const started: NodeRow<"Definition">[] = [];
  for (const { name, version, document } of body.definitions) {
    const earlier = prior.definitions.get(name);
    if (earlier !== undefined) ended.push({ id: earlier, valid_to: entry.revision });
    const form = storedText(canonicalJson({ name, version, document, revision: entry.revision }), overflow);
    started.push({ id: versionId(name, entry.revision), name, form, valid_from: entry.revision, valid_to: OPEN_END });
  }
  for (const name of body.removedDefinitions ?? []) {
    const earlier = prior.definitions.get(name);
    if (earlier !== undefined) ended.push({ id: earlier, valid_to: entry.revision });
  }
  return { ended, started };
}

function evidenceRows({ entry, body, overflow }: RevisionInput, items: ItemRows) {
  const nodes: NodeRow<"Evidence">[] = [];
  const edges: EdgeRow<"evidenceOf">[] = [];
  body.evidence.forEach((evidence, index) => {
    const id = `${entry.revision}/${index}`;
    nodes.push({
      id,
      device: evidence.device,
      revision: entry.revision,
      form: storedText(canonicalJson(evidence), overflow),
    });
    edges.push({ from: id, to: ensureItem(items, evidence.device, evidence.path, overflow) });
  });
  return { nodes, edges };
}
