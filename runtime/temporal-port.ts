/**
 * What this product asks of Temporal, as an interface that a test can stand in for: start a workflow, see how it
 * stands, send an update, ask a query. Answers are data; only an engine that cannot be reached throws.
 */
import type { FailureDetails } from "../contract/failure.ts";
import type { MessageAnswer } from "../contract/messages.ts";
import type {
  AddDeviceInput,
  ChangeServiceInput,
  CheckDriftInput,
  ImportDevicesInput,
  PlanAndApplyInput,
} from "../contract/workflows.ts";

interface WorkflowInputs {
  readonly addDevice: AddDeviceInput;
  readonly importDevices: ImportDevicesInput;
  readonly checkDrift: CheckDriftInput;
  readonly changeService: ChangeServiceInput;
  readonly planAndApply: PlanAndApplyInput;
}

/** `once`: this id runs a single time for ever. `after-close`: again, once the earlier run has ended. */
export type StartRequest = {
  readonly [Name in keyof WorkflowInputs]: {
    readonly workflow: Name;
    readonly id: string;
    readonly input: WorkflowInputs[Name];
    readonly reuse: "once" | "after-close";
  };
}[keyof WorkflowInputs];

export type StartAnswer = { readonly kind: "started" } | { readonly kind: "already-started" };

/** A `FailureType` (or the engine's own word for cancelled, terminated, timed out) with the words of the innermost cause. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly details: FailureDetails;
}
export type RunState =
  | { readonly kind: "running" }
  | { readonly kind: "completed"; readonly result: unknown }
  | { readonly kind: "failed"; readonly failure: RunFailure };

export interface UpdateRequest {
  readonly id: string;
  readonly name: string;
  /** A repeat with the same id gets the first answer, whatever its arguments. */
  readonly updateId: string;
  readonly args: object;
}
export type UpdateAnswer =
  | { readonly kind: "answered"; readonly answer: MessageAnswer }
  /** By the validator: no event was written, and the same update id may be used again. */
  | { readonly kind: "rejected"; readonly code: string; readonly message: string }
  /** There is no such workflow, or it has ended. */
  | { readonly kind: "closed" }
  /** No worker took it in time. It may still be taken; the same update id then gets that answer. */
  | { readonly kind: "unanswered" };

export interface TemporalPort {
  readonly address: string;
  readonly namespace: string;
  /** Address of its web UI, where there is one. */
  readonly ui: string | undefined;
  start(request: StartRequest): Promise<StartAnswer>;
  /** Undefined: no workflow of that id. */
  state(id: string): Promise<RunState | undefined>;
  update(request: UpdateRequest): Promise<UpdateAnswer>;
  /** Undefined when nobody answers within a moment: progress is a courtesy, never a reason to wait. */
  query(request: { readonly id: string; readonly name: string }): Promise<unknown>;
  close(): Promise<void>;
}

/** The engine cannot be reached. Nothing is known about the request; it may be repeated. */
export class TemporalUnavailableError extends Error {
  constructor(address: string, cause: unknown) {
    super(`Temporal at ${address} does not answer`, { cause });
    this.name = "TemporalUnavailableError";
  }
}
