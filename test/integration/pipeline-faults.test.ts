/** Plans that meet a device which moved, refuses, lies or is busy: what is written, what is not, and what is said. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { xmlElement, xmlTextElement } from "../../codec/xml/xml-element.ts";
import { type NetconfSession, openNetconfSession } from "../../providers/netconf/client/netconf-session.ts";
import { editConfig, lock, unlock } from "../../providers/netconf/client/operations.ts";
import type { Fault } from "../../simulator/faults.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { eventually } from "../support/eventually.ts";
import {
  type Site,
  LOGIN,
  interfaceXml,
  mtuOn,
  mtuPath,
  mtuService,
  startSite,
  writesTo,
} from "../support/pipeline-site.ts";

let site: Site;
/** Gives a device up after 8 seconds. */
let impatient: Site;
beforeAll(async () => {
  [site, impatient] = await Promise.all([startSite(), startSite({ transaction: { confirmWindow: 10, reserve: 2 } })]);
}, 60_000);
afterAll(async () => {
  await Promise.all([site.stop(), impatient.stop()]);
});

/** A session of somebody else. */
async function somebodyOn(device: Simulator): Promise<NetconfSession> {
  const session = await openNetconfSession({
    ssh: {
      host: device.host,
      port: device.port,
      credentials: { username: LOGIN.name, proof: { kind: "password", password: LOGIN.password } },
      hostKey: { kind: "pinned", sha256: device.fingerprint },
    },
  });
  site.atEnd(() => session.close());
  return session;
}

/** No commit waits for its confirmation any more: only then is a lock of running granted. */
async function expectNothingPending(device: Simulator): Promise<void> {
  const session = await somebodyOn(device);
  await lock(session, { target: "running" });
  await lock(session, { target: "candidate" });
  await session.close();
  expect(device.configXml("candidate")).toBe(device.configXml("running"));
}

const every = (operation: string, action: Fault["action"], occurrence: Fault["occurrence"] = "every"): Fault => ({
  id: `${operation} ${action.kind}`,
  operation,
  occurrence,
  action,
});
const refuseEdit = every("edit-config", { kind: "fail", tag: "operation-not-supported", message: "no MTU here" });

const put = (name: string, targets: readonly string[], change = {}, mtu = 9000) =>
  site.put(mtuService({ name, definition: `mtu-${name}`, mtu, targets }), change);

describe.concurrent("a device that moved after planning", () => {
  test("makes the plan stale: refused, nothing written on any device, a new plan is needed", async () => {
    const [r1, r2] = await site.imported(["a1", "a2"]);
    const planned = await put("moved", ["a1", "a2"]);
    r2.edit(interfaceXml("eth1", "<description>by hand</description>"));
    r1.clearRpcs();
    r2.clearRpcs();
    const ended = await site.apply(planned);
    expect(ended).toMatchObject({ state: "stale", outcomes: [{ kind: "not-applied" }, { kind: "not-applied" }] });
    expect(ended.reason).toContain("a2");
    expect(ended.reason).toContain("[name='eth1']/description");
    expect([writesTo(r1), writesTo(r2)]).toEqual([[], []]);
    expect(r1.rpcs().length).toBeGreaterThan(0);
    expect(await site.refusal(site.service("moved"))).toMatchObject({ code: "unknown-service" });
    expect(await site.refusal(site.approve(planned))).toMatchObject({ code: "stale" });
    expect(await site.apply(await put("moved", ["a1", "a2"]))).toMatchObject({ state: "applied" });
  });

  test("does not matter under allow-unrelated where it moved elsewhere, and does where it moved on a touched path", async () => {
    const [r1] = await site.imported(["b1"]);
    const elsewhere = await put("relaxed", ["b1"], { unrelated: "allow" });
    r1.edit(interfaceXml("eth1", "<description>by hand</description>"));
    expect(await site.apply(elsewhere)).toMatchObject({ state: "applied" });
    expect([mtuOn(r1), r1.configXml("running").includes("by hand")]).toEqual(["9000", true]);

    const here = await put("relaxed", ["b1"], { unrelated: "allow" }, 8000);
    r1.edit(interfaceXml("eth0", "<mtu>1400</mtu>"));
    r1.clearRpcs();
    const ended = await site.apply(here);
    expect(ended).toMatchObject({ state: "stale", reason: expect.stringContaining(mtuPath()) as string });
    expect([writesTo(r1), mtuOn(r1)]).toEqual([[], "1400"]);
  });

  test("makes a plan that accepts it stale too: desired state takes nothing that was not read again", async () => {
    const [r1] = await site.imported(["as1"]);
    r1.edit(interfaceXml("eth0", "<mtu>1400</mtu>"));
    const accept = await site.createPlan({ devices: ["as1"], direction: "accept" });
    r1.edit(interfaceXml("eth0", "<mtu>1300</mtu>"));
    const { revision } = await site.api.get<{ readonly revision: number }>("/health");
    expect(await site.apply(accept)).toMatchObject({ state: "stale", outcomes: [{ kind: "not-applied" }] });
    const history = await site.api.get<readonly unknown[]>("/devices/as1/history", { path: mtuPath() });
    expect(history).toEqual([]);
    expect(revision).toBeGreaterThan(0);
  });

  test("two plans on one device: the second one is stale once the first is applied", async () => {
    const [r1] = await site.imported(["c1"]);
    const first = await put("one", ["c1"]);
    const second = await put("two", ["c1"], {}, 8000);
    await Promise.all([site.approve(first), site.approve(second)]);
    const ends = await Promise.all([site.waitForPlan(first.plan), site.waitForPlan(second.plan)]);
    expect(ends.map(({ state }) => state).sort()).toEqual(["applied", "stale"]);
    const winner = ends[0].state === "applied" ? "9000" : "8000";
    expect(mtuOn(r1)).toBe(winner);
    expect(r1.rpcs().filter(({ operation }) => operation === "edit-config")).toHaveLength(1);
  });
});

