import { canonicalJson } from "../../graph/canonical-json.ts";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlanState } from "../../contract/plan-state.ts";
import { PlanState as States } from "../../contract/plan-state.ts";
import { renderGoal } from "../../goal/device-goal.ts";
import { BEFORE, MTU_PATH, importDevice, labTree, putMtuService, putPlan, sha256 } from "../support/api-lab.ts";
import { type TestApi, openTestApi } from "../support/api-server.ts";
import type { CliOutcome } from "../support/run-cli.ts";
import { planRecord, testFolder } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
const PLAN = "p-bbbbbbbb";
const json = (outcome: CliOutcome) => JSON.parse(outcome.out) as unknown;
const error = (outcome: CliOutcome) => JSON.parse(outcome.err) as unknown;

async function waitingPlan(api: TestApi): Promise<string> {
  const moduleSet = await importDevice(api.store, R1);
  return putPlan(api.store, { id: PLAN, device: R1, moduleSet, state: States.waiting });
}

/** The workflow that was started last ends so. */
async function endRun(api: TestApi, result: unknown): Promise<void> {
  await expect.poll(() => api.temporal.started.length).toBeGreaterThan(0);
  const run = api.temporal.started.at(-1);
  if (run !== undefined) api.temporal.states.set(run.id, { kind: "completed", result });
}

describe("devices", () => {
  test("add waits for the first contact and tells what to do next; a failure is told with its places and remedy", async () => {
    const api = await openTestApi();
    const args = ["device", "add", "r1", "--address", "192.0.2.1:830", "--credentials", "env:R1"];
    const failed = api.cli(...args, "--json");
    await expect.poll(() => api.temporal.started.length).toBe(1);
    const presented = `SHA256:${"B".repeat(43)}`;
    const diagnostics = [
      {
        code: "HostKeyUnknown",
        severity: "error",
        message: presented,
        places: [{ kind: "field", path: "hostKey.presented" }],
      },
    ] as const;
    const failure = { code: "HostKey", message: "the host key is not known", details: { diagnostics, omitted: 0 } };
    api.temporal.states.set(api.temporal.started[0]?.id ?? "", { kind: "failed", failure });
    expect(await failed).toMatchObject({ code: 1, out: "" });
    expect(error(await failed)).toMatchObject({
      code: "HostKey",
      diagnostics,
      remedy: expect.stringContaining(`--host-key ${presented}`) as unknown,
    });

    const added = api.cli(...args, "--host-key", presented);
    await expect.poll(() => api.temporal.started.length).toBe(2);
    const started = api.temporal.started[1];
    if (started?.workflow !== "addDevice") throw new Error("a device is added");
    await importDevice(api.store, { id: started.input.device.id, name: "r1" });
    await endRun(api, { device: started.input.device, modules: 7, profile: "netconf-generic" });
    expect(await added).toMatchObject({ code: 0, err: expect.stringContaining("contacting r1") as unknown });
    expect((await added).out).toContain("7 modules");
  });

  test("--yang sends the module texts of a folder; a folder without any is a usage error", async () => {
    const api = await openTestApi();
    const folder = testFolder();
    const args = [
      "device",
      "add",
      "r1",
      "--address",
      "192.0.2.1",
      "--credentials",
      "env:R1",
      "--no-wait",
      "--yang",
      folder,
      "--json",
    ];
    expect(await api.cli(...args)).toMatchObject({ code: 2 });
    writeFileSync(join(folder, "lab.yang"), "module lab {}");
    writeFileSync(join(folder, "README"), "no module");
    const added = await api.cli(...args);
    expect(added.code).toBe(0);
    expect(json(added)).toMatchObject({ name: "r1", run: expect.stringMatching(/^device\/d-/) as unknown });
    const [started] = api.temporal.started;
    const modules = started?.workflow === "addDevice" ? started.input.modules : undefined;
    expect(JSON.parse(await api.store.documents.getText(modules ?? ""))).toMatchObject({
      modules: [{ name: "lab", text: "module lab {}" }],
    });
  });

  test("list, show, status, pause and remove", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    await putMtuService(api.store, R1.id);
    expect((await api.cli("device", "list")).out).toMatch(
      /^NAME +ID .*\nr1 +d-aaaaaaaa +127\.0\.0\.1:830 .*not known for revision 2\n$/,
    );
    expect((await api.cli("device", "show", "r1")).out).toMatch(/services +mtu\n/);
    expect((await api.cli("device", "pause", "r1")).out).toBe("device r1 is paused\n");
    expect((await api.cli("status")).out).toMatch(/r1 +paused +not known for revision 2/);
    const refused = await api.cli("device", "remove", "r1");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^error: device r1 is targeted by mtu\ntry: /);
    expect(await api.cli("device", "show", "r2", "--json")).toMatchObject({ code: 1, out: "" });
  });
});

