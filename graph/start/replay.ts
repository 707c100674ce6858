import { setImmediate as nextTurn } from "node:timers/promises";
import type { RevisionBody } from "../../services/desired-state.ts";
import { type AppliedRecord, applyRecord } from "../apply/apply-record.ts";
import { type ReadPrior, priorKeysOf } from "../apply/prior.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { JournalRecord } from "../journal/record.ts";
import { storeOverflow } from "../stored-text.ts";

/** The write set of one record against a graph or an image; long texts are stored before it is handed out. */
export async function writeSetOf(
  record: JournalRecord,
  documents: DocumentStore,
  readPrior: ReadPrior,
): Promise<AppliedRecord> {
  const body =
    record.kind === "revision" ? (JSON.parse(await documents.getText(record.body.body)) as RevisionBody) : undefined;
  // Each of these steps takes some 200 ms for 100,000 items: others may run in between.
  if (body !== undefined) await nextTurn();
  const keys = priorKeysOf(record, body);
  if (body !== undefined) await nextTurn();
  const prior = await readPrior(keys);
  const applied = await applyRecord(record, body, prior);
  await storeOverflow(applied.overflow, documents);
  return applied;
}
