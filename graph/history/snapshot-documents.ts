/**
 * What a snapshot says, in documents of its own: the state of desired configuration, services and plans as content and
 * not as rows, so that a version with another data model reads it as well. Lists are sorted, so that one state has one
 * text. `from` is the revision with which a thing took the form that it has.
 */
import type { Digest } from "../canonical-json.ts";
import type { DeletedForm, DefinitionForm, ItemForm, ServiceForm, WholeDeviceForm } from "../apply/forms.ts";
import type { ConditionEntry, DeviceRecord } from "../journal/record.ts";
import type { ApprovalView, DecisionView, OutcomeView, PlanView, Recorded, RevisionView } from "../reads.ts";
import type { Evidence, ServiceLink } from "../../services/desired-state.ts";

export interface Since {
  readonly from: number;
}

/** Names the documents of one snapshot. */
export interface SnapshotManifest {
  readonly format: "tenure-snapshot/1";
  /** The state is the one once this record was applied; its digest. */
  readonly record: number;
  readonly digest: Digest;
  /** Newest revision then; 0 where there was none. */
  readonly revision: number;
  /** Keys, decisions and closed plans from before this time are not in it: ISO 8601, UTC. */
  readonly keysSince: string;
  readonly devices: readonly { readonly device: string; readonly document: Digest }[];
  readonly services: Digest;
  readonly plans: Digest;
  readonly conditions: Digest;
  readonly keys: Digest;
  readonly revisions: Digest;
}

/** One device: what it is, what it is to be, who holds its items, and the evidence about items that are held. */
export interface SnapshotDevice {
  readonly format: "tenure-snapshot-device/1";
  readonly device: DeviceRecord;
  /** Newest revision that wrote it; 0 where none did. */
  readonly written: number;
  /** Undefined before its first import. */
  readonly moduleSet: (WholeDeviceForm & Since) | undefined;
  readonly items: readonly (ItemForm & Since)[];
  /** Items that are gone and that a standing link still names. */
  readonly deleted: readonly (DeletedForm & Since)[];
  readonly links: readonly (Omit<ServiceLink, "device"> & Since)[];
  /** By revision and place in its body. */
  readonly evidence: readonly (Omit<Evidence, "device"> & { readonly revision: number; readonly index: number })[];
}

export interface SnapshotServices {
  readonly format: "tenure-snapshot-services/1";
  readonly services: readonly ({ readonly name: string } & ServiceForm & Since)[];
  readonly targets: readonly ({ readonly service: string; readonly device: string } & Since)[];
  readonly definitions: readonly DefinitionForm[];
}

/** Plans that may still change or did as lately as the keys, with all that was decided; decisions as young as the keys. */
export interface SnapshotPlans {
  readonly format: "tenure-snapshot-plans/1";
  readonly plans: readonly PlanView[];
  readonly approvals: readonly (ApprovalView & { readonly record: number })[];
  readonly decisions: readonly DecisionView[];
  readonly outcomes: readonly (OutcomeView & { readonly record: number })[];
}

export interface SnapshotConditions {
  readonly format: "tenure-snapshot-conditions/1";
  readonly conditions: readonly (ConditionEntry & Recorded)[];
}

export interface SnapshotKeys {
  readonly format: "tenure-snapshot-keys/1";
  readonly keys: readonly {
    readonly id: string;
    readonly record: number;
    readonly answer: string;
    /** Of that record. */
    readonly time: string;
  }[];
}

/** The newest revision, and earlier ones that something in the snapshot names. Their bodies are not kept. */
export interface SnapshotRevisions {
  readonly format: "tenure-snapshot-revisions/1";
  readonly revisions: readonly RevisionView[];
}

export type SnapshotDocument =
  | SnapshotManifest
  | SnapshotDevice
  | SnapshotServices
  | SnapshotPlans
  | SnapshotConditions
  | SnapshotKeys
  | SnapshotRevisions;
