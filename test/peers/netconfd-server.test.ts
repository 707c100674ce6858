/** The harness itself: servers side by side, nothing left behind, a host key that can be checked. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { Ncclient } from "../support/ncclient/client.ts";
import { labConfig } from "../support/ncclient/scenario.ts";
import { descendantsOf } from "../support/netconfd-processes.ts";
import { describeNetconfd } from "../support/netconfd-suite.ts";
import { startNetconfd } from "../support/netconfd.ts";

describeNetconfd("netconfd as a peer", () => {
  it("several servers run side by side and share nothing", async () => {
    const peers = await Promise.all([1, 2, 3].map(() => startNetconfd({ modules: ["tenure-test"] })));
    const clients = peers.map((peer) => new Ncclient(peer));
    try {
      expect(new Set(peers.map(({ port }) => port)).size).toBe(3);
      expect(new Set(peers.map(({ hostKeyFingerprint }) => hostKeyFingerprint)).size).toBe(3);
      const labels = await Promise.all(
        clients.map(async (client, index) => {
          await client.run("a", { op: "open" });
          const config = labConfig(`<label>server ${index}</label>`);
          await client.run("a", { op: "edit-config", target: "candidate", config });
          await client.run("a", { op: "commit" });
          const read = await client.run("a", { op: "get-config", source: "running" });
          return read.kind === "data" ? /<label>(.*)<\/label>/u.exec(read.xml)?.[1] : undefined;
        }),
      );
      expect(labels).toEqual(["server 0", "server 1", "server 2"]);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await Promise.all(peers.map((peer) => peer.stop()));
    }
  });

  it("stop ends every process, with a session still open, removes the folder, and may be repeated", async () => {
    const before = descendantsOf(process.pid);
    const peer = await startNetconfd({ modules: ["tenure-test"] });
    const started = descendantsOf(process.pid).filter(({ pid }) => !before.some((other) => other.pid === pid));
    expect(started.length).toBeGreaterThanOrEqual(2);
    const client = new Ncclient(peer);
    try {
      expect(await client.run("a", { op: "open" })).toMatchObject({ kind: "hello" });
      await peer.stop();
      await peer.stop();
      expect(existsSync(dirname(peer.privateKeyFile))).toBe(false);
      expect(await client.run("a", { op: "get-config", source: "running" })).toMatchObject({ kind: "failure" });
    } finally {
      await client.end();
    }
    expect(descendantsOf(process.pid).filter(({ pid }) => started.some((other) => other.pid === pid))).toEqual([]);
  });

  it("a client that expects another host key gets no session", async () => {
    const [peer, other] = await Promise.all([1, 2].map(() => startNetconfd({ modules: ["tenure-test"] })));
    if (peer === undefined || other === undefined) throw new Error("two servers were started");
    const client = new Ncclient({ ...peer, hostKey: other.hostKey });
    try {
      expect(await client.run("a", { op: "open" })).toMatchObject({
        kind: "failure",
        reason: expect.stringMatching(/key/iu) as string,
      });
    } finally {
      await client.end();
      await Promise.all([peer.stop(), other.stop()]);
    }
  });

  it("a start that cannot succeed says why and leaves nothing", async () => {
    const before = descendantsOf(process.pid).length;
    await expect(startNetconfd({ modules: ["tenure-no-such-module"] })).rejects.toThrow(/tenure-no-such-module/u);
    expect(descendantsOf(process.pid).length).toBe(before);
  });
});
