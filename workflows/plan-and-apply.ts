/**
 * Plan, wait for a person, apply. The plan's approval is an update with a validator and, for plain clients, a signal of
 * the same name: one code path. A handler takes the state before its first await; an activity then verifies the
 * approval against the journal, which is the truth; refusals become records too.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import type { PlannedSection, StoredPlan } from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import {
  type ApproveArgs,
  type DecisionArgs,
  Message,
  type MessageAnswer,
  type PlanProgress,
} from "../contract/messages.ts";
import { type DeviceOutcome, FINAL_PLAN_STATES, type PlanDirection, PlanState } from "../contract/plan-state.ts";
import {
  type ApplyTransactionInput,
  type ApplyTransactionResult,
  type PlanAndApplyInput,
  type PlanResult,
  type TransactionDevice,
  workflowId,
} from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { applyTransaction } from "./apply-transaction.ts";
import { failureWords } from "./failure-words.ts";
import { withLocks } from "./with-locks.ts";

export const approveUpdate = defineUpdate<MessageAnswer, [ApproveArgs]>(Message.approve);
export const approveSignal = defineSignal<[ApproveArgs]>(Message.approve);
export const rejectUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.reject);
export const withdrawUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.withdraw);
export const applyUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.apply);
export const cancelUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.cancel);
export const planProgress = defineQuery<PlanProgress>(Message.progress);

interface PlanRun {
  readonly input: PlanAndApplyInput;
  state: PlanState;
  /** A handler has taken the state and waits for its activity. */
  busy: boolean;
  stored: StoredPlan | undefined;
  start: "no" | "yes";
  /** Transactions that run now, by workflow id. */
  readonly running: Set<string>;
  cancelRequested: boolean;
  outcomes: readonly DeviceOutcome[];
  reason: string | undefined;
  revision: number | undefined;
}

export async function planAndApply(input: PlanAndApplyInput): Promise<PlanResult> {
  const run: PlanRun = {
    input,
    state: PlanState.planning,
    busy: false,
    stored: undefined,
    start: "no",
    running: new Set(),
    cancelRequested: false,
    outcomes: [],
    reason: undefined,
    revision: undefined,
  };
  upsertSearchAttributes({
    TenurePlan: [input.plan],
    TenureDevice: [...input.source.devices],
    TenurePhase: [PlanState.planning],
  });
  setHandlers(run);
  try {
    await planThenApply(run);
  } catch (error) {
    if (FINAL_PLAN_STATES.has(run.state)) throw error;
    run.reason = failureWords(error).message;
    await enter(run, PlanState.failed);
    await condition(allHandlersFinished);
    throw error;
  }
  await condition(allHandlersFinished);
  return resultOf(run);
}

/** Handlers set the flag while the body waits; a function call keeps the compiler from remembering an old answer. */
function isCancelled(run: PlanRun): boolean {
  return run.cancelRequested;
}

function directionOf(input: PlanAndApplyInput): PlanDirection {
  return input.source.kind === "change" ? "change" : input.source.direction;
}

function resultOf(run: PlanRun): PlanResult {
  return {
    plan: run.input.plan,
    digest: run.stored?.digest,
    direction: directionOf(run.input),
    state: run.state,
    revision: run.revision,
    outcomes: run.outcomes,
  };
}

/** Every change of state is journalled; the journal, not the workflow, is what lists and audit read. */
async function enter(run: PlanRun, state: PlanState, decision?: DecisionArgs): Promise<void> {
  run.state = state;
  upsertSearchAttributes({ TenurePhase: [state] });
  await graph.recordPlanState({
    plan: run.input.plan,
    state,
    decision,
    revision: run.revision,
    outcomes: run.outcomes,
    reason: run.reason,
  });
}

async function planThenApply(run: PlanRun): Promise<void> {
  const prepared = await makePlan(run);
  if (prepared.stored.nothingToDo) {
    await enter(run, PlanState.applied);
    return;
  }
  if (isCancelled(run)) {
    await enter(run, PlanState.cancelled);
    return;
  }
  await enter(run, PlanState.waiting);
  await condition(() => run.start === "yes" || FINAL_PLAN_STATES.has(run.state));
  if (FINAL_PLAN_STATES.has(run.state)) {
    await condition(() => !run.busy);
    return;
  }
  if (isCancelled(run)) {
    await enter(run, PlanState.cancelled);
    return;
  }
  await enter(run, PlanState.applying);
  if (run.input.options.policy === "all-or-nothing") await applyTogether(run, prepared);
  else await applyEach(run, prepared);
}

interface MadePlan {
  readonly stored: StoredPlan;
  readonly devices: readonly TransactionDevice[];
  readonly body: string | undefined;
  readonly keys: readonly string[];
}

