import type { GraphStore } from "../graph/store.ts";

/** A write that a device worker is about to send. */
export interface DeviceWrite {
  readonly transaction: string;
  readonly token: number;
  /** Device id. */
  readonly device: string;
  readonly persistId: string;
  readonly phase: "first" | "again";
}

/**
 * The fence: undefined when the write may be sent now, else why not. It may while its token holds the device and, in
 * phase `first`, nothing is decided; in phase `again` (a device that reverted) confirm is; and no later attempt at the
 * device was begun. Asked right before the first octet, so that a worker which was away for a while cannot write into a
 * transaction that went on without it.
 */
export async function fenceRefusal(
  store: Pick<GraphStore, "decision" | "locks">,
  write: DeviceWrite,
): Promise<string | undefined> {
  const { transaction, token, device, persistId, phase } = write;
  const decision = await store.decision(transaction);
  if (phase === "first" && decision !== undefined) return `transaction ${transaction} is decided ${decision.value}`;
  if (phase === "again" && decision?.value !== "confirm") {
    return `transaction ${transaction} is ${decision === undefined ? "undecided" : "decided abort"}, not confirmed`;
  }
  // Last, without an await behind it: the answer is as fresh as it can be.
  if (!store.locks.holds(token, `device/${device}`)) return `lock token ${token} no longer holds device ${device}`;
  if (!store.locks.isNewest(transaction, write)) return `${persistId} is not the newest attempt at device ${device}`;
  return undefined;
}
