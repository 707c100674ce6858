import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkStore } from "../../graph/check.ts";
import { openDocumentStore } from "../../graph/documents/document-store.ts";
import { realFiles } from "../../graph/files.ts";
import { openJournal } from "../../graph/journal/journal.ts";
import { createReads } from "../../graph/reads.ts";
import { type GraphEvent, openGraphDatabase } from "../../graph/start/graph-database.ts";
import { type GraphStore, type StoreOptions, openStore } from "../../graph/store.ts";
import {
  PLAN_DOCUMENTS,
  commit,
  deviceRecord,
  importBody,
  planRecord,
  testFolder,
  wholeState,
} from "../support/graph-bodies.ts";
import { eventually } from "../support/eventually.ts";
import { faultyFiles, systemError } from "../support/graph-faulty-files.ts";

async function open(
  dataFolder: string,
  more: Partial<StoreOptions> = {},
): Promise<{ readonly store: GraphStore; readonly events: GraphEvent[] }> {
  const events: GraphEvent[] = [];
  const store = await openStore({ dataFolder, report: (event) => events.push(event), ...more });
  return { store, events };
}

/** A closed store of three revisions, and what it told. */
async function filledFolder(): Promise<{ readonly folder: string; readonly told: string; readonly graph: string }> {
  const folder = testFolder();
  const { store } = await open(folder);
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
  for (const value of ["1500", "9000", "1400"])
    await store.commitRevision(commit(importBody("d1", { eth0: value, eth1: "1500" }), value));
  await store.documents.putAll(PLAN_DOCUMENTS);
  await store.putPlan({ plan: planRecord("p1"), state: "waiting" });
  const told = await wholeState(store);
  const graph = join(store.paths.graph, "graph.lbug");
  await store.close();
  return { folder, told, graph };
}

async function tellsTheSame(folder: string, told: string): Promise<readonly string[]> {
  const { store, events } = await open(folder);
  onTestFinished(() => store.close());
  expect(await wholeState(store)).toBe(told);
  expect(await store.check()).toEqual([]);
  return events.map((event) => event.kind);
}

/** Damage to each file, and what becomes of it, is in graph-damage.test.ts. */
describe("the graph file is only a form of the journal", () => {
  test("a file that is behind is caught up", async () => {
    const { folder, graph } = await filledFolder();
    const aside = testFolder();
    const files = readdirSync(join(graph, ".."));
    for (const name of files) copyFileSync(join(graph, "..", name), join(aside, name));
    const { store } = await open(folder);
    await store.commitRevision(commit(importBody("d1", { eth0: "1" }), "later"));
    const told = await wholeState(store);
    await store.close();
    for (const name of readdirSync(join(graph, ".."))) rmSync(join(graph, "..", name), { recursive: true });
    for (const name of files) copyFileSync(join(aside, name), join(graph, "..", name));
    expect(await tellsTheSame(folder, told)).toEqual(["caught-up"]);
  });

  test("the state kept aside before a checkpoint that was cut short comes back, and is caught up", async () => {
    const { folder, graph } = await filledFolder();
    copyFileSync(graph, `${graph}.before`);
    copyFileSync(`${graph}.wal`, `${graph}.before.wal`);
    const { store } = await open(folder);
    await store.commitRevision(commit(importBody("d1", { eth0: "1" }), "later"));
    const told = await wholeState(store);
    await store.close();
    writeFileSync(`${graph}.wal.checkpoint`, "");
    writeFileSync(graph, Buffer.alloc(4096, 7));
    expect(await tellsTheSame(folder, told)).toEqual(["restored", "caught-up"]);
  });

  test("a graph that is ahead of its journal is refused with the record, and nothing is changed", async () => {
    const { folder, graph } = await filledFolder();
    const segment = join(folder, "journal", "000000000001.jsonl");
    const lines = readFileSync(segment, "utf8").trimEnd().split("\n");
    writeFileSync(segment, `${lines.slice(0, -1).join("\n")}\n`);
    await expect(open(folder)).rejects.toMatchObject({
      code: "graph-ahead",
      details: { record: lines.length, last: lines.length - 1 },
    });
    expect(existsSync(graph)).toBe(true);
    // The same when only the last newline was damaged: the record looks torn, but the graph knows it.
    writeFileSync(segment, `${lines.join("\n")}x`);
    await expect(open(folder)).rejects.toMatchObject({ code: "graph-ahead", details: { record: lines.length } });
  });

  test("a torn tail is cut and reported, and the folder is usable", async () => {
    const { folder, told } = await filledFolder();
    const segment = join(folder, "journal", "000000000001.jsonl");
    writeFileSync(segment, `${readFileSync(segment, "utf8")}{"body":{"key":"half`);
    const { store } = await open(folder);
    onTestFinished(() => store.close());
    expect(store.opening.torn?.bytes).toBe(20);
    expect(await wholeState(store)).toBe(told);
  });

  test("a flipped byte is refused with the exact record; afterwards the folder can be opened by others", async () => {
    const { folder } = await filledFolder();
    const segment = join(folder, "journal", "000000000001.jsonl");
    const good = readFileSync(segment, "utf8");
    writeFileSync(segment, good.replace('"key":"9000"', '"key":"9001"'));
    await expect(open(folder)).rejects.toMatchObject({ code: "journal-broken", details: { record: 3 } });
    writeFileSync(segment, good);
    const { store } = await open(folder);
    await store.close();
  });
});

