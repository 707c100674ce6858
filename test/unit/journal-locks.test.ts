import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { realFiles } from "../../graph/files.ts";
import { EMPTY_LOCKS, type LockEvent, applyLockEvent } from "../../graph/lock-table.ts";
import { type Locks, openLocks } from "../../graph/locks.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { faultyFiles, systemError } from "../support/graph-faulty-files.ts";

const request = (id: string, keys: readonly string[], transaction?: string) => ({
  request: id,
  keys,
  workflowId: `wf/${id}`,
  transaction,
});
const persist = (device: string) => ({ device, section: "s", persistId: `p-${device}` });

async function open(folder: string, files = realFiles): Promise<Locks> {
  const locks = await openLocks({ folder, files, clock: () => new Date() });
  onTestFinished(() => locks.close());
  return locks;
}

describe("the queue", () => {
  test("all keys together, first come first served, and a waiter is not overtaken on any of its keys", async () => {
    const locks = await open(testFolder());
    expect(await locks.request(request("a", ["device/1", "device/2"]))).toMatchObject({ kind: "granted", token: 1 });
    expect(await locks.request(request("b", ["device/2", "device/3"]))).toMatchObject({ kind: "waiting" });
    // Key 3 is free, but b waits for it: c comes after b.
    const c = await locks.request(request("c", ["device/3"]));
    expect(c.kind === "waiting" && c.behind.map((entry) => entry.request.request)).toEqual(["b"]);
    expect(await locks.request(request("d", ["device/4"]))).toMatchObject({ kind: "granted", token: 2 });
    await locks.release({ request: "a" });
    expect(await locks.request(request("b", ["device/2", "device/3"]))).toMatchObject({ kind: "granted", token: 3 });
    expect(await locks.request(request("c", ["device/3"]))).toMatchObject({ kind: "waiting" });
    await locks.reap("b");
    expect(await locks.request(request("c", ["device/3"]))).toMatchObject({ kind: "granted", token: 4 });
    expect(locks.list().holders.map((entry) => entry.request.request)).toEqual(["c", "d"]);
  });

  test("a request id is one place and one token, however often it asks; a released token holds nothing", async () => {
    const locks = await open(testFolder());
    const first = await locks.request(request("a", ["device/1"]));
    expect(await locks.request(request("a", ["device/1"]))).toEqual(first);
    expect(locks.holds(1, "device/1")).toBe(true);
    expect(locks.holds(1, "device/2")).toBe(false);
    await locks.release({ request: "a", token: 7 });
    expect(locks.holds(1, "device/1")).toBe(true);
    await locks.release({ request: "a", token: 1 });
    await locks.release({ request: "a", token: 1 });
    expect(locks.holds(1, "device/1")).toBe(false);
  });

  test("what a vanished holder prepared goes to the next holder, over and over until one settles it", async () => {
    const locks = await open(testFolder());
    await locks.request(request("a", ["device/1", "device/2"], "t1"));
    await locks.recordPrepared("t1", persist("1"));
    await locks.recordPrepared("t1", persist("1"));
    await expect(locks.recordPrepared("t9", persist("1"))).rejects.toMatchObject({ code: "lock-lost" });
    await locks.reap("a");
    const left = [{ transaction: "t1", keys: ["device/1", "device/2"], devices: [persist("1")] }];
    expect(await locks.request(request("b", ["device/9"]))).toMatchObject({ inherited: [] });
    expect(await locks.request(request("c", ["device/2"], "t2"))).toMatchObject({ kind: "granted", inherited: left });
    await locks.reap("c");
    // What c was for may be decided, though it prepared nothing.
    const both = [...left, { transaction: "t2", keys: ["device/2"], devices: [] }];
    expect(await locks.request(request("d", ["device/1", "device/2"]))).toMatchObject({ inherited: both });
    await locks.release({ request: "d" });
    expect(await locks.request(request("e", ["device/1", "device/2"]))).toMatchObject({
      kind: "granted",
      inherited: [],
    });
  });

  test("of each device only the newest attempt is left to be settled", async () => {
    const locks = await open(testFolder());
    await locks.request(request("a", ["device/1", "device/2"], "t1"));
    const second = { ...persist("1"), persistId: "again" };
    for (const prepared of [persist("1"), persist("2"), second, persist("1")])
      await locks.recordPrepared("t1", prepared);
    expect(locks.isNewest("t1", persist("1"))).toBe(false);
    expect(locks.isNewest("t1", second)).toBe(true);
    expect(locks.isNewest("t2", second)).toBe(false);
    await locks.reap("a");
    expect(await locks.request(request("b", ["device/1"]))).toMatchObject({
      inherited: [{ devices: [second, persist("2")] }],
    });
  });

  test("who settles for others is waited for, even by who asked before, and is seen by who waits", async () => {
    const locks = await open(testFolder());
    await locks.request(request("a", ["device/1", "device/2"], "t1"));
    await locks.recordPrepared("t1", persist("2"));
    await locks.request(request("other", ["device/3"]));
    await locks.request(request("early", ["device/2", "device/3"]));
    await locks.request(request("late", ["device/1"]));
    await locks.reap("a");
    // `late` settles t1 on device 2 while `early` still waits for device 3.
    expect(await locks.request(request("late", ["device/1"]))).toMatchObject({ kind: "granted" });
    await locks.release({ request: "other" });
    const waits = await locks.request(request("early", ["device/2", "device/3"]));
    expect(waits.kind === "waiting" && waits.behind.map((entry) => entry.request.request)).toEqual(["late"]);
    await locks.reap("late");
    expect(await locks.request(request("early", ["device/2", "device/3"]))).toMatchObject({
      kind: "granted",
      inherited: [{ transaction: "t1" }],
    });
  });
});