describe("import and drift", () => {
  const outcome = { device: R1.id, revision: 1 };

  test.each([
    ["in sync", [{ kind: "in-sync", ...outcome }], 0],
    ["drift", [{ kind: "drift", ...outcome, operations: 2, section: "a".repeat(64) }], 3],
    ["a device that failed", [{ kind: "failed", device: R1.id, code: "Unreachable", message: "no route" }], 1],
    [
      "drift beside a failure",
      [
        { kind: "failed", device: "d-b", code: "Unreachable", message: "no route" },
        { kind: "drift", ...outcome, operations: 2, section: "a" },
      ],
      3,
    ],
  ])("drift: %s", async (_name, outcomes, code) => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const found = api.cli("drift", "--all", "--json");
    await endRun(api, { outcomes });
    expect((await found).code).toBe(code);
    expect(json(await found)).toMatchObject({ outcomes });
    expect((await found).err).toBe("");
  });

  test("import tells each device apart", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const mtu = "/net:interfaces/interface[name='e1']/mtu";
    const note = "/net:interfaces/interface[name='e1']/note";
    const value = { kind: "plain", type: "uint16", text: "9000" };
    const item = { kind: "leaf", path: mtu, value, origin: "set" };
    const report = await api.store.documents.put(
      canonicalJson({
        format: "tenure-import/1",
        device: R1.id,
        totals: { added: 0, changed: 2, removed: 1, retyped: 0, unfit: 0 },
        changes: [{ kind: "removed", path: mtu, before: item }],
        evidence: [
          {
            device: R1.id,
            path: mtu,
            kind: "disappeared",
            expected: value,
            observation: "o",
            services: ["mtu", "lan"],
          },
          { device: R1.id, path: note, kind: "not-deployed", observation: "o", services: [] },
        ],
        services: [{ service: "mtu", status: "inconsistent" }],
      }),
    );
    const found = api.cli("import", "r1", "--allow-empty", "--preview");
    await endRun(api, {
      outcomes: [
        {
          ...{ kind: "imported", ...outcome, items: 9, changed: 2, removed: 1, retyped: 0, unfit: 0 },
          ...{ affectedServices: ["mtu"], evidence: 1, report },
        },
        { kind: "failed", device: "d-zzzzzzzz", code: "AuthenticationFailed", message: "wrong password" },
      ],
    });
    expect(await found).toMatchObject({ code: 1 });
    expect((await found).out).toMatch(
      /r1 +not recorded +9 items, 2 changed, 1 removed; affects mtu\n.*wrong password \[AuthenticationFailed\]\n/,
    );
    expect((await found).out).toContain(
      [
        "r1: what would change",
        `  - ${mtu}: was 9000`,
        "  and 2 more; --json names the report that has them",
        "r1: what services require",
        `  disappeared ${mtu}, required 9000: affects mtu, lan`,
        "r1: what is gone and no service requires",
        `  not-deployed ${note}`,
        "r1: services",
        "  mtu becomes inconsistent",
      ].join("\n"),
    );
    expect(api.temporal.started).toMatchObject([{ input: { devices: [R1.id], mode: "preview", empty: "allow" } }]);

    // Once it is recorded, what is gone and whom that concerns is told again, the ordinary changes are not.
    const recorded = api.cli("import", "r1");
    await expect.poll(() => api.temporal.started.length).toBe(2);
    await endRun(api, {
      outcomes: [
        {
          ...{ kind: "imported", ...outcome, items: 9, changed: 2, removed: 1, retyped: 0, unfit: 0 },
          ...{ affectedServices: ["mtu"], evidence: 1, report },
        },
      ],
    });
    expect(await recorded).toMatchObject({ code: 0 });
    expect((await recorded).out).toMatch(/r1 +revision 1 +9 items/);
    expect((await recorded).out).toContain(
      `r1: what services require\n  disappeared ${mtu}, required 9000: affects mtu, lan\n`,
    );
    expect((await recorded).out).not.toContain("what would change");
  });
});

