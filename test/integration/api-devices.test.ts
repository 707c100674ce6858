import { describe, expect, test } from "vitest";
import type { DeviceDetail, DeviceView, StartedDevice, StatusView } from "../../contract/api.ts";
import { PlanState } from "../../contract/plan-state.ts";
import { importDevice, putMtuService, putPlan } from "../support/api-lab.ts";
import { openTestApi } from "../support/api-server.ts";
import { body, commit, deviceRecord, writesOf } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };

describe("adding", () => {
  test("starts one first contact with what was asked, under an id of its own", async () => {
    const api = await openTestApi();
    const sha256 = `SHA256:${"A".repeat(43)}`;
    const answer = await api.post<StartedDevice>(
      "/v1/devices",
      {
        name: "r1",
        address: "[2001:db8::1]:8300",
        credentials: "env:R1",
        hostKey: { kind: "pinned", sha256 },
        modules: [{ name: "lab", text: "module lab {}" }],
      },
      "älice",
    );
    expect(answer).toMatchObject({ status: 202, body: { name: "r1" } });
    const { device, run } = answer.body;
    expect(device).toMatch(/^d-[a-z2-7]{8}$/);
    expect(run).toBe(`device/${device}`);
    const [started] = api.temporal.started;
    expect(started).toMatchObject({
      workflow: "addDevice",
      id: run,
      input: {
        actor: "älice",
        device: {
          id: device,
          name: "r1",
          provider: "netconf",
          host: "2001:db8::1",
          port: 8300,
          hostKey: { kind: "pinned", sha256 },
        },
      },
    });
    const modules = started?.workflow === "addDevice" ? started.input.modules : undefined;
    expect(JSON.parse(await api.store.documents.getText(modules ?? ""))).toEqual({
      format: "tenure-given-modules/1",
      modules: [{ name: "lab", text: "module lab {}" }],
    });
    expect(await api.store.devices()).toEqual([]);
  });

  test.each([
    ["an address with a path", { address: "r1.example/x" }],
    ["an address with a user", { address: "admin@r1.example" }],
    ["a bare IPv6 address", { address: "2001:db8::1" }],
    ["a port out of range", { address: "r1.example:70000" }],
    ["credentials in clear", { credentials: "admin:secret" }],
    ["a name that is an id", { name: "d-aaaaaaaa" }],
    ["a name with a slash", { name: "a/b" }],
    ["a fingerprint of another form", { hostKey: { kind: "pinned", sha256: "MD5:00" } }],
    ["an unknown member", { pasword: "x" }],
  ])("%s is refused, and nothing is started", async (_name, wrong) => {
    const api = await openTestApi();
    const answer = await api.post("/v1/devices", {
      name: "r1",
      address: "r1.example",
      credentials: "env:R1",
      ...wrong,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "bad-request" } });
    expect(api.temporal.started).toEqual([]);
  });

  test("a taken name is refused; that of a removed device is free", async () => {
    const api = await openTestApi();
    const add = () => api.post("/v1/devices", { name: "r1", address: "r1.example", credentials: "env:R1" });
    await api.store.putDevice({ device: deviceRecord(R1.id, { name: "r1" }), actor: "tester", key: "1" });
    expect(await add()).toMatchObject({ status: 409, body: { code: "name-taken" } });
    await api.delete("/v1/devices/r1");
    expect((await add()).status).toBe(202);
  });

  test("nobody does anything: without an actor it is refused", async () => {
    const api = await openTestApi();
    for (const actor of ["", "  ", "a\nb", "x".repeat(129)]) {
      expect(
        await api.post("/v1/devices", { name: "r1", address: "r1.example", credentials: "env:R1" }, actor),
      ).toMatchObject({ status: 400 });
    }
    expect(api.temporal.started).toEqual([]);
  });
});

describe("settings", () => {
  test("set contacts the device again with what is new and keeps the rest; a second one waits its turn", async () => {
    const api = await openTestApi();
    await api.store.putDevice({
      device: deviceRecord(R1.id, { name: "r1", host: "192.0.2.1", port: 830, givenModules: "f".repeat(64) }),
      actor: "tester",
      key: "1",
    });
    const answer = await api.post("/v1/devices/r1/settings", { credentials: "file:/r1.json" });
    expect(answer.status).toBe(202);
    expect(api.temporal.started).toMatchObject([
      {
        workflow: "addDevice",
        reuse: "after-close",
        input: {
          modules: "f".repeat(64),
          device: { id: R1.id, name: "r1", host: "192.0.2.1", credentials: "file:/r1.json", announcement: undefined },
        },
      },
    ]);
    expect(await api.post("/v1/devices/r1/settings", {})).toMatchObject({ status: 409, body: { code: "busy" } });
  });

  test("pause and resume are found by name and by id, and can follow each other again and again", async () => {
    const api = await openTestApi();
    await api.store.putDevice({ device: deviceRecord(R1.id, { name: "r1" }), actor: "tester", key: "1" });
    for (const [key, verb, state] of [
      ["r1", "pause", "paused"],
      [R1.id, "resume", "managed"],
      ["r1", "pause", "paused"],
      ["r1", "pause", "paused"],
    ] as const) {
      expect(await api.post<DeviceView>(`/v1/devices/${key}/${verb}`)).toMatchObject({ status: 200, body: { state } });
    }
    expect(await api.post("/v1/devices/r9/pause")).toMatchObject({ status: 404, body: { code: "unknown-device" } });
  });
});

