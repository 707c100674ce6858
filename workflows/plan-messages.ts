/**
 * The messages of a plan. Approval is an update with a validator and, for plain clients, a signal of the same name: one
 * code path. A handler takes the state before its first await; an activity then verifies the approval against the
 * journal, which is the truth; refusals become records too.
 */
import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from "@temporalio/workflow";
import { FailureType } from "../contract/failure.ts";
import {
  type ApproveArgs,
  type DecisionArgs,
  Message,
  type MessageAnswer,
  type PlanProgress,
} from "../contract/messages.ts";
import { FINAL_PLAN_STATES, PlanState } from "../contract/plan-state.ts";
import { graph, locks } from "./activity-proxies.ts";
import { cutText } from "./cut-outcomes.ts";
import { type PlanRun, enter, progressOf } from "./plan-run.ts";
import { answering } from "./uncancellable.ts";

export const approveUpdate = defineUpdate<MessageAnswer, [ApproveArgs]>(Message.approve);
export const approveSignal = defineSignal<[ApproveArgs]>(Message.approve);
export const rejectUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.reject);
export const withdrawUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.withdraw);
export const applyUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.apply);
export const cancelUpdate = defineUpdate<MessageAnswer, [DecisionArgs]>(Message.cancel);
export const planProgress = defineQuery<PlanProgress>(Message.progress);

/** Needs: all state stands, and is never set back, before this is called: buffered messages run inside it. */
export function setHandlers(run: PlanRun): void {
  setHandler(planProgress, () => progressOf(run));
  setHandler(approveUpdate, (args) => answering(() => approve(run, args)), {
    validator: (args: unknown) => {
      // While a plan is made or a decision is on its way, what can be said is not known yet: the handler waits for it.
      const objection = isApproveArgs(args) && isUnsettled(run) ? undefined : objectionToApproval(run, args);
      if (objection !== undefined)
        throw ApplicationFailure.nonRetryable(objection.message, FailureType.refused, objection);
    },
  });
  // A signal has nobody to answer: what is wrong with it becomes a refusal record, never an exception.
  setHandler(approveSignal, async (args: unknown) => {
    try {
      await answering(() => approveOrRecord(run, args));
    } catch {
      // The owner refused even the record; the plan goes on waiting.
    }
  });
  const validator = (args: unknown): void => {
    if (!isDecisionArgs(args))
      throw ApplicationFailure.nonRetryable(DECISION_FORM.message, FailureType.refused, DECISION_FORM);
  };
  setHandler(rejectUpdate, (args) => answering(() => decideAway(run, PlanState.rejected, args)), { validator });
  setHandler(withdrawUpdate, (args) => answering(() => decideAway(run, PlanState.withdrawn, args)), { validator });
  setHandler(applyUpdate, () => answering(() => startHeld(run)), { validator });
  setHandler(cancelUpdate, (args) => answering(() => cancelPlan(run, args.comment ?? `cancelled by ${args.actor}`)), {
    validator,
  });
}

type Refusal = Extract<MessageAnswer, { kind: "refused" }>;

function refused(code: string, message: string): Refusal {
  return { kind: "refused", code, message };
}

const APPROVAL_FORM = refused("bad-form", "an approval needs digest, approver and hold|start");
const DECISION_FORM = refused("bad-form", "a decision needs an actor");

/** Form, state and digest: what can be said without asking anybody. */
function objectionToApproval(run: PlanRun, args: unknown): Refusal | undefined {
  if (!isApproveArgs(args)) return APPROVAL_FORM;
  if (run.state !== PlanState.waiting || isTaken(run)) return wrongState(run, "is not waiting for approval");
  if (args.digest !== run.stored?.digest)
    return refused(
      "wrong-digest",
      `plan ${run.input.plan} has digest ${run.stored?.digest ?? "none yet"}, the approval is for ${cutText(args.digest, 100)}`,
    );
  return undefined;
}

/** The journal may be ahead of this workflow: who read there that the plan waits shall not hear that it is being made. */
function isUnsettled(run: PlanRun): boolean {
  return run.state === PlanState.planning || run.busy;
}

/** Returns with the state as it is; the caller looks and takes it before its next await. */
async function settled(run: PlanRun): Promise<void> {
  while (isUnsettled(run)) await condition(() => !isUnsettled(run));
}

