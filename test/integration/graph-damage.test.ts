/**
 * What a disk or a person may do to the files of a closed data folder. Damage to what was acknowledged is refused, with
 * the exact record; a tail that never was is cut; the database, which is only a form of the journal, mends itself.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { commit, deviceRecord, importBody, testFolder, wholeState } from "../support/graph-bodies.ts";

/** Characters of two, three and four bytes. */
const WIDE = "zu groß ☃ 𝒳";

let base = "";
/** A closed folder of several segments, what it told, and what it told before its last record. */
let master = "";
let told = "";
let toldBefore = "";
let bodyOfFirst = "";

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "tenure-damage-"));
  master = join(base, "data");
  const store = await openStore({ dataFolder: master, segmentBytes: 2000 });
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
  for (let value = 1500; value < 1508; value += 1)
    await store.commitRevision(commit(importBody("d1", { eth0: String(value), eth1: "9000" }), `r${String(value)}`));
  for (const name of ["a", "b", "c"])
    await store.locks.request({ request: name, keys: ["device/d1"], workflowId: name, transaction: undefined });
  bodyOfFirst = (await store.revision(1))?.body ?? "";
  toldBefore = await wholeState(store);
  await store.putDevice({ device: deviceRecord("d2", { name: WIDE }), actor: "t", key: "last" });
  told = await wholeState(store);
  await store.close();
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

function copyOfMaster(): string {
  const folder = join(testFolder(), "data");
  cpSync(master, folder, { recursive: true });
  return folder;
}

async function open(folder: string): Promise<{ readonly store: GraphStore; readonly events: string[] }> {
  const events: string[] = [];
  const store = await openStore({ dataFolder: folder, report: (event) => events.push(event.kind) });
  onTestFinished(() => store.close());
  return { store, events };
}

const segmentsOf = (folder: string) =>
  readdirSync(dataPaths(folder).journal)
    .sort()
    .map((name) => join(dataPaths(folder).journal, name));

const graphOf = (folder: string) => join(dataPaths(folder).graph, "graph.lbug");

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** All content but the owner's lock, which every opener writes. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (name.startsWith("owner") || statSync(join(folder, name)).isDirectory()) continue;
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

async function refuses(folder: string, expected: object): Promise<void> {
  const before = fingerprint(folder);
  await expect(openStore({ dataFolder: folder })).rejects.toMatchObject(expected);
  expect(fingerprint(folder), "nothing is changed by a refusal").toBe(before);
}

/* ---- journal ---- */

interface LineAt {
  readonly path: string;
  readonly record: number;
  readonly start: number;
  readonly text: string;
}

/** A record's line, with where it starts in its segment. */
function lineOf(folder: string, record: number): LineAt {
  for (const path of segmentsOf(folder)) {
    let start = 0;
    for (const text of readFileSync(path, "utf8").split("\n").slice(0, -1)) {
      if ((JSON.parse(text) as { n: number }).n === record) return { path, record, start, text };
      start += Buffer.byteLength(text) + 1;
    }
  }
  throw new Error(`there is no record ${String(record)}`);
}

const PLACES = ["number", "own digest", "predecessor's digest", "time", "kind", "body", "newline"] as const;

/** An offset inside the line. */
function placeIn({ text }: LineAt, place: (typeof PLACES)[number]): number {
  switch (place) {
    case "number":
      return text.lastIndexOf('"n":') + 4;
    case "own digest":
      return text.indexOf('"digest":"', text.indexOf('},"digest"')) + 12;
    case "predecessor's digest":
      return text.indexOf('"prev":"') + 20;
    case "time":
      return text.lastIndexOf('"time":"') + 12;
    case "kind":
      return text.lastIndexOf('"kind":"') + 9;
    case "body":
      return text.indexOf('"key":"') + 7;
    case "newline":
      return Buffer.byteLength(text);
  }
}

describe("a flipped bit in the journal is refused with the exact record", () => {
  test.each(PLACES)("in the %s, in old segments and in the newest", async (place) => {
    const last = lineOf(master, 10);
    expect(segmentsOf(master).length).toBeGreaterThan(2);
    expect(last.path).toBe(segmentsOf(master).at(-1));
    for (const record of [1, 2, 5, 9]) {
      const folder = copyOfMaster();
      const line = lineOf(folder, record);
      flip(line.path, line.start + placeIn(line, place));
      await refuses(folder, { code: "journal-broken", details: { record } });
    }
  });

  test("a record of the newest segment that looks torn, and that the graph knows, was not torn", async () => {
    const folder = copyOfMaster();
    const line = lineOf(folder, 10);
    flip(line.path, line.start + placeIn(line, "newline"));
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({
      code: "graph-ahead",
      details: { record: 10, last: 9 },
    });
  });
});

