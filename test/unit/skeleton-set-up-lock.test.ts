import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const modulePath = join(import.meta.dirname, "../../scripts/lib/folder-lock.mjs");
const { withFolderLock } = (await import(modulePath)) as {
  readonly withFolderLock: <T>(
    path: string,
    work: () => Promise<T>,
    options?: { readonly onWait?: (pid: number | undefined) => void },
  ) => Promise<T>;
};

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenure-lock-"));
  lock = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a process that takes the lock, writes `in` and `out` to `log` around a little work, and perhaps stays in. */
function holder(log: string, { stays }: { readonly stays: "briefly" | "for ever" }) {
  const script = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as wait } from "node:timers/promises";
    import { withFolderLock } from ${JSON.stringify(modulePath)};
    await withFolderLock(${JSON.stringify(lock)}, async () => {
      appendFileSync(${JSON.stringify(log)}, "in\\n");
      await wait(${stays === "briefly" ? 20 : 600_000});
      appendFileSync(${JSON.stringify(log)}, "out\\n");
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" });
  return { child, ended: new Promise<number | null>((resolve) => child.once("exit", resolve)) };
}

test("several processes at once are in one after the other", async () => {
  const log = join(folder, "log");
  const holders = Array.from({ length: 5 }, () => holder(log, { stays: "briefly" }));
  expect(await Promise.all(holders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0]);
  expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(5));
  expect(existsSync(lock)).toBe(false);
});

test("the lock of a killed process is taken over, by one at a time", async () => {
  const log = join(folder, "log");
  writeFileSync(log, "");
  const killed = holder(log, { stays: "for ever" });
  await expect.poll(() => readFileSync(log, "utf8"), { timeout: 10_000 }).toBe("in\n");
  killed.child.kill("SIGKILL");
  await killed.ended;
  appendFileSync(log, "killed\n");
  const holders = Array.from({ length: 4 }, () => holder(log, { stays: "briefly" }));
  expect(await Promise.all(holders.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  expect(readFileSync(log, "utf8")).toBe(`in\nkilled\n${"in\nout\n".repeat(4)}`);
});

test("a process number that another program has now is no owner", async () => {
  mkdirSync(lock);
  writeFileSync(join(lock, "owner.json"), JSON.stringify({ pid: process.pid, started: "another time" }));
  expect(await withFolderLock(lock, () => Promise.resolve("in"))).toBe("in");
});

test("who waits is told for whom", async () => {
  const log = join(folder, "log");
  writeFileSync(log, "");
  const first = holder(log, { stays: "for ever" });
  await expect.poll(() => readFileSync(log, "utf8"), { timeout: 10_000 }).toBe("in\n");
  const waited = await new Promise<number | undefined>((resolve, reject) => {
    withFolderLock(lock, () => Promise.resolve(), {
      onWait: (pid) => {
        resolve(pid);
        first.child.kill("SIGKILL");
      },
    }).catch(reject);
  });
  expect(waited).toBe(first.child.pid);
});