/** Somebody's decision on it is on its way. */
function isTaken(run: PlanRun): boolean {
  return run.busy || run.cancelRequested || run.start === "yes";
}

function wrongState(run: PlanRun, what: string): Refusal {
  return refused("wrong-state", `plan ${run.input.plan} is ${isTaken(run) ? "being decided" : run.state}; it ${what}`);
}

function isApproveArgs(value: unknown): value is ApproveArgs {
  return (
    isRecord(value) &&
    typeof value["digest"] === "string" &&
    typeof value["approver"] === "string" &&
    (value["hold"] === "hold" || value["hold"] === "start") &&
    isComment(value["comment"])
  );
}

function isDecisionArgs(value: unknown): value is DecisionArgs {
  return isRecord(value) && typeof value["actor"] === "string" && isComment(value["comment"]);
}

/** Other languages write an absent comment as null. */
function isComment(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

async function approveOrRecord(run: PlanRun, args: unknown): Promise<void> {
  if (isApproveArgs(args)) await approve(run, args);
  else await journalRefusal(run, "unknown", APPROVAL_FORM);
}

async function approve(run: PlanRun, args: ApproveArgs): Promise<MessageAnswer> {
  await settled(run);
  const objection = objectionToApproval(run, args);
  if (objection !== undefined) {
    await journalRefusal(run, args.approver, objection);
    return objection;
  }
  run.busy = true;
  try {
    const verdict = await graph.journalApproval({ plan: run.input.plan, approve: args });
    if (verdict.kind === "refused") return verdict;
    if (args.hold === "hold") await enter(run, PlanState.held);
    else run.start = "yes";
    return { kind: "accepted", state: args.hold === "hold" ? PlanState.held : PlanState.applying };
  } finally {
    run.busy = false;
  }
}

async function journalRefusal(run: PlanRun, actor: string, { code, message }: Refusal): Promise<void> {
  await settled(run);
  // A plan that could not be made has no record to refuse anything for.
  if (run.stored === undefined) return;
  await graph.journalRefusal({ plan: run.input.plan, actor, what: Message.approve, code, message });
}

async function decideAway(
  run: PlanRun,
  state: typeof PlanState.rejected | typeof PlanState.withdrawn,
  args: DecisionArgs,
): Promise<MessageAnswer> {
  await settled(run);
  if (!isUndecided(run)) return wrongState(run, `cannot be ${state}`);
  run.busy = true;
  try {
    run.reason = args.comment;
    await enter(run, state, args);
    return { kind: "accepted", state };
  } finally {
    run.busy = false;
  }
}

function isUndecided(run: PlanRun): boolean {
  return (run.state === PlanState.waiting || run.state === PlanState.held) && !isTaken(run);
}

async function startHeld(run: PlanRun): Promise<MessageAnswer> {
  await settled(run);
  if (run.state !== PlanState.held || isTaken(run))
    return wrongState(run, "is not held, and only a held plan waits for apply");
  run.start = "yes";
  return { kind: "accepted", state: PlanState.applying };
}

/**
 * Ends the plan where that is still possible. While it is applied, the decision records say where: they are asked to
 * stand at abort, and a transaction that was decided confirm goes on. Refused when nothing is left to be cancelled.
 */
export async function cancelPlan(run: PlanRun, reason: string): Promise<MessageAnswer> {
  if (FINAL_PLAN_STATES.has(run.state)) return wrongState(run, "has ended");
  const running = [...run.running.keys()];
  if (run.state === PlanState.applying && running.length === 0 && run.unstarted === 0)
    return wrongState(run, "has been decided");
  const others = run.state !== PlanState.applying || run.unstarted > 0;
  // From here on no further transaction starts.
  run.cancelRequested = true;
  const decisions = await Promise.all(
    running.map(async (transaction) => {
      const decision = await locks.decide({ transaction, value: "abort", deadline: undefined });
      if (decision === "abort")
        await run.running
          .get(transaction)
          ?.signal(Message.cancel)
          .catch(() => undefined);
      return decision;
    }),
  );
  if (!others && !decisions.includes("abort"))
    return refused("decided", `plan ${run.input.plan} has been decided, and its devices are being confirmed`);
  run.reason ??= reason;
  return { kind: "accepted", state: run.state };
}
