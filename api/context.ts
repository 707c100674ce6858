import type { TransactionTiming } from "../contract/workflows.ts";
import type { SchemaCache } from "../graph/documents/typed-documents.ts";
import type { GraphStore } from "../graph/store.ts";
import type { TemporalPort } from "../runtime/temporal-port.ts";

/** May the author of a plan approve it? The check itself is the journal's; the API says at each approval what holds. */
export type ActorPolicy = "author-may-approve" | "author-may-not-approve";

/** What every route works with. */
export interface ApiContext {
  readonly store: GraphStore;
  readonly temporal: TemporalPort;
  readonly schemas: SchemaCache;
  readonly actorPolicy: ActorPolicy;
  readonly timing: TransactionTiming;
  /** The most devices of one all-or-nothing transaction. */
  readonly transactionLimit: number;
  readonly version: string;
  /** Fires when the server closes: whoever waits then answers what it has. */
  readonly closing: AbortSignal;
}
