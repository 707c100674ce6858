/** Which documents a prune keeps: what the journal, its snapshot or an open plan names, and what is young. */
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type { GraphStore } from "../../graph/store.ts";
import { commit, importBody, planRecord, testFolder } from "../support/graph-bodies.ts";
import {
  type TestClock,
  ageDocuments,
  dayStart,
  documentsOf,
  fillAged,
  openAged,
  tellsFrom,
  testClock,
} from "../support/graph-aged-store.ts";

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
  return { folder, clock, store };
}

const pathOf = (folder: string, digest: string) => join(folder, "documents", digest.slice(0, 2), digest.slice(2));
const bodyOf = async (store: GraphStore, revision: number) => (await store.revision(revision))?.body ?? "";

const prune = (store: GraphStore, day: number) =>
  store.prune({ before: dayStart(day), actor: "ann", key: `prune ${day} ${Math.random()}` });

describe("a prune", () => {
  test("removes what only dropped history named, and what nobody named; the rest stays", async () => {
    const { folder, clock, store } = await agedStore();
    const bodies = await Promise.all([1, 4, 5, 8].map((revision) => bodyOf(store, revision)));
    const orphan = await store.documents.put("nobody names this");
    ageDocuments(folder, 0);
    clock.to(200);
    const before = new Set(documentsOf(folder));
    const { documents } = await prune(store, 2);
    const after = new Set(documentsOf(folder));
    expect(bodies.map((digest) => after.has(digest))).toEqual([false, false, true, true]);
    expect(after.has(orphan)).toBe(false);
    expect([...before].filter((digest) => !after.has(digest))).toHaveLength(documents.count);
    // Nothing that is told, now or after a rebuild, needs what went.
    const told = await tellsFrom(store, 4);
    await store.rebuild();
    expect(await tellsFrom(store, 4)).toBe(told);
    expect(await store.verify()).toMatchObject({ findings: [] });
  });

  test("keeps what an open plan names, and what that names in turn", async () => {
    const { folder, clock, store } = await agedStore();
    const tree = await store.documents.put("a tree");
    const observation = await store.documents.put(canonicalJson({ content: tree }));
    const section = await store.documents.put(canonicalJson({ observation }));
    const contents = await store.documents.put(canonicalJson({ sections: [{ device: "d1", section }] }));
    await store.putPlan({ plan: planRecord("p-deep", { contents }), state: "waiting" });
    const lost = await store.documents.put(canonicalJson({ sections: [] }) + " ");
    await store.putPlan({ plan: planRecord("p-over", { contents: lost }), state: "waiting" });
    const end = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };
    await store.recordPlanState({ plan: "p-over", state: "rejected", ...end });
    ageDocuments(folder, 0);
    clock.to(200);
    await prune(store, 4);
    const after = new Set(documentsOf(folder));
    expect([tree, observation, section, contents].map((digest) => after.has(digest))).toEqual([true, true, true, true]);
    expect(after.has(lost)).toBe(false);
    expect(await store.check()).toEqual([]);
  });

  test("keeps for 45 days what was put lately, for the first time or again", async () => {
    const { folder, clock, store } = await agedStore();
    const [old, again, young] = await store.documents.putAll(["old", "again", "young"]);
    for (const digest of [old, again]) utimesSync(pathOf(folder, digest!), dayStart(0), dayStart(0));
    await store.documents.put("again");
    // The files are of the day on which the test runs, so the store's clock must be near that.
    clock.to((Date.now() - dayStart(0).getTime()) / 86_400_000 + 44);
    await prune(store, 0);
    const after = new Set(documentsOf(folder));
    expect([old, again, young].map((digest) => after.has(digest!))).toEqual([false, true, true]);
    clock.to((Date.now() - dayStart(0).getTime()) / 86_400_000 + 46);
    await prune(store, 0);
    expect(documentsOf(folder)).not.toContain(young);
  });

  test("keeps what a young document mentions: a rollback that waits for its locks names an old definition", async () => {
    const { folder, clock, store } = await agedStore();
    const definition = await store.documents.put("an old definition");
    ageDocuments(folder, 0);
    const body = await store.documents.put(canonicalJson({ definitions: [{ name: "wan", document: definition }] }));
    clock.to((Date.now() - dayStart(0).getTime()) / 86_400_000 + 1);
    await prune(store, 2);
    expect(documentsOf(folder)).toEqual(expect.arrayContaining([definition, body]));
    // Nobody named it: it goes, and what it mentions with it.
    clock.to((Date.now() - dayStart(0).getTime()) / 86_400_000 + 46);
    await prune(store, 2);
    for (const gone of [definition, body]) expect(documentsOf(folder)).not.toContain(gone);
  });

  test("goes for ciphertexts by the same rule", async () => {
    const { folder, clock, store } = await agedStore();
    const sealed = (text: string) =>
      ({ kind: "sealed", type: "string", keyId: "key-1", hmac: digestOf(text) }) as const;
    for (const text of ["named", "unnamed"]) await store.sealedDocuments.put(sealed(text), Buffer.from(text));
    const named = importBody("d1", {});
    const [device] = named.devices;
    await store.commitRevision(
      commit(
        {
          ...named,
          devices: [
            {
              ...device!,
              put: [
                {
                  item: { kind: "leaf", path: "/test-net:secret", value: sealed("named"), origin: "set" },
                  setBy: { kind: "import" },
                  retained: false,
                },
              ],
            },
          ],
        },
        "secret",
      ),
    );
    ageDocuments(folder, 0);
    for (const text of ["named", "unnamed"])
      utimesSync(join(folder, "secrets", "key-1", digestOf(text)), dayStart(0), dayStart(0));
    clock.to(200);
    await prune(store, 4);
    expect(Buffer.from(await store.sealedDocuments.get(sealed("named"))).toString()).toBe("named");
    await expect(store.sealedDocuments.get(sealed("unnamed"))).rejects.toMatchObject({ code: "document-missing" });
  });

  test("that meets a damaged or missing document which is needed drops nothing and names it", async () => {
    const { folder, clock, store } = await agedStore();
    const told = await tellsFrom(store, 4);
    const digest = await bodyOf(store, 1);
    clock.to(200);
    writeFileSync(pathOf(folder, digest), "{}");
    await expect(prune(store, 2)).rejects.toMatchObject({ code: "document-damaged", details: { digest } });
    rmSync(pathOf(folder, digest));
    await expect(prune(store, 2)).rejects.toMatchObject({ code: "document-missing", details: { digest } });
    expect(await store.prunedAt()).toBeUndefined();
    expect(await tellsFrom(store, 4)).toBe(told);
  });
});

test("a verify finds a snapshot that was changed or lost a document, and names it", async () => {
  const { folder, clock, store } = await agedStore();
  clock.to(200);
  await prune(store, 2);
  const manifest = (await store.verify()).snapshot?.manifest ?? "";
  const { services } = JSON.parse(await store.documents.getText(manifest)) as { readonly services: string };
  const text = await store.documents.getText(services);
  writeFileSync(pathOf(folder, services), text.replace("wan", "win"));
  expect((await store.verify()).findings).toContainEqual({ code: "document-damaged", place: services });
  rmSync(pathOf(folder, services));
  expect((await store.verify()).findings).toContainEqual({ code: "document-missing", place: services });
  await store.documents.put(text);
  expect(await store.verify()).toMatchObject({ findings: [] });
});
