/**
 * Misbehaviour on request. A fault is addressed by the name of an operation and by which of its occurrences it hits, counted from the moment
 * it was installed, over all sessions. Everything else about a device (its quirks) is fixed when it starts.
 */
import type { ErrorTag } from "./rpc-error.ts";

export type FaultAction =
  /** The transport ends without a reply: before the operation is carried out, or after. */
  | { readonly kind: "drop-session"; readonly when: "before" | "after" }
  /** The operation is carried out at once, its reply comes late. */
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** Nothing happens until the fault is released: before the operation is carried out, or between that and the reply. */
  | { readonly kind: "hold"; readonly when: "before" | "after" }
  /** The lock is refused in the name of that session; 0: of somebody who does not use NETCONF. */
  | { readonly kind: "deny-lock"; readonly session: number }
  /** The operation is refused with this error and not carried out. */
  | { readonly kind: "fail"; readonly tag: ErrorTag; readonly message: string }
  /** A warning stands before whatever the reply would be. */
  | { readonly kind: "warn"; readonly message: string }
  /** The reply is ok, and nothing is stored. */
  | { readonly kind: "ignore" }
  /** On its way to running (commit; edit-config or copy-config of running) the leaf at `path` gets another value. */
  | { readonly kind: "rewrite"; readonly path: string; readonly value: string }
  /** On its way to running the configuration gets nodes of the device's own: the XML text of elements below `<config>`, merged. */
  | { readonly kind: "add"; readonly config: string }
  /** An edit-config that touches the node at `path` or anything below it is refused. */
  | { readonly kind: "refuse-edit"; readonly path: string; readonly tag: ErrorTag; readonly message: string };

export interface Fault {
  /** A name of the caller's, unique among the faults; a hold is released by it. */
  readonly id: string;
  /** Local name of the operation, such as `commit`; `*` for every one. */
  readonly operation: string;
  /** From 1. */
  readonly occurrence: number | "every";
  readonly action: FaultAction;
}

/** The installed faults with their counts. */
export class FaultTable {
  #faults: readonly Fault[] = [];
  readonly #counts = new Map<string, number>();
  readonly #held = new Map<string, Set<() => void>>();

  /** Installs exactly these; counting starts anew, and holds that are no longer installed are released. Throws on a repeated id. */
  replace(faults: readonly Fault[]): void {
    const ids = new Set(faults.map((fault) => fault.id));
    if (ids.size < faults.length) throw new RangeError("two faults have one id");
    this.#faults = [...faults];
    this.#counts.clear();
    for (const id of this.#held.keys()) if (!ids.has(id)) this.release(id);
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  /** The faults that hit this occurrence of an operation. Counts it: call once for each operation received. */
  take(operation: string): readonly Fault[] {
    return this.#faults.filter((fault) => {
      if (fault.operation !== "*" && fault.operation !== operation) return false;
      const count = (this.#counts.get(fault.id) ?? 0) + 1;
      this.#counts.set(fault.id, count);
      return fault.occurrence === "every" || fault.occurrence === count;
    });
  }

  /** Resolves when the fault is released. */
  hold(id: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#held.get(id) ?? new Set();
      waiting.add(resolve);
      this.#held.set(id, waiting);
    });
  }

  /** How many operations a hold keeps waiting. */
  heldBy(id: string): number {
    return this.#held.get(id)?.size ?? 0;
  }

  /** Lets go of what a hold keeps waiting now; later occurrences that it hits are held again. */
  release(id: string): void {
    const waiting = this.#held.get(id);
    this.#held.delete(id);
    for (const resolve of waiting ?? []) resolve();
  }

  releaseAll(): void {
    for (const id of [...this.#held.keys()]) this.release(id);
  }
}

/** The actions of one kind among the faults that hit an operation. */
export function actionsOf<Kind extends FaultAction["kind"]>(
  faults: readonly Fault[],
  kind: Kind,
): readonly (Extract<FaultAction, { kind: Kind }> & { readonly id: string })[] {
  return faults.flatMap(({ id, action }) =>
    action.kind === kind ? [{ ...(action as Extract<FaultAction, { kind: Kind }>), id }] : [],
  );
}
