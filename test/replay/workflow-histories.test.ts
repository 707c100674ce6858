import { Worker } from "@temporalio/worker";
import { describe, expect, test } from "vitest";
import { WorkflowName } from "../../contract/workflows.ts";
import { workflowBundlePath } from "../../worker/build-workflow-bundle.ts";
import { dataConverterPaths } from "../../worker/data-converter.ts";
import { readHistories, recordHistories } from "../support/workflow-histories.ts";

/** Workflows that were started by an earlier version go on under this one: their histories still replay. */

if (process.env["UPDATE_HISTORIES"] === "1") await recordHistories();

const histories = readHistories();
const replay = (history: unknown, workflowId: string): Promise<void> =>
  Worker.runReplayHistory(
    { workflowBundle: { codePath: workflowBundlePath }, dataConverter: dataConverterPaths },
    history,
    workflowId,
  );

describe("replays", () => {
  test.each(histories.map((each) => [each.name, each] as const))("%s", async (_, { history, workflowId }) => {
    await replay(history, workflowId);
  });
});

test("every workflow has a history", () => {
  const recorded = new Set(
    histories.map(({ history }) => /"workflowType":\{"name":"(\w+)"/.exec(JSON.stringify(history.events[0]))?.[1]),
  );
  expect([...recorded].sort()).toEqual(Object.values(WorkflowName).sort());
});

test("a history of other steps is noticed", async () => {
  const { history, workflowId } = histories.find((each) => each.name === "apply-transaction-applied")!;
  const other = JSON.parse(
    JSON.stringify(history).replaceAll('"name":"prepareDevice"', '"name":"writeDevice"'),
  ) as unknown;
  await expect(replay(other, workflowId)).rejects.toMatchObject({ name: "DeterminismViolationError" });
});
