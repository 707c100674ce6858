/** Imports as the owner of the graph records them: real store, real documents, one device of our own module. */
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGraphActivities } from "../../activities/graph-activities.ts";
import type { ObservationDocument } from "../../contract/documents.ts";
import type { ImportOutcome } from "../../contract/workflows.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { contentText } from "../../graph/documents/typed-documents.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import type { ImportReport } from "../../services/import-report.ts";
import {
  BEFORE,
  LAB_MODULE,
  MTU_PATH,
  importDevice,
  labTree,
  putModuleSet,
  putMtuService,
} from "../support/api-lab.ts";
import { testFolder, wholeState } from "../support/graph-bodies.ts";

const DEVICE = "d-1";
type Imported = Extract<ImportOutcome, { readonly kind: "imported" }>;

let store: GraphStore;
let moduleSet = "";
let submissions = 0;

beforeEach(async () => {
  store = await openStore({ dataFolder: testFolder(), reserveBytes: 0 });
  moduleSet = await importDevice(store, { id: DEVICE, name: "r1" });
});

afterEach(() => store.close());

async function observation(content: object, modules = moduleSet): Promise<string> {
  const document: ObservationDocument = {
    format: "tenure-observation/1",
    device: DEVICE,
    moduleSet: modules,
    profile: "generic",
    datastore: "running",
    defaultsMode: "explicit",
    basicMode: "explicit",
    content: await store.documents.put(contentText(labTree(content))),
  };
  return store.documents.put(canonicalJson(document));
}

interface ImportOptions {
  readonly mode?: "record" | "preview";
  readonly moduleSet?: string;
  readonly submission?: string;
}

async function importOf(content: object, options: ImportOptions = {}): Promise<ImportOutcome> {
  const activities = createGraphActivities({
    store,
    registry: new ProviderRegistry(),
    approval: { author: "may-approve" },
  });
  const request = {
    submission: options.submission ?? `s-${String(++submissions)}`,
    device: DEVICE,
    observation: await observation(content, options.moduleSet),
    actor: "ada",
    mode: options.mode ?? ("record" as const),
    empty: "refuse" as const,
  };
  return new MockActivityEnvironment().run(() => activities.importObservation(request));
}

async function reportOf(outcome: ImportOutcome): Promise<ImportReport> {
  return JSON.parse(await store.documents.getText((outcome as Imported).report)) as ImportReport;
}

const ports = (...port: readonly object[]): object => ({ ...BEFORE, "lab:ports": { port } });
const withMtu = (mtu: number): object =>
  ports({ name: "a/1", mtu, speed: "18446744073709551615" }, { name: "b", mtu: 1500 });
const withoutMtu = ports({ name: "a/1", speed: "18446744073709551615" }, { name: "b", mtu: 1500 });

describe("an import that finds what is known", () => {
  test("makes no revision and writes nothing, not even a condition, also when other devices went on", async () => {
    expect(await importOf(BEFORE)).toEqual({ kind: "unchanged", device: DEVICE, items: 9 });
    const conditions = await store.conditions();
    await importDevice(store, { id: "d-2", name: "r2" });
    expect(await importOf(BEFORE)).toMatchObject({ kind: "unchanged" });
    expect(await store.conditions()).toEqual(conditions);
    expect(await store.currentRevision()).toBe(2);
    expect(conditions.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
      "Imported true",
      "InSync true",
      "Seen true",
    ]);
  });
});

