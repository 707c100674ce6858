/** What can go wrong at the store's door, as data: callers and tests match the code, never the message. */
export type StoreErrorCode =
  /** Another process owns the data folder; details: pid, since, api. */
  | "already-open"
  /** A complete record is damaged or does not follow its predecessor; details: record, segment. */
  | "journal-broken"
  /** A record of a kind or form that this version does not know; details: record. */
  | "journal-newer"
  /** The graph holds a record that the journal does not; details: record, last. */
  | "graph-ahead"
  /** The journal or the database failed and could not be brought back: nothing more is written until a restart. */
  | "stopped"
  /** Less free space than the store keeps in reserve; details: free, reserve. */
  | "no-space"
  | "record-too-large"
  /** A snapshot does not read back as what it was taken from; details: record, manifest. Nothing was dropped. */
  | "snapshot-differs"
  /** A folder that must be empty, or have no journal, holds something; details: folder. */
  | "not-empty"
  /** A backup that is not whole, or was changed; details: name the record, document or file. */
  | "backup-broken"
  | "document-missing"
  | "document-damaged"
  | "not-canonical"
  | "unknown-device"
  | "unknown-plan"
  | "unknown-revision"
  /** History that was dropped; details: revision (the oldest that can be told) and its time. */
  | "pruned"
  | "unknown-document"
  | "name-taken"
  /** The same business id came again with other content. */
  | "key-conflict"
  /** What a revision body was computed from has changed; details: reasons. */
  | "stale-basis"
  /** A revision body that contradicts itself or names what does not exist; details: reasons. */
  | "bad-body"
  | "wrong-digest"
  | "wrong-state"
  | "lock-lost";

export type StoreErrorDetails = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The only error class of `graph/`. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly details: StoreErrorDetails;

  constructor(code: StoreErrorCode, message: string, details: StoreErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** True for a store error, of the given code where one is given. */
export function isStoreError(error: unknown, code?: StoreErrorCode): error is StoreError {
  return error instanceof StoreError && (code === undefined || error.code === code);
}
