/** Desired state through time, as API and command line tell it: what was, what went, what is not known of now. */
import { describe, expect, test } from "vitest";
import type {
  BlameLine,
  DefinitionView,
  DeviceDetail,
  DiffView,
  HistoryLine,
  ServiceDetail,
  StatusView,
} from "../../contract/api.ts";
import type { ModuleSetDocument } from "../../contract/documents.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import type { GraphStore } from "../../graph/store.ts";
import { renderGoal } from "../../goal/device-goal.ts";
import { itemsOf } from "../../codec/items.ts";
import {
  BEFORE,
  LAB_MODULE,
  MTU_PATH,
  importDevice,
  labTree,
  putModuleSet,
  putMtuService,
  putPlan,
} from "../support/api-lab.ts";
import { type TestApi, openTestApi } from "../support/api-server.ts";
import { body, commit, deviceRecord, writesOf } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
const query = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString();

/** Revision 1: import. Revision 2: service mtu sets 9000 on a/1. */
async function openLab(): Promise<TestApi> {
  const api = await openTestApi();
  await importDevice(api.store, R1);
  await putMtuService(api.store, R1.id);
  return api;
}

async function setName(store: GraphStore, id: string, name: string): Promise<void> {
  await store.updateDevice({ id, set: { name }, actor: "tester", key: `name ${id} ${name}` });
}
async function removeDevice(store: GraphStore, id: string): Promise<void> {
  await store.updateDevice({ id, set: { state: "removed" }, actor: "tester", key: `remove ${id}` });
}

describe("the history of a path", () => {
  const history = (api: TestApi, path: string, device = "r1") =>
    api.get<readonly HistoryLine[]>(`/v1/devices/${device}/history?${query({ path })}`);

  test("that is gone now is told, deletion first", async () => {
    const api = await openLab();
    const dns = "/lab:dns[.='192.0.2.1']";
    await api.store.commitRevision(commit(body({ devices: [writesOf(R1.id, { remove: [dns] })] }), "without a server"));
    const { body: lines } = await history(api, dns);
    expect(lines).toMatchObject([
      { kind: "deleted", from: 3 },
      { kind: "present", from: 1, until: 3, item: { kind: "leaf-list-entry" } },
    ]);
    // However the key is quoted.
    expect((await history(api, '/lab:dns[.="192.0.2.1"]')).body).toEqual(lines);
  });

  test("that the schema no longer has is told; one that never was in any schema is refused", async () => {
    const api = await openLab();
    const modules = async (text: string): Promise<string> => {
      const document: ModuleSetDocument = {
        format: "tenure-module-set/1",
        modules: [{ name: "lab", role: "implement", features: [], text: await api.store.documents.put(text) }],
      };
      return api.store.documents.put(canonicalJson(document));
    };
    const moduleSet = await modules(LAB_MODULE.replace(/leaf-list dns .*/, ""));
    const remove = ["/lab:dns", "/lab:dns[.='192.0.2.1']", "/lab:dns[.='192.0.2.53']"];
    await api.store.commitRevision(commit(body({ devices: [writesOf(R1.id, { moduleSet, remove })] }), "modules"));
    expect((await api.get("/v1/devices/r1/config?path=/lab:dns")).status).toBe(400);
    expect((await history(api, '/lab:dns[.="192.0.2.1"]')).body).toMatchObject([
      { kind: "deleted", from: 3 },
      { kind: "present", from: 1 },
    ]);
    expect(await history(api, "/lab:nds")).toMatchObject({ status: 400, body: { code: "bad-request" } });
    expect((await history(api, MTU_PATH)).body.length).toBe(2);
    // The old revision is shown by the schema of its time.
    expect((await api.get("/v1/devices/r1/config?revision=1")).text).toBe(renderGoal(labTree(BEFORE)));
  });

  test("of a removed device is told by its name and by its id", async () => {
    const api = await openLab();
    await api.store.commitRevision(
      commit(body({ services: [{ kind: "remove", name: "mtu" }], devices: [noLinks()] }), "remove mtu"),
    );
    await removeDevice(api.store, R1.id);
    for (const device of [R1.name, R1.id]) expect((await history(api, MTU_PATH, device)).body.length).toBe(2);
    expect((await history(api, MTU_PATH, "r9")).status).toBe(404);
  });
});

