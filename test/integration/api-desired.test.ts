import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BlameLine, CheckView, DiffView, HistoryLine, RevisionLine, ServiceDetail } from "../../contract/api.ts";
import { parseGoal, renderGoal } from "../../goal/device-goal.ts";
import { BEFORE, MTU_PATH, importDevice, labSchema, labTree, putMtuService } from "../support/api-lab.ts";
import { type TestApi, openTestApi } from "../support/api-server.ts";
import { body, commit, deviceRecord, writesOf } from "../support/graph-bodies.ts";
import { valueOf } from "../support/results.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
const query = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString();

/** Revision 1: import. Revision 2: service mtu sets 9000 on a/1. */
async function openLab(): Promise<TestApi> {
  const api = await openTestApi();
  await importDevice(api.store, R1);
  await putMtuService(api.store, R1.id);
  return api;
}

describe("a device's configuration", () => {
  const config = (api: TestApi, parameters: Readonly<Record<string, string>> = {}) =>
    api.get(`/v1/devices/r1/config?${query(parameters)}`);

  test("as goal: the canonical bytes, now, at a revision and at a time", async () => {
    const api = await openLab();
    const now = renderGoal(
      labTree({
        ...BEFORE,
        "lab:ports": {
          port: [
            { name: "a/1", mtu: 9000, speed: "18446744073709551615" },
            { name: "b", mtu: 1500 },
          ],
        },
      }),
    );
    expect((await config(api)).text).toBe(now);
    expect((await config(api, { revision: "2" })).text).toBe(now);
    expect((await config(api, { revision: "1" })).text).toBe(renderGoal(labTree(BEFORE)));
    expect((await config(api, { at: "2999-01-01T00:00:00Z" })).text).toBe(now);
    expect(await config(api, { at: "2000-01-01T00:00:00Z" })).toMatchObject({
      status: 409,
      body: { code: "NotImported" },
    });
  });

  test("a part of it is the part of the tree at or below the path, with the keys on the way", async () => {
    const api = await openLab();
    const part = async (path: string) =>
      renderGoal(valueOf(parseGoal(labSchema, (await config(api, { path, revision: "1" })).text)));
    expect(await part("/lab:ports/port[name='a/1']/mtu")).toBe(
      renderGoal(labTree({ "lab:ports": { port: [{ name: "a/1", mtu: 1500 }] } })),
    );
    expect(await part('/lab:ports/port[name="b"]')).toBe(
      renderGoal(labTree({ "lab:ports": { port: [{ name: "b", mtu: 1500 }] } })),
    );
    expect(await part("/lab:ports/port")).toBe(renderGoal(labTree({ "lab:ports": BEFORE["lab:ports"] })));
    expect(await part("/lab:dns")).toBe(renderGoal(labTree({ "lab:dns": BEFORE["lab:dns"] })));
    expect(await part("/")).toBe(renderGoal(labTree(BEFORE)));
    expect(await config(api, { path: "/lab:ports/port[name='c']" })).toMatchObject({
      status: 404,
      body: { code: "not-set" },
    });
    expect(await config(api, { path: "/lab:prots" })).toMatchObject({
      status: 400,
      body: { diagnostics: [{ places: [{ path: "/lab:prots" }] }] },
    });
    expect((await config(api, { path: "/lab:ports/port[" })).status).toBe(400);
  });

  test("as XML in one element, and as JSON with 64-bit numbers as strings", async () => {
    const api = await openLab();
    const { text } = await config(api, { as: "xml" });
    expect(text).toMatch(/^<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><.*<\/config>$/);
    expect(text).toContain("<speed>18446744073709551615</speed>");
    const json = await config(api, { as: "json" });
    expect(json.text.endsWith("}\n")).toBe(true);
    expect(json.body).toMatchObject({
      "lab:ports": { port: [{ name: "a/1", mtu: 9000, speed: "18446744073709551615" }, {}] },
    });
  });

  test("a secret stays sealed in the goal; forms that cannot carry it say where it is", async () => {
    const api = await openLab();
    const path = "/lab:system/password";
    const value = { kind: "sealed", type: "string", keyId: "k1", hmac: "ab".repeat(32) } as const;
    const put = [
      {
        item: { kind: "leaf", path, value, origin: "set" } as const,
        setBy: { kind: "import" } as const,
        retained: false,
      },
    ];
    await api.store.commitRevision(commit(body({ devices: [writesOf(R1.id, { put })] }), "secret"));
    expect((await config(api)).text).toContain(value.hmac);
    for (const as of ["xml", "json"]) {
      expect(await config(api, { as })).toMatchObject({
        status: 409,
        body: { code: "not-expressible", diagnostics: [{ code: "sealed-value", places: [{ path }] }] },
      });
      expect((await config(api, { as, path: "/lab:ports" })).status).toBe(200);
    }
  });

  test("revisions that do not exist and times that are none are refused", async () => {
    const api = await openLab();
    expect(await config(api, { revision: "3" })).toMatchObject({ status: 404, body: { code: "unknown-revision" } });
    expect((await config(api, { revision: "-1" })).status).toBe(400);
    expect((await config(api, { at: "yesterday" })).status).toBe(400);
    await api.store.putDevice({ device: deviceRecord("d-bbbbbbbb", { name: "r2" }), actor: "tester", key: "r2" });
    expect(await api.get("/v1/devices/r2/config")).toMatchObject({
      status: 409,
      body: { code: "NotImported", remedy: expect.stringContaining("tenure import r2") as unknown },
    });
  });
});

