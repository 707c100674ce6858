import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { realFiles } from "../../graph/files.ts";
import { type Run, openLadybug } from "../../graph/ladybug.ts";
import { createReads } from "../../graph/reads.ts";
import { MIGRATIONS } from "../../graph/schema/migrations.ts";
import { CURRENT_REVISION, META } from "../../graph/statements/reads.ts";
import type { GraphStore } from "../../graph/store.ts";
import { commit, importBody, mtuPath, testFolder } from "../support/graph-bodies.ts";
import {
  type TestClock,
  ageDocuments,
  dayStart,
  documentsOf,
  fillAged,
  openAged,
  segmentsOf,
  tellsFrom,
  tellsOfPlan,
  testClock,
} from "../support/graph-aged-store.ts";
import { systemError } from "../support/graph-faulty-files.ts";

interface Aged {
  readonly folder: string;
  readonly clock: TestClock;
  store: GraphStore;
}

/** An aged store on day 200, with documents that are as old as its history. */
async function agedStore(): Promise<Aged> {
  const folder = testFolder();
  const clock = testClock();
  const aged: Aged = { folder, clock, store: await openAged(folder, clock) };
  onTestFinished(() => aged.store.close());
  await fillAged(aged.store, clock);
  ageDocuments(folder, 0);
  clock.to(200);
  return aged;
}

async function reopen(aged: Aged): Promise<void> {
  await aged.store.close();
  aged.store = await openAged(aged.folder, aged.clock);
}

const prune = (aged: Aged, day: number, key = `prune ${day}`) =>
  aged.store.prune({ before: dayStart(day), actor: "ann", key });

