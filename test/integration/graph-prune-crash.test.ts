/** A prune that dies at any step: the next start finds all that was there, or finishes what was decided. */
import { cpSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { GraphStore } from "../../graph/store.ts";
import { testFolder } from "../support/graph-bodies.ts";
import {
  ageDocuments,
  dayStart,
  documentsOf,
  fillAged,
  openAged,
  segmentsOf,
  tellsFrom,
  testClock,
} from "../support/graph-aged-store.ts";
import { dyingFiles } from "../support/graph-dying-files.ts";

const DAY = 200;
const clockOfDay = () => {
  const clock = testClock();
  clock.to(DAY);
  return clock;
};
const prune = (store: GraphStore) => store.prune({ before: dayStart(2), actor: "ann", key: "once" });

test("killed before any of its steps, nothing is lost, nothing is half gone, and the same wish asked again is one prune", async () => {
  const source = testFolder();
  const clock = testClock();
  const filling = await openAged(source, clock);
  await fillAged(filling, clock);
  for (let n = 0; n < 5; n += 1) await filling.documents.put(`nobody names this ${n}`);
  const all = await tellsFrom(filling, 1);
  const kept = await tellsFrom(filling, 4);
  await filling.close();
  ageDocuments(source, 0);
  const copy = () => {
    const folder = testFolder();
    // The times come along: the documents stay as old as they are.
    cpSync(source, folder, { recursive: true, preserveTimestamps: true });
    return folder;
  };

  // What a life without a death does, step by step.
  const lived = copy();
  const files = dyingFiles();
  const living = await openAged(lived, clockOfDay(), { files });
  const opened = files.done.length;
  const report = await prune(living);
  const steps = files.done.slice(opened);
  await living.close();
  const segments = segmentsOf(lived);
  const documents = documentsOf(lived);
  expect(report.dropped).toBeDefined();
  expect(report.documents.count).toBeGreaterThan(5);

  const decided = steps.map((step) => /^sync .*\/journal\//.test(step)).lastIndexOf(true);
  // Every step on the journal; of those on the graph's files and on documents some, since there are many alike.
  const deaths = steps.flatMap((step, index) =>
    /\/journal/.test(step) || /\/graph\/(rebuild|graph\.lbug)$/.test(step) || index % 40 === 0 ? [index] : [],
  );
  expect(deaths.length).toBeGreaterThan(15);
  const hit = { "before it was decided": 0, afterwards: 0 };
  for (const death of deaths) {
    const folder = copy();
    const dying = await openAged(folder, clockOfDay(), { files: dyingFiles(opened + death) });
    // A segment that cannot be removed ends the call; so does a document.
    await expect(prune(dying), steps[death] ?? "").rejects.toThrow();
    await dying.close().catch(() => undefined);

    const store = await openAged(folder, clockOfDay());
    const where = `died before step ${death}: ${steps[death] ?? ""}`;
    if ((await store.prunedAt()) === undefined) {
      expect(death, where).toBeLessThanOrEqual(decided);
      expect(await tellsFrom(store, 1), where).toBe(all);
      expect(segmentsOf(folder)[0], where).toBe("000000000001.jsonl");
      hit["before it was decided"] += 1;
    } else {
      // The last sync may be missing and the record whole all the same: this is not a power cut.
      expect(death, where).toBeGreaterThanOrEqual(decided);
      expect(await store.prunedAt(), where).toEqual(report.prunedAt);
      expect(await tellsFrom(store, 4), where).toBe(kept);
      expect(segmentsOf(folder), where).toEqual(segments);
      hit.afterwards += 1;
    }
    const again = await prune(store);
    expect(again.prunedAt, where).toEqual(report.prunedAt);
    expect(await tellsFrom(store, 4), where).toBe(kept);
    expect(await store.verify(), where).toMatchObject({ findings: [] });
    expect(segmentsOf(folder)[0], where).toBe(segments[0]);
    // What is not needed is gone in the end; a first snapshot that was not decided on is young, and may stay.
    for (const document of documents) expect(documentsOf(folder), where).toContain(document);
    expect(documentsOf(folder).length, where).toBeLessThan(documents.length + 12);
    await store.close();
    rmSync(folder, { recursive: true });
  }
  expect(hit["before it was decided"]).toBeGreaterThan(3);
  expect(hit.afterwards).toBeGreaterThan(5);
}, 240_000);