describe("the log", () => {
  test("a restart finds holders, waiters, tokens and what was prepared; tokens go on rising", async () => {
    const folder = testFolder();
    const before = await open(folder);
    await before.request(request("a", ["device/1"], "t1"));
    await before.recordPrepared("t1", persist("1"));
    await before.request(request("b", ["device/1"]));
    const list = before.list();
    await before.close();
    appendFileSync(join(folder, "locks.jsonl"), "torn tail of a request that nobody was told about");
    const after = await open(folder);
    expect(after.list()).toEqual(list);
    await after.reap("a");
    expect(await after.request(request("b", ["device/1"]))).toMatchObject({
      kind: "granted",
      token: 2,
      inherited: [{ transaction: "t1", devices: [persist("1")] }],
    });
  });

  test("is folded into its table when it has grown, and loses nothing where that fails", async () => {
    const folder = testFolder();
    const file = join(folder, "locks.jsonl");
    const files = faultyFiles();
    const locks = await openLocks({ folder, files, clock: () => new Date(), compactBytes: 2000 });
    onTestFinished(() => locks.close());
    await locks.request(request("held", ["device/1"], "t1"));
    await locks.recordPrepared("t1", persist("1"));
    let largest = 0;
    for (let n = 0; n < 100; n += 1) {
      // The table is written, but its name may not be: the same is tried with the next event.
      if (n === 50) files.inject({ what: "sync-folder", path: /./, error: systemError("EIO") });
      const ask = () => locks.request(request(`r${n}`, ["device/2"]));
      const release = () => locks.release({ request: `r${n}` });
      await ask().catch(ask);
      await release().catch(release);
      largest = Math.max(largest, statSync(file).size);
    }
    expect(files.steps.filter((step) => step.what === "rename").length).toBeGreaterThan(5);
    expect(largest).toBeLessThan(4000);
    const again = await open(folder);
    expect(again.list()).toEqual(locks.list());
    expect(again.isNewest("t1", persist("1"))).toBe(true);
    expect(await again.request(request("next", ["device/3"]))).toMatchObject({ token: 102 });
  });

  test("a damaged line is refused with its number", async () => {
    const folder = testFolder();
    const locks = await open(folder);
    await locks.request(request("a", ["device/1"]));
    await locks.close();
    const file = join(folder, "locks.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("device/1", "device/2"));
    await expect(open(folder)).rejects.toMatchObject({ code: "journal-broken", details: { record: 2 } });
  });

  test("a grant that could not be made durable was not given", async () => {
    const files = faultyFiles();
    const locks = await open(testFolder(), files);
    files.inject({ what: "sync", path: /locks/, error: systemError("EIO") });
    await expect(locks.request(request("a", ["device/1"]))).rejects.toMatchObject({ code: "EIO" });
    expect(locks.list()).toEqual({ holders: [], waiters: [] });
    expect(await locks.request(request("b", ["device/1"]))).toMatchObject({ kind: "granted", token: 1 });
  });
});

test("whatever happens: no key has two holders, order is kept where keys meet, and nothing free is waited for", () => {
  const keys = fc.uniqueArray(fc.constantFrom("k1", "k2", "k3", "k4"), { minLength: 1, maxLength: 3 });
  const event = fc.oneof(
    fc.record({ what: fc.constant("request" as const), id: fc.nat(9), keys }),
    fc.record({ what: fc.constantFrom("release" as const, "reap" as const), id: fc.nat(9), keys }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let table = EMPTY_LOCKS;
      let lastToken = 0;
      for (const { what, id, keys: wanted } of events) {
        const time = "2030-01-01T00:00:00.000Z";
        const next: LockEvent =
          what === "request"
            ? { kind: what, request: request(`r${id}`, wanted), time }
            : { kind: what, request: `r${id}`, time };
        table = applyLockEvent(table, next);
        const holders = table.entries.filter((entry) => entry.token !== undefined);
        const held = holders.flatMap((entry) => entry.request.keys);
        expect(new Set(held).size).toBe(held.length);
        expect(table.lastToken).toBeGreaterThanOrEqual(lastToken);
        lastToken = table.lastToken;
        table.entries.forEach((entry, index) => {
          const earlier = table.entries.slice(0, index);
          const meets = earlier.some((other) => other.request.keys.some((key) => entry.request.keys.includes(key)));
          expect(entry.token === undefined).toBe(meets);
        });
      }
    }),
  );
});