describe("a torn tail is cut, whatever its length", () => {
  const wide = (offset: number) => (line: LineAt) => Buffer.from(line.text).indexOf(Buffer.from(WIDE)) + offset;
  const all = Buffer.byteLength(WIDE);
  test.each([
    ["one byte", () => 1],
    ["half of a character of two bytes", wide("zu gro".length + 1)],
    ["two thirds of a character of three bytes", wide(Buffer.byteLength("zu groß ") + 2)],
    ["a quarter of a character of four bytes", wide(all - 3)],
    ["three quarters of it", wide(all - 1)],
    ["all but its last character", (line: LineAt) => Buffer.byteLength(line.text) - 1],
    ["the whole line without its newline", (line: LineAt) => Buffer.byteLength(line.text)],
  ] as const)("%s", async (_what, lengthOf) => {
    const folder = copyOfMaster();
    const line = lineOf(folder, 10);
    // A record that was never acknowledged never reached the graph.
    rmSync(dataPaths(folder).graph, { recursive: true });
    const length = lengthOf(line);
    truncateSync(line.path, line.start + length);
    const { store } = await open(folder);
    expect(store.opening.torn).toMatchObject({ bytes: length });
    expect(await wholeState(store)).toBe(toldBefore);
    // The place is free again.
    await store.putDevice({ device: deviceRecord("d2", { name: WIDE }), actor: "t", key: "last" });
    expect((await store.device("d2"))?.name).toBe(WIDE);
    expect(await store.check()).toEqual([]);
  });

  test("zeros: the length was on the disk before the bytes were", async () => {
    const folder = copyOfMaster();
    const line = lineOf(folder, 10);
    rmSync(dataPaths(folder).graph, { recursive: true });
    const bytes = readFileSync(line.path);
    writeFileSync(line.path, bytes.fill(0, line.start + 40));
    const { store } = await open(folder);
    expect(store.opening.torn).toMatchObject({ bytes: bytes.length - line.start });
    expect(await wholeState(store)).toBe(toldBefore);
  });
});

/* ---- documents, locks ---- */

describe("a flipped bit in a document", () => {
  const pathOf = (folder: string) => join(dataPaths(folder).documents, bodyOfFirst.slice(0, 2), bodyOfFirst.slice(2));

  test("names the document wherever it is needed; the graph tells what it told; putting it again heals", async () => {
    const folder = copyOfMaster();
    const content = readFileSync(pathOf(folder), "utf8");
    flip(pathOf(folder), 20);
    const { store } = await open(folder);
    const named = { code: "document-damaged", details: { digest: bodyOfFirst } };
    await expect(store.documents.get(bodyOfFirst)).rejects.toMatchObject(named);
    expect((await store.check()).map((finding) => finding.place)).toContain(bodyOfFirst);
    expect(await wholeState(store)).toBe(told);
    await expect(store.rebuild()).rejects.toThrow(bodyOfFirst);
    expect(await wholeState(store), "a rebuild that cannot be made leaves what was there").toBe(told);
    await store.documents.put(content);
    await store.rebuild();
    expect(await store.check()).toEqual([]);
  });

  test("and no graph: the start is refused with the document's name, and works once it is there again", async () => {
    const folder = copyOfMaster();
    rmSync(dataPaths(folder).graph, { recursive: true });
    const good = readFileSync(pathOf(folder));
    flip(pathOf(folder), 20);
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({
      code: "document-damaged",
      details: { digest: bodyOfFirst },
    });
    writeFileSync(pathOf(folder), good);
    const { store } = await open(folder);
    expect(await wholeState(store)).toBe(told);
  });
});

test.each([
  ["digest", 5],
  ["content", 80],
  ["newline", -1],
])("a flipped bit in the %s of a line of the lock table is refused with the line", async (_what, offset) => {
  const folder = copyOfMaster();
  const path = join(dataPaths(folder).locks, "locks.jsonl");
  const lines = readFileSync(path, "utf8").split("\n");
  const second = (lines[0]?.length ?? 0) + 1;
  const end = second + (lines[1]?.length ?? 0);
  flip(path, offset < 0 ? end : second + offset);
  await refuses(folder, { code: "journal-broken", details: { record: 2, segment: path } });
});

/* ---- database ---- */

