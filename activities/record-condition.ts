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
