/** Plans in the journal: stored with their digest, approved once, followed to their end. */
import { Context } from "@temporalio/activity";
import type { GraphActivities, StorePlanRequest, StoredPlan } from "../contract/activities.ts";
import type { ProposalDocument } from "../contract/documents.ts";
import { PlanState } from "../contract/plan-state.ts";
import type { PlanRecord } from "../graph/journal/record.ts";
import { isStoreError } from "../graph/store-error.ts";
import { type AffectedService, type PlanSection, headerDocument, planHeader } from "../plan/plan-document.ts";
import { checkBasis } from "../services/basis.ts";
import type { RevisionBody } from "../services/desired-state.ts";
import { statusChanges } from "./status-changes.ts";
import { canonicalText, readFormat } from "./documents.ts";
import type { GraphContext } from "./graph-context.ts";
import { movedGoals } from "./moved-goals.ts";
import { pausedReasons } from "./paused-writes.ts";
import { IMPORTED, recordCondition, recordSeen, syncAfter } from "./record-condition.ts";
import { fewReasons } from "./stale-reasons.ts";

export function createPlanActivities(
  context: GraphContext,
): Pick<
  GraphActivities,
  "storePlan" | "journalApproval" | "journalRefusal" | "recordPlanState" | "recordSettledPlan" | "checkBase"
> {
  return {
    async storePlan(request): Promise<StoredPlan> {
      const named = await Promise.all(
        request.sections.map(async (each) => ({ ...each, name: (await context.device(each.device)).name })),
      );
      const affected = await affectedBy(context, request);
      const header = planHeader({
        direction: request.direction,
        policy: request.options.policy,
        scope:
          request.direction === "change"
            ? { kind: "proposal" }
            : { kind: "devices", devices: named.map((each) => each.name), paths: request.paths },
        allowUnrelated: request.options.unrelated === "allow",
        includeDrift: request.options.includeDrift === "include",
        ...(request.proposal === undefined ? {} : { proposal: request.proposal }),
        ...(request.body === undefined ? {} : { revisionBody: request.body }),
        approval: {
          policy: context.approval.author === "may-approve" ? "author-may-approve" : "another-person",
          approvals: 1,
          author: context.approval.author,
        },
        ...(affected.length === 0 ? {} : { affected }),
        sections: Object.fromEntries(named.map((each) => [each.name, each.section])),
      });
      const digest = await context.store.documents.put(headerDocument(header));
      const contents = await context.store.documents.put(
        canonicalText({
          format: "tenure-plan-contents/1",
          sections: request.sections,
          unreachable: request.unreachable,
          paths: request.paths,
          options: request.options,
        }),
      );
      const operations = request.sections.reduce((sum, each) => sum + each.operations, 0);
      const unreachable = request.unreachable.length;
      const nothingToDo = operations === 0 && request.body === undefined;
      await context.store.putPlan({
        plan: {
          plan: request.plan,
          digest,
          direction: request.direction,
          policy: request.options.policy,
          author: request.actor,
          proposal: request.proposal,
          body: request.body,
          contents,
          operations,
          follows: undefined,
        },
        // It can be approved from here on: a decision that comes before the workflow got this far waits there.
        state: nothingToDo ? (unreachable === 0 ? PlanState.applied : PlanState.partial) : PlanState.waiting,
      });
      return { digest, operations, nothingToDo, unreachable };
    },

    async journalApproval({ plan, approve }) {
      const refuse = async (code: string, message: string) => {
        await context.store.recordRefusal({
          plan,
          what: "approve",
          actor: approve.approver,
          code,
          message,
          key: refusalKey(plan),
        });
        return { kind: "refused" as const, code, message };
      };
      const view = await context.store.plan(plan);
      if (view === undefined) return { kind: "refused", code: "unknown-plan", message: `there is no plan ${plan}` };
      if (context.approval.author === "may-not-approve" && view.plan.author === approve.approver)
        return refuse("author", `${approve.approver} wrote plan ${plan}; another person has to approve it`);
      try {
        await context.store.recordApproval({
          plan,
          digest: approve.digest,
          approver: approve.approver,
          comment: approve.comment,
          expires: undefined,
          hold: approve.hold,
          key: `approve/${plan}`,
        });
        return { kind: "approved" };
      } catch (error) {
        if (isStoreError(error, "wrong-digest") || isStoreError(error, "wrong-state"))
          return refuse(error.code, error.message);
        throw error;
      }
    },

    async journalRefusal({ plan, actor, what, code, message }) {
      await context.store.recordRefusal({
        plan,
        what,
        actor,
        code,
        message,
        key: refusalKey(plan),
      });
    },

    async recordPlanState({ plan, state, decision, revision, outcomes, reason }) {
      // A plan that failed before it stood has no record; its workflow tells the client.
      const view = await context.store.plan(plan);
      if (view === undefined) return;
      // What the device was read back against; a repeat of this must not claim a later one.
      const verified = revision ?? (await context.store.currentRevision());
      const sections = outcomes.length === 0 ? [] : await sectionsOf(context, view.plan.contents);
      for (const outcome of outcomes) {
        const { device, ...rest } = outcome;
        await context.store.recordOutcome({
          plan,
          transaction: undefined,
          device,
          outcome: rest,
          key: `${plan}/${device}/${state}`,
        });
        // Nothing was written: what was known of the device still holds.
        if (outcome.kind === "not-applied") continue;
        const drifted = outcome.kind === "applied" && (await leavesDrift(context, sections, device));
        await recordCondition(context.store, {
          ...(drifted ? LEFT_DRIFT : syncAfter(outcome.kind, outcome.message)),
          id: device,
          type: "InSync",
          revision: verified,
          observation: outcome.observation,
          mode: "record",
        });
        if (outcome.kind === "applied" && outcome.message === undefined && !drifted)
          await recordSeen(context.store, device, verified);
      }
      await context.store.recordPlanState({
        plan,
        state,
        actor: decision?.actor,
        comment: decision?.comment,
        reason,
        revision,
      });
    },

    async recordSettledPlan({ plan, state, revision, reason }) {
      const view = await context.store.plan(plan);
      if (view?.state !== PlanState.applying) return;
      await context.store.recordPlanState({ plan, state, actor: undefined, comment: undefined, reason, revision });
    },

    async checkBase({ plan, digest, body, devices, writes }) {
      const view = await context.store.plan(plan);
      const reasons: string[] = [];
      if (view?.plan.digest !== digest) reasons.push(`plan ${plan} has another digest than the one approved`);
      const judged = body ?? (await assertedBody(context, view?.plan));
      if (judged !== undefined) {
        const { basis } = JSON.parse(await context.read(judged)) as RevisionBody;
        const state = await context.store.desiredState({
          devices: basis.devices.map((each) => each.device),
          services: basis.services.map((each) => each.name),
        });
        reasons.push(...checkBasis(state, basis));
      }
      if (view?.plan.direction === "enforce") {
        const sections = await sectionsOf(context, view.plan.contents);
        reasons.push(
          ...(await movedGoals(
            context,
            sections.filter(({ device }) => devices.includes(device)),
          )),
        );
      }
      const records = await Promise.all(devices.map((id) => context.device(id)));
      for (const { id, name } of records) {
        const imported = await context.store.condition({ kind: "device", id }, IMPORTED);
        if (imported?.status !== "false") continue;
        reasons.push(
          `${name}: its last import failed, our copy may be older than the device; try: tenure import ${name}`,
        );
      }
      if (reasons.length > 0) return { kind: "stale", reasons: fewReasons(reasons) };
      if (view === undefined || writes.length === 0) return { kind: "valid" };
      const sections = (await sectionsOf(context, view.plan.contents)).filter(({ device }) => writes.includes(device));
      const paused = await pausedReasons(context, sections);
      return paused.length === 0 ? { kind: "valid" } : { kind: "paused", reasons: fewReasons(paused) };
    },
  };
}

