/** The whole pipeline on a server that nobody here wrote, with somebody else's client changing it in between. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { netconfProvider } from "../../providers/netconf/netconf-provider.ts";
import { eventually } from "../support/eventually.ts";
import { Ncclient } from "../support/ncclient/client.ts";
import { interfacesConfig } from "../support/ncclient/scenario.ts";
import type { Outcome, Request } from "../support/ncclient/step.ts";
import { describeNetconfd } from "../support/netconfd-suite.ts";
import { type NetconfdPeer, startNetconfd } from "../support/netconfd.ts";
import { type Site, failureOf, mtuOn, startSite } from "../support/pipeline-site.ts";
import { twoPhaseTests } from "../support/two-phase-conformance.ts";

const NAMED = "<interface><name>eth0</name>";
const ENTRY = "/ietf-interfaces:interfaces/interface[name='eth0']";
const SEED = interfacesConfig("<interface><name>eth0</name><type>ianaift:ethernetCsmacd</type></interface>");

const UPLINK = `kind: definition
name: uplink
version: "1"
parameters:
  type: object
  properties: {port: {type: string}, mtu: {type: integer}, address: {type: string}}
  required: [port, mtu, address]
rules:
  - path: /ietf-interfaces:interfaces/interface[name='\${params.port}']/tenure-test-interfaces:mtu
    value: \${params.mtu}
  - path: /ietf-interfaces:interfaces/interface[name='\${params.port}']/description
    value: "Uplink of \${device}: \${params.address}"
  - path: /ietf-interfaces:interfaces/interface[name='\${params.port}']/ietf-ip:ipv6/address[ip='\${params.address}']/prefix-length
    value: 64
---
kind: service
name: uplink-eth0
definition: uplink
parameters: {port: eth0, mtu: 9000, address: "2001:db8::1"}
targets: [peer]
`;

const TOGETHER = `kind: definition
name: together
version: "1"
rules:
  - path: ${ENTRY}/tenure-test-interfaces:mtu
    value: 8000
    when: device == "peer"
  - path: /tenure-demo-interfaces:interfaces/interface[name='eth0']/mtu
    value: 8000
    when: device == "simulated"
---
kind: service
name: both
definition: together
targets: [peer, simulated]
`;

/** A netconfd with one interface, and ncclient on it. Each suite has its own: see the test about fetching twice. */
async function startPeer(): Promise<{ readonly peer: NetconfdPeer; readonly other: Ncclient }> {
  const peer = await startNetconfd();
  const other = new Ncclient(peer);
  await ok(other, { op: "open" });
  await change(other, SEED);
  return { peer, other };
}

async function ok(other: Ncclient, request: Request): Promise<Outcome> {
  const outcome = await other.run("other", request);
  if (outcome.kind === "error") throw new Error(JSON.stringify(outcome));
  return outcome;
}

async function change(other: Ncclient, config: string): Promise<void> {
  await ok(other, { op: "edit-config", target: "candidate", config });
  await ok(other, { op: "commit" });
}

/** The running configuration of interfaces, as ncclient reads it. */
async function seenBy(other: Ncclient): Promise<string> {
  const filter = '<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"/>';
  return JSON.stringify(await ok(other, { op: "get-config", source: "running", filter }));
}

const targetOf = (peer: NetconfdPeer) =>
  ({
    host: peer.host,
    port: peer.port,
    credentials: { username: peer.user, proof: { kind: "private-key", privateKey: peer.privateKey } },
    hostKey: { kind: "pinned", sha256: peer.hostKeyFingerprint },
  }) as const;

describeNetconfd("the two-phase write on netconfd, alone", () => {
  let peer: NetconfdPeer;
  beforeAll(async () => {
    const started = await startPeer();
    peer = started.peer;
    await started.other.end();
  });
  afterAll(() => peer.stop());

  twoPhaseTests(() => ({
    provider: netconfProvider,
    profile: "yuma-netconfd",
    target: targetOf(peer),
    leaf: `${ENTRY}/tenure-test-interfaces:mtu`,
  }));
});

