/**
 * `tenure check`: does everything hold that must always hold? Three questions: does the graph keep its own rules, is it
 * what the journal makes of it, and is every document there that a record or an open plan names. It runs beside the
 * writers: what looks wrong while they write is looked at again while they wait, so that only the suspects cost waiting.
 */
import type { PlanRecord } from "./journal/record.ts";
import { FINAL_PLAN_STATES, type PlanState } from "../contract/plan-state.ts";
import { confirmSuspects, findSuspects } from "./check/compare-rows.ts";
import { type CheckFinding, MAX_FINDINGS } from "./check/finding.ts";
import { INVARIANTS, type Invariant, type RevisionBounds } from "./check/invariants.ts";
import { type WatchedDocuments, watchDocuments } from "./check/watched-documents.ts";
import type { DocumentStore } from "./documents/document-store.ts";
import { type JournalImage, imageOfJournal, replayed } from "./history/journal-image.ts";
import type { Journal } from "./journal/journal.ts";
import type { Run } from "./ladybug.ts";
import type { Mutex } from "./mutex.ts";
import { CURRENT_REVISION, META, PLANS } from "./statements/reads.ts";
import { isStoreError } from "./store-error.ts";
import { loadText } from "./stored-text.ts";

export { type CheckCode, type CheckFinding, MAX_FINDINGS } from "./check/finding.ts";

export interface CheckOptions {
  readonly read: Run;
  readonly journal: Journal;
  readonly documents: DocumentStore;
  /** Runs work while nothing is written. */
  readonly exclusive: Mutex["run"];
}

/**
 * What must not be, up to `MAX_FINDINGS` of a kind; none: all is well. Reads everything once, changes nothing. Needs:
 * history is not pruned meanwhile. Errors: `journal-broken`.
 */
export async function checkStore({
  read,
  journal,
  documents,
  exclusive,
}: CheckOptions): Promise<readonly CheckFinding[]> {
  const watched = watchDocuments(documents);
  const source = { journal, documents: watched.documents };
  const until = journal.last.n;
  const expected = await imageOrNothing(() => imageOfJournal(source, until));
  if (expected === undefined) await proveBodies(journal, watched);
  const suspects = expected === undefined ? undefined : await findSuspects(read, expected.image);
  const broken = await brokenOf(INVARIANTS, read);

  const findings = await exclusive(async () => {
    const again = (
      await brokenOf(
        broken.map(({ invariant }) => invariant),
        read,
      )
    ).flatMap((each) => each.findings);
    return [
      ...again,
      ...(await graphBehind(read, journal)),
      ...(expected === undefined || suspects === undefined
        ? []
        : await confirmSuspects(
            read,
            (await replayed(source, expected, { after: until, until: journal.last.n })).image,
            suspects,
          )),
    ];
  });
  await proveOpenPlans(read, watched);
  return [...findings, ...watched.findings.slice(0, MAX_FINDINGS)];
}

/** A graph cannot be computed from a journal whose documents are gone; that is then the finding. */
async function imageOrNothing(replay: () => Promise<JournalImage>): Promise<JournalImage | undefined> {
  try {
    return await replay();
  } catch (error) {
    if (isStoreError(error, "document-missing") || isStoreError(error, "document-damaged")) return undefined;
    throw error;
  }
}

/** The replay ended at the first body that is gone: looks at all of them. */
async function proveBodies(journal: Journal, watched: WatchedDocuments): Promise<void> {
  for await (const record of journal.read(1)) if (record.kind === "revision") await watched.prove(record.body.body);
}

async function brokenOf(
  invariants: readonly Invariant[],
  read: Run,
): Promise<readonly { readonly invariant: Invariant; readonly findings: readonly CheckFinding[] }[]> {
  const broken = [];
  for (const invariant of invariants) {
    const findings = await invariant.find(read, await boundsOf(read));
    if (findings.length > 0) broken.push({ invariant, findings });
  }
  return broken;
}

async function boundsOf(read: Run): Promise<RevisionBounds> {
  const [meta] = await read(META);
  const [current] = await read(CURRENT_REVISION);
  return { newest: Number(current?.["revision"] ?? 0), pruned: Number(meta?.["pruned"] ?? 0) };
}

async function graphBehind(read: Run, journal: Journal): Promise<readonly CheckFinding[]> {
  const [meta] = await read(META);
  return meta?.["record"] === journal.last.n ? [] : [{ code: "graph-behind", place: String(meta?.["record"]) }];
}

/** A plan that may still be approved or applied needs all that it was offered with. */
async function proveOpenPlans(read: Run, watched: WatchedDocuments): Promise<void> {
  for (const row of await read(PLANS)) {
    if (FINAL_PLAN_STATES.has(String(row["state"]) as PlanState)) continue;
    const plan = JSON.parse(await loadText(String(row["form"]), watched.documents)) as PlanRecord;
    for (const digest of [plan.digest, plan.proposal, plan.body]) if (digest !== undefined) await watched.prove(digest);
    const contents = await watched.prove(plan.contents);
    if (contents === undefined) continue;
    const { sections } = JSON.parse(Buffer.from(contents).toString("utf8")) as PlanContents;
    for (const { section } of sections) await watched.prove(section);
  }
}

/** The part of a plan's contents document that names documents. */
interface PlanContents {
  readonly sections: readonly { readonly section: string }[];
}
