/** What a step of a NETCONF conversation asks and what comes back, independent of who speaks and who answers. */

export type Datastore = "running" | "candidate" | "startup";

/** The arguments of one request; names follow RFC 6241, the children of config and filter are XML text. */
export type Request =
  | { readonly op: "open" }
  /** close-session. */
  | { readonly op: "close" }
  /** The transport ends without a word. */
  | { readonly op: "drop" }
  | {
      readonly op: "get-config";
      readonly source: Datastore;
      readonly filter?: string;
      readonly withDefaults?: WithDefaultsMode;
    }
  | { readonly op: "get"; readonly filter: string }
  /** get-config again and again, until the reply contains (or no longer contains) a text, or the limit has passed. */
  | {
      readonly op: "poll-config";
      readonly source: Datastore;
      readonly filter?: string;
      readonly marker: string;
      readonly until: "present" | "absent";
      readonly everySeconds: number;
      readonly limitSeconds: number;
    }
  | {
      readonly op: "edit-config";
      readonly target: Datastore;
      /** A whole `config` element. */
      readonly config: string;
      readonly defaultOperation?: "merge" | "replace" | "none";
      readonly testOption?: "test-then-set" | "set" | "test-only";
      readonly errorOption?: "stop-on-error" | "continue-on-error" | "rollback-on-error";
    }
  | { readonly op: "copy-config"; readonly source: Datastore; readonly target: Datastore }
  | { readonly op: "delete-config"; readonly target: Datastore }
  | { readonly op: "validate"; readonly source: Datastore }
  | { readonly op: "commit" }
  | {
      readonly op: "commit";
      readonly confirmed: true;
      /** Seconds, as text. */
      readonly timeout?: string;
      readonly persist?: string;
      readonly persistId?: string;
    }
  /** Confirms a commit that another session made. */
  | { readonly op: "commit"; readonly persistId: string }
  | { readonly op: "cancel-commit"; readonly persistId?: string }
  | { readonly op: "discard-changes" }
  | { readonly op: "lock"; readonly target: Datastore }
  | { readonly op: "unlock"; readonly target: Datastore }
  | { readonly op: "get-schema"; readonly identifier: string; readonly version?: string; readonly format?: string }
  /** Any operation element. */
  | { readonly op: "rpc"; readonly xml: string };

export type WithDefaultsMode = "report-all" | "report-all-tagged" | "trim" | "explicit";

export interface ErrorReport {
  readonly type: string | null;
  readonly tag: string | null;
  readonly severity: string | null;
  readonly appTag: string | null;
  readonly path: string | null;
  readonly message: string | null;
  /** The error-info element, as XML text. */
  readonly info: string | null;
}

export type Outcome =
  | { readonly kind: "ok"; readonly warnings: readonly ErrorReport[] }
  /** `xml` is the whole data element. */
  | { readonly kind: "data"; readonly xml: string; readonly warnings: readonly ErrorReport[] }
  | { readonly kind: "error"; readonly errors: readonly ErrorReport[] }
  | { readonly kind: "hello"; readonly sessionId: string; readonly capabilities: readonly string[] }
  | { readonly kind: "closed" }
  /** No answer: the session or the client broke. */
  | { readonly kind: "failure"; readonly reason: string };
