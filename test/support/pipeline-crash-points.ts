/**
 * Which kill points a run takes, and how they are shared among worlds.
 *
 * - `TENURE_CRASH_POINTS=all` takes every point (`npm run test:crash`); a number takes about so many, spread over all.
 * - `TENURE_CRASH_SEED` says which of them; a run prints its seed, and the same seed takes the same points.
 * - `TENURE_CRASH_WORLDS` is how many run at once: most of a run is waiting for Temporal's heartbeat time-outs.
 * - `TENURE_CRASH_VERBOSE` prints a line for each point.
 */
import type { KillPoint } from "./pipeline-crash.ts";
import type { CrashWorld } from "./pipeline-crash-world.ts";

const POINTS = process.env["TENURE_CRASH_POINTS"] ?? "6";
export const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
export const WORLDS = Number(process.env["TENURE_CRASH_WORLDS"] ?? (POINTS === "all" ? 6 : 3));

export interface PointRun {
  readonly point: string;
  /** What the killed worker was at. */
  readonly at: string;
  /** How the work ended. */
  readonly state: string;
  /** From the new worker's readiness to that end. */
  readonly recoveryMs: number;
}

/** The operations of one device, from the first to the `count`-th. */
export function rpcPoints(device: string, count: number): readonly KillPoint[] {
  return numbers(count).flatMap((rpc) =>
    (["before", "after"] as const).map((when): KillPoint => ({ kind: "rpc", device, rpc, when })),
  );
}

export function appendPoints(count: number): readonly KillPoint[] {
  return numbers(count).flatMap((append) =>
    (["before", "torn", "after"] as const).map((when): KillPoint => ({ kind: "append", append, when })),
  );
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Every n-th point, so that at most `share` of as many as were asked for remain, and one at least. */
export function sliceOf(all: readonly KillPoint[], share: number): readonly KillPoint[] {
  if (POINTS === "all") return all;
  const wanted = Math.max(1, Math.round(Number(POINTS) * share));
  const step = Math.max(1, Math.ceil(all.length / wanted));
  return all.filter((_, index) => index % step === SEED % step);
}

/** Runs the points, each in the next free world. A failure is kept, and its world made usable for the next point. */
export async function runPoints(
  worlds: readonly CrashWorld[],
  points: readonly KillPoint[],
  one: (world: CrashWorld, point: KillPoint) => Promise<PointRun>,
): Promise<{ readonly runs: readonly PointRun[]; readonly failures: readonly string[] }> {
  const left = [...points];
  const runs: PointRun[] = [];
  const failures: string[] = [];
  await Promise.all(
    worlds.map(async (world) => {
      for (let point = left.shift(); point !== undefined; point = left.shift()) {
        try {
          const run = await one(world, point);
          runs.push(run);
          tellAtOnce(`${run.point} (${run.at}): ${run.state} after ${seconds(run.recoveryMs)} s`);
        } catch (error) {
          failures.push(`${nameOf(point)}: ${wordsOf(error)}`);
          tellAtOnce(`${nameOf(point)}: FAILED`);
          await world.recover();
        }
      }
    }),
  );
  return { runs, failures };
}

export function nameOf(point: KillPoint): string {
  return point.kind === "rpc"
    ? `${point.when} operation ${String(point.rpc)} of ${point.device}`
    : `${point.when} line ${String(point.append)}`;
}

/** The values themselves: a comparison's message shortens them. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "actual" in error ? `${error.message}; found ${JSON.stringify(error.actual)}` : error.message;
}

export function reportRuns(title: string, runs: readonly PointRun[], { total }: { readonly total: number }): void {
  const times = runs.map((run) => run.recoveryMs).sort((a, b) => a - b);
  const states = new Map<string, number>();
  for (const { state } of runs) states.set(state, (states.get(state) ?? 0) + 1);
  const ends = [...states].map(([state, count]) => `${state} ${String(count)}`).join(", ");
  const [first, middle, last] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)].map(seconds);
  console.log(
    `${title}: ${String(runs.length)} of ${String(total)} points, seed ${String(SEED)}: ${ends}; ` +
      `from the restart to the end ${String(first)} to ${String(last)} s, median ${String(middle)} s`,
  );
}

/** Straight to standard error, since what is logged shows only when its test has ended. */
function tellAtOnce(line: string): void {
  if (process.env["TENURE_CRASH_VERBOSE"] !== undefined) process.stderr.write(`${line}\n`);
}

function seconds(milliseconds: number | undefined): string {
  return ((milliseconds ?? 0) / 1000).toFixed(1);
}
