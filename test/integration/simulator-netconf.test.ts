import { afterEach, describe, expect, test } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { type XmlElement, childElements } from "../../codec/xml/xml-element.ts";
import { ProviderError } from "../../providers/error.ts";
import { readFetchableSchemas, readModuleLibrary } from "../../providers/netconf/client/module-list.ts";
import { type NetconfSession, openNetconfSession } from "../../providers/netconf/client/netconf-session.ts";
import {
  cancelCommit,
  commit,
  confirmCommit,
  confirmedCommit,
  copyConfig,
  discardChanges,
  editConfig,
  getConfig,
  getSchema,
  getState,
  killSession,
  lock,
  unlock,
  validate,
} from "../../providers/netconf/client/operations.ts";
import type { Fault } from "../../simulator/faults.ts";
import { type Simulator, type SimulatorOptions, SimulatorError, startSimulator } from "../../simulator/simulator.ts";
import { generateHostKey } from "../../simulator/ssh-server.ts";

const lampModule = `module lamps {
  yang-version 1;
  namespace "urn:lamps";
  prefix la;
  revision 2026-02-03;
  container lamps {
    list lamp {
      key "name";
      leaf name { type string; }
      leaf level { type uint8 { range "0..100"; } default "50"; }
      leaf serial { type string; }
    }
    leaf main { type leafref { path "../lamp/name"; } }
  }
}`;
const users = [{ name: "ops", password: "secret" }];
const lamps = (inside: string): string => `<lamps xmlns="urn:lamps">${inside}</lamps>`;
const lamp = (name: string, rest = ""): string => `<lamp><name>${name}</name>${rest}</lamp>`;
const initial = lamps(lamp("hall", "<level>20</level>"));

const started: Simulator[] = [];
const opened: NetconfSession[] = [];

async function device(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    name: "lamps",
    modules: [{ name: "lamps.yang", text: lampModule }],
    users,
    initialConfigXml: initial,
    ...options,
  });
  started.push(simulator);
  return simulator;
}

async function open(
  simulator: Simulator,
  over: { readonly password?: string; readonly sha256?: string } = {},
): Promise<NetconfSession> {
  const session = await openNetconfSession({
    ssh: {
      host: simulator.host,
      port: simulator.port,
      credentials: { username: "ops", proof: { kind: "password", password: over.password ?? "secret" } },
      hostKey: { kind: "pinned", sha256: over.sha256 ?? simulator.fingerprint },
    },
    requestTimeoutMs: 10_000,
  });
  opened.push(session);
  return session;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
  await Promise.all(started.splice(0).map((simulator) => simulator.stop()));
});

function elements(xml: string): readonly XmlElement[] {
  const parsed = parseXml(`<x xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0">${xml}</x>`);
  if (parsed.kind === "failed") throw new Error(parsed.error.message);
  return childElements(parsed.value);
}

const edit = (session: NetconfSession, inside: string): Promise<unknown> =>
  editConfig(session, { target: "candidate", config: elements(lamps(inside)) });

async function read(session: NetconfSession, source: "running" | "candidate" | "startup" = "running"): Promise<string> {
  const { data } = await getConfig(session, { source });
  return text(data);
}

function text(element: XmlElement): string {
  const result = formatXml(element);
  if (result.kind === "failed") throw new Error(result.error.message);
  return result.value;
}

/** The code of the error and the tags the device answered, `CODE tag tag`. */
async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProviderError) return [error.code, ...error.reports.map((report) => report.tag)].join(" ");
    throw error;
  }
  return "no failure";
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error("the condition never held");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const fault = (operation: string, action: Fault["action"], occurrence: Fault["occurrence"] = "every"): Fault => ({
  id: "fault",
  operation,
  occurrence,
  action,
});

