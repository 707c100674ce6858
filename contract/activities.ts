/**
 * The activities that workflows call. Each argument and result is small: documents travel by digest. Every write
 * carries business ids, so that a second delivery finds its own record and writes nothing twice.
 */
import type { DeviceReference } from "./device-reference.ts";
import type { DeviceOutcome, PathDifference, PlanDirection, PlanState } from "./plan-state.ts";
import type { ApproveArgs, DecisionArgs } from "./messages.ts";
import type { DriftOutcome, ImportOutcome, PlanOptions, Submission, TransactionTiming } from "./workflows.ts";

/* ------------------------------------------------ control queue: locks and decisions ---- */

export interface LockRequest {
  /** Idempotency key of the request; the transaction, import or commit it is for. */
  readonly request: string;
  /** `device/<id>`, `instance/<name>`, `definition/<name>`. */
  readonly keys: readonly string[];
  /** Workflow whose end frees the lock when it forgot to. */
  readonly workflowId: string;
  /** Set when the holder is a transaction that may leave devices prepared. */
  readonly transaction: string | undefined;
}
export interface LockGrant {
  readonly token: number;
  /** Transactions that held one of the keys and ended without releasing: settle their devices first. */
  readonly inherited: readonly InheritedTransaction[];
}
export interface InheritedTransaction {
  readonly transaction: string;
  readonly decision: DecisionValue;
  readonly devices: readonly PreparedReference[];
  /** The plan of an all-or-nothing transaction: decided confirm, its revision has to be committed too. */
  readonly plan: InheritedPlan | undefined;
}
export interface InheritedPlan {
  readonly plan: string;
  readonly body: string | undefined;
  readonly author: string;
  readonly cause: "change" | "accept";
}
export interface PreparedReference {
  readonly device: string;
  readonly section: string;
  readonly persistId: string;
}

export type DecisionValue = "confirm" | "abort";
export interface DecideRequest {
  readonly transaction: string;
  readonly value: DecisionValue;
  /** Milliseconds since the epoch; a confirm asked for later is answered abort. */
  readonly deadline: number | undefined;
}

export interface LockActivities {
  /** Waits (heartbeating) until every key is granted together. Idempotent by `request`. */
  acquireLocks(request: LockRequest): Promise<LockGrant>;
  /** Says that all is settled. Token 0 gives up a wait instead: should it have been granted, the next holder settles. */
  releaseLocks(request: { readonly request: string; readonly token: number }): Promise<void>;
  /** Compare-and-set in the journal: the first value stands and is returned. */
  decide(request: DecideRequest): Promise<DecisionValue>;
}

/* ------------------------------------------------ control queue: graph ---- */

export interface CompiledProposal {
  /** Digest of the ProposalDocument (what a person reads: assertions, kept and removed items with why). */
  readonly proposal: string;
  /** Digest of the RevisionBody. */
  readonly body: string;
  /** Device ids touched. */
  readonly devices: readonly string[];
  readonly services: readonly string[];
  readonly definitions: readonly string[];
  /** True when desired state would not change at all. */
  readonly empty: boolean;
}

/** What the device side needs to plan one device. */
export interface PlanTarget {
  readonly device: DeviceReference;
  /** Digest of the goal as it stands. */
  readonly goalBefore: string;
  /** Digest of the goal after the proposal; equal to goalBefore for drift plans. */
  readonly goalAfter: string;
  /** Digests of the WishDocument of this device and of the ProposalDocument; undefined for drift plans. */
  readonly wish: string | undefined;
  readonly proposal: string | undefined;
  readonly revision: number;
  /** Digest of the validation policy; absent where none is configured. */
  readonly validationPolicy?: string;
}

export interface StorePlanRequest {
  readonly plan: string;
  readonly actor: string;
  readonly direction: PlanDirection;
  readonly options: PlanOptions;
  readonly proposal: string | undefined;
  readonly body: string | undefined;
  readonly paths: readonly string[];
  readonly sections: readonly { readonly device: string; readonly section: string; readonly operations: number }[];
  readonly unreachable: readonly { readonly device: string; readonly message: string }[];
}
export interface StoredPlan {
  readonly digest: string;
  readonly operations: number;
  /** True: neither operations nor a change of desired state; the plan ends at once and asks nobody. */
  readonly nothingToDo: boolean;
  /** Devices that could not be planned; the plan says nothing about them. */
  readonly unreachable: number;
}

