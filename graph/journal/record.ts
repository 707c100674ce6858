/**
 * What the journal records. Each record is one fact of the outside world or one accepted change; everything that the
 * graph shows follows from the records and the documents they name. Members that are `undefined` are absent in the
 * stored line and read back as absent. Content beyond some 2 KB stands in a document, named by its digest.
 */
import type { DecisionValue, RevisionCause } from "../../contract/activities.ts";
import type { DeviceReference } from "../../contract/device-reference.ts";
import type { DeviceOutcome, PlanDirection, PlanState, TransactionPolicy } from "../../contract/plan-state.ts";
import type { Digest } from "../canonical-json.ts";

/** One accepted change of desired state. `body` is the digest of the canonical `RevisionBody`. */
export interface RevisionEntry {
  readonly revision: number;
  readonly actor: string;
  readonly cause: RevisionCause;
  readonly key: string;
  readonly body: Digest;
  /** Ids of the devices that the body writes, sorted. */
  readonly devices: readonly string[];
}

/** What a person set for a device and what the first contact found. Observed facts are conditions, not part of this. */
export interface DeviceRecord extends DeviceReference {
  /** Names that it had before, oldest first: old revisions are still asked for by them. Absent: none. */
  readonly formerNames?: readonly string[] | undefined;
  /** Profile in use: the one that was named, else the one chosen by what the device announced. */
  readonly chosenProfile: string | undefined;
  /** Digest of the vendor's configuration document, passed to the provider unread. */
  readonly providerConfig: Digest | undefined;
  /** Digest of module texts that the user gave, for a device that cannot serve its own. */
  readonly givenModules: Digest | undefined;
  readonly tls: TlsSettings | undefined;
  /** `paused` stops writes, not imports or drift checks; `removed` keeps history only and frees the name. */
  readonly state: "managed" | "paused" | "removed";
}

export interface TlsSettings {
  /** Digests of PEM documents. */
  readonly authority: Digest | undefined;
  readonly certificate: Digest | undefined;
  readonly serverName: string | undefined;
  /** `sha256:` and hex of the peer's certificate. */
  readonly pin: string | undefined;
}

export interface DeviceEntry {
  readonly device: DeviceRecord;
  readonly actor: string;
  readonly key: string;
}

/** A plan as it was offered for approval. */
export interface PlanRecord {
  readonly plan: string;
  /** The digest that an approval binds: of the plan's header document, which names every section's digest. */
  readonly digest: Digest;
  readonly direction: PlanDirection;
  readonly policy: TransactionPolicy;
  readonly author: string;
  /** Digest of the proposal document; undefined for drift plans. */
  readonly proposal: Digest | undefined;
  /** Digest of the revision body; undefined where desired state stays as it is. */
  readonly body: Digest | undefined;
  /** Digest of the document that lists sections by device, devices without one, paths and options. */
  readonly contents: Digest;
  readonly operations: number;
  /** The plan that this one follows after it went stale, or that it reverts. */
  readonly follows: string | undefined;
}

export type PlanEntry =
  | { readonly event: "created"; readonly plan: PlanRecord; readonly state: PlanState }
  | {
      readonly event: "state";
      readonly plan: string;
      readonly state: PlanState;
      /** Who caused it, where a person did; what they wrote. */
      readonly actor: string | undefined;
      readonly comment: string | undefined;
      readonly reason: string | undefined;
      /** Revision that the plan became. */
      readonly revision: number | undefined;
    };

export interface ApprovalEntry {
  readonly plan: string;
  readonly digest: Digest;
  readonly approver: string;
  readonly comment: string | undefined;
  /** Epoch milliseconds after which nothing more is written under it. */
  readonly expires: number | undefined;
  readonly hold: "hold" | "start";
  readonly key: string;
}

/** A person's or program's decision that was not accepted; `what` names it (`approve`, `reject`, ..). */
export interface RefusalEntry {
  readonly plan: string;
  readonly what: string;
  readonly actor: string;
  readonly code: string;
  readonly message: string;
  readonly key: string;
}

/** The one answer to "confirm or abort?" of a transaction. */
export interface DecisionEntry {
  readonly transaction: string;
  readonly value: DecisionValue;
  /** What the first asker wanted; differs from `value` when a confirm came after its deadline. */
  readonly asked: DecisionValue;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
}

