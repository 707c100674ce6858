import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import { realFiles } from "../../graph/files.ts";
import { type Journal, openJournal } from "../../graph/journal/journal.ts";
import type { JournalEntry, JournalRecord, PruneEntry } from "../../graph/journal/record.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { faultyFiles } from "../support/graph-faulty-files.ts";

const decision = (transaction: string): JournalEntry => ({
  kind: "decision",
  body: { transaction, value: "confirm", asked: "confirm", deadline: undefined },
});
const MANIFEST = digestOf("manifest");

async function open(folder: string, clock = () => new Date()): Promise<Journal> {
  const journal = await openJournal({ folder, files: realFiles, clock });
  onTestFinished(() => journal.close());
  return journal;
}

const segments = (folder: string) => readdirSync(folder).sort();

async function numbers(journal: Journal, from = 1): Promise<readonly number[]> {
  const read: number[] = [];
  for await (const record of journal.read(from)) read.push(record.n);
  return read;
}

/** Two records on each of `days` days. */
async function daily(folder: string, days: number): Promise<Journal> {
  let time = Date.UTC(2030, 0, 1);
  const journal = await open(folder, () => new Date(time));
  for (let day = 0; day < days; day += 1) {
    await journal.append(decision(`${day} a`));
    time += 1000;
    await journal.append(decision(`${day} b`));
    time = Date.UTC(2030, 0, 2 + day);
  }
  return journal;
}

/** Appends what drops the records up to the end of segment `index`. */
async function appendPrune(
  journal: Journal,
  index: number,
  more: Partial<PruneEntry> = {},
): Promise<readonly JournalRecord[]> {
  const last = (await journal.segments())[index]?.last;
  if (last === undefined) throw new Error(`there is no segment ${index}`);
  const body = { record: last.n, digest: last.digest, revision: 0, revisionTime: undefined, manifest: MANIFEST };
  const snapshot = await journal.append({ kind: "snapshot", body });
  const dropped = { first: 1, last: last.n, digest: last.digest, lastTime: last.time, snapshot: snapshot.n };
  const prune = await journal.append({
    kind: "prune",
    body: { actor: "a", key: `k${journal.last.n}`, before: last.time, ...dropped, revisions: 0, bytes: 0, ...more },
  });
  return [snapshot, prune];
}

describe("segments", () => {
  test("hold the records of one UTC day, and a snapshot starts one", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 3);
    expect(segments(folder)).toEqual(["000000000001.jsonl", "000000000003.jsonl", "000000000005.jsonl"]);
    expect((await journal.segments()).map(({ first, last }) => [first, last.n])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    await appendPrune(journal, 2);
    expect(segments(folder).at(-1)).toBe("000000000007.jsonl");
    expect((await journal.segments()).at(-1)).toMatchObject({ first: 7, last: { n: 8 } });
  });
});

describe("after a prune", () => {
  test("the chain is proved from the record that the prune names", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 4);
    const before = await Promise.all([4, 5].map((n) => journal.digestOf(n)));
    await appendPrune(journal, 1);
    await journal.removeDropped();
    await journal.removeDropped();
    for (const one of [journal, await open(folder)]) {
      expect(await numbers(one)).toEqual([5, 6, 7, 8, 9, 10]);
      expect(await numbers(one, 9)).toEqual([9, 10]);
      expect(one.base).toMatchObject({ prune: { n: 10 }, snapshot: { n: 9, body: { record: 4 } } });
      expect(await Promise.all([4, 5].map((n) => one.digestOf(n)))).toEqual(before);
      expect(await one.digestOf(3)).toBeUndefined();
      expect(one.last.n).toBe(10);
    }
  });

  test("the time still never runs backwards, even when all that is left is of a slow clock", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 2);
    await appendPrune(journal, 1);
    await journal.removeDropped();
    const again = await open(folder, () => new Date("2029-01-01T00:00:00Z"));
    const { time } = again.last;
    expect((await again.append(decision("late"))).time).toBe(time);
    await open(folder);
  });

  test("a second one takes the place of the first, whose own records may go with it", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 2);
    await appendPrune(journal, 0);
    await journal.removeDropped();
    await appendPrune(journal, 1);
    await journal.removeDropped();
    expect(await numbers(await open(folder))).toEqual([7, 8]);
  });

  test("a prune record whose own snapshot was dropped by a later one does no harm", async () => {
    const folder = testFolder();
    let time = Date.UTC(2030, 0, 1);
    const journal = await open(folder, () => new Date(time));
    await journal.append(decision("a"));
    const { n, digest, time: lastTime } = journal.last;
    const body = { record: n, digest, revision: 0, revisionTime: undefined, manifest: MANIFEST };
    const snapshot = await journal.append({ kind: "snapshot", body });
    // Midnight between the two.
    time += 86_400_000;
    const dropped = { first: 1, last: n, digest, lastTime, snapshot: snapshot.n, revisions: 0, bytes: 0 };
    await journal.append({ kind: "prune", body: { actor: "a", key: "k", before: lastTime, ...dropped } });
    await journal.removeDropped();
    expect((await journal.segments()).map((one) => one.first)).toEqual([2, 3]);
    await appendPrune(journal, 0);
    await journal.removeDropped();
    expect(await numbers(await open(folder))).toEqual([3, 4, 5]);
  });
});

