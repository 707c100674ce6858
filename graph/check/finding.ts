export type CheckCode =
  | "current-ended"
  | "open-not-current"
  | "broken-chain"
  | "cut-chain"
  | "orphan-version"
  | "orphan-item"
  | "orphan-service-version"
  | "orphan-evidence"
  | "bad-span"
  | "link-elsewhere"
  | "link-without-service"
  | "link-without-target"
  | "graph-behind"
  /** The journal says that a row is there, and it is not. */
  | "row-missing"
  /** A row that no record of the journal makes. */
  | "row-extra"
  | "row-differs"
  | "document-missing"
  | "document-damaged";

/** Something that must not be. `place`: an id in the graph, a table and an id, a record's number, a document's digest. */
export interface CheckFinding {
  readonly code: CheckCode;
  readonly place: string;
}

/** Of each kind so many are told; the rest follows from the same cause more often than not. */
export const MAX_FINDINGS = 20;
