/** How single facts are written for people. */
import type { SyncState } from "../../contract/api.ts";
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
      return "unchecked";
    case "in-sync":
      return "in sync";
    case "drift":
      return "drift";
  }
}

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

/** To the second, UTC. */
export function timeText(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")}Z`;
}