test("blame: who set it, since when, who owns it; of the part asked for", async () => {
  const api = await openLab();
  const all = await api.get<readonly BlameLine[]>("/v1/devices/r1/blame");
  expect(all.body.length).toBeGreaterThan(5);
  const one = await api.get<readonly BlameLine[]>(`/v1/devices/r1/blame?${query({ path: MTU_PATH })}`);
  expect(one.body).toMatchObject([
    { path: MTU_PATH, setBy: { kind: "service", service: "mtu" }, since: 2, owners: ["mtu"], dependants: [] },
  ]);
  const below = await api.get<readonly BlameLine[]>(
    `/v1/devices/r1/blame?${query({ path: "/lab:ports/port[name='a/1']", revision: "1" })}`,
  );
  expect(below.body.map((line) => [line.path, line.setBy?.kind, line.owners])).toEqual([
    ["/lab:ports/port[name='a/1']", "import", []],
    ["/lab:ports/port[name='a/1']/mtu", "import", []],
    ["/lab:ports/port[name='a/1']/speed", "import", []],
  ]);
});

test("history: each version with who and when, deletion included", async () => {
  const api = await openLab();
  await api.store.commitRevision(
    commit(
      body({
        devices: [
          writesOf(R1.id, { remove: [MTU_PATH], removeLinks: [{ service: "mtu", path: MTU_PATH, relation: "owns" }] }),
        ],
      }),
      "gone",
    ),
  );
  const { body: lines } = await api.get<readonly HistoryLine[]>(`/v1/devices/r1/history?${query({ path: MTU_PATH })}`);
  expect(
    lines.map((line) =>
      line.kind === "pruned" ? line : [line.from, line.item?.kind === "leaf" ? line.item.value : line.item, line.actor],
    ),
  ).toEqual([
    [3, undefined, "tester"],
    [2, { kind: "plain", type: "uint16", text: "9000" }, "alice"],
    [1, { kind: "plain", type: "uint16", text: "1500" }, "tester"],
  ]);
  expect((await api.get(`/v1/devices/r1/history?${query({ path: "/lab:system/password" })}`)).body).toEqual([]);
});

test("what an import did not find: history has the evidence, blame still says who owns it", async () => {
  const api = await openLab();
  const observation = "e".repeat(64);
  const evidence = { kind: "disappeared", expected: { kind: "plain", type: "uint16", text: "9000" } } as const;
  await api.store.commitRevision({
    ...commit(
      body({
        devices: [writesOf(R1.id, { remove: [MTU_PATH] })],
        evidence: [{ device: R1.id, path: MTU_PATH, ...evidence, found: undefined, observation, services: ["mtu"] }],
      }),
      "gone",
    ),
    cause: { kind: "import", submission: "i-7", observation },
  });
  const path = query({ path: MTU_PATH });
  const { body: lines } = await api.get<readonly HistoryLine[]>(`/v1/devices/r1/history?${path}`);
  expect(lines).toMatchObject([
    { kind: "deleted", from: 3, cause: { kind: "import", observation }, evidence: { ...evidence, services: ["mtu"] } },
    { kind: "present", from: 2, cause: { kind: "change" } },
    { kind: "present", from: 1 },
  ]);
  expect(lines[1]).not.toHaveProperty("evidence");
  expect((await api.cli("history", "r1", MTU_PATH)).out).toMatch(/3 .*deleted +import i-7; disappeared, affects mtu\n/);

  expect((await api.get(`/v1/devices/r1/blame?${path}`)).body).toEqual([
    { path: MTU_PATH, retained: false, owners: ["mtu"], dependants: [] },
  ]);
  expect((await api.cli("blame", "r1", MTU_PATH)).out).toMatch(/\n\/lab:ports\S+ +nothing +mtu\n$/);
});

