/** The real Temporal behind `TemporalPort`. `@temporalio/client` is loaded at the first connection, not before. */
import type { Client, WorkflowHandle } from "@temporalio/client";
import { type FailureDetails, FailureType } from "../contract/failure.ts";
import type { MessageAnswer } from "../contract/messages.ts";
import { TaskQueue } from "../contract/task-queue.ts";
import {
  type RunFailure,
  type RunState,
  type StartAnswer,
  type TemporalPort,
  TemporalUnavailableError,
  type UpdateAnswer,
} from "./temporal-port.ts";

export interface TemporalClientOptions {
  readonly address: string;
  readonly namespace?: string;
  readonly ui?: string | undefined;
  /** Modules with our payload and failure converters; the same ones as the workers'. */
  readonly payloadConverterPath?: string;
  readonly failureConverterPath?: string;
  readonly connectTimeoutMs?: number;
  readonly updateTimeoutMs?: number;
  readonly queryTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const UPDATE_TIMEOUT_MS = 60_000;
const QUERY_TIMEOUT_MS = 2_000;

/** Connects, and proves that the server answers. Error: `TemporalUnavailableError`. */
export async function connectTemporal(options: TemporalClientOptions): Promise<TemporalPort> {
  const { address, namespace = "default" } = options;
  const { Client, Connection } = await import("@temporalio/client");
  const connection = await Connection.connect({
    address,
    connectTimeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw new TemporalUnavailableError(address, error);
  });
  const { payloadConverterPath, failureConverterPath } = options;
  const client = new Client({
    connection,
    namespace,
    dataConverter: {
      ...(payloadConverterPath === undefined ? {} : { payloadConverterPath }),
      ...(failureConverterPath === undefined ? {} : { failureConverterPath }),
    },
  });
  return {
    address,
    namespace,
    ui: options.ui,
    start: (request) => engine(address, () => start(client, request)),
    state: (id) => engine(address, () => state(client.workflow.getHandle(id))),
    update: ({ id, name, updateId, args }) =>
      engine(address, () =>
        client.withDeadline(Date.now() + (options.updateTimeoutMs ?? UPDATE_TIMEOUT_MS), () =>
          update(client.workflow.getHandle(id), { name, updateId, args }),
        ),
      ),
    query: ({ id, name }) =>
      client
        .withDeadline(Date.now() + (options.queryTimeoutMs ?? QUERY_TIMEOUT_MS), () =>
          client.workflow.getHandle(id).query(name),
        )
        .catch(() => undefined),
    close: () => connection.close(),
  };
}

async function start(client: Client, request: Parameters<TemporalPort["start"]>[0]): Promise<StartAnswer> {
  try {
    await client.workflow.start(request.workflow, {
      workflowId: request.id,
      taskQueue: TaskQueue.workflows,
      args: [request.input],
      workflowIdConflictPolicy: "FAIL",
      workflowIdReusePolicy: request.reuse === "once" ? "REJECT_DUPLICATE" : "ALLOW_DUPLICATE",
    });
    return { kind: "started" };
  } catch (error) {
    if (isNamed(error, "WorkflowExecutionAlreadyStartedError")) return { kind: "already-started" };
    throw error;
  }
}

async function state(handle: WorkflowHandle): Promise<RunState | undefined> {
  try {
    const description = await handle.describe();
    if (description.status.name === "RUNNING" || description.status.name === "PAUSED") return { kind: "running" };
    return { kind: "completed", result: await handle.result() };
  } catch (error) {
    if (isNamed(error, "WorkflowNotFoundError")) return undefined;
    if (isNamed(error, "WorkflowFailedError")) return { kind: "failed", failure: failureOf(error.cause) };
    throw error;
  }
}

async function update(
  handle: WorkflowHandle,
  request: { readonly name: string; readonly updateId: string; readonly args: object },
): Promise<UpdateAnswer> {
  try {
    const answer = await handle.executeUpdate<MessageAnswer, [object]>(request.name, {
      args: [request.args],
      updateId: request.updateId,
    });
    return { kind: "answered", answer };
  } catch (error) {
    if (isNamed(error, "WorkflowNotFoundError")) return { kind: "closed" };
    if (isNamed(error, "WorkflowUpdateRPCTimeoutOrCancelledError")) return { kind: "unanswered" };
    if (isNamed(error, "WorkflowUpdateFailedError")) return rejection(error.cause);
    throw error;
  }
}

/** What our validator says stands in the details; the server's own word for a workflow that ended meanwhile in the type. */
function rejection(cause: unknown): UpdateAnswer {
  const failure = failureOf(cause);
  if (failure.code === "AcceptedUpdateCompletedWorkflow") return { kind: "closed" };
  const [detail] = detailsOf(innermost(cause));
  const code = isRecord(detail) && typeof detail["code"] === "string" ? detail["code"] : failure.code;
  return { kind: "rejected", code, message: failure.message };
}

const NO_DETAILS: FailureDetails = { diagnostics: [], omitted: 0 };

function failureOf(cause: unknown): RunFailure {
  const inner = innermost(cause);
  const [detail] = detailsOf(inner);
  const details =
    isRecord(detail) && Array.isArray(detail["diagnostics"]) ? (detail as unknown as FailureDetails) : NO_DETAILS;
  const message = inner instanceof Error ? inner.message : String(inner);
  if (isNamed(inner, "ApplicationFailure")) {
    const { type } = inner as { readonly type?: unknown };
    return { code: typeof type === "string" ? type : FailureType.internal, message, details };
  }
  if (isNamed(inner, "CancelledFailure")) return { code: "Cancelled", message, details };
  if (isNamed(inner, "TerminatedFailure")) return { code: "Terminated", message, details };
  if (isNamed(inner, "TimeoutFailure")) return { code: "TimedOut", message, details };
  return { code: FailureType.internal, message, details };
}

/** Activity and child workflow failures only wrap what went wrong. By name: the classes may come from another copy. */
function innermost(error: unknown): unknown {
  let at = error;
  while ((isNamed(at, "ActivityFailure") || isNamed(at, "ChildWorkflowFailure")) && at.cause !== undefined)
    at = at.cause;
  return at;
}

function detailsOf(error: unknown): readonly unknown[] {
  return isRecord(error) && Array.isArray(error["details"]) ? error["details"] : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isNamed(error: unknown, name: string): error is Error {
  return error instanceof Error && error.name === name;
}

const GRPC_UNREACHABLE: ReadonlySet<unknown> = new Set([4, 14]);

/** gRPC UNAVAILABLE and DEADLINE_EXCEEDED say that nobody answered, directly or as the cause of the SDK's own error. */
async function engine<T>(address: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    for (let at: unknown = error; isRecord(at); at = at["cause"]) {
      if (GRPC_UNREACHABLE.has(at["code"])) throw new TemporalUnavailableError(address, error);
    }
    throw error;
  }
}