describe("services", () => {
  test("put prints plan id and digest once the plan stands", async () => {
    const api = await openTestApi();
    const file = join(testFolder(), "mtu.yaml");
    writeFileSync(file, "kind: service\nname: mtu\ndefinition: port-mtu\ntargets: [r1]\n");
    const put = api.cli("service", "put", file, "--policy", "per-device", "--json");
    await expect.poll(() => api.temporal.started.length).toBe(1);
    const [started] = api.temporal.started;
    if (started?.workflow !== "changeService") throw new Error("a change is started");
    expect(started.input.options).toEqual({ policy: "per-device", includeDrift: "leave", unrelated: "refuse" });
    const { plan } = started.input;
    await api.store.putPlan({ plan: planRecord(plan), state: States.waiting });
    expect(json(await put)).toMatchObject({ plan, digest: planRecord(plan).digest, state: "waiting" });
    expect((await put).code).toBe(0);
  });

  test("an error in a file is told with file:line:column and exit code 1; a file that is not there by its name", async () => {
    const api = await openTestApi();
    const file = join(testFolder(), "mtu.yaml");
    writeFileSync(file, "kind: service\nname: mtu\nname: mtu\n");
    const refused = await api.cli("service", "put", file);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain(`${file}:3:1`);
    expect((await api.cli("service", "put", `${file}.no`)).err).toContain(`${file}.no cannot be read`);
    writeFileSync(file, Buffer.from([0x6b, 0xff, 0xfe]));
    expect((await api.cli("service", "put", file)).code).toBe(1);
    expect(api.temporal.started).toEqual([]);
  });

  test("a preview shows what would change, go and stay; a record that came too late is stale", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    await putMtuService(api.store, R1.id);
    const proposal = await api.store.documents.put(
      JSON.stringify({
        format: "tenure-proposal/1",
        kind: "remove",
        services: [{ name: "mtu", effect: "removed" }],
        definitions: [],
        explanations: [
          {
            kind: "kept",
            device: R1.id,
            path: MTU_PATH,
            service: "mtu",
            reason: "linked",
            keepers: [{ service: "other", relation: "depends", path: MTU_PATH }],
            referrers: [],
            value: { kind: "plain", type: "uint16", text: "9000" },
            setBy: { kind: "service", service: "mtu" },
          },
        ],
        wishes: [{ device: R1.id, name: "r1", wish: "a" }],
        statuses: [],
        body: "b",
      }),
    );
    const preview = api.cli("service", "remove", "mtu", "--preview");
    await endRun(api, { proposal });
    expect((await preview).out).toContain(`= ${MTU_PATH} stays at 9000: other depends on it; set by service mtu`);
    expect((await preview).out).toContain("device r1\n");
    const record = api.cli("service", "remove", "mtu", "--record", "--json");
    await expect.poll(() => api.temporal.started.length).toBe(2);
    const failure = {
      code: "Stale",
      message: "desired state changed meanwhile: r1 was imported",
      details: { diagnostics: [], omitted: 0 },
    };
    api.temporal.states.set(api.temporal.started[1]?.id ?? "", { kind: "failed", failure });
    expect(await record).toMatchObject({ code: 4, out: "" });
    expect(error(await record)).toMatchObject({ code: "Stale" });

    const again = api.cli("service", "remove", "mtu", "--record");
    await expect.poll(() => api.temporal.started.length).toBe(3);
    await endRun(api, { proposal });
    expect(await again).toMatchObject({
      code: 0,
      out: "desired state says all of this already; nothing was recorded\n",
    });
  });
});

