import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../graph/store.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { startGraphChild } from "../support/graph-child.ts";
import { faultyFiles, systemError } from "../support/graph-faulty-files.ts";

function startOwner(folder: string) {
  const child = startGraphChild("graph-owner-program.ts", [folder]);
  onTestFinished(async () => {
    child.process.kill("SIGKILL");
    await child.ended;
  });
  return child;
}

describe("one owner a data folder", () => {
  test("a second process is refused and told who, since when and where; kill -9 of the owner frees the folder", async () => {
    const folder = testFolder();
    const owner = startOwner(folder);
    await owner.line((line) => line.startsWith("open"));
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({
      code: "already-open",
      details: {
        pid: owner.process.pid,
        since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        api: "http://127.0.0.1:1",
      },
    });

    owner.process.kill("SIGKILL");
    await owner.ended;
    const store = await openStore({ dataFolder: folder });
    // And the other way round: a process meets this one.
    const second = startOwner(folder);
    expect(await second.ended).toBe("1");
    expect(second.errors()).toContain(`belongs to process ${process.pid}`);
    await store.close();
    const third = startOwner(folder);
    await third.line((line) => line.startsWith("open"));
  });

  test("an opener that may open no more files leaves the owner its lock", async () => {
    const folder = testFolder();
    const owner = startOwner(folder);
    await owner.line((line) => line.startsWith("open"));
    const starved = startGraphChild("graph-starved-program.ts", [folder]);
    expect(await starved.ended).toBe("0");
    await starved.line((line) => line === "refused: stopped");
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({ code: "already-open" });
  });

  test("an opener that fails for want of space leaves the folder free", async () => {
    const folder = testFolder();
    for (const path of [/owner\.json/, /locks\/tmp/]) {
      const files = faultyFiles();
      files.inject({ what: "write", path, error: systemError("ENOSPC") });
      await expect(openStore({ dataFolder: folder, files })).rejects.toMatchObject({ code: "ENOSPC" });
    }
    const store = await openStore({ dataFolder: folder });
    await store.close();
  });

  test("a second opener in the same process is refused too, and harms nothing", async () => {
    const folder = testFolder();
    const store = await openStore({ dataFolder: folder });
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({
      code: "already-open",
      details: { pid: process.pid },
    });
    expect(await store.decide({ transaction: "t", value: "confirm" })).toBe("confirm");
    await store.close();
    const again = await openStore({ dataFolder: folder });
    expect((await again.decision("t"))?.value).toBe("confirm");
    await again.close();
  });
});