describe("an abrupt end", () => {
  test("between the prune record and any of the removals is finished at the next start", async () => {
    const whole = testFolder();
    const journal = await daily(whole, 4);
    await appendPrune(journal, 2);
    // A power cut may keep any of the removed names: nothing says in which order a folder is written.
    for (const gone of [[], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]) {
      const folder = testFolder();
      for (const name of segments(whole)) copyFileSync(join(whole, name), join(folder, name));
      for (const index of gone) rmSync(join(folder, segments(whole)[index]!));
      const again = await open(folder);
      expect(await numbers(again), `gone: ${gone.join()}`).toEqual([7, 8, 9, 10]);
      expect(segments(folder)).toEqual(["000000000007.jsonl", "000000000009.jsonl"]);
    }
  });

  test("after the snapshot alone changes nothing: every record is there", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 3);
    const last = (await journal.segments())[1]?.last;
    const body = { record: 4, digest: last?.digest ?? "", revision: 0, revisionTime: undefined, manifest: MANIFEST };
    await journal.append({ kind: "snapshot", body });
    const again = await open(folder);
    expect(await numbers(again)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(again.base).toBeUndefined();
  });

  test("removes nothing before the prune record is on the disk, the oldest first, and then the folder's names", async () => {
    const folder = testFolder();
    await daily(folder, 3);
    const files = faultyFiles();
    const removed: string[] = [];
    const journal = await openJournal({
      folder,
      clock: () => new Date("2030-02-01T00:00:00Z"),
      files: {
        ...files,
        remove: async (path) => {
          removed.push(path);
          files.steps.push({ what: "open", path: `remove ${path}` });
          await realFiles.remove(path);
        },
      },
    });
    onTestFinished(() => journal.close());
    files.steps.length = 0;
    await appendPrune(journal, 1);
    expect(removed).toEqual([]);
    expect(files.steps.at(-1)).toMatchObject({ what: "sync" });
    await journal.removeDropped();
    expect(removed.map((path) => path.slice(-18))).toEqual(["000000000001.jsonl", "000000000003.jsonl"]);
    expect(files.steps.at(-1)).toMatchObject({ what: "sync-folder", path: folder });
  });
});

/** Seals changed records anew, each on the one before: what someone would do who knows the format. */
function forge(folder: string, name: string, change: (record: JournalRecord) => JournalRecord | undefined): void {
  const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  let prev: string | undefined;
  const forged = lines.flatMap((line) => {
    const changed = change(JSON.parse(line) as JournalRecord);
    if (changed === undefined) return [];
    const { digest: _digest, ...unsealed } = { ...changed, prev: prev ?? changed.prev };
    prev = digestOf(canonicalJson(unsealed));
    return [canonicalJson({ ...unsealed, digest: prev })];
  });
  writeFileSync(join(folder, name), `${forged.join("\n")}\n`);
}

describe("records that are gone without a prune record that fits are refused, nothing being removed", () => {
  async function pruned(): Promise<string> {
    const folder = testFolder();
    const journal = await daily(folder, 3);
    await appendPrune(journal, 1);
    await journal.removeDropped();
    await journal.close();
    return folder;
  }
  async function isRefused(folder: string, record: number): Promise<void> {
    const before = segments(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    await expect(open(folder)).rejects.toMatchObject({ code: "journal-broken", details: { record } });
    expect(segments(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(before);
  }

  test("it is missing", async () => {
    const folder = await pruned();
    forge(folder, "000000000007.jsonl", (record) => (record.kind === "prune" ? undefined : record));
    await isRefused(folder, 1);
  });

  test("it names another digest than the oldest record follows", async () => {
    const folder = await pruned();
    forge(folder, "000000000007.jsonl", (record) =>
      record.kind === "prune" || record.kind === "snapshot"
        ? ({ ...record, body: { ...record.body, digest: digestOf("other") } } as JournalRecord)
        : record,
    );
    await isRefused(folder, 5);
  });

  test("it drops more than its snapshot stands for", async () => {
    const folder = await pruned();
    forge(folder, "000000000007.jsonl", (record) =>
      record.kind === "prune" ? { ...record, body: { ...record.body, last: 6 } } : record,
    );
    await isRefused(folder, 8);
  });

  test("its snapshot is not there", async () => {
    const folder = await pruned();
    forge(folder, "000000000007.jsonl", (record) =>
      record.kind === "prune" ? { ...record, body: { ...record.body, snapshot: 3 } } : record,
    );
    await isRefused(folder, 8);
  });

  test("the oldest segment that it keeps is gone too", async () => {
    const folder = await pruned();
    rmSync(join(folder, "000000000005.jsonl"));
    await isRefused(folder, 1);
  });

  test("a segment behind it is gone", async () => {
    const folder = testFolder();
    const journal = await daily(folder, 4);
    await appendPrune(journal, 0);
    await journal.removeDropped();
    await journal.close();
    rmSync(join(folder, "000000000005.jsonl"));
    await isRefused(folder, 5);
  });
});
