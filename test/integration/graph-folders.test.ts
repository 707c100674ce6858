/** Folders that the store makes: private, whole paths, and refused at once where the file system takes none. */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realFiles } from "../../graph/files.ts";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tenure-folders-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("makes what is missing above it, private; asked again, also by several at once, nothing more", async () => {
  const root = await scratch();
  const deep = join(root, "a", "b", "c");
  await Promise.all([deep, deep, join(root, "a", "b", "d")].map((folder) => realFiles.makeFolder(folder)));
  await realFiles.makeFolder(deep);
  expect((await stat(deep)).mode & 0o777).toBe(0o700);
  expect(await realFiles.list(join(root, "a", "b"))).toEqual(["c", "d"]);
});

test("a file in the way is an error", async () => {
  const root = await scratch();
  await writeFile(join(root, "file"), "");
  await expect(realFiles.makeFolder(join(root, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(realFiles.makeFolder(join(root, "file", "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

// Node's own `recursive` never ends there.
test.runIf(process.platform === "linux")("a folder that takes no folder is an error, not an endless try", async () => {
  await expect(realFiles.makeFolder("/proc/backup")).rejects.toMatchObject({ code: "ENOENT" });
});