export interface JournalApprovalRequest {
  readonly plan: string;
  readonly approve: ApproveArgs;
}
export type ApprovalVerdict =
  | { readonly kind: "approved" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export interface CommitRequest {
  /** Undefined: only what was adopted. */
  readonly body: string | undefined;
  /** Digests of AdoptedDocuments. */
  readonly adopted?: readonly string[];
  readonly key: string;
  readonly actor: string;
  readonly cause: RevisionCause;
}
/** Why a revision exists. */
export type RevisionCause =
  | { readonly kind: "import"; readonly submission: string; readonly observation: string }
  | { readonly kind: "change"; readonly plan: string }
  | { readonly kind: "record"; readonly submission: string }
  | { readonly kind: "accept"; readonly plan: string }
  | { readonly kind: "adopted"; readonly plan: string };
export type CommitResult =
  | { readonly kind: "committed"; readonly revision: number }
  | { readonly kind: "stale"; readonly reasons: readonly string[] };

export type BaseVerdict =
  | { readonly kind: "valid" }
  | { readonly kind: "stale"; readonly reasons: readonly string[] }
  | { readonly kind: "paused"; readonly reasons: readonly string[] };

export interface GraphActivities {
  recordDevice(request: {
    readonly submission: string;
    readonly modules: string | undefined;
    readonly device: DeviceReference;
    readonly actor: string;
    /** Profile that a person named; undefined: none was. */
    readonly named: string | undefined;
    /** Profile in use. */
    readonly profile: string;
  }): Promise<void>;
  deviceReference(request: { readonly device: string }): Promise<DeviceReference>;
  compileProposal(request: {
    readonly submissionId: string;
    readonly submission: Submission;
    readonly actor: string;
  }): Promise<CompiledProposal>;
  planTarget(request: { readonly device: string; readonly proposal: string | undefined }): Promise<PlanTarget>;
  /** Turns an observation into the write set of an import or an accept. */
  importObservation(request: {
    readonly submission: string;
    readonly device: string;
    readonly observation: string;
    readonly actor: string;
    readonly mode: "record" | "preview";
    readonly empty: "refuse" | "allow";
  }): Promise<ImportOutcome>;
  /** Computes the revision body that accepts what was observed (whole device or the paths). */
  compileAccept(request: {
    readonly plan: string;
    readonly observations: readonly { readonly device: string; readonly observation: string }[];
    readonly paths: readonly string[];
  }): Promise<CompiledProposal>;
  storePlan(request: StorePlanRequest): Promise<StoredPlan>;
  journalApproval(request: JournalApprovalRequest): Promise<ApprovalVerdict>;
  journalRefusal(request: {
    readonly plan: string;
    readonly actor: string;
    readonly what: string;
    readonly code: string;
    readonly message: string;
  }): Promise<void>;
  /** Plan state as the journal keeps it, with outcomes when it is final. */
  recordPlanState(request: {
    readonly plan: string;
    readonly state: PlanState;
    readonly decision: DecisionArgs | undefined;
    readonly revision: number | undefined;
    readonly outcomes: readonly DeviceOutcome[];
    readonly reason: string | undefined;
  }): Promise<void>;
  /** The end of a plan whose own workflow cannot record it any more; a plan that has ended already stays as it is. */
  recordSettledPlan(request: {
    readonly plan: string;
    readonly state: PlanState;
    readonly revision: number | undefined;
    readonly reason: string;
  }): Promise<void>;
  /**
   * Is the revision body still valid, the approval still good? Asked at step 0, under the locks. Also: may all that the
   * plan writes be written now? Nothing is written to a paused device or for a paused service.
   */
  checkBase(request: {
    readonly devices: readonly string[];
    /** Those of them that the transaction writes to. */
    readonly writes: readonly string[];
    readonly plan: string;
    readonly digest: string;
    readonly body: string | undefined;
  }): Promise<BaseVerdict>;
  commitRevision(request: CommitRequest): Promise<CommitResult>;
  /** Journals that a device is about to be prepared under this persist id, before anything is sent. */
  recordPrepared(request: { readonly transaction: string; readonly prepared: PreparedReference }): Promise<void>;
  /** The condition `Imported` of a device whose import failed: until one succeeds, plans for it are stale. */
  recordFailedImport(request: { readonly device: string; readonly message: string }): Promise<void>;
  /** The condition `Reachable` of a device, as the newest read found it; `code` is a FailureType when it failed. */
  recordReach(request: {
    readonly device: string;
    readonly failure: { readonly code: string; readonly message: string } | undefined;
  }): Promise<void>;
  /** The condition `InSync` of a device as a drift check found it, on the revision it was checked against. */
  recordSyncState(request: {
    readonly device: string;
    readonly inSync: "yes" | "no";
    readonly revision: number;
  }): Promise<void>;
}

/* ------------------------------------------------ devices queue ---- */

export interface ContactResult {
  readonly device: DeviceReference;
  readonly profile: string;
  readonly modules: number;
}

export interface ObservationResult {
  readonly observation: string;
  /** Digest of the normalised content alone. */
  readonly content: string;
}

export interface PlannedSection {
  readonly section: string;
  readonly operations: number;
  readonly observation: string;
}

/** Everything a write activity needs to prove its right to write. */
export interface WriteTicket {
  readonly transaction: string;
  readonly token: number;
  readonly persistId: string;
  readonly section: string;
  /** `first`: the transaction must be undecided. `again`: it must be decided confirm (a device that reverted). */
  readonly phase: "first" | "again";
}

export type PrepareResult =
  | {
      readonly kind: "prepared";
      readonly readBack: string;
      /** Digest of an AdoptedDocument, where the device made nodes of its own. */
      readonly adopted?: string;
    }
  /** Written, read back, and different from the expected state: cancelled by the same session, or to be cancelled. */
  | { readonly kind: "unverified"; readonly readBack: string; readonly differences: readonly PathDifference[] }
  | { readonly kind: "stale"; readonly reasons: readonly string[] }
  /** Nothing was sent, or nothing stands: the device refused. `message` carries its words. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string; readonly retry: "later" | "never" };

export type ConfirmResult =
  | { readonly kind: "confirmed"; readonly observation: string; readonly foreign: readonly PathDifference[] }
  /** The timer or somebody else took the provisional commit back: the device shows its earlier state. */
  | { readonly kind: "reverted"; readonly observation: string }
  /** Neither the planned nor the earlier state. */
  | { readonly kind: "unsettled"; readonly observation: string; readonly differences: readonly PathDifference[] };

export type CancelResult =
  | { readonly kind: "clean"; readonly observation: string }
  | { readonly kind: "unsettled"; readonly observation: string; readonly differences: readonly PathDifference[] };

export interface DeviceActivities {
  /** First contact: host key, capabilities, modules. */
  contactDevice(request: {
    readonly device: DeviceReference;
    readonly modules: string | undefined;
  }): Promise<ContactResult>;
  observeDevice(request: { readonly device: DeviceReference }): Promise<ObservationResult>;
  planDevice(request: {
    readonly target: PlanTarget;
    readonly direction: PlanDirection;
    readonly options: PlanOptions;
    readonly paths: readonly string[];
  }): Promise<PlannedSection>;
  checkDriftOf(request: { readonly target: PlanTarget }): Promise<DriftOutcome>;
  /** Step 0: observe again and compare with the section's base. */
  checkDevice(request: {
    readonly device: DeviceReference;
    readonly section: string;
    readonly unrelated: "refuse" | "allow";
  }): Promise<{ readonly kind: "fresh" } | { readonly kind: "stale"; readonly reasons: readonly string[] }>;
  /** Step 1. One attempt; sends nothing once its time (start-to-close, on a monotonic clock) is over or it is cancelled. */
  prepareDevice(request: {
    readonly device: DeviceReference;
    readonly ticket: WriteTicket;
    readonly timing: TransactionTiming;
    readonly unrelated: "refuse" | "allow";
  }): Promise<PrepareResult>;
  /** Step 4. Asks the owner for the decision first. */
  confirmDevice(request: { readonly device: DeviceReference; readonly ticket: WriteTicket }): Promise<ConfirmResult>;
  /** Step 5, and after a lost prepare: cancel by id, read back, prove clean. */
  cancelDevice(request: { readonly device: DeviceReference; readonly ticket: WriteTicket }): Promise<CancelResult>;
}
