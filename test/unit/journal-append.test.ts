import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FileOperations } from "../../graph/files.ts";
import { realFiles } from "../../graph/files.ts";
import { type Journal, openJournal } from "../../graph/journal/journal.ts";
import type { JournalEntry, JournalRecord } from "../../graph/journal/record.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { type FaultyFiles, faultyFiles, systemError } from "../support/graph-faulty-files.ts";

const decision = (transaction: string): JournalEntry => ({
  kind: "decision",
  body: { transaction, value: "confirm", asked: "confirm", deadline: undefined },
});

async function open(
  folder: string,
  more: { files?: FileOperations; clock?: () => Date; segmentBytes?: number } = {},
): Promise<Journal> {
  const journal = await openJournal({ folder, files: realFiles, clock: () => new Date(), ...more });
  onTestFinished(() => journal.close());
  return journal;
}

async function recordsOf(journal: Journal, from = 1): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of journal.read(from)) records.push(record);
  return records;
}

const transactions = (records: readonly JournalRecord[]) =>
  records.map((record) => (record.kind === "decision" ? record.body.transaction : record.kind));

async function filled(folder: string, count: number): Promise<string> {
  const journal = await open(folder);
  for (let n = 1; n <= count; n += 1) await journal.append(decision(`t${n}`));
  return join(folder, "000000000001.jsonl");
}

describe("records", () => {
  test("what was appended is read back, in order, from any number on", async () => {
    const folder = testFolder();
    await filled(folder, 4);
    const again = await open(folder);
    expect(again.opening).toEqual({ records: 4, torn: undefined });
    expect(transactions(await recordsOf(again))).toEqual(["t1", "t2", "t3", "t4"]);
    expect(transactions(await recordsOf(again, 3))).toEqual(["t3", "t4"]);
    expect(await again.digestOf(4)).toBe(again.last.digest);
    expect(await again.digestOf(5)).toBeUndefined();
  });

  test("a segment that is full is followed by another, and the chain goes on", async () => {
    const folder = testFolder();
    const journal = await open(folder, { segmentBytes: 600 });
    for (let n = 1; n <= 7; n += 1) await journal.append(decision(`t${n}`));
    const names = readdirSync(folder).sort();
    expect(names.length).toBeGreaterThan(2);
    const again = await open(folder, { segmentBytes: 600 });
    for (const from of [1, 2, 3, 4, 5, 6, 7]) {
      expect(transactions(await recordsOf(again, from))).toEqual(
        ["t1", "t2", "t3", "t4", "t5", "t6", "t7"].slice(from - 1),
      );
    }
  });

  test("while many are read, something else may run", async () => {
    const folder = testFolder();
    await filled(folder, 350);
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const seen: number[] = [];
    for await (const record of (await open(folder)).read(1)) if (record.n === 1 || record.n === 350) seen.push(turns);
    clearImmediate(next);
    const [first = 0, last = 0] = seen;
    expect(last - first).toBeGreaterThanOrEqual(3);
  });

  test("time is UTC and never runs backwards", async () => {
    const times = ["2030-01-01T00:00:01.000Z", "2029-12-31T23:59:59.000Z", "2030-01-01T00:00:02.000Z"];
    const journal = await open(testFolder(), { clock: () => new Date(times.shift() ?? "2031-01-01T00:00:00Z") });
    for (const name of ["a", "b", "c"]) await journal.append(decision(name));
    expect((await recordsOf(journal)).map((record) => record.time)).toEqual([
      "2030-01-01T00:00:01.000Z",
      "2030-01-01T00:00:01.000Z",
      "2030-01-01T00:00:02.000Z",
    ]);
  });

  test("a record over the limit is refused before anything is written", async () => {
    const folder = testFolder();
    const journal = await open(folder);
    await expect(journal.append(decision("x".repeat(1_100_000)))).rejects.toMatchObject({ code: "record-too-large" });
    expect(readFileSync(join(folder, "000000000001.jsonl"), "utf8")).toBe("");
  });
});

