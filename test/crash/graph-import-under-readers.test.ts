/**
 * A large import while others read, killed in the middle, and then the worst that a person can do to the database: the
 * file removed, its log left behind.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../graph/canonical-json.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { type Site, createSite, killChild, openAgain } from "../support/graph-kill-rounds.ts";
import { textOfState } from "../support/graph-oracle.ts";
import type { Phase } from "../support/graph-phases.ts";
import { randomFrom } from "../support/graph-random-ops.ts";
import type { Moment } from "../support/graph-writer-task.ts";

const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
const ALL = process.env["TENURE_CRASH_POINTS"] === "all";
const ITEMS = 50_000;
const READERS = 4;
const MINUTE_MS = 60_000;

interface Point {
  readonly phase: Phase;
  readonly moment: Moment;
  readonly delayMs: number;
  /** Revisions that must be there afterwards. */
  readonly revisions: number;
}

/** Once its record is on the disk the import is there, however little of it the database had. */
const POINTS: readonly Point[] = [
  { phase: "document: write", moment: "end", delayMs: 0, revisions: 0 },
  { phase: "graph: apply", moment: "middle", delayMs: 3000, revisions: 1 },
  { phase: "graph: apply", moment: "end", delayMs: 0, revisions: 1 },
  { phase: "checkpoint: fold", moment: "middle", delayMs: 200, revisions: 1 },
];
const QUICK = 2;

async function toldBy(site: Site): Promise<{ readonly digest: string; readonly events: readonly string[] }> {
  const events: string[] = [];
  const store = await openAgain(site.folder, (event) => events.push(event.kind));
  try {
    expect(await site.expectation.compare(store, "all", site.random)).toEqual([]);
    expect(await store.check()).toEqual([]);
    return { digest: digestOf(textOfState(await store.desiredState({ devices: "all", services: "all" }))), events };
  } finally {
    await store.close();
  }
}

describe(`case 91: ${String(ITEMS)} items imported under ${String(READERS)} readers (seed ${String(SEED)})`, () => {
  test.each(ALL ? POINTS : POINTS.slice(0, QUICK))(
    "killed in $phase ($moment): the import is there whole or not at all, with or without the database",
    { timeout: 6 * MINUTE_MS },
    async ({ revisions, ...aim }) => {
      const site = createSite(join(testFolder(), "data"), randomFrom(SEED));
      expect(await killChild(site, { aim, bulkItems: ITEMS, readers: READERS })).toBe(aim.phase);
      const before = await toldBy(site);
      expect(site.expectation.revisions).toHaveLength(revisions);

      const file = join(dataPaths(site.folder).graph, "graph.lbug");
      rmSync(file);
      if (!existsSync(`${file}.wal`)) writeFileSync(`${file}.wal`, Buffer.alloc(10_000, 7));
      const after = await toldBy(site);
      expect(after.events).toEqual(["rebuilt"]);
      expect(after.digest).toBe(before.digest);
    },
  );
});
