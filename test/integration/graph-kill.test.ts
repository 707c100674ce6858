/**
 * kill -9 in every phase of the store's work, once each; `npm run test:crash` has a hundred rounds of it. A failing run
 * is repeated with the seed that it printed: `TENURE_CRASH_SEED`.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../support/graph-bodies.ts";
import { describeRounds, runKillRounds } from "../support/graph-kill-rounds.ts";
import { PHASES } from "../support/graph-phases.ts";

const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);

test(`kill -9 in each phase, seed ${String(SEED)}: nothing acknowledged is lost, nothing half there`, {
  timeout: 600_000,
}, async () => {
  const rounds = await runKillRounds({ folder: join(testFolder(), "data"), seed: SEED, aimed: PHASES, random: 0 });
  console.log(describeRounds(rounds, SEED));
  expect(rounds.wrong).toEqual([]);
  expect(PHASES.filter((phase) => !rounds.hits.has(phase))).toEqual([]);
  expect(rounds.acknowledged).toBeGreaterThan(PHASES.length);
});
