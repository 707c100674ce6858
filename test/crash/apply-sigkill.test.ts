/**
 * The worker is killed (SIGKILL) around every operation that a device receives during an apply, and around every line
 * that the apply adds to the journal and the lock table, one kill a run. Whatever the point: after a restart the plan
 * ends by itself, the two devices show the same whole state, desired state agrees with it, and nothing is left behind.
 *
 * `TENURE_CRASH_POINTS=all` runs every point, a number about so many, spread over all by `TENURE_CRASH_SEED`.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CrashWorld, openCrashWorld } from "../support/pipeline-crash-world.ts";
import { type KillPoint, killDuring } from "../support/pipeline-crash.ts";

const POINTS = process.env["TENURE_CRASH_POINTS"] ?? "9";
const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
const WORLDS = Number(process.env["TENURE_CRASH_WORLDS"] ?? (POINTS === "all" ? 6 : 3));
const DEVICES = ["r1", "r2"];
const MINUTE_MS = 60_000;
const LIMIT_MS = 45 * MINUTE_MS;

let worlds: readonly CrashWorld[] = [];

beforeAll(async () => {
  worlds = await Promise.all(Array.from({ length: WORLDS }, () => openCrashWorld(DEVICES)));
}, 3 * MINUTE_MS);

afterAll(async () => {
  await Promise.all(worlds.map((world) => world.stop()));
}, MINUTE_MS);

/** Every n-th point, so that about as many remain as were asked for. */
function slice<T>(all: readonly T[], share: number): readonly T[] {
  if (POINTS === "all") return all;
  const step = Math.max(1, Math.ceil(all.length / Math.max(1, Math.round(Number(POINTS) * share))));
  return all.filter((_, index) => index % step === SEED % step);
}

interface Run {
  readonly point: string;
  readonly at: string;
  readonly state: string;
  readonly recoveryMs: number;
}

/** Runs the points, each in the next free world, and tells what came of them; the first failure of each world ends it. */
async function runPoints(
  points: readonly KillPoint[],
  one: (world: CrashWorld, point: KillPoint) => Promise<Run>,
): Promise<{ readonly runs: readonly Run[]; readonly failures: readonly string[] }> {
  const left = [...points];
  const runs: Run[] = [];
  const failures: string[] = [];
  await Promise.all(
    worlds.map(async (world) => {
      for (let point = left.shift(); point !== undefined; point = left.shift()) {
        try {
          runs.push(await one(world, point));
        } catch (error) {
          failures.push(`${nameOf(point)}: ${error instanceof Error ? error.message : String(error)}`);
          await world.recover();
        }
      }
    }),
  );
  return { runs, failures };
}

function nameOf(point: KillPoint): string {
  return point.kind === "rpc"
    ? `${point.when} operation ${String(point.rpc)} of ${point.device}`
    : `${point.when} append ${String(point.append)}`;
}

function report(title: string, runs: readonly Run[], total: number): void {
  const times = runs.map((run) => run.recoveryMs).sort((a, b) => a - b);
  const states = new Map<string, number>();
  for (const run of runs) states.set(run.state, (states.get(run.state) ?? 0) + 1);
  const seconds = (ms: number | undefined): string => ((ms ?? 0) / 1000).toFixed(1);
  console.log(
    `${title}: ${String(runs.length)} of ${String(total)} points, seed ${String(SEED)}; ` +
      `${[...states].map(([state, count]) => `${state} ${String(count)}`).join(", ")}; from restart to the end ` +
      `${seconds(times.at(0))}..${seconds(times.at(-1))} s, median ${seconds(times[Math.floor(times.length / 2)])} s`,
  );
  if (process.env["TENURE_CRASH_VERBOSE"] !== undefined)
    for (const run of runs) console.log(`  ${run.point} (${run.at}): ${run.state} after ${seconds(run.recoveryMs)} s`);
}

/** An apply that nobody disturbs: how many operations each device gets, and how many lines are written. */
async function measure(world: CrashWorld): Promise<{ readonly rpcs: readonly number[]; readonly appends: number }> {
  const change = await world.newChange();
  for (const device of world.devices) device.clearRpcs();
  await world.worker().arm(undefined);
  expect((await world.apply(change.plan)).state).toBe("applied");
  const rpcs = world.devices.map((device) => device.rpcs().length);
  return { rpcs, appends: (await world.worker().appends()).length };
}

async function killDuringApply(world: CrashWorld, point: KillPoint): Promise<Run> {
  const change = await world.newChange();
  const struck = await killDuring(world, point, {
    start: () => world.approve(change.plan),
    ended: async () => (await world.plan(change.plan.plan)).ended,
  });
  expect(struck.kind).toBe("killed");
  await world.restart();
  const restarted = performance.now();
  const ended = await world.waitForPlan(change.plan.plan, { limitMs: 2 * MINUTE_MS });
  const recoveryMs = performance.now() - restarted;
  await world.expectSettled(change, ended);
  return { point: nameOf(point), at: struck.kind === "killed" ? struck.at : "", state: ended.state, recoveryMs };
}

async function applyUndisturbed(world: CrashWorld, point: KillPoint): Promise<void> {
  const change = await world.newChange();
  const struck = await killDuring(world, point, {
    start: () => world.approve(change.plan),
    ended: async () => (await world.plan(change.plan.plan)).ended,
  });
  expect(struck, `${nameOf(point)} lies behind the end`).toEqual({ kind: "not-reached" });
  const ended = await world.waitForPlan(change.plan.plan);
  expect(ended.state).toBe("applied");
  await world.expectSettled(change, ended);
}

describe(`kill -9 of the worker during an apply to two devices, all or nothing (seed ${String(SEED)})`, () => {
  test("around every operation that a device receives", { timeout: LIMIT_MS }, async () => {
    const [first] = worlds;
    if (first === undefined) throw new Error("no world");
    const { rpcs } = await measure(first);
    const all = DEVICES.flatMap((device, index) =>
      Array.from({ length: rpcs[index] ?? 0 }, (_, at) => at + 1).flatMap((rpc) =>
        (["before", "after"] as const).map((when): KillPoint => ({ kind: "rpc", device, rpc, when })),
      ),
    );
    expect(all).toHaveLength(2 * rpcs.reduce((sum, count) => sum + count, 0));
    const { runs, failures } = await runPoints(slice(all, 2 / 3), killDuringApply);
    report("operations", runs, all.length);
    expect(failures).toEqual([]);
    for (const [index, device] of DEVICES.entries())
      await applyUndisturbed(first, { kind: "rpc", device, rpc: (rpcs[index] ?? 0) + 1, when: "before" });
  });

  test("around every line of the journal and of the lock table", { timeout: LIMIT_MS }, async () => {
    const [first] = worlds;
    if (first === undefined) throw new Error("no world");
    const { appends } = await measure(first);
    const all = Array.from({ length: appends }, (_, at) => at + 1).flatMap((append) =>
      (["before", "torn", "after"] as const).map((when): KillPoint => ({ kind: "append", append, when })),
    );
    const { runs, failures } = await runPoints(slice(all, 1 / 3), killDuringApply);
    report("lines", runs, all.length);
    expect(failures).toEqual([]);
    await applyUndisturbed(first, { kind: "append", append: appends + 1, when: "before" });
  });

  test("what all these lives wrote is one proven journal, and a graph rebuilt from it tells the same", async () => {
    for (const world of worlds) expect(await world.proveJournal()).toEqual({ findings: [], rebuilt: "the same" });
  });
});
