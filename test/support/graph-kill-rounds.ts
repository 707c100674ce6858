/**
 * Rounds of kill -9: a child writes to a data folder, is killed, and whoever opens the folder next must find everything
 * that was acknowledged, nothing half there, and a graph that agrees with itself and with its journal. Some rounds are
 * aimed at a phase, in turn, so that each is hit; the others end at a random moment.
 */
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { GraphEvent } from "../../graph/start/graph-database.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { wholeState } from "./graph-bodies.ts";
import { type GraphChild, startGraphChild } from "./graph-child.ts";
import { type GraphExpectation, createExpectation } from "./graph-expectation.ts";
import type { Op } from "./graph-ops.ts";
import type { Phase } from "./graph-phases.ts";
import { type Random, randomFrom } from "./graph-random-ops.ts";
import type { Aim, Moment, WriterLine, WriterTask } from "./graph-writer-task.ts";

export const NOTHING_UNDER_WAY = "nothing under way";

export interface KillRounds {
  /** How many kills struck in each phase; one between two phases counts for `NOTHING_UNDER_WAY`. */
  readonly hits: ReadonlyMap<string, number>;
  readonly kills: number;
  readonly acknowledged: number;
  readonly revisions: number;
  /** What did not hold, with its round; none when all did. */
  readonly wrong: readonly string[];
}

export interface KillPlan {
  readonly folder: string;
  readonly seed: number;
  /** Phases to aim at, one a round. */
  readonly aimed: readonly Phase[];
  /** Further rounds, killed at a random moment, spread among the aimed ones. */
  readonly random: number;
}