const noLinks = () => writesOf(R1.id, { removeLinks: [{ service: "mtu", path: MTU_PATH, relation: "owns" }] });

describe("devices that were renamed or removed", () => {
  const config = (api: TestApi, device: string, parameters: Readonly<Record<string, string>> = {}) =>
    api.get(`/v1/devices/${device}/config?${query(parameters)}`);

  test("answer for old revisions by their old name, and by their id; now only by the name they have", async () => {
    const api = await openLab();
    await setName(api.store, R1.id, "core-1");
    expect((await config(api, "r1", { revision: "1" })).text).toBe(renderGoal(labTree(BEFORE)));
    expect((await config(api, "core-1", { revision: "1" })).status).toBe(200);
    expect((await config(api, R1.id, { revision: "1" })).status).toBe(200);
    expect((await config(api, "core-1")).status).toBe(200);
    expect(await config(api, "r1")).toMatchObject({ status: 404, body: { code: "unknown-device" } });
    const blame = await api.get<readonly BlameLine[]>(
      `/v1/devices/r1/blame?${query({ path: MTU_PATH, revision: "2" })}`,
    );
    expect(blame.body).toMatchObject([{ owners: ["mtu"] }]);
  });

  test("rename: by the command line; refused for a name that is taken, an id, or while a plan is open", async () => {
    const api = await openLab();
    await importDevice(api.store, { id: "d-bbbbbbbb", name: "r2" });
    expect(await api.cli("device", "rename", "r1", "core-1")).toMatchObject({
      code: 0,
      out: "device r1 is called core-1 now\n",
    });
    expect((await api.store.device(R1.id))?.formerNames).toEqual(["r1"]);
    expect((await api.cli("show", "r1", "--revision", "1")).out).toBe(renderGoal(labTree(BEFORE)));
    const name = (to: string) => api.post("/v1/devices/core-1/name", { name: to });
    expect(await name("r2")).toMatchObject({ status: 409, body: { code: "name-taken" } });
    expect((await name("d-aaaaaaaa")).status).toBe(400);
    expect((await name("no name")).status).toBe(400);
    expect((await name("core-1")).status).toBe(200);
    api.temporal.states.set(`device/${R1.id}`, { kind: "running" });
    expect(await name("core-2")).toMatchObject({ status: 409, body: { code: "busy" } });
    api.temporal.states.clear();
    const moduleSet = await putModuleSet(api.store);
    await putPlan(api.store, { id: "p-aaaaaaaa", device: { ...R1, name: "core-1" }, moduleSet, state: "waiting" });
    expect(await name("core-2")).toMatchObject({ status: 409, body: { code: "device-in-use" } });
    expect((await api.store.device(R1.id))?.name).toBe("core-1");
  });

  test("a name that another device has taken means that one, from when it has configuration", async () => {
    const api = await openLab();
    await setName(api.store, R1.id, "core-1");
    const other = { id: "d-bbbbbbbb", name: "r1" };
    await importDevice(api.store, other, { ...BEFORE, "lab:system": { hostname: "new" } });
    expect((await config(api, "r1", { revision: "2" })).text).toContain('"hostname":"r1"');
    expect((await config(api, "r1", { revision: "3" })).text).toContain('"hostname":"new"');
    expect((await config(api, "r1")).text).toContain('"hostname":"new"');
  });

  test("a name that several have had is refused with their ids", async () => {
    const api = await openTestApi();
    const ids = ["d-aaaaaaaa", "d-bbbbbbbb"];
    for (const id of ids) {
      await importDevice(api.store, { id, name: "r1" });
      await removeDevice(api.store, id);
    }
    expect(await config(api, "r1", { revision: "2" })).toMatchObject({
      status: 409,
      body: { code: "ambiguous-device", remedy: expect.stringContaining(ids.join(", ")) as string },
    });
    // At revision 1 there was only one of them.
    expect((await config(api, "r1", { revision: "1" })).status).toBe(200);
    expect((await config(api, "r1")).status).toBe(404);
  });
});