describe.concurrent("a device that refuses or lies", () => {
  test("all-or-nothing: nothing stays on the others, no timer runs, desired state keeps what it had", async () => {
    const [r1, r2] = await site.imported(["d1", "d2"]);
    const goal = await site.goal("d1");
    r2.setFaults([refuseEdit]);
    const ended = await site.apply(await put("together", ["d1", "d2"]));
    expect(ended.state).toBe("aborted");
    expect(ended.revision).toBeUndefined();
    expect(ended.reason).toContain("d2");
    expect(ended.reason).toContain("no MTU here");
    const outcomes = new Map(ended.outcomes.map((outcome) => [outcome.name, outcome.kind]));
    expect(outcomes.get("d2")).toBe("not-applied");
    expect(["rolled-back", "not-applied"]).toContain(outcomes.get("d1"));
    expect([mtuOn(r1), mtuOn(r2)]).toEqual([undefined, undefined]);
    await expectNothingPending(r1);
    await expectNothingPending(r2);
    expect(await site.goal("d1")).toBe(goal);
    expect(await site.refusal(site.service("together"))).toMatchObject({ code: "unknown-service" });
  });

  test("all-or-nothing: a device that was prepared already is rolled back", async () => {
    const [r1, r2] = await site.imported(["e1", "e2"]);
    // The second device answers only once the first one has been prepared.
    r2.setFaults([every("edit-config", { kind: "hold", when: "before" }), { ...refuseEdit, id: "refuse" }]);
    const planned = await put("prepared", ["e1", "e2"]);
    await site.approve(planned);
    await eventually("e1 prepared", () => (mtuOn(r1) === "9000" ? true : undefined));
    await eventually("e2 held", () => (r2.heldBy("edit-config hold") > 0 ? true : undefined));
    r2.releaseFault("edit-config hold");
    const ended = await site.waitForPlan(planned.plan);
    expect(ended.state).toBe("aborted");
    expect(ended.outcomes).toContainEqual(expect.objectContaining({ name: "e1", kind: "rolled-back" }));
    expect(mtuOn(r1)).toBeUndefined();
    await expectNothingPending(r1);
  });

  test("per-device: the other one is applied, desired state is committed, the refusing one is out of sync", async () => {
    const [r1, r2] = await site.imported(["f1", "f2"]);
    r2.setFaults([refuseEdit]);
    const ended = await site.apply(await put("apart", ["f1", "f2"], { policy: "per-device" }));
    expect(ended.state).toBe("partial");
    expect(ended.revision).toBeDefined();
    const outcomes = new Map(ended.outcomes.map((outcome) => [outcome.name, outcome]));
    expect(outcomes.get("f1")).toMatchObject({ kind: "applied" });
    expect(outcomes.get("f2")).toMatchObject({
      kind: "not-applied",
      message: expect.stringContaining("no MTU here") as string,
    });
    expect([mtuOn(r1), mtuOn(r2)]).toEqual(["9000", undefined]);
    expect(await site.service("apart")).toMatchObject({ revision: ended.revision });
    expect((await site.show("f1")).sync).toMatchObject({ kind: "in-sync" });
    expect((await site.show("f2")).sync.kind).not.toBe("in-sync");
    expect(await site.drift(["f2"])).toMatchObject([{ kind: "drift", operations: 1 }]);
    r2.setFaults([]);
    expect(await site.apply(await site.createPlan({ devices: ["f2"], direction: "enforce" }))).toMatchObject({
      state: "applied",
    });
    expect(mtuOn(r2)).toBe("9000");
  });

  test("a value that the device rewrites is a failed verification: rolled back, both values named", async () => {
    const [r1] = await site.imported(["g1"]);
    r1.setFaults([every("commit", { kind: "rewrite", path: mtuPath(), value: "9100" })]);
    const ended = await site.apply(await put("rewritten", ["g1"]));
    expect(ended).toMatchObject({ state: "aborted", outcomes: [{ kind: "rolled-back" }] });
    expect(ended.reason).toContain(`${mtuPath()} (expected 9000, found 9100)`);
    expect(mtuOn(r1)).toBeUndefined();
    await expectNothingPending(r1);
  });

  test.each(["edit-config", "commit"])(
    "a device that answers %s with ok and stores nothing is never reported applied",
    async (operation) => {
      const name = `ignored-${operation.slice(0, 4)}`;
      const [r1] = await site.imported([name]);
      r1.setFaults([every(operation, { kind: "ignore" })]);
      const ended = await site.apply(await put(name, [name]));
      expect(ended.state).toBe("aborted");
      expect(ended.reason).toContain(`${mtuPath()} (expected 9000, found nothing)`);
      expect(ended.outcomes).toMatchObject([{ kind: "rolled-back" }]);
      r1.setFaults([]);
      expect(mtuOn(r1)).toBeUndefined();
      await expectNothingPending(r1);
    },
  );

  test("a foreign edit between prepare and decision is a failed verification and named; the roll-back undoes it", async () => {
    const [r1, r2] = await site.imported(["h1", "h2"]);
    r2.setFaults([every("edit-config", { kind: "hold", when: "before" })]);
    // The read-back of h1 waits, so that its confirmed commit stands while somebody types.
    r1.setFaults([every("commit", { kind: "hold", when: "after" }, 1)]);
    const planned = await put("window", ["h1", "h2"]);
    await site.approve(planned);
    await eventually("h1 committed", () => (mtuOn(r1) === "9000" ? true : undefined));
    r1.edit(interfaceXml("eth1", "<description>meanwhile</description>"), { locks: "ignored" });
    r1.releaseFault("commit hold");
    await eventually("h2 held", () => (r2.heldBy("edit-config hold") > 0 ? true : undefined));
    r2.releaseFault("edit-config hold");
    const ended = await site.waitForPlan(planned.plan);
    expect(ended.state).toBe("aborted");
    expect(ended.reason).toContain("[name='eth1']/description (expected nothing, found meanwhile)");
    expect([mtuOn(r1), mtuOn(r2)]).toEqual([undefined, undefined]);
    expect(r1.configXml("running")).not.toContain("meanwhile");
  });

  test("a reply that is lost is settled by reading, and the change is applied once", async () => {
    const [r1] = await site.imported(["i1"]);
    r1.setFaults([every("commit", { kind: "drop-session", when: "after" }, 2)]);
    const ended = await site.apply(await put("lost", ["i1"]));
    expect(ended).toMatchObject({ state: "applied", outcomes: [{ kind: "applied" }] });
    expect(mtuOn(r1)).toBe("9000");
    await expectNothingPending(r1);
    expect(await site.drift(["i1"])).toMatchObject([{ kind: "in-sync" }]);
  });
});