async function makePlan(run: PlanRun): Promise<MadePlan> {
  const { input } = run;
  const direction = directionOf(input);
  const paths = input.source.kind === "drift" ? input.source.paths : [];
  const proposal = input.source.kind === "change" ? input.source.proposal : undefined;
  const unreachable: { device: string; message: string }[] = [];
  const planned = await Promise.all(
    input.source.devices.map(
      async (device): Promise<{ readonly device: string; readonly section: PlannedSection } | undefined> => {
        const target = await graph.planTarget({ device, proposal });
        try {
          const section = await readFrom(`plan ${target.device.name}`).planDevice({
            target,
            direction,
            options: input.options,
            paths,
          });
          return { device, section };
        } catch (error) {
          const words = failureWords(error);
          if (input.options.policy === "all-or-nothing")
            throw ApplicationFailure.nonRetryable(`${target.device.name}: ${words.message}`, words.type, words.details);
          unreachable.push({ device, message: words.message });
          return undefined;
        }
      },
    ),
  );
  const sections = planned.filter((each) => each !== undefined);
  let body = input.source.kind === "change" ? input.source.body : undefined;
  let keys: readonly string[] = [];
  if (input.source.kind === "change") {
    keys = input.source.keys;
  } else if (input.source.direction === "accept") {
    const accepted = await graph.compileAccept({
      plan: input.plan,
      observations: sections.map((each) => ({ device: each.device, observation: each.section.observation })),
      paths,
    });
    body = accepted.empty ? undefined : accepted.body;
  }
  const stored = await graph.storePlan({
    plan: input.plan,
    actor: input.actor,
    direction,
    options: input.options,
    proposal,
    body,
    paths,
    sections: sections.map((each) => ({
      device: each.device,
      section: each.section.section,
      operations: each.section.operations,
    })),
    unreachable,
  });
  run.stored = stored;
  return {
    stored,
    body,
    keys,
    devices: sections.map((each) => ({
      device: each.device,
      section: each.section.section,
      operations: each.section.operations,
    })),
  };
}

function transactionInput(
  run: PlanRun,
  made: MadePlan,
  transaction: string,
  devices: readonly TransactionDevice[],
  body: string | undefined,
): ApplyTransactionInput {
  return {
    transaction,
    plan: run.input.plan,
    digest: made.stored.digest,
    actor: run.input.actor,
    direction: directionOf(run.input),
    devices,
    keys: body === undefined ? [] : made.keys,
    body,
    unrelated: run.input.options.unrelated,
    timing: run.input.timing,
  };
}

async function runTransaction(run: PlanRun, input: ApplyTransactionInput): Promise<ApplyTransactionResult> {
  const id = workflowId.applyTransaction(input.transaction);
  run.running.add(id);
  try {
    return await executeChild(applyTransaction, {
      args: [input],
      workflowId: id,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: `apply ${input.plan} to ${String(input.devices.length)} device(s)`,
    });
  } finally {
    run.running.delete(id);
  }
}

async function applyTogether(run: PlanRun, made: MadePlan): Promise<void> {
  const result = await runTransaction(run, transactionInput(run, made, run.input.plan, made.devices, made.body));
  run.outcomes = result.outcomes;
  run.revision = result.revision;
  run.reason = result.reason;
  await enter(run, result.kind);
}

/** Desired state takes the change at approval; each device then follows on its own. */
async function applyEach(run: PlanRun, made: MadePlan): Promise<void> {
  if (made.body !== undefined) {
    const committed = await commitUnderLocks(run, made, made.body);
    if (!committed) return;
  }
  const results = await Promise.all(
    made.devices.map((each) =>
      runTransaction(run, transactionInput(run, made, `${run.input.plan}/${each.device}`, [each], undefined)),
    ),
  );
  run.outcomes = results.flatMap((result) => result.outcomes);
  const kinds = new Set(results.map((result) => result.kind));
  run.reason = results.find((result) => result.reason !== undefined)?.reason;
  const only = [...kinds][0];
  await enter(run, kinds.size === 1 && only !== undefined ? only : PlanState.partial);
}

async function commitUnderLocks(run: PlanRun, made: MadePlan, body: string): Promise<boolean> {
  const plan = run.input.plan;
  const request = {
    request: `${plan}/revision`,
    keys: [...made.devices.map((each) => `device/${each.device}`), ...made.keys],
    workflowId: workflowInfo().workflowId,
    transaction: undefined,
  };
  const result = await withLocks(request, async () => {
    const base = await graph.checkBase({ plan, digest: made.stored.digest, body });
    if (base.kind === "stale") return base;
    return graph.commitRevision({
      body,
      key: `plan/${plan}/revision`,
      actor: run.input.actor,
      cause: { kind: directionOf(run.input) === "accept" ? "accept" : "change", plan },
    });
  });
  if (result.kind === "stale") {
    run.reason = result.reasons.join("; ");
    await enter(run, PlanState.stale);
    return false;
  }
  run.revision = "revision" in result ? result.revision : undefined;
  return true;
}

/* ------------------------------------------------------------ messages ---- */

function refused(code: string, message: string): MessageAnswer {
  return { kind: "refused", code, message };
}

