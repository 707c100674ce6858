/** Asks for the owner's lock of a folder when it may not open one file more, and says how that ended. */
import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { realFiles } from "../../graph/files.ts";
import { acquireOwnerLock } from "../../graph/owner-lock.ts";
import { isStoreError } from "../../graph/store-error.ts";

const LIMIT = 64;
const [, program, folder, mode] = process.argv;
if (program === undefined || folder === undefined) throw new Error("usage: graph-starved-program FOLDER");

function acquire(name: string): ReturnType<typeof acquireOwnerLock> {
  return acquireOwnerLock({
    lockFile: join(folder ?? "", `${name}.lbug`),
    infoFile: join(folder ?? "", `${name}.json`),
    files: realFiles,
    clock: () => new Date(),
  });
}

function takeAllDescriptors(): void {
  for (let count = 0; count <= LIMIT; count += 1) {
    try {
      openSync("/dev/null", "r");
    } catch {
      return;
    }
  }
  throw new Error("there is no limit");
}

if (mode === undefined) {
  const again = [process.execPath, ...process.execArgv, program, folder, "limited"];
  const run = spawnSync("sh", ["-c", `ulimit -n ${String(LIMIT)} && exec "$@"`, "sh", ...again], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} else {
  // The database's own library is loaded before the descriptors are gone.
  await (await acquire("other")).release();
  takeAllDescriptors();
  let how = "acquired";
  try {
    await acquire("owner");
  } catch (error) {
    how = `refused: ${isStoreError(error) ? error.code : String(error)}`;
  }
  process.stdout.write(`${how}\n`, () => process.exit(0));
}
