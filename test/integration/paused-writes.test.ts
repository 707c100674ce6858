/** `pause` stops what a plan writes to a device or for a service, at the last moment before anything is written. */
import { MockActivityEnvironment } from "@temporalio/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createGraphActivities } from "../../activities/graph-activities.ts";
import type { BaseVerdict } from "../../contract/activities.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import type { OperationCause } from "../../plan/operation.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import {
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  planRecord,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";

interface PlannedOperation {
  readonly device: string;
  readonly path: string;
  readonly cause: OperationCause;
}

let store: GraphStore;
let plans = 0;

beforeEach(async () => {
  store = await openStore({ dataFolder: testFolder(), reserveBytes: 0 });
  const opened = store;
  onTestFinished(() => opened.close());
  for (const id of ["d1", "d2"]) {
    await store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
    await store.commitRevision(commit(importBody(id, { eth0: "1500", eth1: "1500" }), `import ${id}`));
  }
  const definition = { name: "mtu", version: "1", document: await store.documents.put("{}") };
  const put = (name: string) => ({ kind: "put" as const, name, definition, parameters: "{}", targets: ["d1"] });
  await store.commitRevision(
    commit(
      body({
        devices: [
          writesOf("d1", {
            put: [mtu("eth0", "9000", { kind: "service", service: "a" })],
            putLinks: [
              link("a", "d1", "eth0", "9000"),
              link("b", "d1", "eth1", "1500"),
              link("b", "d1", "eth0", "9000", { relation: "depends" }),
            ],
          }),
        ],
        definitions: [definition],
        services: [put("a"), put("b")],
      }),
      "put",
    ),
  );
});

/** What the owner answers at step 0 of a plan of these operations; `only`: of the transaction of that device. */
async function verdictOn(operations: readonly PlannedOperation[], only?: string): Promise<BaseVerdict> {
  const devices = [...new Set(operations.map(({ device }) => device))];
  const sections = [];
  for (const device of devices) {
    const own = operations.filter((each) => each.device === device);
    const section = canonicalJson({
      operations: own.map(({ path, cause }) => ({ op: "create", path, causes: [cause] })),
    });
    sections.push({ device, section: await store.documents.put(section), operations: own.length });
  }
  plans += 1;
  const plan = planRecord(`p${String(plans)}`, {
    contents: await store.documents.put(canonicalJson({ format: "tenure-plan-contents/1", sections })),
  });
  await store.putPlan({ plan, state: "waiting" });
  const activities = createGraphActivities({
    store,
    registry: new ProviderRegistry(),
    approval: { author: "may-approve" },
  });
  const request = {
    plan: plan.plan,
    digest: plan.digest,
    body: undefined,
    devices,
    writes: only === undefined ? devices : [only],
  };
  return new MockActivityEnvironment().run(() => activities.checkBase(request));
}

function pauseOf(name: string, status: "true" | "false") {
  return {
    subject: { kind: "service", name },
    type: "Paused",
    status,
    reason: "Asked",
    message: "",
    path: undefined,
    revision: undefined,
    observation: undefined,
  } as const;
}

const PUT = (service: string, path = mtuPath("eth0")): PlannedOperation => ({
  device: "d1",
  path,
  cause: { kind: "service-put", service },
});
const DRIFT = (path: string): PlannedOperation => ({ device: "d1", path, cause: { kind: "drift" } });
const SERVICE_A = {
  kind: "paused",
  reasons: ["service a is paused, nothing is written for it; try: tenure service resume a"],
};

describe("a paused device", () => {
  test("is not written to, whatever for; other devices are, and it is after resume", async () => {
    await store.updateDevice({ id: "d1", set: { state: "paused" }, actor: "t", key: "pause" });
    expect(await verdictOn([PUT("b")])).toEqual({
      kind: "paused",
      reasons: ["name-d1 is paused, nothing is written to it; try: tenure device resume name-d1"],
    });
    const elsewhere = { ...DRIFT(mtuPath("eth0")), device: "d2" };
    expect(await verdictOn([elsewhere])).toEqual({ kind: "valid" });
    expect(await verdictOn([PUT("b"), elsewhere], "d2")).toEqual({ kind: "valid" });
    expect(await verdictOn([PUT("b"), elsewhere])).toMatchObject({ kind: "paused" });
    await store.updateDevice({ id: "d1", set: { state: "managed" }, actor: "t", key: "resume" });
    expect(await verdictOn([PUT("b")])).toEqual({ kind: "valid" });
  });
});

describe("a paused service", () => {
  beforeEach(() => store.recordCondition(pauseOf("a", "true")).then(() => undefined));

  test("has nothing written for it by a put or a removal; other services have", async () => {
    expect(await verdictOn([PUT("b", mtuPath("eth1")), PUT("a")])).toEqual(SERVICE_A);
    expect(await verdictOn([{ ...PUT("a"), cause: { kind: "service-remove", service: "a" } }])).toEqual(SERVICE_A);
    // What another service overrides is written for that one.
    expect(await verdictOn([PUT("b")])).toEqual({ kind: "valid" });
  });

  test("has what it owns not brought back, on its own or within the entry around it", async () => {
    expect(await verdictOn([DRIFT(mtuPath("eth0"))])).toEqual(SERVICE_A);
    expect(await verdictOn([DRIFT("/test-net:interfaces/interface[name='eth0']")])).toEqual(SERVICE_A);
    expect(await verdictOn([{ ...DRIFT(mtuPath("eth0")), cause: { kind: "rollback", revision: 1 } }])).toEqual(
      SERVICE_A,
    );
    expect(await verdictOn([DRIFT(mtuPath("eth1"))])).toEqual({ kind: "valid" });
    expect(await verdictOn([{ ...DRIFT(mtuPath("eth0")), device: "d2" }])).toEqual({ kind: "valid" });
  });

  test("that only depends on an item holds up nobody", async () => {
    await store.recordCondition(pauseOf("a", "false"));
    await store.recordCondition(pauseOf("b", "true"));
    expect(await verdictOn([DRIFT(mtuPath("eth0"))])).toEqual({ kind: "valid" });
    expect(await verdictOn([DRIFT(mtuPath("eth1"))])).toMatchObject({ kind: "paused" });
  });

  test("is written for again after resume", async () => {
    await store.recordCondition(pauseOf("a", "false"));
    expect(await verdictOn([PUT("a")])).toEqual({ kind: "valid" });
  });
});
