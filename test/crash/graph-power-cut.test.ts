/**
 * The power goes: what was not forced to the disk is gone, wholly or in part. Whatever moment it is, the next start finds
 * all that was acknowledged. One run of writes is cut at many moments; each cut is a folder of its own, opened like any.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAppendLog } from "../../graph/append-log.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { createExpectation } from "../support/graph-expectation.ts";
import { openAgain } from "../support/graph-kill-rounds.ts";
import { type Op, type OpContent, perform } from "../support/graph-ops.ts";
import { OP_KINDS, type Random, firstImport, randomFrom, randomOp } from "../support/graph-random-ops.ts";
import { type Survivors, type VolatileFiles, volatileFiles } from "../support/graph-volatile-files.ts";

const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
const ALL = process.env["TENURE_CRASH_POINTS"] === "all";
const RUNS = ALL ? 2 : 1;
const OPS = ALL ? 30 : 15;
/** One of so many steps is a cut. */
const CUT_EVERY = 12;
/** Of a run, so many at least: fewer, and the test would prove little. */
const LEAST_CUTS = 8;
const MINUTE_MS = 60_000;

interface Cut {
  readonly folder: string;
  readonly what: string;
  readonly acknowledged: readonly Op[];
  readonly underWay: Op | undefined;
}

/** Writes to one store, and cuts the power again and again while it does. */
async function writeAndCut(base: string, random: Random): Promise<readonly Cut[]> {
  const folder = join(base, "data");
  const files = volatileFiles(folder, dataPaths(folder).graph);
  const cuts: Cut[] = [];
  const acknowledged: Op[] = [];
  let underWay: Op | undefined;

  function cut(survivors: Survivors): void {
    const graph = random(2) === 0 ? "kept" : "lost";
    const target = join(base, `cut-${String(cuts.length)}`);
    files.cut(target, survivors, random, graph);
    const what = `cut ${String(cuts.length)}: ${survivors} of what was not forced, graph ${graph}, during ${String(underWay?.kind)}`;
    cuts.push({ folder: target, what, acknowledged: [...acknowledged], underWay });
  }
  files.onStep = () => {
    if (random(CUT_EVERY) === 0) cut((["none", "some", "some", "all"] as const)[random(4)] ?? "some");
  };
  async function write(store: GraphStore, op: Op, content: OpContent): Promise<void> {
    underWay = op;
    await perform(store, op, content);
    acknowledged.push(op);
    underWay = undefined;
  }

  let store = await open(folder, files);
  for (const id of ["d1", "d2", "d3"]) await write(store, { kind: "device", id, port: 830, key: `first-${id}` }, {});
  const first = firstImport("first");
  await write(store, first.op, first.content);
  for (let step = 0; step < OPS; step += 1) {
    if (random(10) === 0) {
      await store.close();
      store = await open(folder, files);
    }
    // Removed names are names as well: a segment that went may be back after a cut, and its neighbour not.
    if (random(8) === 0)
      await store.prune({ before: new Date(Date.now() + 1), actor: "t", key: `prune ${String(step)}` });
    const wish = await randomOp(OP_KINDS[random(OP_KINDS.length)] ?? "decision", String(step), store, random);
    if (wish !== undefined) await write(store, wish.op, wish.content);
    // Nothing was asked for since the acknowledgement: all of it must have been forced.
    if (random(5) === 0) cut("none");
  }
  cut("none");
  files.onStep = () => undefined;
  await store.close();
  return cuts;
}

function open(folder: string, files: VolatileFiles): Promise<GraphStore> {
  return openStore({ dataFolder: folder, files, segmentBytes: 2_000, checkpointBytes: 150_000 });
}

async function whatIsWrong(cut: Cut, random: Random): Promise<readonly string[]> {
  const expectation = createExpectation();
  for (const op of cut.acknowledged) expectation.acknowledged(op);
  if (cut.underWay !== undefined) expectation.underWay(cut.underWay);
  let store: GraphStore;
  try {
    store = await openAgain(cut.folder);
  } catch (error) {
    return [`${cut.what}: the folder does not open: ${String(error)}`];
  }
  try {
    const reasons = await expectation.compare(store, "all", random);
    return [...reasons, ...(await store.check()).map((one) => JSON.stringify(one))].map((one) => `${cut.what}: ${one}`);
  } catch (error) {
    return [`${cut.what}: ${String(error)}`];
  } finally {
    await store.close();
    rmSync(cut.folder, { recursive: true, force: true });
  }
}

describe(`a power cut (seed ${String(SEED)})`, () => {
  test(`at random moments of ${String(RUNS)} runs: nothing acknowledged is lost, nothing half there`, {
    timeout: RUNS * 8 * MINUTE_MS,
  }, async () => {
    let count = 0;
    const wrong: string[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const random = randomFrom(SEED + run);
      const cuts = await writeAndCut(join(testFolder(), String(run)), random);
      for (const cut of cuts)
        wrong.push(...(await whatIsWrong(cut, random)).map((one) => `run ${String(run)}, ${one}`));
      count += cuts.length;
    }
    console.log(`${String(count)} power cuts, seed ${String(SEED)}`);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(LEAST_CUTS * RUNS);
  });

  test("the cut itself bites: a line that was written and not forced may be gone, and a name likewise", async () => {
    const base = testFolder();
    const folder = join(base, "data");
    const files = volatileFiles(folder, join(folder, "graph"));
    await files.makeFolder(folder);
    const path = join(folder, "log");
    const log = await openAppendLog({ path, size: 0, files });
    onTestFinished(() => log.close());
    await log.append(Buffer.from("one\n"));
    files.cut(join(base, "a"), "none", randomFrom(1), "lost");
    // Its folder was never forced.
    await expect(files.read(join(base, "a", "log"))).rejects.toMatchObject({ code: "ENOENT" });
    await files.syncFolder(folder);
    const file = await files.openForWriting(path);
    await file.write(Buffer.from("two\n"), 4);
    files.cut(join(base, "b"), "none", randomFrom(1), "lost");
    files.cut(join(base, "c"), "all", randomFrom(1), "lost");
    expect(Buffer.from(await files.read(join(base, "b", "log"))).toString()).toBe("one\n");
    expect(Buffer.from(await files.read(join(base, "c", "log"))).toString()).toBe("one\ntwo\n");
    await file.close();
  });
});