describe("an import that finds something else", () => {
  beforeEach(() => putMtuService(store, DEVICE));

  test("is one revision, tells every change and service, and is repeated with the same answer", async () => {
    await importOf(withMtu(9000));
    const outcome = await importOf(withoutMtu, { submission: "again" });
    expect(outcome).toMatchObject({ kind: "imported", revision: 3, changed: 0, removed: 1, evidence: 1 });
    expect(outcome).toMatchObject({ affectedServices: ["mtu"], retyped: 0, unfit: 0 });
    expect(await reportOf(outcome)).toMatchObject({
      changes: [{ kind: "removed", path: MTU_PATH }],
      evidence: [{ kind: "disappeared", path: MTU_PATH, services: ["mtu"] }],
      services: [{ service: "mtu", status: "inconsistent" }],
    });
    expect(await importOf(withoutMtu, { submission: "again" })).toEqual(outcome);
    expect(await store.currentRevision()).toBe(3);
  });

  test("meets the same item when it comes back, and the service is consistent again", async () => {
    await importOf(withoutMtu);
    expect((await store.service("mtu"))?.status.kind).toBe("inconsistent");
    expect(await importOf(withMtu(9000))).toMatchObject({ kind: "imported", changed: 1, affectedServices: ["mtu"] });
    expect((await store.service("mtu"))?.status.kind).toBe("consistent");
    expect((await store.history(DEVICE, MTU_PATH)).map((each) => each.kind)).toEqual([
      "present",
      "deleted",
      "present",
      "present",
    ]);
    expect((await store.blame(DEVICE, MTU_PATH)).owners.map((each) => each.service)).toEqual(["mtu"]);
  });

  test("under preview says the same and records nothing", async () => {
    const before = await wholeState(store);
    const preview = await importOf(withoutMtu, { mode: "preview" });
    expect(preview).toMatchObject({ kind: "imported", removed: 1, evidence: 1, affectedServices: ["mtu"] });
    expect(await reportOf(preview)).toMatchObject({ evidence: [{ path: MTU_PATH, services: ["mtu"] }] });
    expect(await wholeState(store)).toBe(before);
    expect(await reportOf(await importOf(withoutMtu))).toEqual(await reportOf(preview));
  });
});

describe("what is absent", () => {
  test("was not deployed where the device was never seen with it, and disappeared where it was", async () => {
    await importOf(BEFORE);
    await putMtuService(store, DEVICE);
    expect((await reportOf(await importOf(withoutMtu))).evidence).toMatchObject([{ kind: "not-deployed" }]);
    await importOf(withMtu(9000));
    expect((await reportOf(await importOf(withoutMtu))).evidence).toMatchObject([{ kind: "disappeared" }]);
  });

  test("disappeared where a drift check saw it, also after a later one found drift", async () => {
    await importOf(BEFORE);
    await putMtuService(store, DEVICE);
    const activities = createGraphActivities({
      store,
      registry: new ProviderRegistry(),
      approval: { author: "may-approve" },
    });
    const sync = (inSync: "yes" | "no") =>
      new MockActivityEnvironment().run(() => activities.recordSyncState({ device: DEVICE, inSync, revision: 2 }));
    await sync("yes");
    await sync("no");
    expect((await reportOf(await importOf(withoutMtu))).evidence).toMatchObject([{ kind: "disappeared" }]);
  });
});

test("another module set types what stands anew: no change of value, no other setter, older history as it was", async () => {
  await putMtuService(store, DEVICE);
  const text = LAB_MODULE.replace("leaf mtu { type uint16; }", "leaf mtu { type uint32; }");
  const wide = await putModuleSet(store, text);
  const outcome = await importOf(withMtu(9000), { moduleSet: wide });
  expect(outcome).toMatchObject({
    kind: "imported",
    changed: 0,
    removed: 0,
    retyped: 2,
    unfit: 0,
    affectedServices: [],
  });
  const desired = await store.desiredDevice(DEVICE);
  expect(desired?.moduleSet).toBe(wide);
  expect(desired?.items.get(MTU_PATH)).toEqual({
    item: { kind: "leaf", path: MTU_PATH, value: { kind: "plain", type: "uint32", text: "9000" }, origin: "set" },
    setBy: { kind: "service", service: "mtu" },
    since: 2,
    retained: false,
  });
  expect((await store.service("mtu"))?.status.kind).toBe("consistent");
  expect(await importOf(withMtu(9000), { moduleSet: wide })).toMatchObject({ kind: "unchanged" });
});
