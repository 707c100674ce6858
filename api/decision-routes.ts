import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { DecisionAnswer } from "../contract/api.ts";
import { type ApproveArgs, type DecisionArgs, Message } from "../contract/messages.ts";
import { FINAL_PLAN_STATES, PlanState } from "../contract/plan-state.ts";
import { workflowId } from "../contract/workflows.ts";
import { canonicalJson, digestOf } from "../graph/canonical-json.ts";
import type { GraphStore } from "../graph/store.ts";
import { ApiError, conflict } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { findPlan } from "./find-plan.ts";
import { actorOf, parameter, readInput } from "./request.ts";

const comment = z.string().max(4000).optional();
const approveSchema = z.strictObject({
  digest: z.string().regex(/^[0-9a-f]{64}$/, "the plan's digest: 64 hexadecimal digits"),
  comment,
  hold: z.enum(["hold", "start"]).default("start"),
});
const decideSchema = z.strictObject({ comment });
const rejectSchema = z.strictObject({ comment: z.string().trim().min(1, "a rejection says why").max(4000) });

type DecisionName = "approve" | "reject" | "withdraw" | "apply" | "cancel";

/** What people decide about a plan. Each is an update of its workflow; a refusal is recorded and answered with 409. */
export function addDecisionRoutes(app: FastifyInstance, context: ApiContext): void {
  app.post("/v1/plans/:plan/approve", async (request): Promise<DecisionAnswer> => {
    const { digest, comment: words, hold } = readInput(approveSchema, request.body, "body");
    const args: ApproveArgs = { digest, approver: actorOf(request), comment: words, hold };
    const answer = await decide(context, parameter(request, "plan"), {
      name: Message.approve,
      actor: args.approver,
      args,
    });
    return context.actorPolicy === "author-may-approve"
      ? { ...answer, notice: "the policy author-may-approve is on: whoever makes a plan may also approve it" }
      : answer;
  });

  for (const name of [Message.reject, Message.withdraw, Message.apply, Message.cancel] as const) {
    app.post(`/v1/plans/:plan/${name}`, async (request): Promise<DecisionAnswer> => {
      const schema = name === Message.reject ? rejectSchema : decideSchema;
      const args: DecisionArgs = { actor: actorOf(request), comment: readInput(schema, request.body, "body").comment };
      return decide(context, parameter(request, "plan"), { name, actor: args.actor, args });
    });
  }
}

interface Decision {
  readonly name: DecisionName;
  readonly actor: string;
  readonly args: ApproveArgs | DecisionArgs;
}

async function decide({ store, temporal }: ApiContext, plan: string, decision: Decision): Promise<DecisionAnswer> {
  const { state } = await findPlan(store, plan);
  const updateId = await updateIdOf(store, plan, decision);
  const refuse = (code: string, message: string) => refused(store, { plan, decision, updateId, code, message });
  if (FINAL_PLAN_STATES.has(state))
    return refuse(state === PlanState.stale ? "stale" : "wrong-state", `plan ${plan} is ${state}`);
  const answer = await temporal.update({
    id: workflowId.planAndApply(plan),
    name: decision.name,
    updateId,
    args: decision.args,
  });
  switch (answer.kind) {
    case "answered":
      if (answer.answer.kind === "accepted") return { plan, state: answer.answer.state };
      // The workflow has journalled what it refused of an approval; of the others nobody has yet.
      if (decision.name === Message.approve)
        throw conflict(answer.answer.code, answer.answer.message, remedyOf(answer.answer.code, plan));
      return refuse(answer.answer.code, answer.answer.message);
    case "rejected":
      return refuse(answer.code, answer.message);
    case "closed":
      return (await endOrphan(store, plan, decision)) ?? refuse("wrong-state", await orphanText(store, plan));
    case "unanswered":
      throw new ApiError(503, {
        code: "unanswered",
        message: `no worker took the decision on plan ${plan} in time; it may still be taken`,
        remedy: "see that a worker runs (tenure status), then repeat the same command: it is counted once",
      });
  }
}

/**
 * A plan that nobody has begun to apply, and whose workflow is gone (the data folder was restored from a backup, or
 * somebody terminated it), would stay open for ever: the journal alone ends it. Whatever workflow comes back finds that
 * it may not be approved any more. Undefined for every other decision and state.
 */
async function endOrphan(store: GraphStore, plan: string, decision: Decision): Promise<DecisionAnswer | undefined> {
  if (decision.name !== Message.withdraw && decision.name !== Message.reject) return undefined;
  if (!isUndecided((await findPlan(store, plan)).state)) return undefined;
  const state = decision.name === Message.withdraw ? PlanState.withdrawn : PlanState.rejected;
  const { actor } = decision;
  const { comment: words } = decision.args;
  await store.recordPlanState({ plan, state, actor, comment: words, reason: words, revision: undefined });
  return { plan, state };
}

async function orphanText(store: GraphStore, plan: string): Promise<string> {
  const { state } = await findPlan(store, plan);
  const way = isUndecided(state) ? `; withdraw it (tenure plan withdraw ${plan}) and make it again` : "";
  return `plan ${plan} is ${state}, and its workflow has ended${way}`;
}

function isUndecided(state: PlanState): boolean {
  return state === PlanState.waiting || state === PlanState.held;
}

/**
 * Made of the decision's content, so that a repeat after a lost answer is the same update and another decision is
 * another one; and of the refusals so far, since an update id that was answered "refused" answers that for ever.
 */
async function updateIdOf(store: GraphStore, plan: string, { name, args }: Decision): Promise<string> {
  const earlier = (await store.approvals(plan)).filter(
    (entry) => entry.kind === "refusal" && entry.what === name,
  ).length;
  const digest = digestOf(canonicalJson({ plan, name, args }));
  return `${name}-${digest.slice(0, 32)}-${earlier}`;
}

async function refused(
  store: GraphStore,
  refusal: {
    readonly plan: string;
    readonly decision: Decision;
    readonly updateId: string;
    readonly code: string;
    readonly message: string;
  },
): Promise<never> {
  const { plan, decision, updateId, code, message } = refusal;
  await store.recordRefusal({
    plan,
    what: decision.name,
    actor: decision.actor,
    code,
    message,
    key: `${plan}/${updateId}`,
  });
  throw conflict(code, message, remedyOf(code, plan));
}

function remedyOf(code: string, plan: string): string | undefined {
  if (code === "wrong-digest") return `read what you approve: tenure plan show ${plan}`;
  return code === "stale" ? "make a new plan from what stands now" : undefined;
}