describe("a prune", () => {
  test("keeps what stands, drops what was, and a restart or a rebuild tells the same", async () => {
    const aged = await agedStore();
    const told = await tellsFrom(aged.store, 4);
    expect(segmentsOf(aged.folder)).toHaveLength(4);

    const report = await prune(aged, 2);
    expect(report).toMatchObject({
      alreadyThere: false,
      dropped: { first: 1, revisions: 4 },
      prunedAt: { revision: 4 },
    });
    expect(segmentsOf(aged.folder)).toHaveLength(3);
    expect(await tellsFrom(aged.store, 4)).toBe(told);
    expect(await aged.store.check()).toEqual([]);
    await reopen(aged);
    expect(await tellsFrom(aged.store, 4)).toBe(told);
    await aged.store.rebuild();
    expect(await tellsFrom(aged.store, 4)).toBe(told);
    expect(await aged.store.verify()).toMatchObject({
      records: { first: (report.dropped?.last ?? 0) + 1 },
      snapshot: { revision: 4, record: report.dropped?.last },
      findings: [],
    });
  });

  test("what is older answers `pruned`, with the oldest revision that can be told", async () => {
    const aged = await agedStore();
    await prune(aged, 2);
    const { time } = (await aged.store.revision(4)) ?? { time: "" };
    expect(await aged.store.prunedAt()).toEqual({ revision: 4, time });
    await expect(aged.store.desiredDevice("d1", { revision: 3 })).rejects.toMatchObject({
      code: "pruned",
      details: { revision: 4, time },
    });
    // Something that stands was set by revision 1, so who made that can still be told.
    expect(await aged.store.revision(1)).toMatchObject({ revision: 1, key: "r1" });
    expect((await aged.store.blame("d1", mtuPath("eth0"))).item).toMatchObject({ since: 4 });
  });

  test("comes between the statements of one answer: the answer is `pruned`, not a half of what was", async () => {
    const aged = await agedStore();
    const database = await openLadybug(join(aged.folder, "copy.lbug"), realFiles);
    onTestFinished(() => database.close());
    for (const statement of MIGRATIONS.flatMap((one) => one.statements)) await database.direct(statement);
    let isPruned = false;
    // As a rebuild after a prune does: from one statement to the next the other file answers.
    const read: Run = async (statement, parameters) => {
      if (statement === META) return [{ pruned: isPruned ? 4 : 0, pruned_time: "2020-01-03T00:00:00.000Z" }];
      if (statement === CURRENT_REVISION) return [{ revision: 8 }];
      const rows = await database.read(statement, parameters);
      isPruned = true;
      return rows;
    };
    const reads = createReads({ read, builds: () => 0 }, aged.store.documents);
    for (const ask of [
      () => reads.desiredState({ devices: "all", services: "all" }, { revision: 3 }),
      () => reads.services({ revision: 3 }),
      () => reads.linksOf("wan", { revision: 3 }),
      () => reads.blame("d1", mtuPath("eth0"), { revision: 3 }),
    ]) {
      isPruned = false;
      await expect(ask()).rejects.toMatchObject({ code: "pruned", details: { revision: 4 } });
    }
  });

  test("plans that may still change stay whole, with approvals, refusals, decisions and outcomes; the others go", async () => {
    const aged = await agedStore();
    const open = ["p-waits", "p-held", "p-partial"];
    const told = await Promise.all(open.map((plan) => tellsOfPlan(aged.store, plan)));
    await prune(aged, 3);
    expect(await Promise.all(open.map((plan) => tellsOfPlan(aged.store, plan)))).toEqual(told);
    expect(await aged.store.plan("p-rejected")).toBeUndefined();
    expect(await aged.store.decision("p-rejected")).toBeUndefined();
    // A held plan can be started, as if nothing had been.
    const end = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };
    await aged.store.recordPlanState({ plan: "p-held", state: "applying", ...end });
    expect(await aged.store.check()).toEqual([]);
  });

  test("of what is gone a standing link keeps tombstone and evidence; the same item is met again", async () => {
    const aged = await agedStore();
    await prune(aged, 2);
    expect((await aged.store.evidence("d1")).map((one) => one.path)).toEqual([mtuPath("eth2")]);
    expect((await aged.store.blame("d1", mtuPath("eth2"))).owners.map((one) => one.service)).toEqual(["wan"]);
    expect((await aged.store.history("d1", mtuPath("eth2"))).map((one) => one.kind)).toEqual(["deleted", "pruned"]);
    expect((await aged.store.blame("d1", mtuPath("eth7"))).dependants).toHaveLength(1);
    await aged.store.commitRevision(commit(importBody("d1", { eth2: "1500", eth9: "9" }), "again"));
    expect((await aged.store.history("d1", mtuPath("eth2"))).map((one) => one.kind)).toEqual([
      "present",
      "deleted",
      "pruned",
    ]);
    // Nothing named eth9 when it was gone: to the graph it is a new item.
    expect((await aged.store.history("d1", mtuPath("eth9"))).map((one) => one.kind)).toEqual([
      "present",
      "present",
      "pruned",
    ]);
    expect(await aged.store.check()).toEqual([]);
  });

  test("keys younger than 45 days answer as before, older ones are forgotten", async () => {
    const aged = await agedStore();
    const folder = testFolder();
    const clock = testClock();
    const young: Aged = { folder, clock, store: await openAged(folder, clock) };
    onTestFinished(() => young.store.close());
    await fillAged(young.store, clock);
    clock.to(20);
    for (const each of [aged, young]) await prune(each, 3);
    expect(await aged.store.answerTo("revision", "r3")).toBeUndefined();
    expect(await young.store.answerTo("revision", "r3")).toBe("3");
    expect(await young.store.revision(3)).toMatchObject({ key: "r3" });
    expect(await young.store.answerTo("approval", "approve p-held")).toBe("-");
    // Young as they are, a plan that is over and a decision stay too.
    expect((await young.store.plan("p-rejected"))?.state).toBe("rejected");
    expect((await young.store.decision("p-rejected"))?.value).toBe("abort");
    expect(await young.store.decide({ transaction: "p-rejected", value: "confirm" })).toBe("abort");
    expect(await young.store.check()).toEqual([]);
  });

  test("with nothing old enough changes nothing, and says from when on there is something", async () => {
    const aged = await agedStore();
    const told = await tellsFrom(aged.store, 1);
    const report = await prune(aged, 0);
    expect(report).toMatchObject({ dropped: undefined, prunedAt: undefined });
    expect(report.oldestKept?.slice(0, 10)).toBe("2020-01-01");
    expect(segmentsOf(aged.folder)).toHaveLength(4);
    expect(await tellsFrom(aged.store, 1)).toBe(told);
  });

  test("asked for twice under one key is one prune, with one answer", async () => {
    const aged = await agedStore();
    const first = await prune(aged, 2, "once");
    const segments = segmentsOf(aged.folder);
    const again = await prune(aged, 3, "once");
    expect(again).toMatchObject({ alreadyThere: true, dropped: first.dropped, prunedAt: first.prunedAt });
    expect(segmentsOf(aged.folder)).toEqual(segments);
    await reopen(aged);
    expect(await prune(aged, 3, "once")).toMatchObject({ alreadyThere: true, dropped: first.dropped });
  });

  test("whose graph could not be built is finished when it is asked for again", async () => {
    const aged = await agedStore();
    await aged.store.close();
    let isArmed = false;
    const makeFolder = (path: string) =>
      isArmed && path.endsWith("rebuild") ? Promise.reject(systemError("ENOSPC")) : realFiles.makeFolder(path);
    aged.store = await openAged(aged.folder, aged.clock, { files: { ...realFiles, makeFolder } });
    isArmed = true;
    await expect(prune(aged, 2)).rejects.toMatchObject({ code: "stopped" });
    // The graph of before tells all that is kept, and takes what comes.
    await aged.store.decide({ transaction: "between", value: "confirm" });
    isArmed = false;
    expect(await prune(aged, 2)).toMatchObject({ alreadyThere: true, prunedAt: { revision: 4 } });
    expect(await aged.store.prunedAt()).toMatchObject({ revision: 4 });
    expect((await aged.store.decision("between"))?.value).toBe("confirm");
    expect(await aged.store.verify()).toMatchObject({ findings: [] });
  });

  test("for whose graph there may be no room changes nothing", async () => {
    const aged = await agedStore();
    await aged.store.close();
    const size = (path: string) =>
      path.endsWith("graph.lbug") ? Promise.resolve(Number.MAX_SAFE_INTEGER) : realFiles.size(path);
    aged.store = await openAged(aged.folder, aged.clock, { files: { ...realFiles, size } });
    const [segments, documents] = [segmentsOf(aged.folder), documentsOf(aged.folder)];
    await expect(prune(aged, 2)).rejects.toMatchObject({ code: "no-space" });
    expect([segmentsOf(aged.folder), documentsOf(aged.folder)]).toEqual([segments, documents]);
  });

  test("after another goes on from the first one's snapshot, down to everything", async () => {
    const aged = await agedStore();
    const told = await tellsFrom(aged.store, 8);
    await prune(aged, 1);
    expect(await aged.store.prunedAt()).toMatchObject({ revision: 3 });
    await reopen(aged);
    await prune(aged, 3);
    expect(await aged.store.prunedAt()).toMatchObject({ revision: 7 });
    await reopen(aged);
    aged.clock.to(201);
    const last = await prune(aged, 202);
    expect(last).toMatchObject({ dropped: { revisions: 1 }, prunedAt: { revision: 8 } });
    expect(segmentsOf(aged.folder)).toHaveLength(1);
    expect(await tellsFrom(aged.store, 8)).toBe(told);
    await reopen(aged);
    expect(await tellsFrom(aged.store, 8)).toBe(told);
    expect(await aged.store.verify()).toMatchObject({ findings: [], snapshot: { revision: 8 } });
  });

  test("a preview says the same and changes nothing", async () => {
    const aged = await agedStore();
    const told = await tellsFrom(aged.store, 1);
    const before = documentsOf(aged.folder);
    const preview = await aged.store.previewPrune(dayStart(2));
    expect(documentsOf(aged.folder)).toEqual(before);
    expect(await tellsFrom(aged.store, 1)).toBe(told);
    expect(segmentsOf(aged.folder)).toHaveLength(4);
    expect(await prune(aged, 2)).toEqual(preview);
  });
});
