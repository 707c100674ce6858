/**
 * What netconfd really answers, asked by ncclient: two programs that are not ours. Every scenario holds the right answers
 * by the RFCs; where netconfd deviates, the deviation itself is asserted, so that a newer netconfd is noticed.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ncclient } from "../support/ncclient/client.ts";
import { runScenario } from "../support/ncclient/run-scenario.ts";
import { labConfig } from "../support/ncclient/scenario.ts";
import { SCENARIOS } from "../support/ncclient/scenarios.ts";
import type { Datastore } from "../support/ncclient/step.ts";
import { DEFAULT_MODULES, startNetconfd, type NetconfdPeer } from "../support/netconfd.ts";
import { describeNetconfd } from "../support/netconfd-suite.ts";

describeNetconfd("netconfd asked by ncclient", () => {
  describe.each(["explicit", "trim", "report-all"] as const)("basic mode %s", (defaults) => {
    let peer: NetconfdPeer;
    let client: Ncclient;
    beforeAll(async () => {
      peer = await startNetconfd({ defaults });
      client = new Ncclient(peer);
    });
    afterAll(async () => {
      await client.end();
      await peer.stop();
    });

    for (const scenario of SCENARIOS.filter(({ serverDefaults }) => serverDefaults === defaults)) {
      it(`${scenario.name} (${scenario.rule})`, async () => {
        const comparisons = await runScenario(client, { scenario, known: "netconfd" });
        const [expected, actual] = (["expected", "actual"] as const).map((side) =>
          comparisons.map((comparison) => ({ step: comparison.step, answer: comparison[side] })),
        );
        expect(actual).toEqual(expected);
      });
    }
  });

  describe("beyond the scenarios", () => {
    it("a session that reads all the time keeps the rollback timer from firing", async () => {
      const peer = await startNetconfd({ modules: ["tenure-test"] });
      const client = new Ncclient(peer);
      try {
        for (const session of ["a", "b"]) await client.run(session, { op: "open" });
        const steps = [
          { op: "edit-config", target: "candidate", config: labConfig("<label>new</label>") },
          { op: "commit", confirmed: true, timeout: "1", persist: "p" },
        ] as const;
        for (const request of steps) expect(await client.run("a", request)).toEqual({ kind: "ok", warnings: [] });
        const poll = { op: "poll-config", source: "running", marker: "<label>new</label>", until: "absent" } as const;
        const busy = await client.run("b", { ...poll, everySeconds: 0.05, limitSeconds: 2.5 });
        expect(busy).toMatchObject({ kind: "data", xml: expect.stringContaining("<label>new</label>") as string });
        const patient = await client.run("b", { ...poll, everySeconds: 1.1, limitSeconds: 10 });
        expect(patient).toMatchObject({
          kind: "data",
          xml: expect.not.stringContaining("<label>new</label>") as string,
        });
      } finally {
        await client.end();
        await peer.stop();
      }
    });

    it("with target running an edit takes effect at once, and the hello has no candidate", async () => {
      const peer = await startNetconfd({ modules: ["tenure-test"], target: "running" });
      const client = new Ncclient(peer);
      try {
        const hello = await client.run("a", { op: "open" });
        const capabilities = hello.kind === "hello" ? hello.capabilities : [];
        expect(capabilities).toContain("urn:ietf:params:netconf:capability:writable-running:1.0");
        expect(capabilities).not.toContain("urn:ietf:params:netconf:capability:candidate:1.0");
        const config = labConfig("<label>new</label>");
        expect(await client.run("a", { op: "edit-config", target: "running", config })).toMatchObject({ kind: "ok" });
        const read = await client.run("a", { op: "get-config", source: "running" });
        expect(read).toMatchObject({ kind: "data", xml: expect.stringContaining("<label>new</label>") as string });
      } finally {
        await client.end();
        await peer.stop();
      }
    });

    it("with a startup datastore the server begins with its content, and startup changes only by copy", async () => {
      const content = '<lab xmlns="urn:tenure:test"><label>from startup</label></lab>';
      const peer = await startNetconfd({ modules: ["tenure-test"], startup: { kind: "datastore", content } });
      const client = new Ncclient(peer);
      const labelOf = async (source: Datastore): Promise<string | undefined> => {
        const read = await client.run("a", { op: "get-config", source });
        return read.kind === "data" ? /<label>(.*)<\/label>/u.exec(read.xml)?.[1] : JSON.stringify(read);
      };
      try {
        const hello = await client.run("a", { op: "open" });
        const capabilities = hello.kind === "hello" ? hello.capabilities : [];
        expect(capabilities).toContain("urn:ietf:params:netconf:capability:startup:1.0");
        expect(await labelOf("running")).toBe("from startup");
        await client.run("a", { op: "edit-config", target: "candidate", config: labConfig("<label>new</label>") });
        expect(await client.run("a", { op: "commit" })).toMatchObject({ kind: "ok" });
        expect([await labelOf("running"), await labelOf("startup")]).toEqual(["new", "from startup"]);
        const copied = await client.run("a", { op: "copy-config", source: "running", target: "startup" });
        expect(copied).toMatchObject({ kind: "ok" });
        expect(await labelOf("startup")).toBe("new");
      } finally {
        await client.end();
        await peer.stop();
      }
    });

    it("the hello announces every module of the YANG library, imported and YANG 1.1 ones included", async () => {
      const peer = await startNetconfd({ modules: [...DEFAULT_MODULES, "tenure-demo-system"] });
      const client = new Ncclient(peer);
      try {
        const hello = await client.run("a", { op: "open" });
        const announced = (hello.kind === "hello" ? hello.capabilities : []).flatMap((capability) => {
          const name = /[?&]module=([^&]+)/u.exec(capability)?.[1];
          return name === undefined ? [] : [name];
        });
        const library = await client.run("a", {
          op: "get",
          filter: '<modules-state xmlns="urn:ietf:params:xml:ns:yang:ietf-yang-library"/>',
        });
        const xml = library.kind === "data" ? library.xml : "";
        const listed = [...xml.matchAll(/<name>([^<]+)<\/name>/gu)].map(([, name]) => name);
        expect(announced.sort()).toEqual(listed.sort());
        expect(announced).toEqual(
          expect.arrayContaining([
            ...DEFAULT_MODULES,
            "tenure-test-identities",
            "tenure-extensions",
            "tenure-demo-system",
          ]),
        );
      } finally {
        await client.end();
        await peer.stop();
      }
    });

    it("get-schema gives every announced module, and refuses a format without a prefix", async () => {
      const peer = await startNetconfd();
      const client = new Ncclient(peer);
      try {
        const hello = await client.run("a", { op: "open" });
        const modules = (hello.kind === "hello" ? hello.capabilities : []).flatMap((capability) => {
          const [, name, revision] = /[?&]module=([^&]+)&revision=([^&]+)/u.exec(capability) ?? [];
          return name === undefined || revision === undefined ? [] : [{ name, revision }];
        });
        expect(modules.length).toBeGreaterThan(20);
        const refused: string[] = [];
        for (const { name, revision } of modules) {
          const schema = await client.run("a", { op: "get-schema", identifier: name, version: revision });
          if (schema.kind !== "data" || !new RegExp(`\\bmodule ${name}\\s*\\{`, "u").test(schema.xml))
            refused.push(name);
        }
        expect(refused).toEqual([]);
        expect(await client.run("a", { op: "get-schema", identifier: "tenure-test", format: "yang" })).toMatchObject({
          kind: "error",
          errors: [{ tag: "invalid-value" }, { tag: "unknown-namespace" }],
        });
      } finally {
        await client.end();
        await peer.stop();
      }
    });
  });
});