describe("times", () => {
  const at = (api: TestApi, time: string) => api.get<readonly unknown[]>(`/v1/services?${query({ at: time })}`);

  test("with Z or an offset, with a blank or a T, are one instant; before the first revision there is nothing", async () => {
    const api = await openLab();
    const time = new Date((await api.store.revision(2))?.time ?? "");
    const shifted = (hours: number) => new Date(time.getTime() + hours * 3_600_000).toISOString().slice(0, -1);
    for (const text of [
      `${shifted(0)}Z`,
      `${shifted(2)}+02:00`,
      `${shifted(2)}+0200`,
      `${shifted(2)}+02`,
      `${shifted(-7)}-07:00`,
      `${shifted(0).replace("T", " ")}Z`,
      `${shifted(0).replace("T", "t")}z`,
      "2999-12-31 23:59+14:00",
    ])
      expect([text, (await at(api, text)).body.length]).toEqual([text, 1]);
    const before = new Date(time.getTime() - 1).toISOString();
    const first = (await api.store.revision(1))?.time ?? "";
    expect((await at(api, before)).body).toEqual([]);
    expect((await at(api, "1970-01-01T00:00Z")).body).toEqual([]);
    expect((await api.get(`/v1/devices/r1/config?${query({ at: first })}`)).text).toBe(renderGoal(labTree(BEFORE)));
    expect(await api.get(`/v1/devices/r1/config?${query({ at: "2000-01-01T00:00:00Z" })}`)).toMatchObject({
      status: 409,
      body: { code: "NotImported", message: expect.stringContaining("no revision yet") as string },
    });
  });

  test("what is no instant is refused: no offset, no such day, no such hour", async () => {
    const api = await openLab();
    for (const text of [
      "yesterday",
      "2030-01-31",
      "2030-01-31T12:00:00",
      "2030-02-30T12:00:00Z",
      "2030-01-31T24:00:00Z",
      "2030-01-31T12:60:00Z",
      "2030-01-31T12:00:00+25:00",
      "",
    ])
      expect([text, (await at(api, text)).status]).toEqual([text, 400]);
  });
});

test("definitions at a revision: in the form of then, absent before they came", async () => {
  const api = await openLab();
  const document = await api.store.documents.put(
    canonicalJson({ kind: "definition", name: "port-mtu", version: "2", rules: [] }),
  );
  const definitions = [{ name: "port-mtu", version: "2", document }];
  await api.store.commitRevision(commit(body({ definitions }), "definition 2"));
  const list = async (revision: number) =>
    (await api.get<readonly DefinitionView[]>(`/v1/definitions?revision=${revision}`)).body.map((each) => each.version);
  expect([await list(1), await list(2), await list(3)]).toEqual([[], ["1"], ["2"]]);
  expect((await api.get("/v1/definitions/port-mtu?revision=2")).body).toMatchObject({ content: { version: "1" } });
  expect((await api.get("/v1/definitions/port-mtu?revision=1")).status).toBe(404);
  expect((await api.cli("definition", "show", "port-mtu", "--revision", "2")).err).toMatch(/^definition port-mtu 1, /);
  expect((await api.cli("definition", "list", "--revision", "1")).out).toBe("no definitions\n");
});

