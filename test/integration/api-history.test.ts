import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BackupView, PruneView, RunView, StartedRun } from "../../contract/api.ts";
import { realFiles } from "../../graph/files.ts";
import { verifyBackup } from "../../graph/backup/verify-backup.ts";
import { MTU_PATH, importDevice } from "../support/api-lab.ts";
import { openTestApi } from "../support/api-server.ts";
import { testFolder } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
/** After anything that a test records. */
const LATER = "2999-01-01T00:00:00Z";

describe("history prune", () => {
  test("says what would go, drops it once however often it is asked for, and tells where history begins", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const preview = await api.cli("history", "prune", "--before", LATER, "--preview", "--json");
    expect(preview).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(preview.out)).toMatchObject({ alreadyThere: false, dropped: { first: 1, revisions: 1 } });
    expect(await api.store.prunedAt()).toBeUndefined();

    const args = ["history", "prune", "--before", LATER, "--key", "spring"];
    const pruned = await api.cli(...args);
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining("records 1 to ") as unknown });
    expect(pruned.out).toContain("history begins with revision 1 (");
    expect(await api.store.prunedAt()).toMatchObject({ revision: 1 });
    const again = await api.cli(...args, "--json");
    expect(JSON.parse(again.out)).toMatchObject({ alreadyThere: true, dropped: { first: 1, revisions: 1 } });

    // The verb that it stands below is as it was.
    const history = await api.cli("history", "r1", MTU_PATH, "--json");
    expect(history.code).toBe(0);
    expect((JSON.parse(history.out) as readonly unknown[]).at(-1)).toEqual({ kind: "pruned", until: 1 });
    expect((await api.cli("history", "--json")).code).toBe(0);
    expect((await api.cli("check")).code).toBe(0);
  });

  test("refuses a time without an offset, and no time at all", async () => {
    const api = await openTestApi();
    const vague = await api.cli("history", "prune", "--before", "2030-01-31T12:00", "--json");
    expect(vague).toMatchObject({ code: 2, out: "" });
    expect(JSON.parse(vague.err)).toMatchObject({ code: "usage" });
    const vagueBody = { before: "2030-01-31T12:00", mode: "prune", key: "k" };
    expect((await api.post("/v1/history/prune", vagueBody)).body).toMatchObject({ code: "bad-request" });
    expect((await api.cli("history", "prune")).code).toBe(2);
    expect((await api.post("/v1/history/prune", { before: LATER, mode: "prune" })).status).toBe(400);
  });
});

describe("backup", () => {
  test("is made by the running owner, and whole", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const folder = join(testFolder(), "backup");
    const made = await api.cli("backup", folder, "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.out) as BackupView).toMatchObject({ folder, revision: 1, secretKeys: [] });
    expect((await verifyBackup(folder, realFiles)).manifest.revision).toBe(1);
    const text = await api.cli("backup", join(testFolder(), "other"));
    expect(text.out).toMatch(/holds records 1 to \d+, up to revision 1, and \d+ documents/);
  });

  test("into a folder that is in use is refused with the folder, which stays as it is", async () => {
    const api = await openTestApi();
    const folder = testFolder();
    writeFileSync(join(folder, "mine"), "x");
    const refused = await api.cli("backup", folder, "--json");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(JSON.parse(refused.err)).toMatchObject({ code: "not-empty" });
    expect(existsSync(join(folder, "backup.json"))).toBe(false);
    expect((await api.post("/v1/backups", { folder: "relative" })).status).toBe(400);
  });

  test("where no folder can be made, it says so and why, with exit code 1", async () => {
    const api = await openTestApi();
    const file = join(testFolder(), "file");
    writeFileSync(file, "x");
    const refused = await api.cli("backup", join(file, "below"), "--json");
    expect(refused).toMatchObject({ code: 1, out: "" });
    const { code, message, remedy } = JSON.parse(refused.err) as Record<string, string>;
    expect({ code, message }).toEqual({ code: "backup-failed", message: expect.stringContaining(file) as string });
    expect(remedy).toContain("can write to");
  });

  test("a run of an owner that has ended is not known to the next, and says so", async () => {
    const api = await openTestApi();
    const started = await api.post<StartedRun>("/v1/history/prune", { before: LATER, mode: "preview", key: "k" });
    expect(started.status).toBe(202);
    const ended = await api.get<RunView<PruneView>>(`/v1/runs/${started.body.run}?wait=20`);
    expect(ended.body.kind).toBe("completed");
    expect((await api.get("/v1/runs/upkeep/u-unknown")).body).toMatchObject({ code: "unknown-run" });
  });
});
