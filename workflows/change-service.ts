/**
 * A change of desired state: compile the submission (put, removal, rollback) to a proposal, then plan it, have it
 * approved and applied by a child. Approve, retry and cancel always address that child (`plan/<id>`).
 */
import {
  ApplicationFailure,
  executeChild,
  ParentClosePolicy,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import { FailureType } from "../contract/failure.ts";
import {
  type ChangeServiceInput,
  type ChangeServiceResult,
  DEFAULT_TIMING,
  type PlanResult,
  workflowId,
} from "../contract/workflows.ts";
import { graph } from "./activity-proxies.ts";
import { planAndApply } from "./plan-and-apply.ts";
import { withLocks } from "./with-locks.ts";

export async function changeService(input: ChangeServiceInput): Promise<ChangeServiceResult> {
  upsertSearchAttributes({ TenurePlan: [input.plan], TenurePhase: ["compiling"] });
  const compiled = await graph.compileProposal({
    submissionId: input.submissionId,
    submission: input.submission,
    actor: input.actor,
  });
  upsertSearchAttributes({ TenureService: [...compiled.services], TenureDevice: [...compiled.devices] });
  const keys = [
    ...compiled.services.map((name) => `instance/${name}`),
    ...compiled.definitions.map((name) => `definition/${name}`),
  ];
  // A put of what desired state says already may still have something to write to a device; a record of it has not, nor
  // has a rollback to what stands.
  const onlyDesired = input.mode === "record" || input.submission.kind === "rollback";
  const isOver = input.mode === "preview" || (onlyDesired && compiled.empty);
  if (isOver) return { proposal: compiled.proposal, plan: undefined, revision: undefined };
  if (input.mode === "record") {
    const request = {
      request: `record/${input.submissionId}`,
      keys: [...compiled.devices.map((device) => `device/${device}`), ...keys],
      workflowId: workflowInfo().workflowId,
      transaction: undefined,
    };
    const committed = await withLocks(request, () =>
      graph.commitRevision({
        body: compiled.body,
        key: `record/${input.submissionId}`,
        actor: input.actor,
        cause: { kind: "record", submission: input.submissionId },
      }),
    );
    if (committed.kind === "stale")
      throw ApplicationFailure.nonRetryable(
        `desired state changed meanwhile: ${committed.reasons.join("; ")}`,
        FailureType.stale,
      );
    return { proposal: compiled.proposal, plan: undefined, revision: committed.revision };
  }
  const plan: PlanResult = await executeChild(planAndApply, {
    workflowId: workflowId.planAndApply(input.plan),
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: `plan ${input.plan}`,
    args: [
      {
        plan: input.plan,
        actor: input.actor,
        source: {
          kind: "change",
          proposal: compiled.proposal,
          body: compiled.empty ? undefined : compiled.body,
          devices: compiled.devices,
          keys,
        },
        options: input.options,
        timing: input.timing ?? DEFAULT_TIMING,
      },
    ],
  });
  return { proposal: compiled.proposal, plan, revision: plan.revision };
}
