// A lock between processes of one machine: a folder, because creating one succeeds for exactly one of them.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs `work` while no other process holds the lock folder `path`, whose parent must exist. `onWait(pid)` is called
 * once when somebody else holds it. A holder that died is recognised (process id and start time) and replaced.
 */
export async function withFolderLock(path, work, { onWait = () => undefined } = {}) {
  let waiting = false;
  while (!tryLock(path)) {
    if (takeOver(path)) continue;
    if (!waiting) onWait(readOwner(path)?.pid);
    waiting = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const release = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

function tryLock(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(join(path, "owner.json"), JSON.stringify(identify(process.pid)));
  return true;
}

/** Removes the lock of a dead owner; true when the lock may be free now. */
function takeOver(path) {
  const owner = readOwner(path);
  if (owner === undefined) return isOld(path) && remove(path);
  if (identify(owner.pid).started === owner.started) return false;
  // Several may find the same dead owner. One of them gets this folder, and looks again: only it may remove the lock,
  // and only while the lock is still the dead owner's.
  const claim = `${path}.after-${owner.pid}-${owner.started}`;
  try {
    mkdirSync(claim);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return isOld(claim) && remove(claim);
  }
  try {
    const now = readOwner(path);
    return now?.pid === owner.pid && now.started === owner.started && remove(path);
  } finally {
    remove(claim);
  }
}

function readOwner(path) {
  try {
    return JSON.parse(readFileSync(join(path, "owner.json"), "utf8"));
  } catch {
    return undefined;
  }
}

/** A folder without its owner's name is one whose creator died in between, unless it was created just now. */
function isOld(path) {
  try {
    return Date.now() - statSync(path).mtimeMs > 10_000;
  } catch {
    return false;
  }
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
  return true;
}

/** A process by number and start time, since numbers are used again. `started` is undefined for one that is gone. */
function identify(pid) {
  try {
    if (process.platform !== "linux") {
      process.kill(pid, 0);
      return { pid, started: "unknown" };
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? { pid } : { pid, started: rest[18] };
  } catch {
    return { pid };
  }
}