describe("the database mends itself", () => {
  /** Another folder's graph, as after a mistake with a backup. */
  async function otherFolder(records: number): Promise<string> {
    const folder = join(testFolder(), "other");
    const store = await openStore({ dataFolder: folder });
    for (let n = 1; n <= records; n += 1) await store.decide({ transaction: `t${String(n)}`, value: "confirm" });
    await store.close();
    return folder;
  }

  test.each([
    [
      "is gone, and its log too",
      (file: string) => {
        rmSync(file);
        rmSync(`${file}.wal`);
      },
      ["rebuilt"],
    ],
    ["is empty", (file: string) => truncateSync(file, 0), ["rebuilt"]],
    ["holds other bytes", (file: string) => writeFileSync(file, Buffer.alloc(20_000, 7)), ["rebuilt"]],
    ["is one byte", (file: string) => truncateSync(file, 1), ["rebuilt"]],
    ["lost its second half", (file: string) => truncateSync(file, statSync(file).size >> 1), ["rebuilt"]],
    [
      "is gone, and its log is not (case 91)",
      (file: string) => {
        rmSync(file);
      },
      ["rebuilt"],
    ],
    [
      "has what an interrupted checkpoint leaves: the old log under another name",
      (file: string) => {
        cpSync(`${file}.wal`, `${file}.wal.checkpoint`);
        rmSync(`${file}.wal`);
      },
      ["rebuilt"],
    ],
    ["has a shadow file", (file: string) => writeFileSync(`${file}.shadow`, Buffer.alloc(8192, 1)), ["rebuilt"]],
    [
      "has lock files of a checkpoint that was killed",
      (file: string) => {
        for (const name of ["intent", "apply"]) writeFileSync(`${file}.checkpoint.${name}.lock`, "");
      },
      [],
    ],
    [
      "has half of a copy that was being made",
      (file: string) => writeFileSync(`${file}.before.tmp`, Buffer.alloc(5000, 1)),
      [],
    ],
    ["lost its log", (file: string) => rmSync(`${file}.wal`), undefined],
    ["has other bytes for a log", (file: string) => writeFileSync(`${file}.wal`, Buffer.alloc(20_000, 7)), ["rebuilt"]],
    ["has an empty log", (file: string) => truncateSync(`${file}.wal`, 0), undefined],
    [
      "has a log cut in the middle",
      (file: string) => truncateSync(`${file}.wal`, statSync(`${file}.wal`).size >> 1),
      undefined,
    ],
    [
      "has a log cut by a byte",
      (file: string) => truncateSync(`${file}.wal`, statSync(`${file}.wal`).size - 1),
      undefined,
    ],
    [
      "has a flipped bit in its log",
      (file: string) => {
        flip(`${file}.wal`, statSync(`${file}.wal`).size >> 1);
      },
      undefined,
    ],
    [
      "has a flipped bit in its header",
      (file: string) => {
        flip(file, 1);
      },
      ["rebuilt"],
    ],
  ] as const)("a file that %s", async (_what, damage, expected) => {
    const folder = copyOfMaster();
    const file = graphOf(folder);
    expect(existsSync(`${file}.wal`)).toBe(true);
    damage(file);
    const { store, events } = await open(folder);
    if (expected !== undefined) expect(events).toEqual(expected);
    expect(await wholeState(store)).toBe(told);
    expect(await store.check()).toEqual([]);
  });

  test("a flipped bit inside a row is nothing that the database sees: a check names the row, a rebuild mends it", async () => {
    const folder = join(testFolder(), "data");
    const first = await openStore({ dataFolder: folder, checkpointBytes: 1 });
    await first.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    for (const value of ["1501", "1502", "1503"])
      await first.commitRevision(commit(importBody("d1", { eth0: value }), value));
    const right = await wholeState(first);
    await first.close();

    const file = graphOf(folder);
    const bytes = readFileSync(file);
    const needle = '"text":"1502"';
    const places: number[] = [];
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) places.push(at);
    expect(places.length).toBeGreaterThan(0);
    for (const at of places) flip(file, at + needle.length - 2);
    const damaged = await openStore({ dataFolder: folder });
    expect(await damaged.check()).toMatchObject([
      { code: "row-differs", place: expect.stringMatching(/@2$/) as string },
    ]);
    expect(await wholeState(damaged)).not.toBe(right);
    await damaged.rebuild();
    expect(await damaged.check()).toEqual([]);
    expect(await wholeState(damaged), "what was read before is forgotten").toBe(right);
    await damaged.close();
    const { store } = await open(folder);
    expect(await wholeState(store)).toBe(right);
  });

  test("a file with the log of another database beside it", async () => {
    const folder = copyOfMaster();
    const other = await otherFolder(3);
    cpSync(`${graphOf(other)}.wal`, `${graphOf(folder)}.wal`);
    const { store } = await open(folder);
    expect(await wholeState(store)).toBe(told);
    expect(await store.check()).toEqual([]);
  });

  test.each([3, 20])("the graph of another journal, with %d records, is refused with the record", async (records) => {
    const folder = copyOfMaster();
    rmSync(dataPaths(folder).graph, { recursive: true });
    cpSync(dataPaths(await otherFolder(records)).graph, dataPaths(folder).graph, { recursive: true });
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({
      code: "graph-ahead",
      details: { record: records, last: 10 },
    });
  });
});