/** How one device came out of a plan. A later outcome of the same device and plan replaces it (retry). */
export interface OutcomeEntry {
  readonly plan: string;
  readonly transaction: string | undefined;
  readonly device: string;
  readonly outcome: DeviceOutcomeRecord;
  readonly key: string;
}
/** `differences` beyond a page stand in the document `allDifferences`. */
export type DeviceOutcomeRecord = Omit<DeviceOutcome, "device"> & { readonly allDifferences?: Digest | undefined };

export type Subject =
  | { readonly kind: "device"; readonly id: string }
  | { readonly kind: "service"; readonly name: string };

/** What is the matter with a device or service instance. Journalled when it changes, not at each look. */
export interface ConditionEntry {
  readonly subject: Subject;
  /** CamelCase, e.g. `Reachable`, `InSync`, `Paused`. */
  readonly type: string;
  readonly status: "true" | "false" | "unknown";
  readonly reason: string;
  readonly message: string;
  readonly path: string | undefined;
  /** Database revision that it describes; never shown as current for another one. */
  readonly revision: number | undefined;
  /** Digest of the observation that shows it. */
  readonly observation: Digest | undefined;
}

/**
 * The whole state as it was once record `record` was applied, written down in documents so that the records up to it
 * can go. Starts a segment of its own.
 */
export interface SnapshotEntry {
  readonly record: number;
  /** Digest of that record. */
  readonly digest: Digest;
  /** Newest revision then, and its time; 0 and undefined where there was none. */
  readonly revision: number;
  readonly revisionTime: string | undefined;
  /** Digest of the manifest, the document that names the documents of the state. */
  readonly manifest: Digest;
}

/** Records `first` to `last` are dropped; a person asked for it. The segments that held them go after this record stands. */
export interface PruneEntry {
  readonly actor: string;
  readonly key: string;
  /** What was asked for: ISO 8601, UTC. */
  readonly before: string;
  readonly first: number;
  readonly last: number;
  /** Digest and time of record `last`: what the oldest record that stays follows. */
  readonly digest: Digest;
  readonly lastTime: string;
  /** Number of the snapshot record that stands for them from now on. */
  readonly snapshot: number;
  /** How many revisions were among them; bytes of the segments that held them. */
  readonly revisions: number;
  readonly bytes: number;
}

/** Configuration secrets are sealed by another key from here on. Every plan that may still be approved becomes stale. */
export interface RekeyEntry {
  /** Key ids. */
  readonly from: string;
  readonly to: string;
  /** Digest of the document that lists the digest of each document that changed, old and new. */
  readonly digests: Digest;
  readonly actor: string;
  readonly key: string;
}

export type JournalEntry =
  | { readonly kind: "revision"; readonly body: RevisionEntry }
  | { readonly kind: "device"; readonly body: DeviceEntry }
  | { readonly kind: "plan"; readonly body: PlanEntry }
  | { readonly kind: "approval"; readonly body: ApprovalEntry }
  | { readonly kind: "refusal"; readonly body: RefusalEntry }
  | { readonly kind: "decision"; readonly body: DecisionEntry }
  | { readonly kind: "outcome"; readonly body: OutcomeEntry }
  | { readonly kind: "condition"; readonly body: ConditionEntry }
  | { readonly kind: "snapshot"; readonly body: SnapshotEntry }
  | { readonly kind: "prune"; readonly body: PruneEntry }
  | { readonly kind: "rekey"; readonly body: RekeyEntry };

export type JournalKind = JournalEntry["kind"];

export const JOURNAL_KINDS: ReadonlySet<string> = new Set<JournalKind>([
  "revision",
  "device",
  "plan",
  "approval",
  "refusal",
  "decision",
  "outcome",
  "condition",
  "snapshot",
  "prune",
  "rekey",
]);

export interface RecordEnvelope {
  /** 1, 2, 3 .. without a gap. */
  readonly n: number;
  /** UTC, ISO 8601 with milliseconds; never earlier than the record before. */
  readonly time: string;
  /** Digest of the record before; of the first record, 64 zeros. */
  readonly prev: Digest;
  /** SHA-256 of the canonical text of this record without this member. */
  readonly digest: Digest;
}

export type JournalRecord = RecordEnvelope & JournalEntry;
