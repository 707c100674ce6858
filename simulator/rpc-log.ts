import type { SessionId } from "./netconf-names.ts";

/** What became of an operation. `dropped`: its session ended without a reply; `pending`: it is being worked on or held. */
export type RpcOutcome = "pending" | "ok" | "error" | "dropped";

/** One operation as it was received. */
export interface RpcRecord {
  /** From 1, in the order of receipt over all sessions; never reused. */
  readonly number: number;
  readonly session: SessionId;
  /** Local name of the operation element. */
  readonly operation: string;
  /** Datastore that it names as target or source. */
  readonly datastore: string | undefined;
  readonly persist: string | undefined;
  readonly persistId: string | undefined;
  /** UTC, ISO 8601. */
  readonly receivedAt: string;
  readonly answeredAt: string | undefined;
  readonly outcome: RpcOutcome;
  readonly errorTags: readonly string[];
  /** Whether it was carried out on the datastores; a dropped one may have been. */
  readonly carriedOut: "yes" | "no";
}

/** Every operation that the device received, also those that it never answered. Hellos are no operations. */
export class RpcLog {
  readonly #now: () => number;
  readonly #records = new Map<number, RpcRecord>();
  #last = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  received(what: Pick<RpcRecord, "session" | "operation" | "datastore" | "persist" | "persistId">): number {
    this.#last += 1;
    this.#records.set(this.#last, {
      ...what,
      number: this.#last,
      receivedAt: this.#time(),
      answeredAt: undefined,
      outcome: "pending",
      errorTags: [],
      carriedOut: "no",
    });
    return this.#last;
  }

  carriedOut(number: number): void {
    this.#update(number, { carriedOut: "yes" });
  }

  ended(number: number, what: Pick<RpcRecord, "outcome" | "errorTags">): void {
    this.#update(number, { ...what, answeredAt: this.#time() });
  }

  records(): readonly RpcRecord[] {
    return [...this.#records.values()];
  }

  clear(): void {
    this.#records.clear();
  }

  #update(number: number, what: Partial<RpcRecord>): void {
    const record = this.#records.get(number);
    if (record !== undefined) this.#records.set(number, { ...record, ...what });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
