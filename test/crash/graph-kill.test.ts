/**
 * kill -9 of a process that writes to a store, a hundred rounds: half of them in each phase of its work in turn, half at
 * random moments. A process that recovers from a kill is killed as well. `TENURE_CRASH_SEED` repeats a run,
 * `TENURE_CRASH_ROUNDS` says how many.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../support/graph-bodies.ts";
import { describeRounds, runKillRounds } from "../support/graph-kill-rounds.ts";
import { PHASES } from "../support/graph-phases.ts";

const ALL = process.env["TENURE_CRASH_POINTS"] === "all";
const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
/** Where not all is asked for, each phase is hit by the integration test, and some random moments are enough here. */
const ROUNDS = Number(process.env["TENURE_CRASH_ROUNDS"] ?? (ALL ? 100 : 5));
const AIMED = ALL ? Math.floor(ROUNDS / 2) : 0;

test(`kill -9, ${String(ROUNDS)} rounds, seed ${String(SEED)}: nothing acknowledged is lost, nothing half there`, {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const rounds = await runKillRounds({
    folder: join(testFolder(), "data"),
    seed: SEED,
    aimed: Array.from({ length: AIMED }, (_, index) => PHASES[index % PHASES.length] ?? "close"),
    random: ROUNDS - AIMED,
  });
  console.log(describeRounds(rounds, SEED));
  expect(rounds.wrong).toEqual([]);
  if (AIMED >= PHASES.length) expect(PHASES.filter((phase) => !rounds.hits.has(phase))).toEqual([]);
  expect(rounds.kills).toBeGreaterThanOrEqual(ROUNDS);
  expect(rounds.revisions).toBeGreaterThan(ROUNDS);
});