/** Form, state and digest: what can be said without asking anybody. */
function objectionToApproval(run: PlanRun, args: unknown): (MessageAnswer & { readonly kind: "refused" }) | undefined {
  const objection = (code: string, message: string): MessageAnswer & { readonly kind: "refused" } => ({
    kind: "refused",
    code,
    message,
  });
  if (!isApproveArgs(args)) return objection("bad-form", "an approval needs digest, approver and hold|start");
  if (run.state !== PlanState.waiting || run.busy)
    return objection(
      "wrong-state",
      `plan ${run.input.plan} is ${run.busy ? "being decided" : run.state}, not waiting for approval`,
    );
  if (args.digest !== run.stored?.digest)
    return objection(
      "wrong-digest",
      `plan ${run.input.plan} has digest ${run.stored?.digest ?? "none yet"}, the approval is for ${args.digest}`,
    );
  return undefined;
}

function isApproveArgs(value: unknown): value is ApproveArgs {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  return (
    typeof record["digest"] === "string" &&
    typeof record["approver"] === "string" &&
    (record["hold"] === "hold" || record["hold"] === "start") &&
    (record["comment"] === undefined || typeof record["comment"] === "string")
  );
}

async function approve(run: PlanRun, args: ApproveArgs): Promise<MessageAnswer> {
  const objection = objectionToApproval(run, args);
  if (objection !== undefined) {
    await journalRefusal(run, args.approver, "approve", objection.code, objection.message);
    return objection;
  }
  run.busy = true;
  try {
    const verdict = await graph.journalApproval({ plan: run.input.plan, approve: args });
    if (verdict.kind === "refused") return refused(verdict.code, verdict.message);
    if (args.hold === "hold") await enter(run, PlanState.held);
    else run.start = "yes";
    return { kind: "accepted", state: args.hold === "hold" ? PlanState.held : PlanState.applying };
  } finally {
    run.busy = false;
  }
}

async function journalRefusal(run: PlanRun, actor: string, what: string, code: string, message: string): Promise<void> {
  await graph.journalRefusal({ plan: run.input.plan, actor, what, code, message });
}

async function decideAway(
  run: PlanRun,
  state: typeof PlanState.rejected | typeof PlanState.withdrawn,
  args: DecisionArgs,
): Promise<MessageAnswer> {
  if ((run.state !== PlanState.waiting && run.state !== PlanState.held) || run.busy)
    return refused("wrong-state", `plan ${run.input.plan} is ${run.state} and cannot be ${state}`);
  run.busy = true;
  try {
    run.reason = args.comment;
    await enter(run, state, args);
    return { kind: "accepted", state };
  } finally {
    run.busy = false;
  }
}

function setHandlers(run: PlanRun): void {
  setHandler(planProgress, () => ({
    plan: run.input.plan,
    state: run.state,
    digest: run.stored?.digest,
    waitingFor: waitingFor(run),
    devices: run.outcomes.map((outcome) => ({ device: outcome.device, phase: "done" as const, outcome })),
  }));
  setHandler(approveUpdate, (args) => approve(run, args), {
    validator: (args: unknown) => {
      const objection = objectionToApproval(run, args);
      if (objection !== undefined)
        throw ApplicationFailure.nonRetryable(objection.message, FailureType.refused, objection);
    },
  });
  // A signal has nobody to answer: what is wrong with it becomes a refusal record, never an exception.
  setHandler(approveSignal, async (args: unknown) => {
    try {
      if (isApproveArgs(args)) await approve(run, args);
      else
        await journalRefusal(
          run,
          "unknown",
          "approve",
          "bad-form",
          "an approval needs digest, approver and hold|start",
        );
    } catch {
      // Recording a refusal is retried without limit by its activity options; only a cancelled workflow gets here.
    }
  });
  setHandler(rejectUpdate, (args) => decideAway(run, PlanState.rejected, args));
  setHandler(withdrawUpdate, (args) => decideAway(run, PlanState.withdrawn, args));
  setHandler(applyUpdate, (args) => {
    if (run.state !== PlanState.held || run.busy)
      return refused(
        "wrong-state",
        `plan ${run.input.plan} is ${run.state}; only a held plan waits for apply (${args.actor})`,
      );
    run.start = "yes";
    return { kind: "accepted", state: PlanState.applying };
  });
  setHandler(cancelUpdate, async (args) => {
    if (FINAL_PLAN_STATES.has(run.state)) return refused("wrong-state", `plan ${run.input.plan} is ${run.state}`);
    run.cancelRequested = true;
    run.reason = args.comment ?? `cancelled by ${args.actor}`;
    if (run.state === PlanState.waiting || run.state === PlanState.held) run.start = "yes";
    for (const id of run.running) await getExternalWorkflowHandle(id).signal(Message.cancel);
    return { kind: "accepted", state: run.state };
  });
}

function waitingFor(run: PlanRun): string | undefined {
  switch (run.state) {
    case PlanState.waiting:
      return `approval of digest ${run.stored?.digest ?? ""}`;
    case PlanState.held:
      return "plan apply";
    case PlanState.applying:
      return `${String(run.running.size)} transaction(s)`;
    default:
      return undefined;
  }
}