describe("a device made of a module that this test wrote", () => {
  test.each([[["1.0"]], [["1.1"]], [["1.0", "1.1"]]] as const)("talks base %j", async (bases) => {
    const simulator = await device({ offer: { bases }, maxChunkBytes: 7 });
    const session = await open(simulator);
    expect(await read(session)).toContain("<name>hall</name><level>20</level>");
    expect(session.capabilities.confirmedCommit).toBe("1.1");
  });

  test("edit, validate, commit, read back", async () => {
    const session = await open(await device());
    await lock(session, { target: "running" });
    await lock(session, { target: "candidate" });
    await edit(
      session,
      lamp("attic", "<level>70</level>") + lamp("hall").replace("<lamp>", `<lamp nc:operation="delete">`),
    );
    await validate(session, { source: "candidate" });
    expect(await read(session)).toContain("hall");
    await commit(session);
    expect(await read(session)).toContain(lamps(lamp("attic", "<level>70</level>")));
    await unlock(session, { target: "candidate" });
    await unlock(session, { target: "running" });
  });

  test("its modules are found and fetched", async () => {
    const session = await open(await device());
    const { data } = await getState(session);
    expect(readFetchableSchemas(data)).toMatchObject([{ identifier: "lamps", version: "2026-02-03", format: "yang" }]);
    expect(readModuleLibrary(data)?.modules).toMatchObject([{ name: "lamps", conformance: "implement" }]);
    expect(session.capabilities.modules).toContainEqual(
      expect.objectContaining({ name: "lamps", revision: "2026-02-03" }),
    );
    expect(await getSchema(session, { identifier: "lamps" })).toBe(lampModule);
    expect(await failure(getSchema(session, { identifier: "nothing" }))).toBe("DeviceRejected invalid-value");
  });

  test("filters and with-defaults", async () => {
    const session = await open(await device({ initialConfigXml: lamps(lamp("a") + lamp("b", "<level>1</level>")) }));
    const filter = elements(lamps("<lamp><name>a</name></lamp>"));
    const all = await getConfig(session, { source: "running", filter, withDefaults: "report-all" });
    expect(text(all.data)).toContain(lamps(lamp("a", "<level>50</level>")));
    const tagged = await getConfig(session, { source: "running", withDefaults: "report-all-tagged" });
    expect(text(tagged.data)).toMatch(/<level [^>]*:default="true">50<\/level>.*<level>1<\/level>/u);
  });

  test("errors carry tag, path and info", async () => {
    const session = await open(await device());
    const error: unknown = await edit(session, lamp("hall").replace("<lamp>", `<lamp nc:operation="create">`)).catch(
      (each: unknown) => each,
    );
    expect(error).toBeInstanceOf(ProviderError);
    expect((error as ProviderError).reports).toMatchObject([
      {
        tag: "data-exists",
        type: "application",
        path: "/la:lamps/la:lamp[la:name='hall']",
        pathPrefixes: { la: "urn:lamps" },
      },
    ]);
    expect(await failure(edit(session, lamp("hall", "<level>101</level>")))).toBe("DeviceRejected invalid-value");
    expect(await failure(edit(session, "<main>nobody</main>"))).toBe("DeviceRejected data-missing");
  });

  test("a broken module, and a first configuration that does not fit, stop the start with their places", async () => {
    const broken = [{ name: "lamps.yang", text: lampModule.replace("type uint8", "type uint9") }];
    await expect(device({ modules: broken })).rejects.toThrow(/lamps\.yang:\d+:\d+/u);
    await expect(device({ initialConfigXml: lamps("<main>x</main>") })).rejects.toBeInstanceOf(SimulatorError);
  });

  test("wrong password, wrong host key, closed port", async () => {
    const simulator = await device();
    expect(await failure(open(simulator, { password: "wrong" }))).toBe("AuthenticationFailed");
    expect(await failure(open(simulator, { sha256: `SHA256:${"A".repeat(43)}` }))).toBe("HostKeyMismatch");
    const session = await open(simulator);
    await simulator.setNetwork("unreachable");
    await session.ended;
    expect(await failure(open(simulator))).toBe("Unreachable");
    await simulator.setNetwork("reachable");
    expect(await read(await open(simulator))).toContain("hall");
  });

  test("keeps the host key it is given", async () => {
    const hostKey = generateHostKey();
    const [a, b] = [await device({ hostKey }), await device({ hostKey })];
    expect(a.fingerprint).toBe(b.fingerprint);
    expect(a.port).not.toBe(b.port);
  });
});

describe("sessions", () => {
  test("case 47 and 49: what a lost session held is free, what it left uncommitted under its lock is gone", async () => {
    const simulator = await device();
    const [lost, other] = [await open(simulator), await open(simulator)];
    await lock(lost, { target: "candidate" });
    await edit(lost, lamp("cellar"));
    const denied: unknown = await lock(other, { target: "candidate" }).catch((error: unknown) => error);
    expect((denied as ProviderError).reports).toMatchObject([
      { tag: "lock-denied", info: [{ name: "session-id", text: String(lost.sessionId) }] },
    ]);
    lost.destroy();
    await until(() => simulator.sessions().length === 1);
    await lock(other, { target: "candidate" });
    expect(await read(other, "candidate")).not.toContain("cellar");
  });

  test("kill-session ends another session and never its own or none", async () => {
    const simulator = await device();
    const [victim, killer] = [await open(simulator), await open(simulator)];
    await lock(victim, { target: "running" });
    await killSession(killer, { sessionId: victim.sessionId });
    await victim.ended;
    await lock(killer, { target: "running" });
    expect(await failure(killSession(killer, { sessionId: 99 }))).toBe("DeviceRejected invalid-value");
  });
});

