import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { BackupManifest } from "../../graph/backup/backup-files.ts";
import { restoreBackup } from "../../graph/backup/restore-backup.ts";
import { verifyBackup } from "../../graph/backup/verify-backup.ts";
import { digestOf } from "../../graph/canonical-json.ts";
import { realFiles } from "../../graph/files.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { openSecretBox } from "../../runtime/secrets.ts";
import { commit, importBody, mtuPath, testFolder } from "../support/graph-bodies.ts";
import { type TestClock, dayStart, fillAged, openAged, tellsFrom, testClock } from "../support/graph-aged-store.ts";
import { Died, dyingFiles } from "../support/graph-dying-files.ts";

async function agedStore(): Promise<{
  readonly folder: string;
  readonly clock: TestClock;
  readonly store: GraphStore;
}> {
  const folder = testFolder();
  const clock = testClock();
  const store = await openAged(folder, clock);
  onTestFinished(() => store.close());
  await fillAged(store, clock);
  clock.to(60);
  return { folder, clock, store };
}

/** A folder that does not exist yet. */
const freshFolder = () => join(testFolder(), "fresh");

const restore = (from: string, dataFolder: string, files = realFiles) =>
  restoreBackup({ from, dataFolder, files, clock: () => new Date() });

async function restored(from: string): Promise<GraphStore> {
  const folder = freshFolder();
  await restore(from, folder);
  const store = await openStore({ dataFolder: folder });
  onTestFinished(() => store.close());
  return store;
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "backup.json"), "utf8")) as BackupManifest;

describe("a backup", () => {
  test("made while writes go on is of one moment, and tells elsewhere what was told here", async () => {
    const { store } = await agedStore();
    const backup = freshFolder();
    const writing = { on: "yes" as "yes" | "no" };
    const writer = (async () => {
      for (let n = 0; writing.on === "yes"; n += 1) {
        await store.commitRevision(commit(importBody("d1", { eth0: String(1000 + n) }), `busy ${n}`));
      }
      return store.currentRevision();
    })();
    await expect.poll(() => store.currentRevision()).toBeGreaterThan(10);
    const { manifest } = await store.backup(backup);
    await expect.poll(() => store.currentRevision()).toBeGreaterThan(manifest.revision + 2);
    writing.on = "no";
    expect(await writer).toBeGreaterThan(manifest.revision);
    expect(manifest.revision).toBeGreaterThan(10);

    const other = await restored(backup);
    expect(await other.currentRevision()).toBe(manifest.revision);
    expect(await tellsFrom(other, 1)).toBe(await tellsFrom(store, 1, manifest.revision));
    expect(await other.verify()).toMatchObject({ records: { first: 1, last: manifest.records.last }, findings: [] });
    // It goes on from there.
    const next = await other.commitRevision(commit(importBody("d1", { eth0: "1" }), "next"));
    expect(next).toEqual({ revision: manifest.revision + 1, alreadyThere: false });
  });

  test("of a pruned store has the snapshot, and tells the same", async () => {
    const { store } = await agedStore();
    await store.prune({ before: dayStart(2), actor: "ann", key: "prune" });
    const backup = freshFolder();
    await store.backup(backup);
    const other = await restored(backup);
    expect(await tellsFrom(other, 4)).toBe(await tellsFrom(store, 4));
    expect(await other.prunedAt()).toEqual(await store.prunedAt());
    expect(await other.verify()).toMatchObject({ snapshot: { revision: 4 }, findings: [] });
  });

  test("has the ciphertexts of secrets and names their key, which is nowhere in it", async () => {
    const { store } = await agedStore();
    const box = await openSecretBox(store.paths.secretKeys);
    const secret = { device: "d1", path: mtuPath("eth0"), type: "string", text: "hunter2" } as const;
    const { sealed, ciphertext } = box.seal(secret);
    await store.sealedDocuments.put(sealed, ciphertext);
    const backup = freshFolder();
    const { manifest } = await store.backup(backup);
    expect(manifest.secretKeys).toEqual([box.keyId]);
    const key = readFileSync(join(store.paths.secretKeys, "0001.key"));
    for (const path of filesBelow(backup)) expect(readFileSync(path).includes(key), path).toBe(false);

    const other = await restored(backup);
    expect(existsSync(other.paths.secretKeys)).toBe(false);
    cpSync(store.paths.secretKeys, other.paths.secretKeys, { recursive: true });
    const again = await openSecretBox(other.paths.secretKeys);
    expect(again.unseal(sealed, secret, await other.sealedDocuments.get(sealed))).toBe("hunter2");
  });

  test("goes into an empty folder alone, and is none when a document was found damaged", async () => {
    const { store, folder } = await agedStore();
    const used = testFolder();
    writeFileSync(join(used, "mine"), "x");
    await expect(store.backup(used)).rejects.toMatchObject({ code: "not-empty", details: { folder: used } });
    expect(readdirSync(used)).toEqual(["mine"]);

    const digest = await store.documents.put("will be damaged");
    writeFileSync(join(folder, "documents", digest.slice(0, 2), digest.slice(2)), "was damaged");
    const backup = freshFolder();
    await expect(store.backup(backup)).rejects.toMatchObject({ code: "document-damaged", details: { digest } });
    await expect(verifyBackup(backup, realFiles)).rejects.toMatchObject({ code: "backup-broken" });
  });
});

