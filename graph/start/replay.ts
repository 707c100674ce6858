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
  const prior = await readPrior(priorKeysOf(record, body));
  const applied = applyRecord(record, body, prior);
  await storeOverflow(applied.overflow, documents);
  return applied;
}