/** Runs the rounds; ends at the first one in which something did not hold. */
export async function runKillRounds(plan: KillPlan): Promise<KillRounds> {
  const random = randomFrom(plan.seed);
  const site = createSite(plan.folder, random);
  const { expectation } = site;
  const wrong: string[] = [];
  for (const [round, phase] of roundsOf(plan).entries()) {
    const started = performance.now();
    const name = `round ${String(round)} (${phase ?? "at random"})`;
    try {
      if (phase !== undefined) await prepare(site, phase);
      await kill(site, phase === undefined ? undefined : aimAt(phase, random));
      const store = await openAgain(site.folder);
      const reasons = [
        ...(await expectation.compare(store, "new", random)),
        ...(await store.check()).map((finding) => `check finds ${JSON.stringify(finding)}`),
      ];
      wrong.push(...reasons.map((reason) => `${name}: ${reason}`));
      await store.close();
      keepCopy(site);
      tellAtOnce(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    } catch (error) {
      wrong.push(`${name}: ${wordsOf(error)}`);
    }
    if (wrong.length > 0) break;
  }
  if (wrong.length === 0) wrong.push(...(await proveRebuild(site)));
  return {
    hits: site.hits,
    kills: site.children,
    acknowledged: expectation.count,
    revisions: expectation.revisions.length,
    wrong,
  };
}

export function describeRounds({ hits, kills, acknowledged, revisions }: KillRounds, seed: number): string {
  const struck = [...hits].map(([phase, count]) => `${phase} ${String(count)}`).join(", ");
  return (
    `seed ${String(seed)}: ${String(kills)} kills, ${String(acknowledged)} writes acknowledged, ` +
    `${String(revisions)} revisions; killed in: ${struck}`
  );
}

/** At the end: everything once more, and the graph built anew from the journal tells the same. */
async function proveRebuild(site: Site): Promise<readonly string[]> {
  const store = await openAgain(site.folder);
  try {
    const wrong = await site.expectation.compare(store, "all", site.random);
    const before = await wholeState(store);
    await store.rebuild();
    const same = (await wholeState(store)) === before;
    return same ? wrong : [...wrong, "a rebuild does not tell what the caught-up graph told"];
  } finally {
    await store.close();
  }
}

export interface Site {
  readonly folder: string;
  readonly random: Random;
  readonly expectation: GraphExpectation;
  readonly hits: Map<string, number>;
  /** Where the children's clocks start, in epoch milliseconds. */
  readonly firstTime: number;
  children: number;
}

export function createSite(folder: string, random: Random): Site {
  const expectation = createExpectation();
  return { folder, random, expectation, hits: new Map(), firstTime: Date.now() - PAST_MS, children: 0 };
}

export function openAgain(folder: string, report: (event: GraphEvent) => void = () => undefined): Promise<GraphStore> {
  return openStore({ dataFolder: folder, checkpointBytes: 150_000, segmentBytes: 20_000, report });
}

/** Evenly mixed: the phases in their order, and `undefined` for a random moment. */
function roundsOf({ aimed, random }: KillPlan): readonly (Phase | undefined)[] {
  const rounds: (Phase | undefined)[] = [];
  for (let index = 0; index < Math.max(aimed.length, random); index += 1) {
    const phase = aimed[index];
    if (phase !== undefined) rounds.push(phase);
    if (index < random) rounds.push(undefined);
  }
  return rounds;
}

/* ---- aiming ---- */

const MOMENTS: readonly Moment[] = ["begin", "middle", "middle", "end"];

/** About how long a phase lasts: a kill in its middle comes within this time, or else at its end. */
const MIDDLE_MS: Partial<Record<Phase, number>> = {
  "checkpoint: fold": 8,
  "rebuild: replay": 30,
  "rebuild: copy": 120,
  "start: journal": 20,
  "start: probe": 400,
  "start: catch-up": 20,
  "start: rebuild replay": 30,
  "start: rebuild copy": 120,
  "graph: apply": 6,
  close: 10,
};

export function aimAt(phase: Phase, random: Random): Aim {
  return { phase, moment: MOMENTS[random(MOMENTS.length)] ?? "middle", delayMs: MIDDLE_MS[phase] ?? 2 };
}

/** Brings the folder to where the phase will come: mostly by another kill, so that recovery itself is what is killed. */
async function prepare(site: Site, phase: Phase): Promise<void> {
  const file = join(dataPaths(site.folder).graph, "graph.lbug");
  switch (phase) {
    case "start: journal":
      // A torn tail.
      return kill(site, { phase: "journal: append", moment: "middle", delayMs: 1 });
    case "start: restore":
      await kill(site, { phase: "checkpoint: fold", moment: "begin", delayMs: 1 });
      // What a checkpoint leaves when it is cut short a little later.
      writeFileSync(`${file}.shadow`, "");
      return;
    case "start: catch-up":
      await kill(site, { phase: "graph: apply", moment: "begin", delayMs: 1 });
      putBackCopy(site);
      return;
    case "start: rebuild replay":
    case "start: rebuild copy":
    case "start: rebuild rename":
      if (site.random(2) === 0) await kill(site, { phase: "rebuild: rename", moment: "begin", delayMs: 1 });
      // The main file alone: a log without its file.
      rmSync(file, { force: true });
      return;
    case "start: finish prune":
      // The record stands; what it says has still to be done.
      return kill(site, { phase: "prune: segments", moment: "begin", delayMs: 1 });
    default:
  }
}

const copyOf = (site: Site) => join(site.folder, "..", "graph-copy");

/** An earlier state of the graph file, one that the journal has left behind. */
function keepCopy(site: Site): void {
  rmSync(copyOf(site), { recursive: true, force: true });
  cpSync(dataPaths(site.folder).graph, copyOf(site), { recursive: true });
}

function putBackCopy(site: Site): void {
  if (!existsSync(copyOf(site))) return;
  const { graph } = dataPaths(site.folder);
  rmSync(graph, { recursive: true, force: true });
  cpSync(copyOf(site), graph, { recursive: true });
}

/* ---- killing ---- */

/** A child that is still there after so long is not going to be where it was aimed. */
const LIMIT_MS = 240_000;
const RANDOM_LINES = 160;
const RANDOM_MS = 40;
/** From one child's start to the next one's, on their clocks: four of them make a day. */
const CHILD_MS = 6 * 3_600_000;
/** So far back that the last child is not ahead of the time, and not so far that anything of theirs is too old to stay. */
const PAST_MS = 44 * 86_400_000;

async function kill(site: Site, aim: Aim | undefined): Promise<void> {
  const phase = await killChild(site, { aim, bulkItems: undefined, readers: 0 });
  if (aim !== undefined && phase !== aim.phase) throw new Error(`aimed at ${aim.phase}, struck ${phase}`);
}

/** Starts a child, has it killed, and learns what it was told. Returns the phase in which it ended. */
export async function killChild(site: Site, what: Pick<WriterTask, "aim" | "bulkItems" | "readers">): Promise<string> {
  const { random, expectation } = site;
  site.children += 1;
  const task: WriterTask = {
    ...what,
    folder: site.folder,
    seed: random(1_000_000_000),
    name: `c${String(site.children)}`,
    time: new Date(site.firstTime + site.children * CHILD_MS).toISOString(),
  };
  const child = startGraphChild("graph-writer-program.ts", [JSON.stringify(task)]);
  if (what.aim === undefined) {
    const lines = random(RANDOM_LINES);
    await child.line(() => child.lines.length > lines);
    await delay(random(RANDOM_MS));
    child.process.kill("SIGKILL");
  }
  const how = await endOf(child);
  if (how !== "SIGKILL") throw new Error(`the child ended by itself (${how}): ${child.errors().slice(0, 2000)}`);

  let phase: string = NOTHING_UNDER_WAY;
  let doing: Op | undefined;
  for (const text of child.lines) {
    const line = JSON.parse(text) as WriterLine;
    if (line.say === "phase") phase = line.phase ?? NOTHING_UNDER_WAY;
    if (line.say === "doing") doing = line.op;
    if (line.say === "done") {
      expectation.acknowledged(line.op);
      doing = undefined;
    }
  }
  if (doing !== undefined) expectation.underWay(doing);
  site.hits.set(phase, (site.hits.get(phase) ?? 0) + 1);
  return phase;
}

async function endOf(child: GraphChild): Promise<string> {
  const timer = setTimeout(() => child.process.kill("SIGKILL"), LIMIT_MS);
  const started = performance.now();
  const how = await child.ended;
  clearTimeout(timer);
  return performance.now() - started < LIMIT_MS ? how : `not within ${String(LIMIT_MS)} ms`;
}

/** Straight to standard error, since what is logged shows only when its test has ended. */
function tellAtOnce(line: string): void {
  if (process.env["TENURE_CRASH_VERBOSE"] !== undefined) process.stderr.write(`${line}\n`);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