describe("confirmed commit over sessions", () => {
  test("case 50: the end of the session reverts, a persist id keeps it and another session confirms", async () => {
    const simulator = await device();
    const first = await open(simulator);
    await edit(first, lamp("cellar"));
    await confirmedCommit(first, { timeoutSeconds: 600 });
    expect(simulator.configXml("running")).toContain("cellar");
    await first.close();
    await until(() => !simulator.configXml("running").includes("cellar"));

    const second = await open(simulator);
    await edit(second, lamp("cellar"));
    await confirmedCommit(second, { timeoutSeconds: 600, persist: "job-77" });
    await second.close();
    const third = await open(simulator);
    expect(await failure(commit(third))).toContain("in-use");
    expect(await failure(confirmCommit(third, { persistId: "job-78" }))).toContain("invalid-value");
    await confirmCommit(third, { persistId: "job-77" });
    expect(await read(third)).toContain("cellar");
    expect(await failure(cancelCommit(third, { persistId: "job-77" }))).toContain("operation-failed");
  });

  test("cancel-commit and the timer take it back", async () => {
    const simulator = await device();
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    await confirmedCommit(session, { timeoutSeconds: 600, persist: "a" });
    await cancelCommit(session, { persistId: "a" });
    expect(await read(session)).not.toContain("cellar");
    await edit(session, lamp("cellar"));
    await confirmedCommit(session, { timeoutSeconds: 1, persist: "b" });
    expect(await read(session)).toContain("cellar");
    await until(async () => !(await read(session)).includes("cellar"));
  });

  test("a timer longer than the system's longest does not fire at once", async () => {
    const simulator = await device();
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    await confirmedCommit(session, { timeoutSeconds: 4_294_967_295, persist: "long" });
    await read(session);
    expect(await read(session)).toContain("cellar");
  });
});

describe("faults", () => {
  test.each([
    ["before", "no", false],
    ["after", "yes", true],
  ] as const)("case 45: the session is lost %s the second commit", async (when, carriedOut, stored) => {
    const simulator = await device({ faults: [fault("commit", { kind: "drop-session", when }, 2)] });
    const session = await open(simulator);
    await edit(session, lamp("first"));
    await commit(session);
    await edit(session, lamp("second"));
    expect(await failure(commit(session))).toBe("OutcomeUnknown");
    expect(simulator.configXml("running").includes("second")).toBe(stored);
    expect(simulator.configXml("running")).toContain("first");
    expect(simulator.rpcs().at(-1)).toMatchObject({ operation: "commit", outcome: "dropped", carriedOut });
  });

  test("case 45: a late answer comes, after the commit has long been carried out", async () => {
    const simulator = await device({ faults: [fault("commit", { kind: "hold", when: "after" })] });
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    const answer = commit(session);
    await until(() => simulator.heldBy("fault") === 1);
    expect(simulator.configXml("running")).toContain("cellar");
    expect(simulator.rpcs().at(-1)).toMatchObject({ outcome: "pending", carriedOut: "yes" });
    simulator.releaseFault("fault");
    await answer;
  });

  test("an operation that is held when its session goes is never carried out", async () => {
    const simulator = await device({ faults: [fault("*", { kind: "hold", when: "before" }, 2)] });
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    const answer = failure(commit(session));
    await until(() => simulator.heldBy("fault") === 1);
    session.destroy();
    expect(await answer).toBe("OutcomeUnknown");
    await until(() => simulator.rpcs().at(-1)?.outcome === "dropped");
    expect(simulator.configXml("running")).not.toContain("cellar");
  });

  test("an answer can be late by time", async () => {
    const simulator = await device({ faults: [fault("get-config", { kind: "delay", milliseconds: 150 })] });
    const session = await open(simulator);
    const begin = performance.now();
    await read(session);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(140);
  });

  test("case 49: a lock is denied in the name of a session that is not there", async () => {
    const simulator = await device({ faults: [fault("lock", { kind: "deny-lock", session: 0 }, 1)] });
    const session = await open(simulator);
    const denied: unknown = await lock(session, { target: "running" }).catch((error: unknown) => error);
    expect((denied as ProviderError).reports).toMatchObject([{ tag: "lock-denied", info: [{ text: "0" }] }]);
    await lock(session, { target: "running" });
  });

  test("a warning stands before ok, and hides no error", async () => {
    const simulator = await device({ faults: [fault("edit-config", { kind: "warn", message: "mind the lamp" })] });
    const session = await open(simulator);
    expect(await edit(session, lamp("a"))).toMatchObject({
      warnings: [{ severity: "warning", message: "mind the lamp" }],
    });
    const error: unknown = await edit(session, "<main>nobody</main>").catch((each: unknown) => each);
    expect((error as ProviderError).reports).toContainEqual(
      expect.objectContaining({ tag: "data-missing", severity: "error" }),
    );
  });

  test("a value is rewritten and case 67: nodes are added on the way to running", async () => {
    const simulator = await device({
      faults: [
        {
          ...fault("commit", { kind: "rewrite", path: "/lamps:lamps/lamp[name='hall']/level", value: "25" }),
          id: "rewrite",
        },
        { ...fault("commit", { kind: "add", config: lamps(lamp("hall", "<serial>S1</serial>")) }), id: "add" },
      ],
    });
    const session = await open(simulator);
    await edit(session, lamp("hall", "<level>30</level>"));
    await commit(session);
    expect(await read(session)).toContain(lamp("hall", "<level>25</level><serial>S1</serial>"));
  });

  test("ok, and nothing stored", async () => {
    const simulator = await device({ faults: [fault("commit", { kind: "ignore" })] });
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    await commit(session);
    expect(await read(session)).not.toContain("cellar");
  });

  test("case 87: a node that the device does not let go", async () => {
    const path = "/lamps:lamps/lamp[name='hall']";
    const simulator = await device({
      faults: [fault("edit-config", { kind: "refuse-edit", path, tag: "operation-failed", message: "built in" })],
    });
    const session = await open(simulator);
    const remove = lamp("hall").replace("<lamp>", `<lamp nc:operation="remove">`);
    expect(await failure(edit(session, remove))).toBe("DeviceRejected operation-failed");
    expect(await failure(edit(session, lamp("hall", "<level>3</level>")))).toBe("DeviceRejected operation-failed");
    await edit(session, lamp("attic"));
  });

  test("case 77: a commit that fails leaves its edit behind, for discard-changes to clear", async () => {
    const failing = fault("commit", { kind: "fail", tag: "operation-failed", message: "no" }, 1);
    const session = await open(await device({ faults: [failing] }));
    await edit(session, lamp("cellar"));
    expect(await failure(commit(session))).toContain("operation-failed");
    expect(await read(session, "candidate")).toContain("cellar");
    await discardChanges(session);
    await edit(session, lamp("attic"));
    await commit(session);
    expect(await read(session)).not.toContain("cellar");
  });

  test("faults change while the device runs, and one that cannot be is refused", async () => {
    const simulator = await device();
    expect(() =>
      simulator.setFaults([fault("commit", { kind: "rewrite", path: "/lamps:lamps/lamp[name='x']", value: "1" })]),
    ).toThrow(SimulatorError);
    simulator.setFaults([fault("get-config", { kind: "fail", tag: "too-big", message: "no" }, 1)]);
    const session = await open(simulator);
    expect(await failure(read(session))).toContain("too-big");
    await read(session);
  });
});

