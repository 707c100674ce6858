/** What a test and the worker process that it may kill say to each other. */

/** Where a worker ends itself: at the `append`-th line (from 1) that it adds to the journal or to the lock table. */
export interface CrashPoint {
  readonly append: number;
  /** `before`: nothing of the line is written. `torn`: half of it is. `after`: all is on the disk, nobody was told. */
  readonly when: "before" | "torn" | "after";
}

export type ToWorker =
  /** Counts appends from now on, and ends there; without a point it only counts. */
  { readonly kind: "arm"; readonly crash: CrashPoint | undefined } | { readonly kind: "count" };

export type FromWorker =
  | { readonly kind: "ready" }
  /** The answer to every message: what was appended to since the last `arm`, in order. */
  | { readonly kind: "appends"; readonly list: readonly AppendedFile[] };

export type AppendedFile = "journal" | "locks";
