/**
 * The worker is killed during an import and while a submission becomes a plan. Both end by themselves after a restart:
 * the import with one revision, the plan waiting for its approval, with no revision before that.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RevisionLine, StartedRun } from "../../contract/api.ts";
import { PlanState } from "../../contract/plan-state.ts";
import type { ImportDevicesResult } from "../../contract/workflows.ts";
import { eventually } from "../support/eventually.ts";
import { type KillPoint, type Work, killDuring } from "../support/pipeline-crash.ts";
import {
  type PointRun,
  SEED,
  appendPoints,
  nameOf,
  reportRuns,
  rpcPoints,
  runPoints,
  sliceOf,
} from "../support/pipeline-crash-points.ts";
import { type CrashWorld, openCrashWorlds } from "../support/pipeline-crash-world.ts";
import { leftOn } from "../support/pipeline-device-probe.ts";

const DEVICES = ["r1", "r2"];
const WORLDS = 2;
const MINUTE_MS = 60_000;
const LIMIT_MS = 20 * MINUTE_MS;
const RECOVERY_LIMIT_MS = MINUTE_MS;

let worlds: readonly CrashWorld[] = [];

beforeAll(async () => {
  worlds = await openCrashWorlds(WORLDS, DEVICES);
}, 3 * MINUTE_MS);

afterAll(async () => {
  await Promise.all(worlds.map((world) => world.stop()));
}, MINUTE_MS);

interface Counts {
  readonly rpcs: number;
  readonly appends: number;
}

/** The same work, undisturbed: what it asks of the first device, and the lines that it writes. */
async function measure(world: CrashWorld, work: () => Promise<unknown>): Promise<Counts> {
  world.device("r1").clearRpcs();
  await world.worker().arm(undefined);
  await work();
  return { rpcs: world.device("r1").rpcs().length, appends: (await world.worker().appends()).length };
}

function pointsOf({ rpcs, appends }: Counts): readonly KillPoint[] {
  return [...rpcPoints("r1", rpcs), ...appendPoints(appends)];
}

/* ---------------------------------------------------------------- import ---- */

let words = 0;

/** Somebody changes the device, so that the next import has something to record. */
function changeDevice(world: CrashWorld): string {
  words += 1;
  const description = `changed by hand ${String(words)}`;
  world
    .device("r1")
    .edit(
      `<interfaces xmlns="urn:tenure:demo:interfaces"><interface><name>eth1</name><description>${description}</description></interface></interfaces>`,
    );
  return description;
}

async function importRevisions(world: CrashWorld): Promise<number> {
  const lines = await world.api.get<readonly RevisionLine[]>("/revisions", { limit: 1000 });
  return lines.filter((line) => line.cause.kind === "import").length;
}

async function killDuringImport(world: CrashWorld, point: KillPoint): Promise<PointRun> {
  const before = await importRevisions(world);
  const description = changeDevice(world);
  let started: StartedRun | undefined;
  const struck = await killDuring(world, point, {
    start: async () => {
      started = await world.api.post<StartedRun>("/imports", { devices: ["r1"], mode: "record", empty: "refuse" });
    },
    ended: async () => started !== undefined && (await world.runEnded(started.run)),
  });
  if (struck.kind !== "killed") throw new Error("the import ended before this point");
  await world.restart();
  const restarted = performance.now();
  if (started === undefined) throw new Error("the worker died before it told the id of the import");
  const result = await world.run<ImportDevicesResult>(started, RECOVERY_LIMIT_MS);
  const recoveryMs = performance.now() - restarted;

  const status = await world.status();
  expect({
    outcomes: result.outcomes.map((each) => each.kind),
    revisions: (await importRevisions(world)) - before,
    goal: (await world.api.getText("/devices/r1/config", { as: "xml" })).includes(
      `<description>${description}</description>`,
    ),
    locks: [...status.holders, ...status.waiters].length,
    left: await leftOn(world.device("r1")),
    drift: (await world.drift(["r1"])).map((each) => each.kind),
  }).toEqual({ outcomes: ["imported"], revisions: 1, goal: true, locks: 0, left: "nothing", drift: ["in-sync"] });
  return { point: nameOf(point), at: struck.at, state: "imported", recoveryMs };
}

/* ---------------------------------------------------------------- plan ---- */

async function killWhilePlanning(world: CrashWorld, point: KillPoint): Promise<PointRun> {
  const revision = (await world.status()).health.revision;
  const change = world.nextChange();
  const work: Work = { start: () => change.submit(), ended: () => change.isPlanned() };
  const struck = await killDuring(world, point, work);
  if (struck.kind !== "killed") throw new Error("the plan was there before this point");
  await world.restart();
  const restarted = performance.now();
  const plan = await eventually(
    "the plan",
    async () => (await world.status()).openPlans.find((each) => each.state === PlanState.waiting),
    { limitMs: RECOVERY_LIMIT_MS },
  );
  const recoveryMs = performance.now() - restarted;
  expect((await world.status()).health.revision, "nothing is committed before the approval").toBe(revision);
  await world.expectSettled(change.plannedAs(plan), await world.apply(plan));
  return { point: nameOf(point), at: struck.at, state: "planned and applied", recoveryMs };
}

describe(`kill -9 of the worker before anything is approved (seed ${String(SEED)})`, () => {
  test("during an import", { timeout: LIMIT_MS }, async () => {
    const [first] = worlds;
    if (first === undefined) throw new Error("no world was started");
    changeDevice(first);
    const all = pointsOf(await measure(first, () => first.importDevices(["r1"])));
    const { runs, failures } = await runPoints(worlds, sliceOf(all, 1 / 6), killDuringImport);
    reportRuns("import", runs, { total: all.length });
    expect(failures).toEqual([]);
  });

  test("while a submission becomes a plan", { timeout: LIMIT_MS }, async () => {
    const [first] = worlds;
    if (first === undefined) throw new Error("no world was started");
    const change = first.nextChange();
    const counts = await measure(first, async () => {
      await change.submit();
      await eventually("the plan", async () => ((await change.isPlanned()) ? true : undefined));
    });
    const [plan] = (await first.status()).openPlans;
    if (plan === undefined) throw new Error("there is no plan");
    await first.expectSettled(change.plannedAs(plan), await first.apply(plan));
    const all = pointsOf(counts);
    const { runs, failures } = await runPoints(worlds, sliceOf(all, 1 / 6), killWhilePlanning);
    reportRuns("plan", runs, { total: all.length });
    expect(failures).toEqual([]);
  });

  test("what all these lives wrote is one proven journal, and a graph rebuilt from it tells the same", async () => {
    for (const world of worlds) expect(await world.proveJournal()).toEqual({ findings: [], rebuilt: "the same" });
  });
});