describe("the difference of two revisions", () => {
  test("names items, links, instances, statuses and definitions, in both directions", async () => {
    const api = await openLab();
    const { store } = api;
    await importDevice(store, { id: "d-bbbbbbbb", name: "r2" });
    const service = await store.service("mtu");
    const [link] = await store.linksOf("mtu");
    if (service === undefined || link === undefined) throw new Error("no service");
    const value = { kind: "plain", type: "uint16", text: "4000" } as const;
    const definition = { ...service.definition, version: "2", document: "0".repeat(64) };
    const overridden = {
      reason: "overridden" as const,
      device: R1.id,
      path: MTU_PATH,
      required: value,
      found: undefined,
      by: "other",
      revision: 0,
    };
    await store.commitRevision(
      commit(
        body({
          devices: [
            writesOf(R1.id, { putLinks: [{ ...link, value }] }),
            writesOf("d-bbbbbbbb", { putLinks: [{ ...link, device: "d-bbbbbbbb", relation: "depends", value }] }),
          ],
          services: [
            { kind: "put", name: "mtu", definition, parameters: '{"mtu":4000}', targets: [R1.id, "d-bbbbbbbb"] },
          ],
          definitions: [definition],
          statuses: [{ service: "mtu", status: { kind: "inconsistent", because: [overridden] } }],
        }),
        "put again",
      ),
    );
    const diff = async (from: number, to: number) => (await api.get<DiffView>(`/v1/diff?from=${from}&to=${to}`)).body;
    const forward = await diff(2, 4);
    expect(forward).toMatchObject({
      moduleSets: [{ device: "r2" }],
      links: [
        { device: "r1", path: MTU_PATH, service: "mtu", relation: "owns", change: "changed", after: { text: "4000" } },
        { device: "r2", path: MTU_PATH, service: "mtu", relation: "depends", change: "added" },
      ],
      services: [
        {
          service: "mtu",
          change: "changed",
          differs: ["definition", "parameters", "targets"],
          before: { parameters: { mtu: 9000 }, targets: ["r1"] },
          after: { parameters: { mtu: 4000 }, targets: ["r1", "r2"] },
        },
      ],
      statuses: [{ service: "mtu", before: { kind: "consistent" }, after: { because: [{ revision: 4 }] } }],
      definitions: [{ definition: "port-mtu", before: { version: "1" }, after: { version: "2" } }],
    });
    expect(new Set(forward.items.map((each) => each.device))).toEqual(new Set(["r2"]));

    const turned = JSON.parse(
      JSON.stringify(await diff(4, 2), (_key, each: unknown) =>
        each !== null && typeof each === "object" && ("before" in each || "after" in each)
          ? { ...each, before: (each as { after?: unknown }).after, after: (each as { before?: unknown }).before }
          : each,
      )
        .replaceAll('"change":"removed"', '"change":"was added"')
        .replaceAll('"change":"added"', '"change":"removed"')
        .replaceAll('"change":"was added"', '"change":"added"'),
    ) as DiffView;
    expect({ ...turned, from: 2, to: 4 }).toEqual(forward);
    expect(await diff(3, 3)).toMatchObject({ items: [], links: [], services: [], statuses: [], definitions: [] });
    // A put in between that changes no item of the device is a difference all the same.
    expect((await diff(3, 4)).items).toEqual([]);

    const { out } = await api.cli("diff", "2", "4");
    for (const line of [
      "~ definition port-mtu: 1 -> 2",
      "~ service mtu targets: r1 -> r1, r2",
      '~ service mtu parameters: {"mtu":9000} -> {"mtu":4000}',
      `~ status of mtu: consistent -> inconsistent (overridden by other at r1 ${MTU_PATH} since 4)`,
      `~ mtu owns r1 ${MTU_PATH}: 9000 -> 4000`,
      `+ mtu depends on r2 ${MTU_PATH} as 4000`,
    ])
      expect(out.split("\n")).toContain(line);
    expect((await api.cli("service", "show", "mtu")).out).toContain(
      `overridden by service other in revision 4: r1 ${MTU_PATH} requires 4000, is nothing\n`,
    );
    expect((await api.cli("diff", "4", "9")).code).toBe(1);
  });

  test("names a removed device by its name, unless another one has it", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    await removeDevice(api.store, R1.id);
    const names = async () =>
      new Set((await api.get<DiffView>("/v1/diff?from=0&to=1")).body.items.map((each) => each.device));
    expect(await names()).toEqual(new Set(["r1"]));
    await api.store.putDevice({
      device: deviceRecord("d-bbbbbbbb", { name: "r1", moduleSet: await putModuleSet(api.store) }),
      actor: "tester",
      key: "the next r1",
    });
    expect(await names()).toEqual(new Set([R1.id]));
  });
});

