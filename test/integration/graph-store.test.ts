import { describe, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../graph/canonical-json.ts";
import { type GraphStore, type StoreOptions, openStore } from "../../graph/store.ts";
import type { RevisionBody } from "../../services/desired-state.ts";
import {
  MODULE_SET,
  PLAN_DOCUMENTS,
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  planRecord,
  testFolder,
  wholeState,
  writesOf,
} from "../support/graph-bodies.ts";

async function storeWithDevices(
  ids: readonly string[] = ["d1"],
  options: Partial<StoreOptions> = {},
): Promise<GraphStore> {
  const store = await openStore({ dataFolder: testFolder(), ...options });
  onTestFinished(() => store.close());
  for (const id of ids) await store.putDevice({ device: deviceRecord(id), actor: "tester", key: `add ${id}` });
  return store;
}

const valueAt = async (store: GraphStore, path: string, revision?: number) => {
  const item = (await store.desiredDevice("d1", { revision }))?.items.get(path)?.item;
  return item?.kind === "leaf" && item.value.kind === "plain" ? item.value.text : undefined;
};

/** Puts service `name`, owning `eth0`'s mtu. */
function putService(name: string, value: string): RevisionBody {
  return body({
    devices: [
      writesOf("d1", {
        put: [mtu("eth0", value, { kind: "service", service: name })],
        putLinks: [link(name, "d1", "eth0", value)],
      }),
    ],
    services: [
      {
        kind: "put",
        name,
        definition: { name: "mtu", version: "1", document: MODULE_SET },
        parameters: `{"mtu":${value}}`,
        targets: ["d1"],
      },
    ],
  });
}

describe("devices", () => {
  test("are found by id and by their present name; a name belongs to one; removal frees it and keeps the record", async () => {
    const store = await storeWithDevices(["d1", "d2"]);
    expect((await store.device("name-d1"))?.id).toBe("d1");
    await expect(
      store.putDevice({ device: deviceRecord("d3", { name: "name-d1" }), actor: "t", key: "k1" }),
    ).rejects.toMatchObject({ code: "name-taken" });
    await expect(
      store.updateDevice({ id: "d2", set: { name: "name-d1" }, actor: "t", key: "k2" }),
    ).rejects.toMatchObject({ code: "name-taken" });
    await expect(store.updateDevice({ id: "d9", set: {}, actor: "t", key: "k3" })).rejects.toMatchObject({
      code: "unknown-device",
    });
    await store.updateDevice({ id: "d1", set: { state: "removed" }, actor: "t", key: "k4" });
    await store.updateDevice({
      id: "d2",
      set: { name: "name-d1", hostKey: { kind: "pinned", sha256: "abc" } },
      actor: "t",
      key: "k5",
    });
    expect(await store.device("name-d1")).toMatchObject({ id: "d2", hostKey: { kind: "pinned", sha256: "abc" } });
    expect((await store.devices()).map((device) => device.id)).toEqual(["d2"]);
    expect((await store.device("d1"))?.state).toBe("removed");
    expect(await store.updateDevice({ id: "d2", set: { name: "other" }, actor: "t", key: "k5" })).toEqual({
      alreadyThere: true,
    });
    expect((await store.device("d2"))?.name).toBe("name-d1");
  });
});

describe("revisions", () => {
  test("each earlier revision is told as it was; a vanished item keeps its history and meets it again", async () => {
    const store = await storeWithDevices();
    expect(await store.desiredDevice("d1")).toBeUndefined();
    await expect(store.desiredDevice("nobody")).rejects.toMatchObject({ code: "unknown-device" });
    await store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "1500" }), "r1"));
    await store.commitRevision(
      commit(body({ devices: [writesOf("d1", { put: [mtu("eth0", "9000")], remove: [mtuPath("eth1")] })] }), "r2"),
    );
    await store.commitRevision(commit(body({ devices: [writesOf("d1", { put: [mtu("eth1", "1400")] })] }), "r3"));

    expect([await valueAt(store, mtuPath("eth0"), 1), await valueAt(store, mtuPath("eth0"), 2)]).toEqual([
      "1500",
      "9000",
    ]);
    expect(await Promise.all([1, 2, 3].map((revision) => valueAt(store, mtuPath("eth1"), revision)))).toEqual([
      "1500",
      undefined,
      "1400",
    ]);
    expect(await store.history("d1", mtuPath("eth1"))).toMatchObject([
      { kind: "present", from: 3, until: undefined },
      { kind: "deleted", from: 2, until: 3 },
      { kind: "present", from: 1, until: 2 },
    ]);
    expect(await store.history("d1", mtuPath("never"))).toEqual([]);
    expect((await store.changesOf(2)).map((change) => [change.path, change.item === undefined])).toEqual([
      [mtuPath("eth0"), false],
      [mtuPath("eth1"), true],
    ]);
    expect((await store.desiredDevice("d1"))?.moduleSet).toBe(MODULE_SET);
    expect((await store.revisions({ limit: 2 })).map((view) => view.revision)).toEqual([3, 2]);
    expect(await store.revision(2)).toMatchObject({ revision: 2, actor: "tester", key: "r2", devices: ["d1"] });
    expect(await store.revision(4)).toBeUndefined();
  });

  test("a second delivery under one key answers the first revision and writes nothing, also after a restart", async () => {
    const dataFolder = testFolder();
    const first = await openStore({ dataFolder });
    await first.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    const request = commit(importBody("d1", { eth0: "1500" }), "import/7");
    expect(await first.commitRevision(request)).toEqual({ revision: 1, alreadyThere: false });
    // At the same moment, and with another content: the key decides.
    const [a, b] = await Promise.all([
      first.commitRevision(request),
      first.commitRevision({ ...request, body: importBody("d1", { eth0: "9" }) }),
    ]);
    expect([a, b]).toEqual([
      { revision: 1, alreadyThere: true },
      { revision: 1, alreadyThere: true },
    ]);
    await first.close();
    const second = await openStore({ dataFolder });
    onTestFinished(() => second.close());
    expect(await second.commitRevision(request)).toEqual({ revision: 1, alreadyThere: true });
    expect(await second.currentRevision()).toBe(1);
  });

  test("concurrent submissions get different numbers, in the order of asking", async () => {
    const store = await storeWithDevices();
    const asked = Array.from({ length: 8 }, (_, index) =>
      store.commitRevision(commit(importBody("d1", { [`eth${index}`]: "1500" }), `r${index}`)),
    );
    expect((await Promise.all(asked)).map((answer) => answer.revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("a body that contradicts itself or names what is not there changes nothing, and says each place", async () => {
    const store = await storeWithDevices();
    const bad = body({
      devices: [
        writesOf("d1", { put: [mtu("eth0", "1"), mtu("eth0", "2")], putLinks: [link("ghost", "d1", "eth0", "1")] }),
        writesOf("d9"),
      ],
      services: [
        {
          kind: "put",
          name: "s",
          definition: { name: "x", version: "1", document: MODULE_SET },
          parameters: "{}",
          targets: ["d8"],
        },
      ],
    });
    await expect(store.commitRevision(commit(bad, "bad"))).rejects.toMatchObject({
      code: "bad-body",
      details: {
        reasons: [
          expect.stringContaining("eth0") as string,
          expect.stringContaining("ghost") as string,
          expect.stringContaining("d9") as string,
          expect.stringContaining("d8") as string,
        ],
      },
    });
    expect(await store.currentRevision()).toBe(0);
    expect(await store.answerTo("revision", "bad")).toBeUndefined();
  });

  test("a body whose basis has moved is stale; the check sees the state of now", async () => {
    const seen: (string | undefined)[] = [];
    const store = await storeWithDevices(["d1"], {
      checkBasis: (state) => {
        const item = state.devices.get("d1")?.items.get(mtuPath("eth0"))?.item;
        const found = item?.kind === "leaf" && item.value.kind === "plain" ? item.value.text : undefined;
        seen.push(found);
        return found === "1500" ? [] : [`mtu is ${String(found)}`];
      },
    });
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    const basis = { devices: [{ device: "d1", moduleSet: MODULE_SET, touched: [] }], services: [], definitions: [] };
    const onBasis = (value: string) => body({ devices: [writesOf("d1", { put: [mtu("eth0", value)] })], basis });
    await store.commitRevision(commit(onBasis("9000"), "r2"));
    await expect(store.commitRevision(commit(onBasis("1400"), "r3"))).rejects.toMatchObject({
      code: "stale-basis",
      details: { reasons: ["mtu is 9000"] },
    });
    expect(seen).toEqual(["1500", "9000"]);
    expect(await store.currentRevision()).toBe(2);
  });

  test("values and paths of any length and any characters come back as they were, after a restart too", async () => {
    const dataFolder = testFolder();
    const store = await openStore({ dataFolder });
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    const texts = [
      "",
      "'\"\\\n\r\t☃\u{1F600}",
      "x".repeat(3000),
      "y".repeat(50_000),
      "#looks like a digest",
      '{"json":1}',
    ];
    const names = texts.map((text) => `n${text}`);
    await store.commitRevision(
      commit(importBody("d1", Object.fromEntries(names.map((name, index) => [name, texts[index]!]))), "r1"),
    );
    await store.close();
    const again = await openStore({ dataFolder });
    onTestFinished(() => again.close());
    for (const [index, name] of names.entries())
      expect(await valueAt(again, mtuPath(name)), name.slice(0, 20)).toBe(texts[index]);
    await again.rebuild();
    for (const [index, name] of names.entries())
      expect(await valueAt(again, mtuPath(name)), name.slice(0, 20)).toBe(texts[index]);
  });
});

describe("services and links", () => {
  test("who set a value, who owns it and who depends on it, at any revision", async () => {
    const store = await storeWithDevices();
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    await store.commitRevision(commit(putService("a", "9000"), "r2"));
    const dependant = putService("b", "9000");
    const depends = link("b", "d1", "absent", "1", { relation: "depends", value: undefined });
    await store.commitRevision(commit({ ...dependant, devices: [writesOf("d1", { putLinks: [depends] })] }, "r3"));

    const blame = await store.blame("d1", mtuPath("eth0"));
    expect(blame.item).toMatchObject({ setBy: { kind: "service", service: "a" }, since: 2, retained: false });
    expect(blame.owners).toEqual([link("a", "d1", "eth0", "9000")]);
    expect(await store.blame("d1", mtuPath("eth0"), { revision: 1 })).toMatchObject({
      item: { item: { value: { text: "1500" } }, setBy: { kind: "import" }, since: 1 },
      owners: [],
    });
    // An item that is not there can be depended on.
    expect(await store.blame("d1", mtuPath("absent"))).toEqual({ item: undefined, owners: [], dependants: [depends] });
    expect(await store.linksOf("b")).toEqual([depends]);
    expect((await store.desiredDevice("d1"))?.links).toHaveLength(2);
    expect((await store.desiredDevice("d1", { revision: 2 }))?.links).toEqual([link("a", "d1", "eth0", "9000")]);
  });

  test("a removed service and its links are gone now and stand at the revisions before; put again it is another life", async () => {
    const store = await storeWithDevices();
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    await store.commitRevision(commit(putService("a", "9000"), "r2"));
    await store.commitRevision(commit(putService("a", "8000"), "r3"));
    await store.commitRevision(
      commit(
        body({
          devices: [writesOf("d1", { removeLinks: [{ service: "a", path: mtuPath("eth0"), relation: "owns" }] })],
          services: [{ kind: "remove", name: "a" }],
        }),
        "r4",
      ),
    );
    await store.commitRevision(commit(putService("a", "7000"), "r5"));
    const parameters = async (revision: number) => (await store.service("a", { revision }))?.parameters;
    expect(await Promise.all([1, 2, 3, 4, 5].map(parameters))).toEqual([
      undefined,
      '{"mtu":9000}',
      '{"mtu":8000}',
      undefined,
      '{"mtu":7000}',
    ]);
    const required = async (revision: number) =>
      (await store.linksOf("a", { revision })).map((one) => one.value?.kind === "plain" && one.value.text);
    expect(await Promise.all([1, 2, 3, 4, 5].map(required))).toEqual([[], ["9000"], ["8000"], [], ["7000"]]);
    expect(await store.check()).toEqual([]);
  });

  test("status and definitions are part of the revision that changed them; pausing is not", async () => {
    const store = await storeWithDevices();
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    const definitions = [{ name: "mtu", version: "1", document: MODULE_SET }];
    await store.commitRevision(commit({ ...putService("a", "9000"), definitions }, "r2"));
    const because = {
      reason: "overridden",
      device: "d1",
      path: mtuPath("eth0"),
      required: { kind: "plain", type: "uint16", text: "9000" },
      found: { kind: "plain", type: "uint16", text: "1500" },
      by: "b",
      revision: 3,
    } as const;
    await store.commitRevision(
      commit(body({ statuses: [{ service: "a", status: { kind: "inconsistent", because: [because] } }] }), "r3"),
    );
    await store.commitRevision(
      commit(body({ definitions: [{ name: "mtu", version: "2", document: digestOf("2") }] }), "r4"),
    );
    expect(await store.service("a")).toMatchObject({
      revision: 2,
      paused: false,
      status: { kind: "inconsistent", because: [because] },
    });
    expect((await store.service("a", { revision: 2 }))?.status).toEqual({ kind: "consistent" });
    expect((await store.definitions()).map((one) => [one.version, one.revision])).toEqual([["2", 4]]);
    expect((await store.definitions({ revision: 3 })).map((one) => one.version)).toEqual(["1"]);
    await store.recordCondition({
      subject: { kind: "service", name: "a" },
      type: "Paused",
      status: "true",
      reason: "Asked",
      message: "",
      path: undefined,
      revision: undefined,
      observation: undefined,
    });
    expect((await store.service("a"))?.paused).toBe(true);
    expect((await store.services())[0]?.paused).toBe(true);
    expect(await store.currentRevision()).toBe(4);
  });

  test("a put asserts everything: what was inconsistent is not, unless the same revision says so", async () => {
    const store = await storeWithDevices();
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    const because = {
      reason: "missing",
      device: "d1",
      path: mtuPath("eth0"),
      required: undefined,
      found: undefined,
      by: undefined,
      revision: 0,
    } as const;
    const status = { kind: "inconsistent", because: [because] } as const;
    await store.commitRevision(commit({ ...putService("a", "9000"), statuses: [{ service: "a", status }] }, "r2"));
    expect((await store.service("a"))?.status).toMatchObject({ kind: "inconsistent", because: [{ revision: 2 }] });
    await store.commitRevision(commit(putService("a", "9000"), "r3"));
    expect((await store.service("a"))?.status).toEqual({ kind: "consistent" });
  });

  test("evidence names its item, its observation and the affected services", async () => {
    const store = await storeWithDevices();
    await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"));
    const evidence = {
      device: "d1",
      path: mtuPath("eth0"),
      kind: "disappeared",
      expected: undefined,
      found: undefined,
      observation: MODULE_SET,
      services: ["a"],
    } as const;
    await store.commitRevision(
      commit(body({ devices: [writesOf("d1", { remove: [mtuPath("eth0")] })], evidence: [evidence] }), "r2"),
    );
    expect(await store.evidence("d1", mtuPath("eth0"))).toEqual([{ ...evidence, revision: 2 }]);
    expect(await store.evidence("d1", mtuPath("eth1"))).toEqual([]);
    expect(await store.evidence("d1")).toHaveLength(1);
  });
});

describe("plans and decisions", () => {
  test("a plan is approved once, while it waits, by its own digest, before it expires", async () => {
    const store = await storeWithDevices();
    const plan = planRecord("p1");
    expect(await store.putPlan({ plan, state: "waiting" })).toEqual({ alreadyThere: false });
    expect(await store.putPlan({ plan, state: "waiting" })).toEqual({ alreadyThere: true });
    await expect(store.putPlan({ plan: { ...plan, digest: digestOf("x") }, state: "waiting" })).rejects.toMatchObject({
      code: "key-conflict",
    });
    const approval = {
      plan: "p1",
      digest: plan.digest,
      approver: "anna",
      comment: "ok",
      expires: undefined,
      hold: "hold",
      key: "a1",
    } as const;
    await expect(store.recordApproval({ ...approval, plan: "p9" })).rejects.toMatchObject({ code: "unknown-plan" });
    await expect(store.recordApproval({ ...approval, digest: digestOf("x") })).rejects.toMatchObject({
      code: "wrong-digest",
    });
    await expect(store.recordApproval({ ...approval, expires: 1 })).rejects.toMatchObject({ code: "wrong-state" });
    await store.recordRefusal({
      plan: "p1",
      what: "approve",
      actor: "bob",
      code: "wrong-digest",
      message: "no",
      key: "f1",
    });
    expect(await store.recordApproval(approval)).toEqual({ alreadyThere: false });
    expect(await store.recordApproval(approval)).toEqual({ alreadyThere: true });
    await expect(store.recordApproval({ ...approval, key: "a2" })).rejects.toMatchObject({ code: "wrong-state" });
    expect(await store.plan("p1")).toMatchObject({ state: "held", latest: { actor: "anna" } });
    expect((await store.plan("p1"))?.plan).toEqual(plan);
    expect((await store.approvals("p1")).map((one) => one.kind)).toEqual(["refusal", "approval"]);
  });

  test("a final state stays; outcomes of a retry replace the earlier ones", async () => {
    const store = await storeWithDevices();
    await store.putPlan({ plan: planRecord("p1"), state: "waiting" });
    const to = (state: "applying" | "partial" | "rejected") =>
      store.recordPlanState({
        plan: "p1",
        state,
        actor: undefined,
        comment: undefined,
        reason: undefined,
        revision: undefined,
      });
    await to("applying");
    expect(await to("applying")).toEqual({ alreadyThere: true });
    await to("partial");
    await expect(to("rejected")).rejects.toMatchObject({ code: "wrong-state" });
    await to("applying");
    const outcome = (kind: "unknown" | "applied", key: string) =>
      store.recordOutcome({
        plan: "p1",
        transaction: "t",
        device: "d1",
        outcome: { kind, message: undefined, observation: undefined, differences: [] },
        key,
      });
    await outcome("unknown", "o1");
    await outcome("applied", "o2");
    expect((await store.outcomes("p1")).map((one) => one.outcome.kind)).toEqual(["applied"]);
  });

  test("the first decision stands; a confirm after its deadline is an abort, for everyone and for ever", async () => {
    let now = 1_000;
    const store = await storeWithDevices([], { clock: () => new Date(now) });
    expect(await store.decide({ transaction: "t1", value: "confirm", deadline: 1_000 })).toBe("confirm");
    now = 2_000;
    expect(await store.decide({ transaction: "t1", value: "abort" })).toBe("confirm");
    expect(await store.decide({ transaction: "t2", value: "confirm", deadline: 1_999 })).toBe("abort");
    expect(await store.decide({ transaction: "t2", value: "confirm", deadline: 9_999 })).toBe("abort");
    const racing = await Promise.all(
      ["confirm", "abort", "confirm"].map((value) =>
        store.decide({ transaction: "t3", value: value as "confirm" | "abort" }),
      ),
    );
    expect(racing).toEqual(["confirm", "confirm", "confirm"]);
    expect(await store.decision("t2")).toMatchObject({ value: "abort", asked: "confirm", deadline: 1_999 });
  });

  test("a condition is journalled when it changes, not when it is seen again", async () => {
    const store = await storeWithDevices();
    const condition = {
      subject: { kind: "device", id: "d1" },
      type: "Reachable",
      status: "false",
      reason: "Timeout",
      message: "no answer",
      path: undefined,
      revision: undefined,
      observation: undefined,
    } as const;
    expect(await store.recordCondition(condition)).toEqual({ alreadyThere: false });
    expect(await store.recordCondition(condition)).toEqual({ alreadyThere: true });
    expect(await store.recordCondition({ ...condition, status: "true" })).toEqual({ alreadyThere: false });
    expect(await store.conditions({ kind: "device", id: "d1" })).toMatchObject([{ type: "Reachable", status: "true" }]);
    expect(await store.conditions()).toHaveLength(1);
  });
});

test("a rebuild tells what the graph told, at every revision", async () => {
  const store = await storeWithDevices(["d1", "d2"]);
  await store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "1500" }), "r1"));
  await store.commitRevision(commit(importBody("d2", { eth0: "1500" }), "r2"));
  await store.commitRevision(commit(putService("a", "9000"), "r3"));
  await store.commitRevision(commit(putService("b", "8000"), "r4"));
  await store.commitRevision(
    commit(
      body({
        devices: [
          writesOf("d1", {
            remove: [mtuPath("eth1")],
            removeLinks: [{ service: "a", path: mtuPath("eth0"), relation: "owns" }],
          }),
        ],
        services: [{ kind: "remove", name: "a" }],
      }),
      "r5",
    ),
  );
  await store.documents.putAll(PLAN_DOCUMENTS);
  await store.putPlan({ plan: planRecord("p1"), state: "waiting" });
  await store.recordApproval({
    plan: "p1",
    digest: planRecord("p1").digest,
    approver: "anna",
    comment: undefined,
    expires: undefined,
    hold: "start",
    key: "a1",
  });
  const before = await wholeState(store);
  expect(before).toContain('"revision":5');
  await store.rebuild();
  expect(await wholeState(store)).toBe(before);
  expect(await store.check()).toEqual([]);
  await store.commitRevision(commit(putService("b", "7000"), "r6"));
  expect(await valueAt(store, mtuPath("eth0"))).toBe("7000");
});