test("diff: in both directions, services included; nothing between equal revisions", async () => {
  const api = await openLab();
  const diff = async (from: number, to: number) => (await api.get<DiffView>(`/v1/diff?from=${from}&to=${to}`)).body;
  const value = (text: string) => ({ value: { kind: "plain", type: "uint16", text } });
  expect(await diff(1, 2)).toMatchObject({
    items: [{ device: "r1", path: MTU_PATH, before: value("1500"), after: value("9000") }],
    services: [{ service: "mtu", change: "added" }],
  });
  expect(await diff(2, 1)).toMatchObject({
    items: [{ device: "r1", path: MTU_PATH, before: value("9000"), after: value("1500") }],
    services: [{ service: "mtu", change: "removed" }],
  });
  expect(await diff(2, 2)).toMatchObject({ items: [], services: [] });
  const [first] = (await diff(0, 1)).items;
  expect(first?.before).toBeUndefined();
  expect((await api.get("/v1/diff?from=0&to=3")).status).toBe(404);
});

test("services, definitions, revisions and check", async () => {
  const api = await openLab();
  expect((await api.get<ServiceDetail>("/v1/services/mtu")).body).toMatchObject({
    definition: { name: "port-mtu", version: "1" },
    targets: ["r1"],
    status: { kind: "consistent" },
    parameters: { mtu: 9000 },
    links: [{ device: "r1", path: MTU_PATH, relation: "owns" }],
  });
  expect((await api.get("/v1/services?revision=1")).body).toEqual([]);
  expect((await api.get("/v1/services/mtu?revision=1")).status).toBe(404);
  expect((await api.get("/v1/definitions/port-mtu")).body).toMatchObject({ content: { name: "port-mtu" } });
  expect(await api.get("/v1/definitions/none")).toMatchObject({ status: 404, body: { code: "unknown-definition" } });
  const { body: revisions } = await api.get<readonly RevisionLine[]>("/v1/revisions");
  expect(revisions.map(({ revision, actor, devices }) => [revision, actor, devices])).toEqual([
    [2, "alice", ["r1"]],
    [1, "tester", ["r1"]],
  ]);
  expect((await api.get<CheckView>("/v1/check")).body).toEqual({ findings: [] });
  expect(await api.post("/v1/services/none/removal", { mode: "plan" })).toMatchObject({
    status: 404,
    body: { code: "unknown-service" },
  });
});

test("pause and resume of a service: shown everywhere, by whom, journalled once each; no revision, and it outlasts a put", async () => {
  const api = await openLab();
  expect((await api.cli("service", "pause", "mtu")).out).toBe("service mtu is paused\n");
  expect(await api.post("/v1/services/mtu/pause", {}, "bob")).toMatchObject({
    status: 200,
    body: { paused: "paused" },
  });
  expect((await api.cli("service", "list")).out).toContain("consistent, paused");
  expect((await api.cli("status")).out).toContain("paused services: mtu\n");
  const shown = await api.get<ServiceDetail>("/v1/services/mtu");
  expect(shown.body).toMatchObject({
    paused: "paused",
    conditions: [{ type: "Paused", status: "true", message: "paused by tester", describes: "current" }],
  });
  expect(await api.store.currentRevision()).toBe(2);

  const service = await api.store.service("mtu");
  if (service === undefined) throw new Error("no service");
  const again = {
    kind: "put" as const,
    name: "mtu",
    definition: service.definition,
    parameters: "{}",
    targets: [R1.id],
  };
  await api.store.commitRevision(commit(body({ services: [again] }), "again"));
  expect((await api.get<ServiceDetail>("/v1/services/mtu")).body).toMatchObject({ paused: "paused", revision: 3 });
  // What is the case now is not read as if it had been the case then.
  const then = (await api.get<ServiceDetail>("/v1/services/mtu?revision=2")).body;
  expect([then.revision, then.conditions, "paused" in then]).toEqual([2, [], false]);
  expect((await api.cli("service", "list", "--revision", "2")).out).toMatch(/consistent +2\n$/);

  expect((await api.cli("service", "resume", "mtu", "--json")).out).toContain('"paused":"active"');
  expect((await api.get<ServiceDetail>("/v1/services/mtu")).body).toMatchObject({
    paused: "active",
    conditions: [{ type: "Paused", status: "false", message: "resumed by tester" }],
  });
  expect(await api.post("/v1/services/none/pause")).toMatchObject({ status: 404, body: { code: "unknown-service" } });
});

test("a check that finds a document gone says what brings it back, and that a rebuild would not", async () => {
  const api = await openLab();
  const record = await api.store.revision(2);
  const digest = record?.body ?? "";
  rmSync(join(api.store.paths.documents, digest.slice(0, 2), digest.slice(2)));
  const { code, out, err } = await api.cli("check");
  expect([code, out]).toEqual([1, expect.stringContaining(`document-missing  ${digest}`)]);
  expect(err).toContain("bring the named documents back from a backup");
  expect(err).not.toContain("tenure graph rebuild");
});
