/** The main job as its users see it: added, imported, put, planned, approved, applied, drifted, removed. */
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BlameLine } from "../../contract/api.ts";
import { workflowId } from "../../contract/workflows.ts";
import { type Site, interfaceXml, mtuOn, mtuPath, mtuService, startSite, writesTo } from "../support/pipeline-site.ts";
import { runInProcess } from "../support/run-cli.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());

describe.concurrent("the pipeline", () => {
  test("a service is put on two devices: planned with causes, approved by digest, applied, in sync", async () => {
    const [r1, r2] = await site.imported(["a1", "a2"]);
    const planned = await site.put(
      mtuService({ name: "backbone", definition: "mtu-a", mtu: 9000, targets: ["a1", "a2"] }),
    );
    expect(planned).toMatchObject({
      direction: "change",
      policy: "all-or-nothing",
      author: "alice",
      state: "waiting",
      operations: 2,
    });

    const section = await site.section(planned, "a1");
    expect(section.operations).toMatchObject([
      {
        op: "create",
        path: mtuPath(),
        after: 9000,
        causes: [{ kind: "service-put", service: "backbone" }],
        impact: "ordinary",
      },
    ]);
    expect(section.services).toMatchObject([{ service: "backbone", effect: "put" }]);
    // Nothing is written before somebody has said yes.
    expect([writesTo(r1), writesTo(r2), mtuOn(r1)]).toEqual([[], [], undefined]);

    const applied = await site.apply(planned);
    expect(applied).toMatchObject({
      state: "applied",
      approvals: [{ kind: "approval", actor: "alice" }],
      outcomes: [{ kind: "applied" }, { kind: "applied" }],
    });
    expect([mtuOn(r1), mtuOn(r2)]).toEqual(["9000", "9000"]);
    const commits = r1.rpcs().filter(({ operation }) => operation === "commit");
    expect(commits.map(({ persist, persistId }) => [persist, persistId])).toEqual([
      [commits[0]?.persist, undefined],
      [undefined, commits[0]?.persist],
    ]);
    expect(commits[0]?.persist).toContain(planned.plan);
    expect(await site.drift(["a1", "a2"])).toMatchObject([{ kind: "in-sync" }, { kind: "in-sync" }]);
    expect((await site.show("a1")).sync).toMatchObject({ kind: "in-sync" });
    expect(await site.service("backbone")).toMatchObject({ targets: ["a1", "a2"], status: { kind: "consistent" } });
  });

  test("a plain Temporal client approves with the signal", async () => {
    const [r1] = await site.imported(["b1"]);
    const planned = await site.put(mtuService({ name: "signalled", definition: "mtu-b", mtu: 4000, targets: ["b1"] }));
    const connection = await Connection.connect({ address: site.temporal.address });
    try {
      const handle = new Client({ connection }).workflow.getHandle(workflowId.planAndApply(planned.plan));
      // Signals cannot be refused: what is wrong with one is a record, and the plan goes on waiting.
      await handle.signal("approve", { digest: "0".repeat(64), approver: "mallory", hold: "start" });
      await handle.signal("approve", "yes");
      const refused = await site.planWhen(planned.plan, ({ approvals }) => approvals.length === 2);
      expect(refused.state).toBe("waiting");
      // Two signals that come together are recorded side by side, in either order.
      expect([...refused.approvals].sort((a, b) => a.actor.localeCompare(b.actor))).toMatchObject([
        { kind: "refusal", actor: "mallory", message: expect.stringContaining(planned.digest) as string },
        { kind: "refusal", actor: "unknown" },
      ]);
      await handle.signal("approve", { digest: planned.digest, approver: "bob", hold: "start" });
      expect(await site.waitForPlan(planned.plan)).toMatchObject({ state: "applied" });
      expect((await site.plan(planned.plan)).approvals.at(-1)).toMatchObject({ kind: "approval", actor: "bob" });
      expect(await handle.query("progress")).toMatchObject({ plan: planned.plan, state: "applied" });
    } finally {
      await connection.close();
    }
    expect(mtuOn(r1)).toBe("4000");
  });

  test("A writes MTU 9000, B 1500, B is removed: 1500 stays while A needs it, A can set 9000 again, A's removal deletes it", async () => {
    const [r1] = await site.imported(["c1"]);
    const service = (name: string, mtu: number) => mtuService({ name, definition: "mtu-c", mtu, targets: ["c1"] });
    const put = async (name: string, mtu: number) => site.apply(await site.put(service(name, mtu)));
    expect(await put("tunnel-a", 9000)).toMatchObject({ state: "applied" });

    const overriding = await put("tunnel-b", 1500);
    expect(overriding).toMatchObject({ state: "applied", operations: 1 });
    expect((await site.section(overriding, "c1")).services).toMatchObject([
      { service: "tunnel-a", effect: "affected" },
      {
        service: "tunnel-b",
        effect: "put",
        lines: [{ kind: "overrides", path: mtuPath(), overridden: "tunnel-a", before: 9000, after: 1500 }],
      },
    ]);
    expect(await site.service("tunnel-a")).toMatchObject({
      status: {
        kind: "inconsistent",
        because: [{ reason: "overridden", by: "tunnel-b", revision: overriding.revision }],
      },
    });

    const removal = await site.removeService("tunnel-b");
    // Nothing to write, but ownership changes: a person is asked.
    expect(removal).toMatchObject({ state: "waiting", operations: 0 });
    const kept = await site.section(removal, "c1");
    expect(kept.services).toMatchObject([
      {
        service: "tunnel-b",
        effect: "removed",
        lines: [
          {
            kind: "kept",
            path: mtuPath(),
            keptBy: [{ service: "tunnel-a", relation: "owns" }],
            reason: "owned",
            setBy: "service tunnel-b",
            value: 1500,
          },
        ],
      },
    ]);
    expect(await site.apply(removal)).toMatchObject({ state: "applied" });
    expect(mtuOn(r1)).toBe("1500");

    expect(await put("tunnel-a", 9000)).toMatchObject({ state: "applied", operations: 1 });
    expect(mtuOn(r1)).toBe("9000");
    expect(await site.service("tunnel-a")).toMatchObject({ status: { kind: "consistent" } });

    const last = await site.removeService("tunnel-a");
    expect(last).toMatchObject({ operations: 1 });
    expect((await site.section(last, "c1")).operations).toMatchObject([
      {
        op: "delete",
        path: mtuPath(),
        before: 9000,
        causes: [{ kind: "service-remove", service: "tunnel-a" }],
        impact: "delete",
      },
    ]);
    expect(await site.apply(last)).toMatchObject({ state: "applied" });
    expect(mtuOn(r1)).toBeUndefined();
    expect(await site.drift(["c1"])).toMatchObject([{ kind: "in-sync" }]);
  });

  test("an enforcing plan is stale once its device is wanted otherwise, here by an import", async () => {
    const [r1] = await site.imported(["d2"]);
    await site.apply(
      await site.put(mtuService({ name: "uplink-d2", definition: "mtu-d2", mtu: 9000, targets: ["d2"] })),
    );
    r1.edit(interfaceXml("eth0", "<mtu>1400</mtu>"));
    const enforce = await site.createPlan({ devices: ["d2"], direction: "enforce" });
    await site.importOf("d2");
    r1.clearRpcs();
    expect(await site.apply(enforce)).toMatchObject({ state: "stale" });
    expect(writesTo(r1)).toEqual([]);
    expect(mtuOn(r1)).toBe("1400");
    expect((await site.show("d2")).sync).toMatchObject({ kind: "in-sync" });
  });

  test("drift is found and enforced; another is accepted and makes its owner inconsistent until it is put again", async () => {
    const [r1] = await site.imported(["d1"]);
    const text = mtuService({ name: "uplink", definition: "mtu-d", mtu: 9000, targets: ["d1"] });
    await site.apply(await site.put(text));

    r1.edit(interfaceXml("eth0", "<mtu>1400</mtu>"));
    expect(await site.drift(["d1"])).toMatchObject([{ kind: "drift", operations: 1 }]);
    expect((await site.show("d1")).sync).toMatchObject({ kind: "drift" });
    const enforce = await site.createPlan({ devices: ["d1"], direction: "enforce" });
    expect(enforce).toMatchObject({ direction: "enforce", policy: "per-device", operations: 1 });
    expect((await site.section(enforce, "d1")).operations).toMatchObject([
      { op: "replace", path: mtuPath(), before: 1400, after: 9000, causes: [{ kind: "drift" }] },
    ]);
    expect(await site.apply(enforce)).toMatchObject({ state: "applied" });
    expect(mtuOn(r1)).toBe("9000");
    expect((await site.show("d1")).sync).toMatchObject({ kind: "in-sync" });

    r1.edit(interfaceXml("eth0", "<mtu>1300</mtu><description>by hand</description>"));
    r1.clearRpcs();
    const accept = await site.createPlan({ devices: ["d1"], direction: "accept" });
    expect(accept).toMatchObject({ direction: "accept", state: "waiting", operations: 0 });
    const shown = (...more: readonly string[]) =>
      runInProcess(["plan", "show", accept.plan, ...more], { TENURE_HOME: site.folder, TENURE_ACTOR: "alice" });
    expect((await shown()).out).toContain(
      `services\n  uplink becomes inconsistent\n    contradicted: d1 ${mtuPath()}: required 9000, found 1300\n`,
    );
    const because = [{ device: "d1", path: mtuPath(), reason: "contradicted", required: 9000, found: 1300 }];
    expect(JSON.parse((await shown("--json")).out)).toMatchObject({
      header: { affected: [{ service: "uplink", status: "inconsistent", because }] },
    });
    expect(await site.apply(accept)).toMatchObject({ state: "applied" });
    expect(writesTo(r1)).toEqual([]);
    expect(await site.drift(["d1"])).toMatchObject([{ kind: "in-sync" }]);
    expect(await site.service("uplink")).toMatchObject({ status: { kind: "inconsistent" } });
    const blame = await site.api.get<readonly BlameLine[]>("/devices/d1/blame", { path: mtuPath() });
    expect(blame).toMatchObject([{ setBy: { kind: "accept", plan: accept.plan }, owners: ["uplink"] }]);

    expect(await site.apply(await site.put(text))).toMatchObject({ state: "applied", operations: 1 });
    expect(mtuOn(r1)).toBe("9000");
    expect(await site.service("uplink")).toMatchObject({ status: { kind: "consistent" } });
    // What was accepted and nobody owns stays.
    expect(r1.configXml("running")).toContain("by hand");
  });

  test("a change leaves drift elsewhere alone and shows it; include-drift makes it operations", async () => {
    const [r1] = await site.imported(["e1"]);
    r1.edit(interfaceXml("eth1", "<description>by hand</description>"));
    const put = (mtu: number, change = {}) =>
      site.put(mtuService({ name: "edge", definition: "mtu-e", mtu, targets: ["e1"] }), change);
    const left = await put(9000);
    expect(left.operations).toBe(1);
    const section = await site.section(left, "e1");
    expect(section.findings).toMatchObject([
      { kind: "drift", path: expect.stringContaining("[name='eth1']/description") as string, scope: "unrelated" },
    ]);
    const applied = await site.apply(left);
    expect(applied).toMatchObject({ state: "applied" });
    expect(r1.configXml("running")).toContain("by hand");
    expect((await site.show("e1")).sync).toMatchObject({ kind: "drift" });

    const included = await put(8000, { includeDrift: "include" });
    expect(included.operations).toBe(2);
    expect(await site.apply(included)).toMatchObject({ state: "applied" });
    expect(r1.configXml("running")).not.toContain("by hand");
    expect(await site.drift(["e1"])).toMatchObject([{ kind: "in-sync" }]);
  });

  test("what changes nothing asks nobody", async () => {
    const [r1] = await site.imported(["f1"]);
    const text = mtuService({ name: "still", definition: "mtu-f", mtu: 9000, targets: ["f1"] });
    await site.apply(await site.put(text));
    const revision = (await site.service("still")).revision;
    r1.clearRpcs();
    const again = await site.put(text);
    expect(again).toMatchObject({ state: "applied", operations: 0 });
    expect(await site.waitForPlan(again.plan)).toMatchObject({ approvals: [], outcomes: [] });
    const recorded = await site.submit(text, { mode: "record" });
    expect(recorded).toMatchObject({ kind: "compiled" });
    expect(recorded).not.toHaveProperty("revision");
    expect((await site.service("still")).revision).toBe(revision);
    expect(await site.createPlan({ devices: ["f1"], direction: "enforce" })).toMatchObject({
      state: "applied",
      operations: 0,
    });
    expect(await site.createPlan({ devices: ["f1"], direction: "accept" })).toMatchObject({
      state: "applied",
      operations: 0,
    });
    expect(writesTo(r1)).toEqual([]);
  });

  test("rejected and withdrawn plans leave no trace in desired state and on devices", async () => {
    const [r1] = await site.imported(["g1"]);
    const goal = await site.goal("g1");
    for (const [decision, state] of [
      ["reject", "rejected"],
      ["withdraw", "withdrawn"],
    ] as const) {
      const planned = await site.put(mtuService({ name: "unwanted", definition: "mtu-g", mtu: 9000, targets: ["g1"] }));
      await site.api.post(`/plans/${planned.plan}/${decision}`, { comment: "not this week" });
      expect(await site.waitForPlan(planned.plan)).toMatchObject({ state, reason: "not this week" });
      expect(await site.refusal(site.approve(planned))).toMatchObject({ code: "wrong-state" });
    }
    expect(await site.refusal(site.service("unwanted"))).toMatchObject({ code: "unknown-service" });
    expect(await site.refusal(site.api.get("/definitions/mtu-g"))).toMatchObject({ code: "unknown-definition" });
    expect(await site.goal("g1")).toEqual(goal);
    expect([writesTo(r1), (await site.show("g1")).openPlans]).toEqual([[], []]);
  });

  test("a held plan waits for apply; one that is cancelled before it was written leaves no trace", async () => {
    const [r1] = await site.imported(["h1"]);
    const text = mtuService({ name: "later", definition: "mtu-h", mtu: 9000, targets: ["h1"] });
    const held = await site.put(text);
    const decide = (plan: string, what: string, body: object) => site.api.post(`/plans/${plan}/${what}`, body);
    await decide(held.plan, "approve", { digest: held.digest, hold: "hold" });
    expect(await site.plan(held.plan)).toMatchObject({ state: "held" });
    await decide(held.plan, "cancel", {});
    expect(await site.waitForPlan(held.plan)).toMatchObject({ state: "cancelled" });
    expect(writesTo(r1)).toEqual([]);

    const second = await site.put(text);
    await decide(second.plan, "approve", { digest: second.digest, hold: "hold" });
    expect(writesTo(r1)).toEqual([]);
    await decide(second.plan, "apply", {});
    expect(await site.waitForPlan(second.plan)).toMatchObject({ state: "applied" });
    expect(mtuOn(r1)).toBe("9000");
  });

  test("what is paused is not written to, but read and planned; after resume the next plan goes through", async () => {
    const [r1] = await site.imported(["p1"]);
    const text = mtuService({ name: "waits", definition: "mtu-p", mtu: 9000, targets: ["p1"] });
    await site.api.post("/devices/p1/pause");
    expect(await site.apply(await site.put(text))).toMatchObject({
      state: "aborted",
      reason: "p1 is paused, nothing is written to it; try: tenure device resume p1",
    });
    expect(await site.refusal(site.service("waits"))).toMatchObject({ code: "unknown-service" });
    expect(await site.importOf("p1")).toMatchObject([{ kind: "unchanged" }]);
    expect(await site.drift(["p1"])).toMatchObject([{ kind: "in-sync" }]);
    await site.api.post("/devices/p1/resume");
    expect(await site.apply(await site.put(text))).toMatchObject({ state: "applied" });

    await site.api.post("/services/waits/pause");
    const more = mtuService({ name: "waits", definition: "mtu-p", mtu: 4000, targets: ["p1"] });
    expect(await site.apply(await site.put(more))).toMatchObject({
      state: "aborted",
      reason: "service waits is paused, nothing is written for it; try: tenure service resume waits",
    });
    const other = mtuService({ name: "goes-on", definition: "mtu-q", port: "eth1", mtu: 1400, targets: ["p1"] });
    expect(await site.apply(await site.put(other))).toMatchObject({ state: "applied" });
    expect([mtuOn(r1), mtuOn(r1, "eth1")]).toEqual(["9000", "1400"]);
    await site.api.post("/services/waits/resume");
    expect(await site.apply(await site.put(more))).toMatchObject({ state: "applied" });
    expect(mtuOn(r1)).toBe("4000");
  });
});
