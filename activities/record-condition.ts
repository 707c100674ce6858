/** Conditions: what is the matter with a device, by type, with the revision that it describes. */
import type { GraphStore } from "../graph/store.ts";

export interface DeviceCondition {
  readonly id: string;
  readonly type: string;
  readonly status: "true" | "false" | "unknown";
  readonly reason: string;
  readonly message: string;
  readonly revision: number | undefined;
  readonly observation: string | undefined;
  readonly mode: "record" | "preview";
}

/** Type of the condition that says whether the last import of a device succeeded. */
export const IMPORTED = "Imported";

/**
 * Type of the condition that names the newest revision of which a device was seen to have all: by an import, a drift
 * check that found none, an apply that read back what it expected. What a later revision brought was never there.
 */
const SEEN = "Seen";

/** Notes that a device has all of a revision. Goes up only: what is older was seen as well. */
export async function recordSeen(store: GraphStore, device: string, revision: number): Promise<void> {
  if (revision <= ((await seenRevision(store, device)) ?? -1)) return;
  await recordCondition(store, {
    id: device,
    type: SEEN,
    status: "true",
    reason: "Observed",
    message: "the device was seen to have all that this revision wants",
    revision,
    observation: undefined,
    mode: "record",
  });
}

/** Newest revision that `recordSeen` noted; undefined where nothing was. */
export async function seenRevision(store: GraphStore, device: string): Promise<number | undefined> {
  return (await store.condition({ kind: "device", id: device }, SEEN))?.revision;
}

/** Journalled when it changes; a preview records nothing. */
export async function recordCondition(store: GraphStore, condition: DeviceCondition): Promise<void> {
  if (condition.mode === "preview") return;
  await store.recordCondition({
    subject: { kind: "device", id: condition.id },
    type: condition.type,
    status: condition.status,
    reason: condition.reason,
    message: condition.message,
    path: undefined,
    revision: condition.revision,
    observation: condition.observation,
  });
}

/** What an outcome says about the sync state of its device. */
export function syncAfter(
  kind: string,
  message: string | undefined,
): Pick<DeviceCondition, "status" | "reason" | "message"> {
  switch (kind) {
    case "applied":
      return message === undefined
        ? { status: "true", reason: "Applied", message: "verified against the expected state" }
        : { status: "unknown", reason: "Applied", message };
    case "unknown":
      return { status: "unknown", reason: "OutcomeUnknown", message: message ?? "the outcome is not known" };
    default:
      return { status: "unknown", reason: "NotApplied", message: message ?? "the plan was not applied" };
  }
}