describe("a restore", () => {
  async function madeBackup(): Promise<string> {
    const { store } = await agedStore();
    const box = await openSecretBox(store.paths.secretKeys);
    const { sealed, ciphertext } = box.seal({ device: "d1", path: "/p", type: "string", text: "hunter2" });
    await store.sealedDocuments.put(sealed, ciphertext);
    const backup = freshFolder();
    await store.backup(backup);
    return backup;
  }

  test("refuses a backup with a flipped bit in any file, or without any of its files, and makes nothing", async () => {
    const backup = await madeBackup();
    const files = filesBelow(backup);
    const told = new Set<string>();
    for (const path of files) {
      const whole = readFileSync(path);
      const isRefused = async () => {
        const target = freshFolder();
        const error: unknown = await restore(backup, target).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error, path).toMatchObject({ code: "backup-broken" });
        for (const name of Object.keys((error as { readonly details: object }).details)) told.add(name);
        expect(existsSync(target)).toBe(false);
      };
      const flipped = Buffer.from(whole);
      const at = whole.length >> 1;
      flipped[at] = (flipped[at] ?? 0) ^ 0x01;
      writeFileSync(path, flipped);
      // A flipped bit of the manifest may be one of a member that nothing depends on.
      if (!path.endsWith("backup.json")) await isRefused();
      rmSync(path);
      await isRefused();
      writeFileSync(path, whole);
    }
    expect([...told].sort()).toEqual(["document", "file", "record"]);
    expect((await verifyBackup(backup, realFiles)).manifest).toEqual(manifestOf(backup));
  });

  test("refuses a backup whose list names a place outside, as nobody's backup does", async () => {
    const backup = await madeBackup();
    const manifest = manifestOf(backup);
    writeFileSync(join(backup, "escaped"), "x");
    const list = `${digestOf("x")} ../escaped\n`;
    writeFileSync(join(backup, "secrets.txt"), list);
    const secrets = { count: 1, bytes: 1, sha256: digestOf(list) };
    writeFileSync(join(backup, "backup.json"), JSON.stringify({ ...manifest, secrets }));
    const target = freshFolder();
    await expect(restore(backup, target)).rejects.toMatchObject({
      code: "backup-broken",
      details: { file: "../escaped" },
    });
    expect(existsSync(target)).toBe(false);
  });

  test("names the damaged record, the missing segment's first record, the missing document", async () => {
    const backup = await madeBackup();
    const [, second] = manifestOf(backup).segments;
    const path = join(backup, "journal", second?.name ?? "");
    const first = Number.parseInt(second?.name ?? "", 10);
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, whole.replace('"key":"r4"', '"key":"r5"'));
    await expect(restore(backup, freshFolder())).rejects.toMatchObject({ details: { record: first } });
    rmSync(path);
    await expect(restore(backup, freshFolder())).rejects.toMatchObject({ details: { record: first } });
    writeFileSync(path, whole);
    const document = filesBelow(join(backup, "documents"))[0] ?? "";
    const digest = document.split("/").slice(-2).join("");
    rmSync(document);
    await expect(restore(backup, freshFolder())).rejects.toMatchObject({ details: { document: digest } });
  });

  test("refuses a folder with a journal or a graph, and one that is in use", async () => {
    const backup = await madeBackup();
    const { folder, store } = await agedStore();
    await expect(restore(backup, folder)).rejects.toMatchObject({ code: "not-empty", details: { folder } });
    await store.commitRevision(commit(importBody("d1", { eth0: "1" }), "unharmed"));

    const graphAlone = testFolder();
    mkdirSync(join(graphAlone, "graph"));
    writeFileSync(join(graphAlone, "graph", "graph.lbug"), "x");
    await expect(restore(backup, graphAlone)).rejects.toMatchObject({ code: "not-empty" });
    expect(readdirSync(graphAlone)).toEqual(["graph"]);

    // Owned, but nothing was ever recorded there.
    const owned = testFolder();
    const owner = await openStore({ dataFolder: owned });
    await expect(restore(backup, owned)).rejects.toMatchObject({ code: "already-open" });
    await owner.close();
    await restore(backup, owned);
    const after = await openStore({ dataFolder: owned });
    onTestFinished(() => after.close());
    expect(await after.verify()).toMatchObject({ findings: [] });
  });

  test("that is cut short at any step leaves no journal, and can be done again", async () => {
    const backup = await madeBackup();
    const whole = dyingFiles();
    await restore(backup, freshFolder(), whole);
    const steps = whole.done.length;
    const renamed = whole.done.findIndex((step) => /^rename .*\/journal$/.test(step));
    // Every step at the end, and some of the many that copy documents.
    const deaths = [...Array(steps).keys()].filter((step) => step >= renamed - 25 || step % 40 === 0);
    expect(renamed).toBeGreaterThan(0);
    let died = 0;
    for (const step of deaths) {
      const target = freshFolder();
      await restore(backup, target, dyingFiles(step)).then(
        () => undefined,
        (error: unknown) => {
          // Giving the lock back fails too; what ended the restore is told first or last.
          expect(error, String(error)).toBeInstanceOf(Died);
          died += 1;
        },
      );
      if (step <= renamed) {
        expect(existsSync(join(target, "journal")), `step ${step}`).toBe(false);
        await restore(backup, target);
      }
      const proof = filesBelow(join(target, "journal")).map((path) => readFileSync(path, "utf8"));
      expect(proof).toEqual(filesBelow(join(backup, "journal")).map((path) => readFileSync(path, "utf8")));
      rmSync(dirname(target), { recursive: true });
    }
    expect(died).toBeGreaterThan(25);
  });
});