describeNetconfd("the pipeline on netconfd", () => {
  let peer: NetconfdPeer;
  let other: Ncclient;
  let site: Site;
  beforeAll(async () => {
    ({ peer, other } = await startPeer());
    site = await startSite();
  }, 60_000);
  afterAll(async () => {
    await site.stop();
    await other.end();
    await peer.stop();
  });

  it("adds, imports, plans, applies, finds drift, enforces it, and removes", async () => {
    const login = join(site.folder, "peer-login.json");
    await writeFile(login, JSON.stringify({ username: peer.user, key: peer.privateKey }), { mode: 0o600 });
    const settings = { name: "peer", address: `${peer.host}:${String(peer.port)}`, credentials: `file:${login}` };
    const wrongKey = { kind: "pinned", sha256: `SHA256:${"A".repeat(43)}` };
    expect(failureOf(await site.add({ ...settings, hostKey: wrongKey }))).toMatchObject({ code: "HostKey" });
    expect(await site.add(settings)).toMatchObject({ kind: "completed", result: { profile: "yuma-netconfd" } });
    expect(await site.show("peer")).toMatchObject({
      hostKey: { kind: "pinned", sha256: peer.hostKeyFingerprint },
      profile: { name: "yuma-netconfd", chosen: "announced" },
    });
    expect(await site.importOf("peer")).toMatchObject([{ kind: "imported" }]);
    expect(await site.importOf("peer")).toMatchObject([{ kind: "unchanged" }]);
    const before = await seenBy(other);

    const planned = await site.put(UPLINK);
    expect(planned).toMatchObject({ state: "waiting", operations: 3 });
    expect(await seenBy(other)).toBe(before);
    expect(await site.apply(planned)).toMatchObject({ state: "applied", outcomes: [{ kind: "applied" }] });
    const after = await seenBy(other);
    for (const text of ["9000", "Uplink of peer: 2001:db8::1"]) expect(after).toContain(text);
    expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);

    await change(
      other,
      interfacesConfig(`${NAMED}<ttif:mtu>1400</ttif:mtu><description nc:operation="delete"/></interface>`),
    );
    expect(await site.drift(["peer"])).toMatchObject([{ kind: "drift", operations: 2 }]);
    const enforce = await site.createPlan({ devices: ["peer"], direction: "enforce" });
    expect(enforce).toMatchObject({ operations: 2 });

    // It moves once more before the approval: nothing is written.
    await change(other, interfacesConfig(`${NAMED}<enabled>false</enabled></interface>`));
    const moved = await seenBy(other);
    expect(await site.apply(enforce)).toMatchObject({ state: "stale", outcomes: [{ kind: "not-applied" }] });
    expect(await seenBy(other)).toBe(moved);

    const again = await site.createPlan({ devices: ["peer"], direction: "enforce" });
    expect(await site.apply(again)).toMatchObject({ state: "applied", operations: 3 });
    expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);
    for (const text of ["9000", "Uplink of peer: 2001:db8::1"]) expect(await seenBy(other)).toContain(text);

    expect(await site.apply(await site.removeService("uplink-eth0"))).toMatchObject({ state: "applied" });
    expect(await seenBy(other)).toBe(before);
    expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);
  }, 120_000);

  it("waits while somebody holds the lock, and goes on afterwards", async () => {
    const before = await seenBy(other);
    await ok(other, { op: "lock", target: "running" });
    const planned = await site.put(UPLINK);
    await site.approve(planned);
    await site.planWhen(planned.plan, ({ state }) => state === "applying");
    expect(await seenBy(other)).toBe(before);
    await ok(other, { op: "unlock", target: "running" });
    expect(await site.waitForPlan(planned.plan)).toMatchObject({ state: "applied" });
    expect(await site.apply(await site.removeService("uplink-eth0"))).toMatchObject({ state: "applied" });
    expect(await seenBy(other)).toBe(before);
  }, 60_000);

  it("keeps a provisional commit under its persist id until the other device is ready, or takes it back", async () => {
    const [simulated] = await site.imported(["simulated"]);
    const before = await seenBy(other);
    for (const end of ["aborted", "applied"] as const) {
      simulated.setFaults([
        { id: "wait", operation: "edit-config", occurrence: 1, action: { kind: "hold", when: "before" } },
        ...(end === "applied"
          ? []
          : [
              {
                id: "refuse",
                operation: "edit-config",
                occurrence: 1,
                action: { kind: "fail", tag: "operation-failed", message: "no" },
              } as const,
            ]),
      ]);
      const planned = await site.put(TOGETHER);
      await site.approve(planned);
      await eventually("netconfd prepared", async () => ((await seenBy(other)).includes("8000") ? true : undefined));
      await eventually("the other one asked", () => (simulated.heldBy("wait") > 0 ? true : undefined));
      // In effect, and nobody's to end without the id.
      expect(await other.run("other", { op: "lock", target: "running" })).toMatchObject({ kind: "error" });
      expect(await other.run("other", { op: "commit", persistId: "guessed" })).toMatchObject({ kind: "error" });
      expect(await other.run("other", { op: "cancel-commit", persistId: "guessed" })).toMatchObject({ kind: "error" });
      expect(await site.plan(planned.plan)).toMatchObject({ state: "applying" });
      simulated.releaseFault("wait");
      expect(await site.waitForPlan(planned.plan)).toMatchObject({ state: end });
      expect((await seenBy(other)).includes("8000")).toBe(end === "applied");
      if (end === "aborted") expect(await seenBy(other)).toBe(before);
      await ok(other, { op: "lock", target: "running" });
      await ok(other, { op: "unlock", target: "running" });
    }
    expect(mtuOn(simulated)).toBe("8000");
  }, 60_000);
});
