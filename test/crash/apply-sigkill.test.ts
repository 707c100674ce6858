/**
 * The worker is killed (SIGKILL) around every operation that a device receives during an apply, and around every line
 * that the apply adds to the journal and the lock table, one kill a run. Whatever the point: after a restart the plan
 * ends by itself, the two devices show the same whole state, desired state agrees with it, and nothing is left behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FINAL_PLAN_STATES } from "../../contract/plan-state.ts";
import { type KillPoint, killDuring } from "../support/pipeline-crash.ts";
import {
  type PointRun,
  SEED,
  WORLDS,
  appendPoints,
  nameOf,
  reportRuns,
  rpcPoints,
  runPoints,
  sliceOf,
} from "../support/pipeline-crash-points.ts";
import { type CrashWorld, openCrashWorlds } from "../support/pipeline-crash-world.ts";

const DEVICES = ["r1", "r2"];
const MINUTE_MS = 60_000;
const LIMIT_MS = 45 * MINUTE_MS;
/** A plan that a worker's death interrupts has ended this long after the next worker runs, on a slow machine too. */
const RECOVERY_LIMIT_MS = MINUTE_MS;

let worlds: readonly CrashWorld[] = [];

function firstWorld(): CrashWorld {
  const [first] = worlds;
  if (first === undefined) throw new Error("no world was started");
  return first;
}

beforeAll(async () => {
  worlds = await openCrashWorlds(WORLDS, DEVICES);
}, 3 * MINUTE_MS);

afterAll(async () => {
  await Promise.all(worlds.map((world) => world.stop()));
}, MINUTE_MS);

/** An apply that nobody disturbs: how many operations each device gets, and how many lines are written. */
async function measure(world: CrashWorld): Promise<{ readonly rpcs: readonly number[]; readonly appends: number }> {
  const change = await world.newChange();
  for (const device of world.devices) device.clearRpcs();
  await world.worker().arm(undefined);
  expect((await world.apply(change.plan)).state).toBe("applied");
  const rpcs = world.devices.map((device) => device.rpcs().length);
  return { rpcs, appends: (await world.worker().appends()).length };
}

async function killDuringApply(world: CrashWorld, point: KillPoint): Promise<PointRun> {
  const change = await world.newChange();
  const struck = await killDuring(world, point, {
    start: () => world.approve(change.plan),
    ended: async () => FINAL_PLAN_STATES.has((await world.plan(change.plan.plan)).state),
  });
  if (struck.kind !== "killed") throw new Error("the apply ended before this point");
  await world.restart();
  const restarted = performance.now();
  const ended = await world.waitForPlan(change.plan.plan, { limitMs: RECOVERY_LIMIT_MS });
  const recoveryMs = performance.now() - restarted;
  await world.expectSettled(change, ended);
  return { point: nameOf(point), at: struck.at, state: ended.state, recoveryMs };
}

/** A point behind the last one of an apply is never reached: the points before it were all. */
async function expectNotReached(world: CrashWorld, point: KillPoint): Promise<void> {
  const change = await world.newChange();
  const struck = await killDuring(world, point, {
    start: () => world.approve(change.plan),
    ended: async () => FINAL_PLAN_STATES.has((await world.plan(change.plan.plan)).state),
  });
  expect(struck, nameOf(point)).toEqual({ kind: "not-reached" });
  const ended = await world.waitForPlan(change.plan.plan);
  expect(ended.state).toBe("applied");
  await world.expectSettled(change, ended);
}

describe(`kill -9 of the worker during an apply to two devices, all or nothing (seed ${String(SEED)})`, () => {
  test("around every operation that a device receives", { timeout: LIMIT_MS }, async () => {
    const { rpcs } = await measure(firstWorld());
    const counts = DEVICES.map((device, index) => ({ device, count: rpcs[index] ?? 0 }));
    const all = counts.flatMap(({ device, count }) => rpcPoints(device, count));
    const { runs, failures } = await runPoints(worlds, sliceOf(all, 1 / 2), killDuringApply);
    reportRuns("apply, operations", runs, { total: all.length });
    expect(failures).toEqual([]);
    for (const { device, count } of counts)
      await expectNotReached(firstWorld(), { kind: "rpc", device, rpc: count + 1, when: "before" });
  });

  test("around every line of the journal and of the lock table", { timeout: LIMIT_MS }, async () => {
    const { appends } = await measure(firstWorld());
    const all = appendPoints(appends);
    const { runs, failures } = await runPoints(worlds, sliceOf(all, 1 / 2), killDuringApply);
    reportRuns("apply, lines", runs, { total: all.length });
    expect(failures).toEqual([]);
    await expectNotReached(firstWorld(), { kind: "append", append: appends + 1, when: "before" });
  });

  test("what all these lives wrote is one proven journal, and a graph rebuilt from it tells the same", async () => {
    for (const world of worlds) expect(await world.proveJournal()).toEqual({ findings: [], rebuilt: "the same" });
  });
});
