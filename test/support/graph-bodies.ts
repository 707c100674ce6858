/** Small revision bodies for tests of the store: our own module `test-net`, one leaf `mtu` an interface. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DeviceRecord, PlanRecord } from "../../graph/journal/record.ts";
import type { GraphStore } from "../../graph/store.ts";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type { CommitRequest } from "../../graph/writes.ts";
import type { DeviceWrites, ItemPut, RevisionBody, ServiceLink, Setter } from "../../services/desired-state.ts";

export const MODULE_SET = digestOf("module set");

/** An empty folder that goes away with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenure-graph-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export function deviceRecord(id: string, more: Partial<DeviceRecord> = {}): DeviceRecord {
  return {
    id,
    name: `name-${id}`,
    provider: "netconf",
    host: "127.0.0.1",
    port: 830,
    credentials: "env:TEST",
    hostKey: { kind: "accept-new" },
    profile: undefined,
    moduleSet: MODULE_SET,
    announcement: undefined,
    chosenProfile: "generic",
    providerConfig: undefined,
    givenModules: undefined,
    tls: undefined,
    state: "managed",
    ...more,
  };
}

export function mtuPath(name: string): string {
  return `/test-net:interfaces/interface[name='${name}']/mtu`;
}

export function mtu(name: string, value: string, setBy: Setter = { kind: "import" }): ItemPut {
  return {
    item: { kind: "leaf", path: mtuPath(name), value: { kind: "plain", type: "uint16", text: value }, origin: "set" },
    setBy,
    retained: false,
  };
}

export function link(
  service: string,
  device: string,
  name: string,
  value: string,
  more: Partial<ServiceLink> = {},
): ServiceLink {
  return {
    service,
    device,
    path: mtuPath(name),
    relation: "owns",
    value: { kind: "plain", type: "uint16", text: value },
    scope: "node",
    onRemove: "delete",
    existedBefore: undefined,
    implied: false,
    ...more,
  };
}

export function writesOf(device: string, more: Partial<DeviceWrites> = {}): DeviceWrites {
  return { device, moduleSet: undefined, put: [], remove: [], putLinks: [], removeLinks: [], ...more };
}

export function body(more: Partial<RevisionBody> = {}): RevisionBody {
  return {
    format: "tenure-revision/1",
    devices: [],
    services: [],
    definitions: [],
    statuses: [],
    evidence: [],
    basis: { devices: [], services: [], definitions: [] },
    ...more,
  };
}

/** The body that an import of these interfaces makes. */
export function importBody(device: string, values: Readonly<Record<string, string>>): RevisionBody {
  const put = Object.entries(values).map(([name, value]) => mtu(name, value));
  return body({ devices: [writesOf(device, { moduleSet: MODULE_SET, put })] });
}

export function commit(of: RevisionBody, key: string): CommitRequest {
  return { body: of, key, actor: "tester", cause: { kind: "import", submission: key, observation: MODULE_SET } };
}

const PLAN_HEADER = '{"format":"test-header"}';
const PLAN_CONTENTS = '{"sections":[]}';
/** The documents that every `planRecord` names: put them first where the store is checked. */
export const PLAN_DOCUMENTS: readonly string[] = [PLAN_HEADER, PLAN_CONTENTS];

export function planRecord(plan: string, more: Partial<PlanRecord> = {}): PlanRecord {
  return {
    plan,
    digest: digestOf(PLAN_HEADER),
    direction: "change",
    policy: "all-or-nothing",
    author: "tester",
    proposal: undefined,
    body: undefined,
    contents: digestOf(PLAN_CONTENTS),
    operations: 1,
    follows: undefined,
    ...more,
  };
}

/** Everything the store tells, at every revision, as one text: equal texts, equal graphs. */
export async function wholeState(store: GraphStore): Promise<string> {
  const current = await store.currentRevision();
  const devices = await store.devices();
  const revisions = [];
  const oldest = (await store.prunedAt())?.revision ?? 0;
  for (let revision = Math.max(1, oldest); revision <= current; revision += 1) {
    const state = await store.desiredState({ devices: "all", services: "all" }, { revision });
    revisions.push({
      view: await store.revision(revision),
      // What the pruned one changed can no longer be told.
      changes: revision > oldest ? await store.changesOf(revision) : [],
      devices: [...state.devices.values()].map((device) => ({ ...device, items: [...device.items.values()] })),
      services: [...state.services.values()],
      definitions: [...state.definitions.values()],
    });
  }
  const histories = [];
  const evidence = [];
  for (const device of devices) {
    evidence.push(await store.evidence(device.id));
    for (const path of (await store.desiredDevice(device.id))?.items.keys() ?? []) {
      histories.push({ path, versions: await store.history(device.id, path) });
    }
  }
  const plans = [];
  for (const plan of await store.plans()) {
    plans.push({
      plan,
      approvals: await store.approvals(plan.plan.plan),
      outcomes: await store.outcomes(plan.plan.plan),
    });
  }
  return canonicalJson({ devices, revisions, histories, evidence, plans, conditions: await store.conditions() });
}