test("a graph that differs from what a record was computed for is thrown away and rebuilt, and the record stands", async () => {
  const folder = testFolder();
  const events: GraphEvent[] = [];
  const documents = await openDocumentStore(join(folder, "documents"), realFiles);
  const journal = await openJournal({ folder: join(folder, "journal"), files: realFiles, clock: () => new Date() });
  onTestFinished(() => journal.close());
  const graph = await openGraphDatabase({
    folder: join(folder, "graph"),
    journal,
    documents,
    files: realFiles,
    report: (event) => events.push(event),
    checkpointBytes: 1e9,
  });
  onTestFinished(() => graph.close());
  // What a lost or half-done transaction might leave: a row where the next record will want to write its own.
  await graph.read("CREATE (:Decision {id: 't2', form: '{}'})");
  for (const transaction of ["t1", "t2", "t3"]) {
    const body = { transaction, value: "confirm", asked: "confirm", deadline: undefined } as const;
    await graph.apply(await journal.append({ kind: "decision", body }));
  }
  expect(events.map((event) => event.kind)).toEqual(["rebuilt", "rebuilt"]);
  const reads = createReads(graph, documents);
  expect(await Promise.all(["t1", "t2", "t3"].map(async (id) => (await reads.decision(id))?.value))).toEqual([
    "confirm",
    "confirm",
    "confirm",
  ]);
  expect(await checkStore({ read: graph.read, journal, documents, exclusive: (work) => work() })).toEqual([]);
});

test("a graph that differs from what it is to be caught up with is rebuilt once", async () => {
  const folder = testFolder();
  const documents = await openDocumentStore(join(folder, "documents"), realFiles);
  const journal = await openJournal({ folder: join(folder, "journal"), files: realFiles, clock: () => new Date() });
  onTestFinished(() => journal.close());
  const events: GraphEvent[] = [];
  const openGraph = () =>
    openGraphDatabase({
      folder: join(folder, "graph"),
      journal,
      documents,
      files: realFiles,
      report: (event) => events.push(event),
      checkpointBytes: 1e9,
    });
  const first = await openGraph();
  await first.read("CREATE (:Decision {id: 't1', form: '{}'})");
  await first.close();
  for (const transaction of ["t1", "t2", "t3"])
    await journal.append({
      kind: "decision",
      body: { transaction, value: "confirm", asked: "confirm", deadline: undefined },
    });
  events.length = 0;
  const graph = await openGraph();
  onTestFinished(() => graph.close());
  expect(events.map((event) => event.kind)).toEqual(["rebuilt", "caught-up"]);
  expect(await checkStore({ read: graph.read, journal, documents, exclusive: (work) => work() })).toEqual([]);
});

