/** How single facts are written for people. */
import type { ConditionLine, SyncState } from "../../contract/api.ts";
import type { RevisionCause } from "../../contract/activities.ts";
import type { HostKeyPolicy } from "../../contract/device-reference.ts";
import type { Item } from "../../model/item.ts";
import { type Value, displayValue } from "../../model/value.ts";
import type { Setter } from "../../services/desired-state.ts";
import { setterText } from "../../services/setter-text.ts";

const MAX_OPAQUE = 60;

export function itemText(item: Item | undefined): string {
  if (item === undefined) return "nothing";
  switch (item.kind) {
    case "container":
    case "entry":
      return "present";
    case "leaf":
    case "leaf-list-entry":
      return displayValue(item.value);
    case "anydata":
      return item.content.length > MAX_OPAQUE ? `${item.content.slice(0, MAX_OPAQUE)}…` : item.content;
    case "order":
      return `order ${item.order.join(", ")}`;
  }
}

export function valueText(value: Value | undefined): string {
  return value === undefined ? "present" : displayValue(value);
}

export function setByText(setter: Setter | undefined): string {
  return setter === undefined ? "" : setterText(setter);
}

export function causeText(cause: RevisionCause): string {
  switch (cause.kind) {
    case "import":
    case "record":
      return `${cause.kind} ${cause.submission}`;
    case "change":
    case "accept":
    case "adopted":
      return `${cause.kind} plan ${cause.plan}`;
  }
}

export function syncText(sync: SyncState): string {
  switch (sync.kind) {
    case "not-imported":
      return "not imported";
    case "unchecked":
      return uncheckedText(sync);
    case "in-sync":
      return "in sync";
    case "drift":
      return "drift";
  }
}

/** What was found of an earlier revision is said as what was. */
function uncheckedText({ desired, last }: Extract<SyncState, { readonly kind: "unchecked" }>): string {
  if (last === undefined) return `not known for revision ${desired}`;
  const was = last.kind === "in-sync" ? "was in sync" : "had drift";
  return `not known for revision ${desired} (${was} at revision ${last.revision})`;
}

/** The rows of conditions, with the revision that each was found on. */
export function conditionRow(condition: ConditionLine): readonly string[] {
  const { type, status, reason, message, revision, describes, time } = condition;
  const of = revision === undefined ? "" : describes === "current" ? String(revision) : `${revision}, changed since`;
  return [type, status, reason, message, of, timeText(time)];
}
export const CONDITION_HEADS = ["condition", "status", "reason", "message", "revision", "since"] as const;

export function hostKeyText(policy: HostKeyPolicy): string {
  switch (policy.kind) {
    case "pinned":
      return policy.sha256;
    case "accept-new":
      return "accepts a new key";
    case "unknown":
      return "unknown";
  }
}

/** To the millisecond, UTC: as exact as `--at` needs it. */
export function instantText(time: string): string {
  return time.replace("T", " ");
}

/** To the second, UTC. */
export function timeText(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}