describe("plans", () => {
  test("show proves the documents against the digest and prints operations and digest", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    const { code, out } = await api.cli("plan", "show", PLAN);
    expect(code).toBe(0);
    expect(out).toContain(`digest ${digest}`);
    expect(out).toContain(`~ ${MTU_PATH}: 1500 -> 9000`);
    expect(out).toContain("- /lab:ports/port[name='b']");
    expect(json(await api.cli("plan", "show", PLAN, "--json"))).toMatchObject({
      plan: PLAN,
      digest,
      state: "waiting",
      header: { format: "tenure-plan/1" },
      sectionDocuments: [{ device: R1.id }],
    });
    expect((await api.cli("plan", "show", PLAN, "--as", "netconf")).out).toMatch(/^<!-- r1 -->\n<config /);
    expect((await api.cli("plan", "show", PLAN, "--observation", "r1")).out).toContain('"hostname": "r1"');
    expect((await api.cli("plan", "list")).out).toContain(PLAN);
  });

  test("a saved plan is read without a server, and refused when one character differs", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    const file = join(testFolder(), "r1.plan");
    expect((await api.cli("plan", "show", PLAN, "--out", file)).code).toBe(0);
    expect((await api.cli("plan", "show", PLAN, "--out", file)).err).toContain("cannot be written");
    await api.close();
    const shown = await api.cli("plan", "show", file);
    expect(shown.out).toContain(`digest ${digest}`);
    expect(shown.out).toContain(`~ ${MTU_PATH}: 1500 -> 9000`);
    writeFileSync(file, readFileSync(file, "utf8").replace("9000", "9001"));
    expect(await api.cli("plan", "show", file, "--json")).toMatchObject({ code: 1, out: "" });
    expect(error(await api.cli("plan", "show", file, "--json"))).toMatchObject({ code: "document-digest" });
  });

  test.each([
    [States.applied, 0],
    [States.partial, 1],
    [States.aborted, 1],
    [States.failed, 1],
    [States.stale, 4],
  ] as const)("approve waits for the outcome: %s", async (state, code) => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    const move = (to: PlanState) =>
      api.store.recordPlanState({
        plan: PLAN,
        state: to,
        actor: undefined,
        comment: undefined,
        reason: "so it went",
        revision: undefined,
      });
    api.temporal.answer = async () => {
      await move(States.applying);
      return { kind: "answered", answer: { kind: "accepted", state: States.applying } };
    };
    api.temporal.queries.set(`apply/${PLAN}/${R1.id}`, { devices: [{ device: R1.id, phase: "preparing" }] });
    const approved = api.cli("plan", "approve", PLAN, "--digest", digest);
    await expect.poll(() => api.store.plan(PLAN).then((plan) => plan?.state)).toBe("applying");
    const kind = state === States.applied ? "applied" : "rolled-back";
    await api.store.recordOutcome({
      plan: PLAN,
      transaction: undefined,
      device: R1.id,
      outcome: { kind, message: undefined, observation: undefined, differences: [] },
      key: "o",
    });
    await move(state);
    const ended = await approved;
    expect(ended.code).toBe(code);
    expect(ended.out).toContain(`plan ${PLAN} is ${state}`);
    expect(ended.out).toContain(`device r1: ${kind}`);
    expect(ended.err).toContain("author-may-approve");
  });

  test("approve --hold and --no-wait return at once; a refused digest is exit code 1 with the way to the right one", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    api.temporal.answer = ({ args }) => ({
      kind: "answered",
      answer: { kind: "accepted", state: "hold" in args && args.hold === "hold" ? States.held : States.applying },
    });
    expect(await api.cli("plan", "approve", PLAN, "--digest", digest, "--hold", "--json")).toMatchObject({
      code: 0,
      err: "",
    });
    expect((await api.cli("plan", "approve", PLAN, "--digest", digest, "--no-wait")).out).toBe(
      `plan ${PLAN} is applying\n`,
    );
    api.temporal.answer = () => ({ kind: "rejected", code: "wrong-digest", message: "another digest" });
    const refused = await api.cli("plan", "approve", PLAN, "--digest", sha256("x"));
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toBe(`error: another digest\ntry: read what you approve: tenure plan show ${PLAN}\n`);
  });

  test("apply of a stale plan is exit code 4", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    await api.store.recordPlanState({
      plan: PLAN,
      state: States.stale,
      actor: undefined,
      comment: undefined,
      reason: undefined,
      revision: undefined,
    });
    expect((await api.cli("plan", "approve", PLAN, "--digest", digest, "--json")).code).toBe(4);
    expect((await api.cli("plan", "apply", PLAN)).code).toBe(4);
    expect((await api.cli("plan", "watch", PLAN)).code).toBe(4);
  });

  test("create makes a drift plan and can save it", async () => {
    const api = await openTestApi();
    const moduleSet = await importDevice(api.store, R1);
    const file = join(testFolder(), "r1.plan");
    const created = api.cli(
      "plan",
      "create",
      "--device",
      "r1",
      "--direction",
      "enforce",
      "--path",
      "/lab:ports",
      "--path",
      "/lab:dns",
      "--out",
      file,
    );
    await expect.poll(() => api.temporal.started.length).toBe(1);
    const [started] = api.temporal.started;
    if (started?.workflow !== "planAndApply") throw new Error("a plan is started");
    expect(started.input.source).toMatchObject({
      direction: "enforce",
      devices: [R1.id],
      paths: ["/lab:dns", "/lab:ports"],
    });
    const digest = await putPlan(api.store, { id: started.input.plan, device: R1, moduleSet, state: States.waiting });
    expect((await created).out).toContain(`tenure plan approve ${started.input.plan} --digest ${digest}`);
    expect(existsSync(file)).toBe(true);
  });
});

