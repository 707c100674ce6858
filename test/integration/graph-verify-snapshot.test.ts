/** `journal verify` takes the snapshot that stands for dropped records again: that its parts are there is not enough. */
import { expect, test } from "vitest";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { openDocumentStore } from "../../graph/documents/document-store.ts";
import { realFiles } from "../../graph/files.ts";
import type { SnapshotManifest, SnapshotServices } from "../../graph/history/snapshot-documents.ts";
import { openJournal } from "../../graph/journal/journal.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { dayStart, fillAged, openAged, testClock } from "../support/graph-aged-store.ts";
import { testFolder } from "../support/graph-bodies.ts";

test("a snapshot whose documents are whole, and which is not the one that would be taken, is found", async () => {
  const folder = testFolder();
  const clock = testClock();
  const store = await openAged(folder, clock);
  await fillAged(store, clock);
  await store.prune({ before: dayStart(2), actor: "ann", key: "prune" });
  expect((await store.verify()).findings).toEqual([]);
  await store.close();

  const paths = dataPaths(folder);
  const documents = await openDocumentStore(paths.documents, realFiles);
  const journal = await openJournal({ folder: paths.journal, files: realFiles, clock: () => dayStart(9) });
  const { base } = journal;
  if (base === undefined) throw new Error("nothing was pruned");
  const manifest = JSON.parse(await documents.getText(base.snapshot.body.manifest)) as SnapshotManifest;
  const services = JSON.parse(await documents.getText(manifest.services)) as SnapshotServices;
  expect(services.targets.length).toBeGreaterThan(1);
  const turned = await documents.put(canonicalJson({ ...services, targets: [...services.targets].reverse() }));
  const forged = await documents.put(canonicalJson({ ...manifest, services: turned }));
  const snapshot = await journal.append({ kind: "snapshot", body: { ...base.snapshot.body, manifest: forged } });
  await journal.append({ kind: "prune", body: { ...base.prune.body, key: "again", snapshot: snapshot.n } });
  await journal.close();

  const again = await openAged(folder, clock);
  try {
    // The state that it tells is the same: no row of the graph differs.
    expect((await again.verify()).findings).toEqual([{ code: "snapshot-differs", place: forged }]);
  } finally {
    await again.close();
  }
});
