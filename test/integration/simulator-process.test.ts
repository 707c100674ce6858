import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NetconfSession, openNetconfSession } from "../../providers/netconf/client/netconf-session.ts";
import { commit, discardChanges, getConfig } from "../../providers/netconf/client/operations.ts";
import type { RpcRecord } from "../../simulator/rpc-log.ts";

const main = fileURLToPath(new URL("../../simulator/main.ts", import.meta.url));
const module = `module doors { namespace "urn:doors"; prefix d;
  container doors { list door { key name; leaf name { type string; } } leaf bell { type leafref { path "../door/name"; } } } }`;

interface Ready {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly fingerprint: string;
  readonly control: string;
}

type Process = ChildProcessByStdio<Writable, Readable, Readable>;

let folder = "";
let child: Process;
let ready: Ready;
const sessions: NetconfSession[] = [];

function run(config: string): Process {
  return spawn(process.execPath, ["--import", "tsx", main, config], { stdio: ["pipe", "pipe", "pipe"] });
}

async function configFile(name: string, config: unknown): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify(config));
  return file;
}

async function open(): Promise<NetconfSession> {
  const session = await openNetconfSession({
    ssh: {
      host: ready.host,
      port: ready.port,
      credentials: { username: "ops", proof: { kind: "password", password: "pw" } },
      hostKey: { kind: "pinned", sha256: ready.fingerprint },
    },
  });
  sessions.push(session);
  return session;
}

async function control(
  method: string,
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${ready.control}${path}`, { method, ...(body === undefined ? {} : { body }) });
  return { status: response.status, text: await response.text() };
}

async function records(): Promise<readonly RpcRecord[]> {
  return JSON.parse((await control("GET", "/rpcs")).text) as readonly RpcRecord[];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-"));
  await writeFile(join(folder, "doors.yang"), module);
  await writeFile(join(folder, "start.xml"), `<doors xmlns="urn:doors"><door><name>front</name></door></doors>`);
  child = run(
    await configFile("device.json", {
      name: "house",
      modules: ["doors.yang"],
      users: [{ name: "ops", password: "pw" }],
      initialConfigFile: "start.xml",
      offer: { confirmedCommit: "none" },
      faults: [],
    }),
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  ready = JSON.parse((await lines.next()).value as string) as Ready;
});

afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  if (child.exitCode === null) {
    const exit = once(child, "exit");
    child.stdin.end();
    expect(await exit).toEqual([0, null]);
  }
  await rm(folder, { recursive: true, force: true });
});

describe("a device as a process of its own", () => {
  test("says where it listens, and serves what its files say", async () => {
    expect(ready).toMatchObject({ name: "house", host: "127.0.0.1" });
    const session = await open();
    expect(session.capabilities.confirmedCommit).toBeUndefined();
    const { data } = await getConfig(session, { source: "running" });
    expect(data.children).toHaveLength(1);
  });

  test("somebody changes it behind the client's back, and what does not fit is refused", async () => {
    const edit = `<doors xmlns="urn:doors"><door><name>back</name></door></doors>`;
    expect(await control("POST", "/edit", edit)).toMatchObject({ status: 200 });
    expect((await control("GET", "/running")).text).toContain("<door><name>back</name></door>");
    const bad = await control("POST", "/edit", `<doors xmlns="urn:doors"><bell>roof</bell></doors>`);
    expect(bad.status).toBe(409);
    expect(JSON.parse(bad.text)).toMatchObject({ errors: [{ tag: "data-missing", appTag: "instance-required" }] });
    expect((await control("POST", "/edit", "<doors")).status).toBe(400);
  });

  test("faults are installed, hold, are released, and refused when they cannot be", async () => {
    const hold = [{ id: "h", operation: "commit", occurrence: 1, action: { kind: "hold", when: "before" } }];
    expect((await control("PUT", "/faults", JSON.stringify(hold))).status).toBe(200);
    expect(JSON.parse((await control("GET", "/faults")).text)).toEqual(hold);
    const session = await open();
    await control("DELETE", "/rpcs");
    const answer = commit(session);
    const limit = Date.now() + 10_000;
    while (!(await control("GET", "/faults/h")).text.includes(":1")) {
      if (Date.now() > limit) throw new Error("the commit was never held");
    }
    expect(await records()).toMatchObject([{ operation: "commit", outcome: "pending", carriedOut: "no" }]);
    await control("POST", "/faults/h/release");
    await answer;
    expect(await records()).toMatchObject([{ operation: "commit", outcome: "ok", carriedOut: "yes" }]);
    for (const wrong of [[{ ...hold[0], operation: 7 }], [{ ...hold[0], action: { kind: "explode" } }], hold[0]]) {
      expect((await control("PUT", "/faults", JSON.stringify(wrong))).status).toBe(400);
    }
    await discardChanges(session);
  });

  test("can be cut off the network, and restarted", async () => {
    const session = await open();
    expect((await control("PUT", "/network", `"unreachable"`)).status).toBe(200);
    await session.ended;
    await expect(open()).rejects.toMatchObject({ code: "Unreachable" });
    await control("PUT", "/network", `"reachable"`);
    const again = await open();
    expect((await control("GET", "/sessions")).text).toContain(`"id":${String(again.sessionId)}`);
    await control("POST", "/reboot");
    await again.ended;
    expect((await control("GET", "/nowhere")).status).toBe(404);
  });

  test("a configuration that cannot be used ends it with a message that names the field", async () => {
    const wrong = run(
      await configFile("wrong.json", { name: "x", modules: ["doors.yang"], users: [{ name: "a", pasword: "b" }] }),
    );
    let errors = "";
    wrong.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString("utf8")));
    expect(await once(wrong, "exit")).toEqual([1, null]);
    expect(errors).toMatch(/wrong\.json[\s\S]*pasword/u);
  });
});
