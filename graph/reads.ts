/**
 * Everything that can be asked of the graph. One room a question: what is wanted (`desired-reads`), one item through
 * time (`item-reads`), which revisions there are (`revision-reads`), what was planned and decided (`plan-reads`), what
 * is the matter (`condition-reads`). The statements stand in `statements/reads.ts`; nothing here writes.
 */
import { idempotencyId } from "./apply/forms.ts";
import type { DocumentStore } from "./documents/document-store.ts";
import type { JournalKind } from "./journal/record.ts";
import { type ConditionReads, createConditionReads } from "./reads/condition-reads.ts";
import { type DesiredReads, createDesiredReads } from "./reads/desired-reads.ts";
import { type ItemReads, createItemReads } from "./reads/item-reads.ts";
import { type PlanReads, createPlanReads } from "./reads/plan-reads.ts";
import { type GraphSource, createReader } from "./reads/reader.ts";
import { type RevisionReads, createTimeline } from "./reads/revision-reads.ts";
import { KEY } from "./statements/reads.ts";

export { type ConditionView, type Describes, PAUSED } from "./reads/condition-reads.ts";
export type { Blame, ItemChange, ItemVersion } from "./reads/item-reads.ts";
export type { ApprovalView, DecisionView, OutcomeView, PlanView } from "./reads/plan-reads.ts";
export type { Recorded } from "./reads/reader.ts";
export type { AtRevision, PrunedAt, RevisionView } from "./reads/revision-reads.ts";

/**
 * Answers of one call belong to one revision; nothing here waits for a writer. Errors of every call that takes a
 * revision: `pruned` (with the oldest one that can be told) and `unknown-revision`.
 */
export interface StoreReads extends DesiredReads, ItemReads, RevisionReads, PlanReads, ConditionReads {
  /** What the first delivery under an idempotency key was told; undefined when there was none. */
  answerTo(kind: JournalKind, key: string): Promise<string | undefined>;
}

export function createReads(source: GraphSource, documents: DocumentStore): StoreReads {
  const reader = createReader(source, documents);
  const timeline = createTimeline(reader);
  const conditions = createConditionReads(reader);
  return {
    ...timeline.reads,
    ...conditions,
    ...createDesiredReads(reader, timeline, conditions),
    ...createItemReads(reader, timeline),
    ...createPlanReads(reader),
    async answerTo(kind, key) {
      const [row] = await source.read(KEY, { id: idempotencyId(kind, key) });
      return row === undefined ? undefined : String(row["answer"]);
    },
  };
}