describe("a full or failing disk", () => {
  test("a record that could not be forced to the disk leaves no trace; the next write works, and the graph agrees", async () => {
    const folder = testFolder();
    const files = faultyFiles();
    const { store } = await open(folder, { files });
    onTestFinished(() => store.close());
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    files.inject({ what: "write", path: /journal.*jsonl$/, take: 100, error: systemError("ENOSPC") });
    await expect(store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"))).rejects.toMatchObject({
      code: "ENOSPC",
    });
    expect(await store.currentRevision()).toBe(0);
    expect(await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"))).toEqual({
      revision: 1,
      alreadyThere: false,
    });
    expect(await store.check()).toEqual([]);
  });

  test("a document that could not be stored means that no record names it", async () => {
    const files = faultyFiles();
    const { store } = await open(testFolder(), { files });
    onTestFinished(() => store.close());
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    files.inject({ what: "sync", path: /documents/, error: systemError("EIO") });
    await expect(store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "r1"))).rejects.toMatchObject({
      code: "EIO",
    });
    expect(await store.check()).toEqual([]);
    expect(await store.currentRevision()).toBe(0);
  });

  test("a graph that could not follow a record is built again before the next write asks it; a repeat is known", async () => {
    const files = faultyFiles();
    const { store, events } = await open(testFolder(), { files });
    onTestFinished(() => store.close());
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    // A text that is no property: its document is put while the record is applied, and again by the rebuild.
    const refusal = { plan: "p", what: "approve", actor: "ann", code: "c", message: "x".repeat(5000), key: "k" };
    files.inject({ what: "sync", path: /documents/, error: systemError("EIO"), times: 2 });
    await expect(store.recordRefusal(refusal)).rejects.toMatchObject({ code: "stopped" });
    const repeat = await eventually("the graph is built again", () => store.recordRefusal(refusal));
    expect(repeat).toEqual({ alreadyThere: true });
    expect(await store.approvals("p")).toHaveLength(1);
    expect(await store.decide({ transaction: "t", value: "confirm" })).toBe("confirm");
    expect(events.map((event) => event.kind)).toEqual(["rebuilt", "rebuilt"]);
    expect(await store.check()).toEqual([]);
  });

  test("a rebuild that fails where the graph lacks nothing leaves it in use", async () => {
    let isArmed = false;
    const makeFolder = (path: string) =>
      isArmed && path.endsWith("rebuild") ? Promise.reject(systemError("ENOSPC")) : realFiles.makeFolder(path);
    const { store } = await open(testFolder(), { files: { ...realFiles, makeFolder } });
    onTestFinished(() => store.close());
    await store.decide({ transaction: "t", value: "confirm" });
    isArmed = true;
    await expect(store.rebuild()).rejects.toMatchObject({ code: "stopped" });
    expect(await store.decide({ transaction: "t", value: "abort" })).toBe("confirm");
    expect(await store.decide({ transaction: "u", value: "abort" })).toBe("abort");
  });

  test("below the reserve no document is put either: they would take the room that the graph needs", async () => {
    const { store } = await open(testFolder(), { reserveBytes: Number.MAX_SAFE_INTEGER });
    onTestFinished(() => store.close());
    const sealed = { kind: "sealed", type: "string", keyId: "k", hmac: "0".repeat(64) } as const;
    for (const refused of [
      () => store.documents.put("content"),
      () => store.documents.putAll(["content"]),
      () => store.sealedDocuments.put(sealed, Buffer.from("c")),
    ])
      await expect(refused()).rejects.toMatchObject({ code: "no-space" });
    for await (const { name } of store.documents.list()) expect(name).toBe("nothing");
  });

  test("below the reserve nothing is written, with the numbers; reading goes on", async () => {
    const folder = testFolder();
    const first = await open(folder);
    await first.store.decide({ transaction: "t", value: "confirm" });
    await first.store.close();
    const { store } = await open(folder, { reserveBytes: Number.MAX_SAFE_INTEGER });
    onTestFinished(() => store.close());
    await expect(store.decide({ transaction: "u", value: "confirm" })).rejects.toMatchObject({
      code: "no-space",
      details: { reserve: Number.MAX_SAFE_INTEGER },
    });
    expect((await store.decision("t"))?.value).toBe("confirm");
  });
});

test("a checkpoint in the middle of work changes nothing that is told, and folds the log", async () => {
  const folder = testFolder();
  const { store, events } = await open(folder, { checkpointBytes: 1 });
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
  for (const value of ["1", "2", "3"]) await store.commitRevision(commit(importBody("d1", { eth0: value }), value));
  const told = await wholeState(store);
  expect(events.filter((event) => event.kind === "checkpoint")).toHaveLength(4);
  expect(existsSync(join(store.paths.graph, "graph.lbug.before"))).toBe(false);
  await store.close();
  expect(await tellsTheSame(folder, told)).toEqual([]);
});