describe("conditions", () => {
  const inSync = (revision: number) => ({
    subject: { kind: "device", id: R1.id } as const,
    type: "InSync",
    status: "true" as const,
    reason: "Compared",
    message: "as desired",
    path: undefined,
    revision,
    observation: undefined,
  });

  test("what was found of an earlier revision is told as what was, nowhere as what is", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    expect((await api.get<DeviceDetail>("/v1/devices/r1")).body.sync).toEqual({ kind: "unchecked", desired: 1 });
    await api.store.recordCondition(inSync(1));
    expect((await api.get<DeviceDetail>("/v1/devices/r1")).body).toMatchObject({
      sync: { kind: "in-sync", revision: 1 },
      conditions: [{ type: "InSync", revision: 1, describes: "current" }],
    });
    await putMtuService(api.store, R1.id);
    const sync = { kind: "unchecked", desired: 2, last: { kind: "in-sync", revision: 1 } };
    expect((await api.get<DeviceDetail>("/v1/devices/r1")).body).toMatchObject({
      sync,
      conditions: [{ type: "InSync", revision: 1, describes: "earlier" }],
    });
    expect((await api.get<StatusView>("/v1/status")).body.devices).toMatchObject([{ sync }]);
    const said = "not known for revision 2 (was in sync at revision 1)";
    for (const verb of [["status"], ["device", "list"], ["device", "show", "r1"]])
      expect((await api.cli(...verb)).out).toContain(said);
    expect((await api.cli("device", "show", "r1")).out).toMatch(/InSync +true +Compared +as desired +1, changed since/);
    // A revision of another device changes nothing about this one.
    await api.store.recordCondition(inSync(2));
    await importDevice(api.store, { id: "d-bbbbbbbb", name: "r2" });
    expect((await api.get<DeviceDetail>("/v1/devices/r1")).body.sync).toMatchObject({ kind: "in-sync", revision: 2 });
  });

  test("of a service are shown with it, with the revision that they describe", async () => {
    const api = await openLab();
    await api.store.recordCondition({ ...inSync(2), subject: { kind: "service", name: "mtu" }, type: "Deployed" });
    const detail = async () => (await api.get<ServiceDetail>("/v1/services/mtu")).body.conditions;
    expect(await detail()).toMatchObject([{ type: "Deployed", revision: 2, describes: "current" }]);
    const service = await api.store.service("mtu");
    if (service === undefined) throw new Error("no service");
    const { definition, targets } = service;
    const again = { kind: "put" as const, name: "mtu", definition, parameters: '{"mtu":4000}', targets };
    await api.store.commitRevision(commit(body({ services: [again] }), "again"));
    expect(await detail()).toMatchObject([{ type: "Deployed", revision: 2, describes: "earlier" }]);
    expect((await api.cli("service", "show", "mtu")).out).toMatch(/Deployed +true .* 2, changed since/);
  });
});

describe("rollback", () => {
  test("starts a change with ids of devices, like a put", async () => {
    const api = await openLab();
    await importDevice(api.store, { id: "d-bbbbbbbb", name: "r2" });
    const args = ["--policy", "per-device", "--include-drift", "--allow-unrelated", "--no-wait"];
    const { code } = await api.cli("rollback", "--to", "1", "--device", "r1", "--device", "d-bbbbbbbb", ...args);
    expect(code).toBe(0);
    expect((await api.cli("rollback", "--to", "2", "--preview", "--no-wait")).code).toBe(0);
    expect(api.temporal.started).toMatchObject([
      {
        workflow: "changeService",
        input: {
          submission: { kind: "rollback", to: 1, devices: [R1.id, "d-bbbbbbbb"] },
          mode: "plan",
          actor: "tester",
          options: { policy: "per-device", includeDrift: "include", unrelated: "allow" },
        },
      },
      { input: { submission: { kind: "rollback", to: 2, devices: "all" }, mode: "preview" } },
    ]);
  });

  test("to what is no revision, and of what is no device, is refused before anything starts", async () => {
    const api = await openLab();
    const post = (request: object) => api.post("/v1/rollbacks", { mode: "plan", ...request });
    expect(await post({ to: 3 })).toMatchObject({ status: 404, body: { code: "unknown-revision" } });
    expect(await post({ to: 0 })).toMatchObject({ status: 400 });
    expect(await post({ to: 1.5 })).toMatchObject({ status: 400 });
    expect(await post({ to: 1, devices: ["r9"] })).toMatchObject({ status: 404, body: { code: "unknown-device" } });
    expect(await post({ to: 1, devices: [] })).toMatchObject({ status: 400 });
    expect((await api.cli("rollback")).code).toBe(2);
    expect((await api.cli("rollback", "--to", "one")).code).toBe(2);
    expect((await api.cli("rollback", "--to", "1", "--preview", "--record")).code).toBe(2);
    expect((await api.cli("rollback", "--to", "3")).err).toContain("there is no revision 3; the newest is 2");
    expect(api.temporal.started).toEqual([]);
  });
});

