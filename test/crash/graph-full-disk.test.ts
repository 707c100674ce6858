/**
 * A disk that is really full: the data folder lies on a file system of a few megabytes, mounted where only the program
 * under test sees it, and a ballast file takes all that is left at the moment that the test names.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { testFolder } from "../support/graph-bodies.ts";
import type { FullDiskReport, RecoveryReport } from "../support/graph-full-disk-program.ts";
import type { Phase } from "../support/graph-phases.ts";
import { describePeer } from "../support/peer-suite.ts";

const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);
/** In a namespace of its own: nobody else sees the mount, and it goes with its process. */
const NAMESPACE = ["--user", "--map-root-user", "--mount"];
/** Arguments: the mount point, then a command that is run twice. The last line is how it ended the first time. */
const SCRIPT =
  'mount -t tmpfs -o size=64m none "$1" || exit 1; shift; "$@" write; first=$?; "$@" recover && echo $first';

const tried = spawnSync("unshare", [...NAMESPACE, "sh", "-c", SCRIPT, "sh", "/mnt", "true"], { encoding: "utf8" });
const missing =
  tried.status === 0
    ? undefined
    : "needs the right to mount a small file system in a namespace of its own (unshare, mount)";

interface SmallDiskRun {
  /** Undefined when the database ended the process. */
  readonly full: FullDiskReport | undefined;
  readonly recovery: RecoveryReport;
  /** Exit code of the process that met the full disk; 128 and more: a signal. */
  readonly code: number;
}

function runOnSmallDisk(phase: Phase): SmallDiskRun {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const program = fileURLToPath(new URL("../support/graph-full-disk-program.ts", import.meta.url));
  const mount = testFolder();
  const command = [process.execPath, "--import", loader, program, mount, testFolder(), phase, String(SEED)];
  const run = spawnSync("unshare", [...NAMESPACE, "sh", "-c", SCRIPT, "sh", mount, ...command], {
    encoding: "utf8",
    timeout: 150_000,
    killSignal: "SIGKILL",
  });
  expect(run.signal ?? run.status, run.stderr).toBe(0);
  const [code, recovery, full] = run.stdout.trimEnd().split("\n").reverse();
  return {
    full: full === undefined ? undefined : (JSON.parse(full) as FullDiskReport),
    recovery: JSON.parse(recovery ?? "") as RecoveryReport,
    code: Number(code),
  };
}

describePeer(`a full disk (seed ${String(SEED)})`, missing, () => {
  /** What the first refusal may be: by a file of ours, or because the database could not follow. */
  const phases: readonly (readonly [Phase, readonly string[]])[] = [
    ["document: write", ["ENOSPC"]],
    // A page that is begun has room for some lines, and then it depends whose page is full first.
    ["journal: append", ["ENOSPC", "stopped"]],
    ["journal: new segment", ["ENOSPC"]],
    ["graph: apply", ["stopped"]],
    // No room to copy: the log is not folded now, and only the next write meets the full disk.
    ["checkpoint: copy", ["ENOSPC"]],
    ["locks: append", ["ENOSPC"]],
    ["rebuild: copy", ["stopped"]],
  ];

  test.each(phases)(
    "that fills up at %s: refused by %j, nothing lost, reads go on, and so do writes once there is room",
    {
      timeout: 180_000,
    },
    (phase, first) => {
      const { full, recovery, code } = runOnSmallDisk(phase);
      console.log(`${phase}: ${JSON.stringify(full ?? code)}; ${String(recovery.acknowledged)} acknowledged`);
      expect(recovery.wrong).toEqual([]);
      expect(code).toBe(0);
      expect(first).toContain(full?.refused[0]);
      for (const refusal of full?.refused ?? []) expect(["ENOSPC", "stopped"]).toContain(refusal);
      expect(["opened", "ENOSPC"]).toContain(full?.start);
      expect(new Set(full?.reads)).toEqual(new Set(["told"]));
    },
  );

  test("that fills up while the log is folded: the database may end the process, and a restart finds everything", {
    timeout: 180_000,
  }, () => {
    const { full, recovery, code } = runOnSmallDisk("checkpoint: fold");
    console.log(`checkpoint: fold: ${JSON.stringify(full ?? code)}; ${String(recovery.acknowledged)} acknowledged`);
    expect(recovery.wrong).toEqual([]);
    expect(recovery.acknowledged).toBeGreaterThan(4);
    if (full !== undefined) expect(new Set(full.refused)).toEqual(new Set(["stopped"]));
  });
});
