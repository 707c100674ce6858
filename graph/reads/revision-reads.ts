import type { RevisionEntry } from "../journal/record.ts";
import type { ResultRow } from "../ladybug.ts";
import * as statements from "../statements/reads.ts";
import { StoreError } from "../store-error.ts";
import type { Reader, Recorded } from "./reader.ts";

export type RevisionView = RevisionEntry & Recorded & { readonly record: number };

/** At a revision, or now when none is named. */
export interface AtRevision {
  readonly revision?: number | undefined;
}

/** The oldest revision that can still be told, once older ones were pruned, and when it was made (ISO 8601, UTC). */
export interface PrunedAt {
  readonly revision: number;
  readonly time: string;
}

/** When: which revisions there are, and which can still be told. */
export interface RevisionReads {
  currentRevision(): Promise<number>;
  /** Who, when and why. Undefined for a number that is none, and for one whose row was pruned. */
  revision(number: number): Promise<RevisionView | undefined>;
  /** Newest first, down to the pruned one. Errors: `pruned` when the whole range is older than that. */
  revisions(range?: {
    readonly from?: number;
    readonly to?: number;
    readonly limit?: number;
  }): Promise<readonly RevisionView[]>;
  /** Newest revision at or before an instant; 0 when there was none. Errors: `pruned`. */
  revisionAt(time: Date): Promise<number>;
  /** Undefined while nothing was pruned. */
  prunedAt(): Promise<PrunedAt | undefined>;
}

/** What the other rooms need of this one. */
export interface Timeline {
  readonly reads: RevisionReads;
  /**
   * Looks at a revision, the newest where none is named. Errors: `pruned` for one that can no longer be told, also when
   * that came to be while it was looked at; `unknown-revision` for one to come.
   */
  readonly lookAt: <T>(at: AtRevision | undefined, look: (revision: number) => Promise<T>) => Promise<T>;
}

const MAX_REVISIONS = 1000;

/** Refuses what lies before the oldest revision that can still be told. */
export function refusePruned(what: string, { revision, time }: PrunedAt): never {
  throw new StoreError(
    "pruned",
    `${what} can no longer be told: history was pruned at revision ${revision} (${time})`,
    {
      revision,
      time,
    },
  );
}

export function createTimeline({ rows, parse }: Reader): Timeline {
  async function prunedAt(): Promise<PrunedAt | undefined> {
    const [row] = await rows(statements.META);
    const revision = Number(row?.["pruned"] ?? 0);
    return revision === 0 ? undefined : { revision, time: String(row?.["pruned_time"]) };
  }

  async function currentRevision(): Promise<number> {
    const [row] = await rows(statements.CURRENT_REVISION);
    return Number(row?.["revision"] ?? 0);
  }

  async function view(row: ResultRow): Promise<RevisionView> {
    const form = await parse<Omit<RevisionEntry, "revision">>(row["form"]);
    return { ...form, revision: Number(row["revision"]), record: Number(row["record"]), time: String(row["time"]) };
  }

  async function revisionOf(at: AtRevision | undefined): Promise<number> {
    const current = await currentRevision();
    const asked = at?.revision;
    if (asked === undefined || asked === current) return current;
    if (asked > current) throw unknownRevision(asked, current);
    const pruned = await prunedAt();
    if (pruned !== undefined && asked < pruned.revision) refusePruned(`revision ${asked}`, pruned);
    return asked;
  }

  async function lookAt<T>(at: AtRevision | undefined, look: (revision: number) => Promise<T>): Promise<T> {
    const revision = await revisionOf(at);
    const found = await look(revision);
    // Several statements make one answer, and a prune may have come between two of them.
    if (at?.revision !== undefined) await revisionOf({ revision });
    return found;
  }

  const reads: RevisionReads = {
    currentRevision,
    prunedAt,
    async revision(number) {
      const [row] = await rows(statements.REVISION, { id: number });
      return row === undefined ? undefined : view(row);
    },
    async revisions(range = {}) {
      const pruned = await prunedAt();
      const to = range.to ?? Number.MAX_SAFE_INTEGER;
      if (pruned !== undefined && to < pruned.revision) refusePruned(`revisions up to ${to}`, pruned);
      // Single older rows stay where something kept names them; a list of those alone would look whole.
      const from = Math.max(range.from ?? 0, pruned?.revision ?? 0);
      const limit = Math.min(range.limit ?? MAX_REVISIONS, MAX_REVISIONS);
      return Promise.all((await rows(statements.REVISIONS, { from, to, limit })).map(view));
    },
    async revisionAt(time) {
      const instant = time.toISOString();
      const pruned = await prunedAt();
      if (pruned !== undefined && instant < pruned.time) refusePruned(`the state at ${instant}`, pruned);
      const [row] = await rows(statements.REVISION_AT_TIME, { time: instant });
      return Math.max(Number(row?.["revision"] ?? 0), pruned?.revision ?? 0);
    },
  };
  return { reads, lookAt };
}

export function unknownRevision(asked: number, current: number): StoreError {
  return new StoreError("unknown-revision", `there is no revision ${asked}; the newest is ${current}`, {
    revision: asked,
  });
}