describe("after a prune", () => {
  /** Revisions 1 and 2 as in the lab, pruned at 2, then revision 3 on top. */
  async function openPruned(): Promise<TestApi> {
    const api = await openLab();
    await api.store.prune({ before: new Date("2999-01-01T00:00:00Z"), actor: "tester", key: "prune" });
    await api.store.commitRevision(
      commit(body({ devices: [writesOf(R1.id, { remove: ["/lab:system/hostname"] })] }), "no name"),
    );
    return api;
  }

  test("what came before says so, everywhere; what is kept is told as before", async () => {
    const api = await openPruned();
    const shown = (await api.get("/v1/devices/r1/config?revision=2")).text;
    expect(shown).toContain('"mtu":9000');
    for (const path of [
      "/v1/devices/r1/config?revision=1",
      "/v1/devices/r1/blame?revision=1",
      "/v1/services?revision=1",
      "/v1/services/mtu?revision=1",
      "/v1/definitions?revision=1",
      "/v1/diff?from=1&to=2",
      "/v1/diff?from=3&to=1",
      "/v1/diff?from=0&to=1",
      `/v1/devices/r1/config?${query({ at: "2000-01-01T00:00:00Z" })}`,
    ])
      expect([path, await api.get(path)]).toMatchObject([path, { status: 410, body: { code: "pruned" } }]);
    expect((await api.get<DiffView>("/v1/diff?from=3&to=2")).body.items).toMatchObject([
      { path: "/lab:system/hostname", after: { kind: "leaf" } },
    ]);
    expect((await api.cli("show", "r1", "--revision", "1")).err).toContain("pruned at revision 2");
  });

  test("a history ends where it was pruned", async () => {
    const api = await openPruned();
    const history = async (path: string) =>
      (await api.get<readonly HistoryLine[]>(`/v1/devices/r1/history?${query({ path })}`)).body;
    expect(await history("/lab:system/hostname")).toMatchObject([
      { kind: "deleted", from: 3 },
      { kind: "present", from: 1, until: 3 },
      { kind: "pruned", until: 2 },
    ]);
    expect((await api.cli("history", "r1", MTU_PATH)).out).toMatch(/\nup to 2 +pruned\n$/);
    expect((await api.cli("history")).out.trim().split("\n").length).toBe(3);
  });

  test("a rollback to what was pruned is refused; to where it was pruned it is planned", async () => {
    const api = await openPruned();
    const post = (to: number) => api.post("/v1/rollbacks", { mode: "plan", to });
    expect(await post(1)).toMatchObject({ status: 410, body: { code: "pruned" } });
    expect(api.temporal.started).toEqual([]);
    expect((await post(2)).status).toBe(202);
  });
});

test("what an import found is what show printed, at every revision since", async () => {
  const api = await openLab();
  const shown = (await api.get("/v1/devices/r1/config")).text;
  const put = itemsOf(labTree(BEFORE)).map((item) => ({ item, setBy: { kind: "import" as const }, retained: false }));
  await api.store.commitRevision(commit(body({ devices: [writesOf(R1.id, { put })] }), "import again"));
  expect((await api.get("/v1/devices/r1/config?revision=2")).text).toBe(shown);
  expect((await api.get("/v1/devices/r1/config")).text).toBe(renderGoal(labTree(BEFORE)));
});
