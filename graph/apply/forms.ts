import { hash } from "node:crypto";
import type { Item } from "../../model/item.ts";
import type { DefinitionState, ServiceLink, ServiceState, Setter } from "../../services/desired-state.ts";
import type { JournalEntry, JournalKind, Subject } from "../journal/record.ts";

/** What the `form` of a present version holds. */
export interface ItemForm {
  readonly item: Item;
  readonly setBy: Setter;
  readonly since: number;
  readonly retained: boolean;
}
/** Of a deleted one: the path alone, since the row must still say which item it was. */
export interface DeletedForm {
  readonly path: string;
}
/** Of the version of the whole device (path `/`). */
export interface WholeDeviceForm {
  readonly moduleSet: string;
}

/** `paused` is a condition, not part of the instance. */
export type ServiceForm = Omit<ServiceState, "name" | "paused">;
export type DefinitionForm = DefinitionState;
export type LinkForm = ServiceLink;

/** Path of the item that stands for the whole device. */
export const WHOLE_DEVICE = "/";

/** The same for one path of one device for ever, and different for any other; 144 bits, so that chance does not matter. */
export function itemId(device: string, path: string): string {
  return hash("sha256", `${device.length}:${device}${path}`, "base64url").slice(0, 24);
}

export function versionId(item: string, revision: number): string {
  return `${item}@${revision}`;
}

/** The item of a version's id; ids of items have no `@`. */
export function itemOfVersion(version: string): string {
  return version.slice(0, version.indexOf("@"));
}

export function subjectKey(subject: Subject): string {
  return subject.kind === "device" ? `device/${subject.id}` : `service/${subject.name}`;
}

export function conditionId(subject: Subject, type: string): string {
  return `${subjectKey(subject)}|${type}`;
}

/** Keys of different kinds of record never meet. */
export function idempotencyId(kind: JournalKind, key: string): string {
  return `${kind}|${key}`;
}

/** The idempotency id under which a record answers repeats; undefined for records that are told apart otherwise. */
export function idempotencyIdOf(entry: JournalEntry): string | undefined {
  switch (entry.kind) {
    case "revision":
    case "device":
    case "approval":
    case "refusal":
    case "outcome":
    case "prune":
    case "rekey":
      return idempotencyId(entry.kind, entry.body.key);
    // A plan is known by its id and state, a decision by its transaction, a condition by its content, a snapshot by the
    // prune that it belongs to.
    case "snapshot":
    case "plan":
    case "decision":
    case "condition":
      return undefined;
  }
}