describe("what an abrupt end or a bad disk leaves", () => {
  test("a tail without its newline is cut and reported, at every length", async () => {
    const folder = testFolder();
    const file = await filled(folder, 3);
    const whole = readFileSync(file);
    const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (let length = start + 1; length < whole.length; length += 7) {
      writeFileSync(file, whole.subarray(0, length));
      const journal = await open(folder);
      expect(journal.opening).toEqual({ records: 2, torn: { segment: "000000000001.jsonl", bytes: length - start } });
      expect(readFileSync(file).length).toBe(start);
    }
  });

  test("a flipped bit in any byte of a complete record is refused with that record's number, nothing being changed", async () => {
    const folder = testFolder();
    const file = await filled(folder, 3);
    const whole = readFileSync(file);
    const first = whole.indexOf(0x0a) + 1;
    const second = whole.indexOf(0x0a, first);
    for (let at = first; at <= second; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x04;
      writeFileSync(file, damaged);
      await expect(open(folder), `byte ${at}`).rejects.toMatchObject({
        code: "journal-broken",
        details: { record: 2 },
      });
      expect(readFileSync(file).equals(damaged)).toBe(true);
    }
  });

  test.each([
    ["a record taken out", (lines: string[]) => [lines[0], lines[2]], 2],
    ["two records swapped", (lines: string[]) => [lines[0], lines[2], lines[1]], 2],
    ["a record repeated", (lines: string[]) => [lines[0], lines[0], lines[1]], 2],
    ["the first record taken out", (lines: string[]) => [lines[1], lines[2]], 1],
  ])("%s is refused", async (_what, change, record) => {
    const folder = testFolder();
    const file = await filled(folder, 3);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
    await expect(open(folder)).rejects.toMatchObject({ code: "journal-broken", details: { record } });
  });

  test("a segment that is missing is refused", async () => {
    const folder = testFolder();
    const journal = await open(folder, { segmentBytes: 300 });
    for (let n = 1; n <= 5; n += 1) await journal.append(decision(`t${n}`));
    const second = readdirSync(folder).sort()[1]!;
    await realFiles.remove(join(folder, second));
    await expect(open(folder)).rejects.toMatchObject({
      code: "journal-broken",
      details: { record: Number.parseInt(second, 10) },
    });
  });
});

