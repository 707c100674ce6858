/**
 * What holds for every workflow, whatever it does: a value that cannot be read is refused where it comes in, and a result
 * that is too large fails where it goes out. Without this either would be retried for ever, as a hang.
 */
import { ApplicationFailure, type WorkflowInterceptorsFactory, workflowInfo } from "@temporalio/workflow";
import { FailureType } from "../contract/failure.ts";
import { isUndecodable, requireFits } from "../contract/payload-converter.ts";

/** Signals are left to their handlers: a refused one becomes a record, and nobody waits for an answer. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        refuseUndecodable(input.args, `the input of ${workflowInfo().workflowType}`);
        return fitting(await next(input));
      },
      validateUpdate(input, next) {
        refuseUndecodable(input.args, `the argument of update ${input.name}`);
        next(input);
      },
      async handleUpdate(input, next) {
        refuseUndecodable(input.args, `the argument of update ${input.name}`);
        return fitting(await next(input));
      },
      async handleQuery(input, next) {
        refuseUndecodable(input.args, `the argument of query ${input.queryName}`);
        return fitting(await next(input));
      },
    },
  ],
  outbound: [
    {
      async scheduleActivity(input, next) {
        const result = await next(input);
        refuseUndecodable([result], `the result of activity ${input.activityType}`);
        return result;
      },
    },
  ],
});

function fitting(result: unknown): unknown {
  const { namespace, workflowId } = workflowInfo();
  requireFits(result, { type: "workflow", namespace, workflowId });
  return result;
}

function refuseUndecodable(values: readonly unknown[], what: string): void {
  const value = values.find((each) => isUndecodable(each));
  if (value === undefined) return;
  throw ApplicationFailure.nonRetryable(
    `${what} cannot be read (${value.encoding}): ${value.reason}`,
    FailureType.invalidArgument,
  );
}
