/** Bad input: a clear error that names the place, nothing written, nothing lost. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { generateHostKey } from "../../simulator/ssh-server.ts";
import { freePort } from "../support/netconfd-probe.ts";
import { type Site, failureOf, mtuService, startSite, writesTo } from "../support/pipeline-site.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());

const addressOf = ({ port }: { readonly port: number }) => `127.0.0.1:${String(port)}`;
const names = async () =>
  (await site.api.get<readonly { readonly name: string }[]>("/devices")).map(({ name }) => name);

/** Refuses every login, and counts the passwords that were tried. */
async function lockedOut(): Promise<{ readonly port: number; readonly passwords: () => number }> {
  let passwords = 0;
  const server = new ssh2.Server({ hostKeys: [generateHostKey()] }, (connection) => {
    connection.on("error", () => undefined);
    connection.on("authentication", (context) => {
      if (context.method === "password") passwords += 1;
      context.reject(["password"]);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  site.atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  );
  return { port: address.port, passwords: () => passwords };
}

describe.concurrent("a device that cannot be added", () => {
  test("nobody answers there: the address is named, no device is left behind", async () => {
    const port = await freePort();
    const error = failureOf(await site.add({ name: "silent", address: addressOf({ port }) }));
    expect(error).toMatchObject({
      code: "Unreachable",
      message: expect.stringContaining(addressOf({ port })) as string,
    });
    expect(error.remedy).toContain("address");
    expect(await names()).not.toContain("silent");
  });

  test("an unknown host key is refused with its fingerprint, before any password is sent", async () => {
    const device = await site.start("unknown-key");
    const error = failureOf(
      await site.add({ name: device.name, address: addressOf(device), hostKey: { kind: "unknown" } }),
    );
    expect(error).toMatchObject({ code: "HostKey", message: expect.stringContaining(device.fingerprint) as string });
    expect([device.sessions(), device.rpcs()]).toEqual([[], []]);
    expect(await names()).not.toContain("unknown-key");
  });

  test("another host key than the pinned one is refused, naming both", async () => {
    const device = await site.start("other-key");
    const pinned = `SHA256:${"A".repeat(43)}`;
    const error = failureOf(
      await site.add({ name: device.name, address: addressOf(device), hostKey: { kind: "pinned", sha256: pinned } }),
    );
    expect(error.code).toBe("HostKey");
    expect(error.message).toContain(device.fingerprint);
    expect(error.message).toContain(pinned);
    expect(device.rpcs()).toEqual([]);
  });

  test("a wrong password is tried once", async () => {
    const door = await lockedOut();
    const error = failureOf(await site.add({ name: "locked-out", address: addressOf(door) }));
    expect(error).toMatchObject({ code: "AuthenticationFailed" });
    expect(error.remedy).toContain("credentials");
    expect(door.passwords()).toBe(1);
  });

  test("an unknown credentials reference and an unknown provider are named, with what there is", async () => {
    const device = await site.start("wrong-words");
    const place = { name: device.name, address: addressOf(device) };
    expect(failureOf(await site.add({ ...place, credentials: "env:NOT_THERE" }))).toMatchObject({
      code: "AuthenticationFailed",
      message: expect.stringContaining("env:NOT_THERE") as string,
    });
    const unknown = failureOf(await site.add({ ...place, provider: "telepathy" }));
    expect(unknown.message).toContain("telepathy");
    expect(unknown.diagnostics).toMatchObject([
      { message: "known: netconf", places: [{ kind: "field", path: "provider" }] },
    ]);
    expect(failureOf(await site.add({ ...place, profile: "no-such-profile" })).message).toContain("no-such-profile");
    expect(await site.refusal(site.api.post("/devices", { ...place, credentials: "in clear" }))).toMatchObject({
      code: "bad-request",
      diagnostics: [{ places: [{ kind: "field", path: "credentials" }] }],
    });
    expect(await names()).not.toContain("wrong-words");
  });

  test("modules that do not compile are refused with file, line and column", async () => {
    const device = await site.start("broken-yang");
    const modules = [
      {
        name: "broken.yang",
        text: 'module broken {\n  namespace "urn:broken";\n  prefix b;\n  leaf a { type nothing-known; }\n}\n',
      },
    ];
    const error = failureOf(await site.add({ name: device.name, address: addressOf(device), modules }));
    expect(error.message).toContain("nothing-known");
    expect(error.diagnostics?.flatMap(({ places }) => places.map(formatPlace)).join()).toMatch(/broken(\.yang)?:4:/u);
    expect(await names()).not.toContain("broken-yang");
  });
});

describe.concurrent("a submission that cannot be taken", () => {
  test("an unknown path, a wrong type and an unknown parameter are errors at file:line:column", async () => {
    const [device] = await site.imported(["paths"]);
    const good = mtuService({ name: "wrong", definition: "mtu-wrong", mtu: 9000, targets: ["paths"] });
    const placesOf = async (text: string) => {
      const error = failureOf(await site.submit(text));
      expect(error.code).toBe("Refused");
      return error.diagnostics?.flatMap(({ places }) => places.map(formatPlace)) ?? [];
    };
    const unknown = await placesOf(good.replace("/mtu\n", "/mtoo\n"));
    expect(unknown).toContain("services.yaml:9:11");
    expect((await placesOf(good.replace("mtu: 9000", "mtu: 70000"))).join()).toMatch(/services\.yaml:\d+:\d+/u);
    expect((await placesOf(good.replace("mtu: 9000", 'mtu: "fast"'))).join()).toContain("services.yaml:15:");
    expect(await site.refusal(site.service("wrong"))).toMatchObject({ code: "unknown-service" });
    expect(await site.refusal(site.api.get("/definitions/mtu-wrong"))).toMatchObject({ code: "unknown-definition" });
    expect(writesTo(device)).toEqual([]);
  });

  test("a key that stands twice is refused at once, naming its place", async () => {
    const text = mtuService({ name: "twice", definition: "mtu-twice", mtu: 9000, targets: ["nowhere"] });
    const error = await site.refusal(site.startPut(text.replace("name: twice", "name: twice\nname: again")));
    expect(error).toMatchObject({
      code: "Refused",
      diagnostics: [{ code: expect.stringContaining("duplicate") as string }],
    });
    expect(error.diagnostics?.[0]?.places.map(formatPlace)).toContain("services.yaml:14:1");
  });

  test("an unknown device is named where it stands; a device without an import has no goal", async () => {
    const device = await site.start("fresh");
    await site.add({ name: device.name, address: addressOf(device) });
    const put = (target: string) =>
      site.submit(mtuService({ name: "early", definition: "mtu-early", mtu: 9000, targets: [target] }));
    const unknown = failureOf(await put("nobody"));
    expect(unknown.diagnostics?.[0]?.places.map(formatPlace)).toContain("services.yaml:16:11");
    expect(failureOf(await put("fresh"))).toMatchObject({
      code: "NotImported",
      message: expect.stringContaining("tenure import fresh") as string,
    });
    expect(
      await site.refusal(site.createPlan({ devices: ["fresh"], direction: "enforce" }).catch(asRefusal)),
    ).toMatchObject({ code: "NotImported" });
    expect(await site.refusal(site.goal("fresh"))).toMatchObject({ code: "NotImported" });
    expect((await site.show("fresh")).sync).toEqual({ kind: "not-imported" });
    expect(writesTo(device)).toEqual([]);
  });

  test("a rule of the modules that a plan would break is its finding; the device has the last word", async () => {
    const [device] = await site.imported(["unruly"]);
    const planned = await site.put(
      mtuService({ name: "unruly", definition: "mtu-unruly", port: "eth9", mtu: 9000, targets: ["unruly"] }),
    );
    expect((await site.section(planned, "unruly")).findings).toEqual([
      expect.objectContaining({
        kind: "validation",
        code: "mandatory-missing",
        path: "/tenure-demo-interfaces:interfaces/interface[name='eth9']/type",
      }),
    ]);
    expect(await site.apply(planned)).toMatchObject({ state: "aborted" });
    expect(device.configXml("running")).not.toContain("eth9");
    expect(await site.refusal(site.service("unruly"))).toMatchObject({ code: "unknown-service" });
  });

  test("the approval of another digest is refused, journalled, and the plan goes on waiting", async () => {
    const [device] = await site.imported(["digests"]);
    const planned = await site.put(
      mtuService({ name: "digest", definition: "mtu-digest", mtu: 9000, targets: ["digests"] }),
    );
    const error = await site.refusal(site.approve({ plan: planned.plan, digest: "f".repeat(64) }));
    expect(error).toMatchObject({ code: "wrong-digest", remedy: expect.stringContaining(planned.plan) as string });
    expect(await site.plan(planned.plan)).toMatchObject({
      state: "waiting",
      approvals: [{ kind: "refusal", actor: "alice" }],
    });
    expect(await site.refusal(site.approve({ plan: planned.plan, digest: "not a digest" }))).toMatchObject({
      code: "bad-request",
    });
    expect(await site.refusal(site.approve({ plan: "p-aaaaaaaa", digest: planned.digest }))).toMatchObject({
      code: "unknown-plan",
    });
    expect(writesTo(device)).toEqual([]);
    expect(await site.apply(planned)).toMatchObject({ state: "applied" });
    expect(await site.refusal(site.approve(planned))).toMatchObject({ code: "wrong-state" });
  });
});

describe.concurrent("an import", () => {
  test("one unreachable device among several changes nothing for the others, and keeps its own desired state", async () => {
    const [m1, m2, m3] = await site.imported(["m1", "m2", "m3"]);
    const goal = await site.goal("m2");
    await m2.setNetwork("unreachable");
    m1.edit(
      `<interfaces xmlns="urn:tenure:demo:interfaces"><interface><name>eth0</name><mtu>2000</mtu></interface></interfaces>`,
    );
    const outcomes = await site.importOf("m1", "m2", "m3");
    const kinds = new Map(
      await Promise.all(outcomes.map(async (each) => [(await site.show(each.device)).name, each] as const)),
    );
    expect(kinds.get("m1")).toMatchObject({ kind: "imported", changed: 1 });
    expect(kinds.get("m2")).toMatchObject({ kind: "failed", code: "Unreachable" });
    expect(kinds.get("m3")).toMatchObject({ kind: "unchanged" });
    expect(await site.goal("m2")).toBe(goal);
    expect(m3.rpcs().length).toBeGreaterThan(0);
  });

  test("an empty configuration is not taken for a wish", async () => {
    const device = await site.start("empty", { initialConfigXml: "" });
    await site.add({ name: device.name, address: addressOf(device) });
    expect(await site.importOf("empty")).toMatchObject([
      { kind: "failed", code: "EmptyConfiguration", message: expect.stringContaining("--allow-empty") as string },
    ]);
    expect((await site.show("empty")).sync).toEqual({ kind: "not-imported" });
  });

  test("an unreachable device makes an all-or-nothing plan fail with its name", async () => {
    const [n1, n2] = await site.imported(["n1", "n2"]);
    await n2.setNetwork("unreachable");
    const view = await site.submit(
      mtuService({ name: "half", definition: "mtu-half", mtu: 9000, targets: ["n1", "n2"] }),
    );
    expect(failureOf(view)).toMatchObject({ code: "Unreachable", message: expect.stringContaining("n2") as string });
    expect(writesTo(n1)).toEqual([]);
    expect(await site.refusal(site.service("half"))).toMatchObject({ code: "unknown-service" });
  });
});

test("a second process on the data folder is refused and names the owner, which goes on", async () => {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const program = fileURLToPath(new URL("../../worker/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, program, "--role", "graph"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, TENURE_HOME: site.folder, TENURE_TEMPORAL_ADDRESS: site.temporal.address },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(3);
  expect(errors).toContain(String(site.worker().pid));
  expect((await site.status()).health).toMatchObject({ pid: site.worker().pid });
});

/** `createPlan` tells the failure of a workflow in one line; here its code is what counts. */
function asRefusal(error: unknown): Promise<never> {
  const message = error instanceof Error ? error.message : String(error);
  const [code = "", ...rest] = message.split(": ");
  return Promise.reject(Object.assign(new Error(message), { body: { code, message: rest.join(": ") } }));
}