/** Runs `worker/<name>.ts` on a data folder. */
async function program(name: string, home: string, ...args: readonly string[]) {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const file = fileURLToPath(new URL(`../../worker/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, file, ...args], {
    env: { ...process.env, TENURE_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

test("the programs: a backup where nobody owns the folder, a restore elsewhere, a verify; and what they refuse", async () => {
  const { folder, store } = await agedStore();
  await store.prune({ before: dayStart(1), actor: "ann", key: "prune" });
  const told = await tellsFrom(store, 3);
  await store.close();
  const backup = freshFolder();
  const made = await program("write-backup", folder, backup, "--json");
  expect({ ...made, out: JSON.parse(made.out) as unknown }).toMatchObject({
    code: 0,
    out: { folder: backup, revision: 8, secretKeys: [] },
  });
  const target = freshFolder();
  const put = await program("restore-backup", target, backup, "--json");
  expect({ ...put, out: JSON.parse(put.out) as unknown }).toMatchObject({
    code: 0,
    out: { dataFolder: target, revision: 8, findings: [] },
  });
  const verified = await program("verify-journal", target, "--json");
  expect({ ...verified, out: JSON.parse(verified.out) as unknown }).toMatchObject({
    code: 0,
    out: { snapshot: { revision: 3 }, findings: [] },
  });
  const again = await program("restore-backup", target, backup, "--json");
  expect({ ...again, err: JSON.parse(again.err) as unknown }).toMatchObject({
    code: 1,
    out: "",
    err: { code: "not-empty" },
  });
  const other = await openStore({ dataFolder: target });
  onTestFinished(() => other.close());
  expect(await tellsFrom(other, 3)).toBe(told);
  const owned = await program("restore-backup", target, backup);
  expect(owned).toMatchObject({ code: 1, out: "" });
  const whileOwned = await program("write-backup", target, freshFolder(), "--json");
  expect(JSON.parse(whileOwned.err)).toMatchObject({ code: "already-open" });
});
