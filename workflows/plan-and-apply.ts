/** Plan, wait for a person, apply. */
import { condition, upsertSearchAttributes } from "@temporalio/workflow";
import { FINAL_PLAN_STATES, PlanState } from "../contract/plan-state.ts";
import type { PlanAndApplyInput, PlanResult } from "../contract/workflows.ts";
import { failureWords } from "./failure-words.ts";
import { makePlan } from "./make-plan.ts";
import { cancelPlan, setHandlers } from "./plan-messages.ts";
import { type PlanRun, enter, enterRecorded, isCancelRequested, newPlanRun, resultOf } from "./plan-run.ts";
import { applyEach, applyTogether } from "./run-transactions.ts";
import { answering, uncancellable } from "./uncancellable.ts";

export async function planAndApply(input: PlanAndApplyInput): Promise<PlanResult> {
  const run = newPlanRun(withFittingPolicy(input));
  upsertSearchAttributes({
    TenurePlan: [input.plan],
    TenureDevice: [...input.source.devices],
    TenurePhase: [run.state],
  });
  setHandlers(run);
  // Temporal's cancel has nobody to answer: where it comes too late it is ignored.
  const cancel = (): void => {
    void answering(() => cancelPlan(run, "cancelled in Temporal")).catch(() => undefined);
  };
  await uncancellable(() => planThenApply(run).catch((error: unknown) => fail(run, error)), cancel);
  return resultOf(run);
}

/** What is accepted is one revision of observations that all have to stand still: there is no accepting half of it. */
function withFittingPolicy(input: PlanAndApplyInput): PlanAndApplyInput {
  const accepts = input.source.kind === "drift" && input.source.direction === "accept";
  return accepts ? { ...input, options: { ...input.options, policy: "all-or-nothing" } } : input;
}

async function planThenApply(run: PlanRun): Promise<void> {
  const made = await makePlan(run);
  if (made.stored.nothingToDo) {
    await enter(run, made.stored.unreachable === 0 ? PlanState.applied : PlanState.partial);
    return;
  }
  if (!isCancelRequested(run)) {
    // Not recorded again: the owner stored the plan as waiting, and may have recorded an approval since.
    enterRecorded(run, PlanState.waiting);
    // A decision on its way is waited for: what it says is what becomes of the plan.
    await condition(
      () => !run.busy && (run.start === "yes" || isCancelRequested(run) || FINAL_PLAN_STATES.has(run.state)),
    );
    if (FINAL_PLAN_STATES.has(run.state)) return;
  }
  if (isCancelRequested(run)) await enter(run, PlanState.cancelled);
  else if (run.input.options.policy === "all-or-nothing") await applyTogether(run, made);
  else await applyEach(run, made);
}

/** The plan's record says that it failed; the workflow fails with what went wrong, for whoever waits for its result. */
async function fail(run: PlanRun, error: unknown): Promise<never> {
  if (!FINAL_PLAN_STATES.has(run.state)) {
    run.reason = failureWords(error).message;
    await enter(run, PlanState.failed);
  }
  throw error;
}