test("show gives the goal byte by byte, history and blame and diff tables, check a verdict", async () => {
  const api = await openTestApi();
  await importDevice(api.store, R1);
  await putMtuService(api.store, R1.id);
  expect((await api.cli("show", "r1", "--revision", "1")).out).toBe(renderGoal(labTree(BEFORE)));
  expect(json(await api.cli("show", "r1", "/lab:dns", "--json"))).toMatchObject({
    device: "r1",
    content: { "lab:dns": BEFORE["lab:dns"] },
  });
  expect((await api.cli("history", "r1", MTU_PATH)).out).toMatch(
    /^REVISION.*\n2 .*alice +9000 +service mtu +change plan p-aaaaaaaa\n1 .*1500 +import +import import d-aaaaaaaa\n$/,
  );
  expect((await api.cli("history")).out).toMatch(/change plan p-aaaaaaaa/);
  expect((await api.cli("blame", "r1", MTU_PATH)).out).toMatch(/9000 +service mtu +2 +mtu\n$/);
  expect((await api.cli("diff", "1", "2")).out).toBe(
    `+ definition port-mtu 1\n+ service mtu on r1\n~ r1 ${MTU_PATH}: 1500 -> 9000\n+ mtu owns r1 ${MTU_PATH} as 9000\n`,
  );
  expect(await api.cli("check")).toMatchObject({ code: 0, out: "all invariants hold\n" });
  expect((await api.cli("service", "list")).out).toMatch(/mtu +port-mtu 1 +r1 +consistent +2\n$/);
  expect((await api.cli("service", "show", "mtu")).out).toContain(MTU_PATH);
  expect((await api.cli("definition", "list")).out).toContain("port-mtu");
  expect((await api.cli("show", "r1", "/lab:prots")).err).toContain("/lab:prots");
});

test("maintenance programs are refused while the folder is owned, and do their work afterwards", {
  timeout: 120_000,
}, async () => {
  const api = await openTestApi();
  await importDevice(api.store, R1);
  const owned = await runProgram("verify-journal", api.folder);
  expect(owned.code).toBe(1);
  expect(JSON.parse(owned.err)).toMatchObject({ code: "already-open" });
  await api.close();
  await api.store.close();
  const verified = await runProgram("verify-journal", api.folder);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.out)).toMatchObject({ records: { first: 1, last: 2 }, findings: [] });
  const rebuilt = await runProgram("rebuild-graph", api.folder);
  expect(JSON.parse(rebuilt.out)).toMatchObject({ records: { first: 1, last: 2 }, revision: 1, findings: [] });
});

/** From the sources, so that the test needs no build. */
function runProgram(name: string, folder: string): Promise<CliOutcome> {
  return new Promise((resolve, reject) => {
    const file = join(import.meta.dirname, "..", "..", "worker", `${name}.ts`);
    const child = spawn(process.execPath, ["--import", "tsx", file, "--json"], {
      env: { ...process.env, TENURE_HOME: folder },
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => (out += String(chunk)));
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code: code ?? -1, out, err });
    });
  });
}