describe.concurrent("a device that is busy", () => {
  test("a lock of somebody else is waited for; then the apply goes on", async () => {
    const [r1] = await site.imported(["k1"]);
    const other = await somebodyOn(r1);
    await lock(other, { target: "running" });
    const planned = await put("patient", ["k1"]);
    await site.approve(planned);
    await eventually("a lock was denied", () =>
      r1.rpcs().some(({ errorTags }) => errorTags.includes("lock-denied")) ? true : undefined,
    );
    expect(await site.plan(planned.plan)).toMatchObject({ state: "applying" });
    expect(writesTo(r1)).toEqual([]);
    await unlock(other, { target: "running" });
    expect(await site.waitForPlan(planned.plan)).toMatchObject({ state: "applied" });
  });

  test("a candidate that holds somebody else's edits stays as it is, and is reported", async () => {
    const [r1] = await impatient.imported(["l1"]);
    const other = await somebodyOn(r1);
    const namespace = "urn:tenure:demo:interfaces";
    const entry = [
      xmlTextElement({ namespace, name: "name" }, "eth1"),
      xmlTextElement({ namespace, name: "description" }, "half done"),
    ];
    await editConfig(other, {
      target: "candidate",
      config: [
        xmlElement({
          namespace,
          name: "interfaces",
          children: [xmlElement({ namespace, name: "interface", children: entry })],
        }),
      ],
    });
    r1.clearRpcs();
    const text = mtuService({ name: "dirty", definition: "mtu-dirty", mtu: 9000, targets: ["l1"] });
    const ended = await impatient.apply(await impatient.put(text));
    expect(ended.state).toBe("aborted");
    expect(ended.reason).toContain(`lock-denied`);
    expect(ended.outcomes).toMatchObject([{ kind: "not-applied" }]);
    expect(writesTo(r1)).toEqual([]);
    expect(r1.configXml("candidate")).toContain("half done");
    expect(mtuOn(r1)).toBeUndefined();
  });
});