describe("order of durable steps, and faults", () => {
  test("a record is written, then forced to the disk, then acknowledged", async () => {
    const files = faultyFiles();
    const journal = await open(testFolder(), { files });
    files.steps.length = 0;
    const acknowledged = journal
      .append(decision("t1"))
      .then(() => files.steps.push({ what: "open", path: "acknowledged" }));
    await acknowledged;
    expect(files.steps.map((step) => (step.path === "acknowledged" ? "acknowledged" : step.what))).toEqual([
      "write",
      "sync",
      "acknowledged",
    ]);
  });

  test("a new segment's name is forced to the disk before a record in it is acknowledged", async () => {
    const files = faultyFiles();
    const journal = await open(testFolder(), { files, segmentBytes: 300 });
    await journal.append(decision("t1"));
    files.steps.length = 0;
    await journal.append(decision("t2"));
    const steps = files.steps.map((step) => step.what);
    expect(steps.indexOf("sync-folder")).toBeGreaterThanOrEqual(0);
    expect(steps.indexOf("sync-folder")).toBeLessThan(steps.lastIndexOf("write"));
    expect(steps.at(-1)).toBe("sync");
  });

  test("short writes are continued", async () => {
    const files = faultyFiles();
    const journal = await open(testFolder(), { files });
    files.inject({ what: "write", path: /jsonl$/, take: 5, times: 9 });
    await journal.append(decision("t1"));
    expect(transactions(await recordsOf(journal))).toEqual(["t1"]);
  });

  test.each([
    ["disk full at the first byte", { what: "write", path: /jsonl$/, error: systemError("ENOSPC") }],
    ["disk full in the middle of a record", { what: "write", path: /jsonl$/, take: 40, error: systemError("ENOSPC") }],
    ["a failed fsync", { what: "sync", path: /jsonl$/, error: systemError("EIO") }],
  ] as const)("%s: the record is gone without a trace, and the next one stands", async (_what, fault) => {
    const folder = testFolder();
    const files = faultyFiles();
    const journal = await open(folder, { files });
    await journal.append(decision("t1"));
    files.inject(fault);
    await expect(journal.append(decision("lost"))).rejects.toMatchObject({ code: fault.error.code });
    expect(readFileSync(join(folder, "000000000001.jsonl"), "utf8")).not.toContain("lost");
    await journal.append(decision("t2"));
    expect(transactions(await recordsOf(await open(folder)))).toEqual(["t1", "t2"]);
  });

  test.each([
    ["whose name", { what: "sync-folder", path: /./, error: systemError("EIO") }],
    ["which itself", { what: "sync", path: /000000000002/, error: systemError("EIO") }],
  ] as const)(
    "a new segment %s could not be forced to the disk: smaller records go on in the old one, and a start finds them",
    async (_what, fault) => {
      const folder = testFolder();
      const files: FaultyFiles = { ...faultyFiles() };
      const journal = await open(folder, { files, segmentBytes: 900 });
      await journal.append(decision("t1"));
      files.inject(fault);
      // It is left behind, as by a power cut that forgets its removal.
      files.remove = () => Promise.resolve();
      await expect(journal.append(decision("x".repeat(900)))).rejects.toMatchObject({ code: "EIO" });
      files.remove = (path) => realFiles.remove(path);
      await journal.append(decision("t2"));
      expect(readdirSync(folder)).toEqual(["000000000001.jsonl", "000000000002.jsonl"]);
      const file = join(folder, "000000000001.jsonl");
      const whole = readFileSync(file);
      // As it is, and killed in the middle of that record.
      for (const [length, records] of [
        [whole.length, 2],
        [whole.length - 5, 1],
      ] as const) {
        writeFileSync(file, whole.subarray(0, length));
        writeFileSync(join(folder, "000000000002.jsonl"), "");
        const again = await open(folder);
        expect(again.opening.records).toBe(records);
        expect(readdirSync(folder)).toEqual(["000000000001.jsonl"]);
      }
    },
  );

  test("a new segment that could not be made is taken away again", async () => {
    const folder = testFolder();
    const files = faultyFiles();
    const journal = await open(folder, { files, segmentBytes: 900 });
    await journal.append(decision("t1"));
    files.inject({ what: "sync-folder", path: /./, error: systemError("EIO") });
    await expect(journal.append(decision("x".repeat(900)))).rejects.toMatchObject({ code: "EIO" });
    expect(readdirSync(folder)).toEqual(["000000000001.jsonl"]);
    await journal.append(decision("x".repeat(901)));
    expect((await open(folder)).opening.records).toBe(2);
  });

  test("when it cannot even be cut back, that is tried again before the next record; a restart finds the good part too", async () => {
    const folder = testFolder();
    const files = faultyFiles();
    const journal = await open(folder, { files });
    await journal.append(decision("t1"));
    files.inject({ what: "write", path: /jsonl$/, take: 40, error: systemError("EIO") });
    files.inject({ what: "truncate", path: /jsonl$/, error: systemError("EIO"), times: 2 });
    await expect(journal.append(decision("lost"))).rejects.toMatchObject({ code: "stopped" });
    await expect(journal.append(decision("t2"))).rejects.toMatchObject({ code: "stopped" });
    const other = testFolder();
    cpSync(folder, other, { recursive: true });
    const again = await open(other);
    expect(again.opening.torn?.bytes).toBe(40);
    expect(transactions(await recordsOf(again))).toEqual(["t1"]);

    await journal.append(decision("t3"));
    expect(transactions(await recordsOf(journal))).toEqual(["t1", "t3"]);
    expect((await open(folder)).opening).toEqual({ records: 2, torn: undefined });
    await journal.close();
    await expect(journal.append(decision("t4"))).rejects.toMatchObject({ code: "stopped" });
  });
});