describe("removal", () => {
  test("is refused while a service targets the device, naming it; afterwards only history is left", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    await putMtuService(api.store, R1.id);
    const refused = await api.delete<{ readonly message: string }>("/v1/devices/r1");
    expect(refused).toMatchObject({ status: 409, body: { code: "device-in-use" } });
    expect(refused.body.message).toContain("targeted by mtu");
    await api.store.commitRevision(
      commit(
        body({
          devices: [
            writesOf(R1.id, {
              removeLinks: [{ service: "mtu", path: "/lab:ports/port[name='a/1']/mtu", relation: "owns" }],
            }),
          ],
          services: [{ kind: "remove", name: "mtu" }],
        }),
        "remove mtu",
      ),
    );
    expect(await api.delete("/v1/devices/r1")).toMatchObject({ status: 200, body: { state: "removed" } });
    expect(await api.get("/v1/devices/r1")).toMatchObject({ status: 404 });
    expect(await api.store.desiredDevice(R1.id)).toBeDefined();
  });

  test("is refused while a plan is open for it, naming it, also under another name", async () => {
    const api = await openTestApi();
    const moduleSet = await importDevice(api.store, R1);
    await putPlan(api.store, { id: "p-bbbbbbbb", device: R1, moduleSet, state: PlanState.waiting });
    await api.store.updateDevice({ id: R1.id, set: { name: "core-1" }, actor: "tester", key: "rename" });
    expect((await api.get<DeviceDetail>("/v1/devices/core-1")).body.openPlans).toEqual(["p-bbbbbbbb"]);
    const refused = await api.delete<{ readonly message: string }>("/v1/devices/core-1");
    expect(refused).toMatchObject({ status: 409, body: { code: "device-in-use" } });
    expect(refused.body.message).toContain("p-bbbbbbbb");
    const end = {
      plan: "p-bbbbbbbb",
      state: PlanState.withdrawn,
      actor: "tester",
      comment: undefined,
      reason: undefined,
      revision: undefined,
    };
    await api.store.recordPlanState(end);
    expect((await api.delete("/v1/devices/core-1")).status).toBe(200);
  });
});

test("how a device stands: not imported, unchecked, in sync, and unchecked again after a newer revision", async () => {
  const api = await openTestApi();
  const sync = async () => (await api.get<readonly DeviceView[]>("/v1/devices")).body.map((device) => device.sync.kind);
  const condition = {
    subject: { kind: "device", id: R1.id },
    type: "InSync",
    reason: "r",
    message: "m",
    path: undefined,
    observation: undefined,
  } as const;
  await api.store.putDevice({ device: deviceRecord("d-bbbbbbbb", { name: "r2" }), actor: "tester", key: "r2" });
  await importDevice(api.store, R1);
  expect(await sync()).toEqual(["unchecked", "not-imported"]);
  await api.store.recordCondition({ ...condition, status: "true", revision: 1 });
  expect(await sync()).toEqual(["in-sync", "not-imported"]);
  await putMtuService(api.store, R1.id);
  expect(await sync()).toEqual(["unchecked", "not-imported"]);
  await api.store.recordCondition({ ...condition, status: "false", revision: 2 });
  expect(await sync()).toEqual(["drift", "not-imported"]);
});

test("status says who owns the data, what is open, and who holds and waits for locks", async () => {
  const api = await openTestApi();
  const moduleSet = await importDevice(api.store, R1);
  await putPlan(api.store, { id: "p-bbbbbbbb", device: R1, moduleSet, state: PlanState.waiting });
  await putPlan(api.store, { id: "p-cccccccc", device: R1, moduleSet, state: PlanState.applied });
  for (const request of ["first", "second"]) {
    await api.store.locks.request({
      request,
      keys: [`device/${R1.id}`],
      workflowId: `import/${request}`,
      transaction: undefined,
    });
  }
  const { body: status } = await api.get<StatusView>("/v1/status");
  expect(status.health).toMatchObject({
    pid: process.pid,
    dataFolder: api.folder,
    revision: 1,
    temporal: { ui: api.temporal.ui },
  });
  expect(status.openPlans.map((plan) => plan.plan)).toEqual(["p-bbbbbbbb"]);
  expect(status.holders.map((entry) => entry.request.request)).toEqual(["first"]);
  expect(status.waiters.map((entry) => entry.request.request)).toEqual(["second"]);
});
