import { join } from "node:path";
import { describe, expect, test } from "vitest";

interface LockFile {
  readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const { inspectLock } = (await import(join(import.meta.dirname, "../../scripts/lib/lock-file.mjs"))) as {
  readonly inspectLock: (lock: LockFile) => { readonly findings: readonly string[]; readonly completed: LockFile };
};

describe("completing a lock file", () => {
  const lock: LockFile = {
    packages: {
      "": {},
      "node_modules/a": {
        version: "1.0.0",
        optionalDependencies: { "b-linux-x64": "2.0.0", "b-darwin-arm64": "2.0.0" },
      },
      "node_modules/a/node_modules/b-linux-x64": { version: "2.0.0", optional: true },
      "node_modules/v": { version: "3.0.0", dev: true, optionalDependencies: { "n-windows-x": "^0.1.0" } },
      "node_modules/r": { version: "4.0.0", resolved: "https://registry.example/r-4.0.0.tgz", integrity: "sha512-x" },
    },
  };
  const { findings, completed } = inspectLock(lock);

  test("adds what is missing, for its own system only", () => {
    expect(completed.packages["node_modules/b-darwin-arm64"]).toEqual({
      version: "2.0.0",
      optional: true,
      os: ["darwin"],
      cpu: ["arm64"],
    });
    expect(completed.packages["node_modules/n-windows-x"]).toEqual({
      version: "0.1.0",
      dev: true,
      optional: true,
      os: ["win32"],
    });
    expect(Object.keys(completed.packages)).not.toContain("node_modules/b-linux-x64");
  });

  test("removes registry addresses and keeps what pins the content", () => {
    expect(completed.packages["node_modules/r"]).toEqual({ version: "4.0.0", integrity: "sha512-x" });
  });

  test("names each finding, and has none on its own result", () => {
    expect(findings).toHaveLength(3);
    expect(inspectLock(completed)).toEqual({ findings: [], completed });
  });

  test("a package whose system its name does not tell is for a person to look at", () => {
    const unclear = { packages: { "node_modules/a": { optionalDependencies: { riddle: "1.0.0" } } } };
    expect(() => inspectLock(unclear)).toThrow("riddle");
  });
});
