/** What puts, removals and rollbacks have in common: their options, and the workflow that they start. */
import { z } from "zod";
import type { ChangeOptions, StartedSubmission } from "../contract/api.ts";
import { type Submission, workflowId } from "../contract/workflows.ts";
import type { ApiContext } from "./context.ts";
import { newSubmission } from "./new-id.ts";

/** The members of a request that are `ChangeOptions`. */
export const changeOptionsShape = {
  mode: z.enum(["plan", "preview", "record"]),
  policy: z.enum(["all-or-nothing", "per-device"]).optional(),
  includeDrift: z.enum(["include", "leave"]).optional(),
  unrelated: z.enum(["refuse", "allow"]).optional(),
};

export async function startChange(
  { temporal, timing }: ApiContext,
  submission: Submission,
  { change, actor }: { readonly change: ChangeOptions; readonly actor: string },
): Promise<StartedSubmission> {
  const ids = newSubmission();
  const run = workflowId.changeService(ids.submission);
  await temporal.start({
    workflow: "changeService",
    id: run,
    input: {
      submissionId: ids.submission,
      plan: ids.plan,
      submission,
      actor,
      mode: change.mode,
      options: {
        policy: change.policy ?? "all-or-nothing",
        includeDrift: change.includeDrift ?? "leave",
        unrelated: change.unrelated ?? "refuse",
      },
      timing,
    },
    reuse: "once",
  });
  return { ...ids, run };
}
