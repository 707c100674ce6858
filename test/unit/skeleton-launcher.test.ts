import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const packageRoot = join(import.meta.dirname, "..", "..");

function tenure(args: readonly string[], launcher = join(packageRoot, "bin", "tenure")) {
  return spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8" });
}

test("--version is that of package.json", () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  expect(tenure(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("--help goes to stdout and is quick", () => {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    const { status, stdout } = tenure(["--help"]);
    times.push(performance.now() - start);
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: tenure");
  }
  // About 0.1 s on an idle machine; a module loaded too early (the Temporal client: 0.2 s more) shows on a busy one too.
  const bare = performance.now();
  spawnSync(process.execPath, ["--eval", ""]);
  expect(Math.min(...times)).toBeLessThan((performance.now() - bare) * 2 + 150);
});

test("a wrong word is a usage error: exit code 2, on stderr", () => {
  const { status, stdout, stderr } = tenure(["no-such-verb"]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/error:/);
});

test("without a build it says how to get one", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenure-launcher-"));
  try {
    cpSync(join(packageRoot, "bin"), join(folder, "bin"), { recursive: true });
    cpSync(join(packageRoot, "package.json"), join(folder, "package.json"));
    const { status, stderr } = tenure(["--help"], join(folder, "bin", "tenure"));
    expect(status).toBe(1);
    expect(stderr).toContain("npm run build");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
