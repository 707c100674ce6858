/** What can still be told once old history was pruned, and how the rest is refused. */
import { describe, expect, onTestFinished, test } from "vitest";
import { type GraphStore, openStore } from "../../graph/store.ts";
import {
  MODULE_SET,
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";

const HOUR_MS = 3_600_000;
const FIRST_DAY = Date.parse("2031-05-01T08:00:00.000Z");
const SECOND_DAY = FIRST_DAY + 24 * HOUR_MS;

interface Aged {
  readonly store: GraphStore;
  /** When revision N was made, by number. */
  readonly times: readonly string[];
  /** Drops what is older than now, as of the next day. */
  readonly pruneAll: () => Promise<void>;
}

/**
 * First day: revision 1 imports d1, 2 changes `eth0` by service a and takes `eth1` away. Second day: revision 3 changes
 * `eth0` again, 4 imports d2 for the first time. Pruned up to the second day, where `pruned` says so.
 */
async function agedStore(history: "whole" | "pruned"): Promise<Aged> {
  let now = FIRST_DAY;
  const store = await openStore({ dataFolder: testFolder(), clock: () => new Date(now) });
  onTestFinished(() => store.close());
  const add = (id: string) => store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  const later = () => (now += HOUR_MS);
  await add("d1");
  await store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "1500" }), "r1"));
  later();
  const definition = { name: "mtu", version: "1", document: MODULE_SET };
  const first = body({
    definitions: [definition],
    devices: [
      writesOf("d1", {
        put: [mtu("eth0", "9000", { kind: "service", service: "a" })],
        remove: [mtuPath("eth1")],
        putLinks: [link("a", "d1", "eth0", "9000")],
      }),
    ],
    services: [{ kind: "put", name: "a", definition, parameters: "{}", targets: ["d1"] }],
  });
  await store.commitRevision(commit(first, "r2"));
  now = SECOND_DAY;
  await store.commitRevision(commit(importBody("d1", { eth0: "1400" }), "r3"));
  later();
  await add("d2");
  await store.commitRevision(commit(importBody("d2", { eth0: "1500" }), "r4"));
  const times = [];
  for (let number = 1; number <= 4; number += 1) times.push((await store.revision(number))?.time ?? "");
  if (history === "pruned") {
    now += 24 * HOUR_MS;
    const report = await store.prune({ before: new Date(SECOND_DAY), actor: "t", key: "prune" });
    expect(report.dropped).toMatchObject({ first: 1 });
  }
  return {
    store,
    times: ["", ...times],
    async pruneAll() {
      const before = new Date(now + 1);
      now += 24 * HOUR_MS;
      await store.prune({ before, actor: "t", key: `prune ${before.toISOString()}` });
    },
  };
}

/** Everything that is told of one revision, as it is compared. */
async function told(store: GraphStore, revision: number) {
  const at = { revision };
  return {
    device: await store.desiredDevice("d1", at),
    state: await store.desiredState({ devices: "all", services: "all" }, at),
    services: await store.services(at),
    service: await store.service("a", at),
    links: await store.linksOf("a", at),
    definitions: await store.definitions(at),
    blame: await store.blame("d1", mtuPath("eth0"), at),
  };
}