describe("behind the client's back", () => {
  test("a change from outside is seen, and one that does not fit is refused", async () => {
    const simulator = await device();
    const session = await open(simulator);
    simulator.edit(lamps(lamp("cellar")));
    expect(await read(session)).toContain("cellar");
    expect(await read(session, "candidate")).toContain("cellar");
    expect(() => simulator.edit(lamps("<main>nobody</main>"))).toThrow(SimulatorError);
    await lock(session, { target: "running" });
    expect(() => simulator.edit(lamps(lamp("attic")))).toThrow(/locked/u);
    simulator.edit(lamps(lamp("attic")), { locks: "ignored" });
    expect(await read(session)).toContain("attic");
  });

  test("case 78: what is not copied to startup does not survive a reboot", async () => {
    const simulator = await device({ offer: { startup: "offered" } });
    const session = await open(simulator);
    await edit(session, lamp("saved"));
    await commit(session);
    await copyConfig(session, { source: "running", target: "startup" });
    await edit(session, lamp("lost"));
    await commit(session);
    simulator.reboot();
    await session.ended;
    const after = await read(await open(simulator));
    expect([after.includes("saved"), after.includes("lost")]).toEqual([true, false]);
  });

  test("every operation is in the log, with its session, persist ids and outcome", async () => {
    const simulator = await device();
    const session = await open(simulator);
    await edit(session, lamp("cellar"));
    await confirmedCommit(session, { timeoutSeconds: 60, persist: "p1" });
    await confirmCommit(session, { persistId: "p1" });
    await failure(confirmCommit(session, { persistId: "p1" }));
    await session.close();
    const { sessionId } = session;
    expect(simulator.rpcs()).toMatchObject([
      { number: 1, session: sessionId, operation: "edit-config", datastore: "candidate", outcome: "ok" },
      { number: 2, session: sessionId, operation: "commit", persist: "p1", persistId: undefined, outcome: "ok" },
      { number: 3, session: sessionId, operation: "commit", persistId: "p1", outcome: "ok" },
      { number: 4, session: sessionId, operation: "commit", outcome: "error", errorTags: ["invalid-value"] },
      { number: 5, session: sessionId, operation: "close-session", outcome: "ok" },
    ]);
  });
});
