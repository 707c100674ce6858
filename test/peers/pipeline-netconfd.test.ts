/** The whole pipeline on a server that nobody here wrote, with somebody else's client changing it in between. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { netconfProvider } from "../../providers/netconf/netconf-provider.ts";
import { Ncclient } from "../support/ncclient/client.ts";
import { interfacesConfig } from "../support/ncclient/scenario.ts";
import type { Outcome, Request } from "../support/ncclient/step.ts";
import { describePeer } from "../support/netconfd-suite.ts";
import { type NetconfdPeer, startNetconfd } from "../support/netconfd.ts";
import { type Site, failureOf, startSite } from "../support/pipeline-site.ts";
import { twoPhaseTests } from "../support/two-phase-conformance.ts";

const ENTRY = "/ietf-interfaces:interfaces/interface[name='eth0']";
const SEED = interfacesConfig("<interface><name>eth0</name><type>ianaift:ethernetCsmacd</type></interface>");

const SERVICE = `kind: definition
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
    value: "Uplink of \${device.name}: \${params.address}"
  - path: /ietf-interfaces:interfaces/interface[name='\${params.port}']/ietf-ip:ipv6/address[ip='\${params.address}']/prefix-length
    value: 64
---
kind: service
name: uplink-eth0
definition: uplink
parameters: {port: eth0, mtu: 9000, address: "2001:db8::1"}
targets: [peer]
`;

describePeer("netconfd", () => {
  let peer: NetconfdPeer;
  let other: Ncclient;
  beforeAll(async () => {
    peer = await startNetconfd();
    other = new Ncclient(peer);
    await byOther({ op: "open" });
    await changeByOther(SEED);
  });
  afterAll(async () => {
    await other.end();
    await peer.stop();
  });

  async function byOther(request: Request): Promise<Outcome> {
    const outcome = await other.run("other", request);
    if (outcome.kind === "error") throw new Error(JSON.stringify(outcome));
    return outcome;
  }
  async function changeByOther(config: string): Promise<void> {
    await byOther({ op: "edit-config", target: "candidate", config });
    await byOther({ op: "commit" });
  }
  /** The running configuration of interfaces, as ncclient reads it. */
  const seenByOther = async (): Promise<string> =>
    JSON.stringify(
      await byOther({
        op: "get-config",
        source: "running",
        filter: '<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"/>',
      }),
    );

  describe("the two-phase write alone", () => {
    twoPhaseTests(() => ({
      provider: netconfProvider,
      profile: "yuma-netconfd",
      target: {
        host: peer.host,
        port: peer.port,
        credentials: { username: peer.user, proof: { kind: "private-key", privateKey: peer.privateKey } },
        hostKey: { kind: "pinned", sha256: peer.hostKeyFingerprint },
      },
      leaf: `${ENTRY}/tenure-test-interfaces:mtu`,
    }));
  });

  describe("the pipeline", () => {
    let site: Site;
    beforeAll(async () => {
      site = await startSite();
    }, 60_000);
    afterAll(() => site.stop());

    it("adds, imports, plans, applies, finds drift, enforces it, and removes", async () => {
      const login = join(site.folder, "peer-login.json");
      await writeFile(login, JSON.stringify({ username: peer.user, key: peer.privateKey }), { mode: 0o600 });
      const settings = { address: `${peer.host}:${String(peer.port)}`, credentials: `file:${login}` };
      const wrongKey = { kind: "pinned", sha256: `SHA256:${"A".repeat(43)}` };
      expect(failureOf(await site.add({ name: "peer", ...settings, hostKey: wrongKey }))).toMatchObject({
        code: "HostKey",
      });
      const added = await site.add({ name: "peer", ...settings });
      expect(added, JSON.stringify(added)).toMatchObject({
        kind: "completed",
        result: { profile: "yuma-netconfd" },
      });
      expect(await site.show("peer")).toMatchObject({
        hostKey: { kind: "pinned", sha256: peer.hostKeyFingerprint },
        profile: { name: "yuma-netconfd", chosen: "announced" },
      });
      expect(await site.importOf("peer")).toMatchObject([{ kind: "imported" }]);
      expect(await site.importOf("peer")).toMatchObject([{ kind: "unchanged" }]);
      const before = await seenByOther();

      const planned = await site.put(SERVICE);
      expect(planned).toMatchObject({ state: "waiting", operations: 3 });
      expect(await seenByOther()).toBe(before);
      expect(await site.apply(planned)).toMatchObject({ state: "applied", outcomes: [{ kind: "applied" }] });
      const after = await seenByOther();
      for (const text of ["9000", "Uplink of peer: 2001:db8::1", "2001:db8::1"]) expect(after).toContain(text);
      expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);
      // The change was a provisional commit under the plan's persist id, not a plain one.
      expect(await confirmedCommits()).toEqual(["start", "complete"]);

      await changeByOther(
        interfacesConfig(
          '<interface><name>eth0</name><ttif:mtu>1400</ttif:mtu><description nc:operation="delete"/></interface>',
        ),
      );
      expect(await site.drift(["peer"])).toMatchObject([{ kind: "drift", operations: 2 }]);
      const enforce = await site.driftPlan({ devices: ["peer"], direction: "enforce" });
      expect(enforce).toMatchObject({ operations: 2 });

      // It moves once more before the approval: nothing is written.
      await changeByOther(interfacesConfig("<interface><name>eth0</name><enabled>false</enabled></interface>"));
      const moved = await seenByOther();
      expect(await site.apply(enforce)).toMatchObject({ state: "stale", outcomes: [{ kind: "not-applied" }] });
      expect(await seenByOther()).toBe(moved);

      const again = await site.driftPlan({ devices: ["peer"], direction: "enforce" });
      expect(await site.apply(again)).toMatchObject({ state: "applied", operations: 3 });
      expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);
      expect(await seenByOther()).toBe(after);

      const removal = await site.removeService("uplink-eth0");
      expect(await site.apply(removal)).toMatchObject({ state: "applied" });
      expect(await seenByOther()).toBe(before);
      expect(await site.drift(["peer"])).toMatchObject([{ kind: "in-sync" }]);
    }, 120_000);

    it("waits while somebody holds the lock, and goes on afterwards", async () => {
      await byOther({ op: "lock", target: "running" });
      const planned = await site.put(SERVICE);
      const before = await seenByOther();
      await site.approve(planned);
      const status = await site.planWhen(planned.plan, ({ state }) => state === "applying");
      expect(status.outcomes).toEqual([]);
      expect(await seenByOther()).toBe(before);
      await byOther({ op: "unlock", target: "running" });
      expect(await site.waitForPlan(planned.plan)).toMatchObject({ state: "applied" });
      expect(await site.apply(await site.removeService("uplink-eth0"))).toMatchObject({ state: "applied" });
    }, 60_000);
  });

  /** What netconfd's own log says about confirmed commits. */
  async function confirmedCommits(): Promise<readonly string[]> {
    const log = await peer.log();
    return [...log.matchAll(/confirm[^\n]*/giu)].map(([line]) => line);
  }
});