describe("a history that was pruned at revision 2", () => {
  test("is told from there on as it was before, and says since when", async () => {
    const whole = await agedStore("whole");
    const { store, times } = await agedStore("pruned");
    expect(await whole.store.prunedAt()).toBeUndefined();
    expect(await store.prunedAt()).toEqual({ revision: 2, time: times[2] });
    for (const revision of [2, 3, 4])
      expect(await told(store, revision), `revision ${revision}`).toEqual(await told(whole.store, revision));
    for (const revision of [3, 4])
      expect(await store.changesOf(revision)).toEqual(await whole.store.changesOf(revision));
    expect(await store.currentRevision()).toBe(4);
    expect((await store.revisions()).map((view) => view.revision)).toEqual([4, 3, 2]);
    expect(await store.check()).toEqual([]);
  });

  test("refuses every question about an older revision, naming the oldest one that can be told", async () => {
    const { store, times } = await agedStore("pruned");
    const refused = { code: "pruned", details: { revision: 2, time: times[2] } };
    for (const at of [{ revision: 1 }, { revision: 0 }]) {
      await expect(store.desiredDevice("d1", at)).rejects.toMatchObject(refused);
      await expect(store.desiredState({ devices: [], services: [] }, at)).rejects.toMatchObject(refused);
      await expect(store.services(at)).rejects.toMatchObject(refused);
      await expect(store.service("a", at)).rejects.toMatchObject(refused);
      await expect(store.linksOf("a", at)).rejects.toMatchObject(refused);
      await expect(store.definitions(at)).rejects.toMatchObject(refused);
      await expect(store.blame("d1", mtuPath("eth0"), at)).rejects.toMatchObject(refused);
    }
    await expect(store.revisions({ to: 1 })).rejects.toMatchObject(refused);
    // What revision 2 changed can only be told beside revision 1.
    for (const number of [1, 2]) await expect(store.changesOf(number)).rejects.toMatchObject(refused);
    await expect(store.changesOf(5)).rejects.toMatchObject({ code: "unknown-revision" });
  });

  test("knows which revision an instant belongs to, from the pruned one on", async () => {
    const { store, times } = await agedStore("pruned");
    const at = (time: string | number) => store.revisionAt(new Date(time));
    await expect(at(times[1] ?? "")).rejects.toMatchObject({ code: "pruned" });
    await expect(at(FIRST_DAY - 1)).rejects.toMatchObject({ code: "pruned" });
    await expect(at(Date.parse(times[2] ?? "") - 1)).rejects.toMatchObject({ code: "pruned" });
    expect([await at(times[2] ?? ""), await at(SECOND_DAY - 1), await at(SECOND_DAY), await at("2099-01-01")]).toEqual([
      2, 2, 3, 4,
    ]);
  });

  test("ends with `pruned` where older versions of an item may have been dropped, and only there", async () => {
    const whole = await agedStore("whole");
    const { store } = await agedStore("pruned");
    const spans = async (from: GraphStore, device: string, name: string) =>
      (await from.history(device, mtuPath(name))).map((version) => [
        version.kind,
        ...(version.kind === "pruned" ? [] : [version.from]),
        version.until,
      ]);
    expect(await spans(whole.store, "d1", "eth0")).toEqual([
      ["present", 3, undefined],
      ["present", 2, 3],
      ["present", 1, 2],
    ]);
    expect(await spans(store, "d1", "eth0")).toEqual([
      ["present", 3, undefined],
      ["present", 2, 3],
      ["pruned", 2],
    ]);
    expect(await spans(whole.store, "d1", "eth1")).toEqual([
      ["deleted", 2, undefined],
      ["present", 1, 2],
    ]);
    // Whether a path was there before can no longer be told, for one that was as for one that never was ..
    expect((await spans(store, "d1", "eth1")).at(-1)).toEqual(["pruned", 2]);
    expect(await spans(store, "d1", "never")).toEqual([["pruned", 2]]);
    expect(await spans(whole.store, "d1", "never")).toEqual([]);
    // .. but a device that was imported later has lost nothing.
    expect(await spans(store, "d2", "eth0")).toEqual([["present", 4, undefined]]);
    expect(await spans(store, "d2", "never")).toEqual([]);
  });
});

test("pruning everything leaves the newest revision, and what is compared with it", async () => {
  const { store, pruneAll } = await agedStore("whole");
  const before = await told(store, 4);
  const newest = await store.newestRevisions();
  await store.recordCondition({
    subject: { kind: "device", id: "d1" },
    type: "InSync",
    status: "true",
    reason: "Seen",
    message: "",
    path: undefined,
    revision: 2,
    observation: undefined,
  });
  await pruneAll();
  expect((await store.prunedAt())?.revision).toBe(4);
  expect(await told(store, 4)).toEqual(before);
  // Device d1 was written by revision 3, which is no more: a condition of revision 2 is still not current.
  expect(await store.newestRevisions()).toEqual(newest);
  expect(newest.get("d1")).toBe(3);
  expect((await store.conditions()).map((each) => each.describes)).toEqual([{ revision: 2 }]);
  expect(await store.commitRevision(commit(importBody("d1", { eth0: "1" }), "next"))).toMatchObject({ revision: 5 });
  expect(await store.check()).toEqual([]);
});

test("a revision that is yet to come is refused, not read as the newest", async () => {
  const { store } = await agedStore("whole");
  for (const ask of [
    () => store.desiredDevice("d1", { revision: 5 }),
    () => store.services({ revision: 5 }),
    () => store.linksOf("a", { revision: 5 }),
    () => store.blame("d1", mtuPath("eth0"), { revision: 5 }),
    () => store.definitions({ revision: 5 }),
  ])
    await expect(ask()).rejects.toMatchObject({ code: "unknown-revision", details: { revision: 5 } });
  expect(await store.revision(5)).toBeUndefined();
});