/** Of a change its proposal and sections tell; a plan that accepts has nothing but the body of its revision. */
async function affectedBy(context: GraphContext, request: StorePlanRequest): Promise<readonly AffectedService[]> {
  if (request.direction !== "accept" || request.body === undefined) return [];
  const names = new Map((await context.store.devices()).map((device) => [device.id, device.name]));
  return statusChanges(JSON.parse(await context.read(request.body)) as RevisionBody, names);
}

/**
 * The body of a change that desired state has already and that only devices lack. It never becomes a revision, but what it
 * asserts holds only as long as what it was computed from.
 */
async function assertedBody(context: GraphContext, plan: PlanRecord | undefined): Promise<string | undefined> {
  if (plan?.direction !== "change" || plan.proposal === undefined || plan.body !== undefined) return undefined;
  return (await readFormat<ProposalDocument>(context.read, plan.proposal, "tenure-proposal/1")).body;
}

const LEFT_DRIFT = {
  status: "false",
  reason: "Drift",
  message: "the plan was applied and left drift elsewhere alone, as it said",
} as const;

type StoredSection = StorePlanRequest["sections"][number];

async function sectionsOf(context: GraphContext, contents: string): Promise<readonly StoredSection[]> {
  const stored = JSON.parse(await context.read(contents)) as { readonly sections: readonly StoredSection[] };
  return stored.sections;
}

/** Does the section of this device say that it leaves drift alone? Then the device is not in sync after the plan. */
async function leavesDrift(
  context: GraphContext,
  sections: readonly StoredSection[],
  device: string,
): Promise<boolean> {
  const found = sections.find((each) => each.device === device);
  if (found === undefined) return false;
  const { findings } = JSON.parse(await context.read(found.section)) as Pick<PlanSection, "findings">;
  return findings.some((finding) => finding.kind === "drift" && finding.scope === "unrelated");
}

/** One record a refusal, however often the activity that records it is delivered: its id is the workflow's own. */
function refusalKey(plan: string): string {
  return `refuse/${plan}/${Context.current().info.activityId}`;
}
