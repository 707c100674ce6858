import { WorkflowUpdateFailedError } from "@temporalio/client";
import { defineSearchAttributeKey } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DecisionArgs, Message, type MessageAnswer, type PlanProgress } from "../../contract/messages.ts";
import { TaskQueue } from "../../contract/task-queue.ts";
import {
  type PlanHandle,
  WorkflowEnvironment,
  approval,
  gate,
  planInput,
  until,
} from "../support/workflow-environment.ts";

/** How a person's decisions reach a plan, and what becomes of malformed, late, repeated and contradictory ones. */

let environment: WorkflowEnvironment;

beforeAll(async () => {
  environment = await WorkflowEnvironment.local();
  await environment.startWorkers();
});
afterAll(() => environment.end());

const waiting = (name: string): Promise<PlanHandle> => environment.waitingPlan(planInput({ name, devices: ["r1"] }));
const approve = (handle: PlanHandle, args: unknown, updateId?: string): Promise<MessageAnswer> =>
  handle.executeUpdate<MessageAnswer, [unknown]>(Message.approve, {
    args: [args],
    ...(updateId === undefined ? {} : { updateId }),
  });
const decide = (handle: PlanHandle, name: string): Promise<MessageAnswer> =>
  handle.executeUpdate<MessageAnswer, [DecisionArgs]>(name, { args: [{ actor: "grace", comment: "no" }] });
const planOf = (handle: PlanHandle) => environment.world.plan(handle.workflowId.slice("plan/".length));

/** The message and code of an update that the validator turned away. */
async function rejection(update: Promise<unknown>): Promise<unknown> {
  const error: unknown = await update.then(
    () => "accepted",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
  return (error as { readonly cause?: { readonly details?: readonly unknown[] } }).cause?.details?.[0];
}

async function updateEvents(handle: PlanHandle): Promise<number> {
  const { events = [] } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
}

describe.concurrent("approval", () => {
  test("by a plain signal, the same code path", async () => {
    const handle = await waiting("signal");
    await handle.signal(Message.approve, approval("signal"));
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
    expect(planOf(handle).approvals).toBe(1);
  });

  test("of another digest: the validator turns it away, and the history knows nothing of it", async () => {
    const handle = await waiting("digest");
    expect(await rejection(approve(handle, { ...approval("digest"), digest: "digest-other" }))).toMatchObject({
      code: "wrong-digest",
    });
    expect(await updateEvents(handle)).toBe(0);
    expect(planOf(handle)).toMatchObject({ state: "waiting", refusals: [] });
    await expect(approve(handle, approval("digest"))).resolves.toMatchObject({ kind: "accepted", state: "applying" });
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
  });

  test("of another digest by signal: journalled as a refusal, and the plan waits on", async () => {
    const handle = await waiting("signalled");
    await handle.signal(Message.approve, { ...approval("signalled"), digest: "digest-other" });
    await until("the refusal is recorded", () => planOf(handle).refusals.includes("wrong-digest"));
    await handle.signal(Message.approve, approval("signalled"));
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
  });

  test.for([
    ["text", { encoding: "json/plain", data: '"yes"' }],
    ["nothing", undefined],
    ["null", { encoding: "json/plain", data: "null" }],
    ["half", { encoding: "json/plain", data: '{"digest":"x"}' }],
    ["unknown encoding", { encoding: "binary/other", data: "0101" }],
    ["no JSON", { encoding: "json/plain", data: "{" }],
  ] as const)(
    "a malformed signal (%s) becomes a refusal record and the workflow lives",
    async ([title, payload], { expect }) => {
      const name = `malformed-${title.replaceAll(" ", "-")}`;
      const handle = await waiting(name);
      const payloads =
        payload === undefined
          ? []
          : [{ metadata: { encoding: Buffer.from(payload.encoding) }, data: Buffer.from(payload.data) }];
      await environment.client.workflowService.signalWorkflowExecution({
        namespace: "default",
        workflowExecution: { workflowId: handle.workflowId },
        signalName: Message.approve,
        input: { payloads },
      });
      await until("the refusal is recorded", () => planOf(handle).refusals.includes("bad-form"));
      await expect(decide(handle, Message.reject)).resolves.toMatchObject({ kind: "accepted", state: "rejected" });
      await expect(handle.result()).resolves.toMatchObject({ state: "rejected" });
    },
  );

  test.for([Message.approve, Message.reject, Message.withdraw, Message.apply, Message.cancel])(
    "a malformed %s update is turned away, and the workflow lives",
    async (name, { expect }) => {
      const handle = await waiting(`form-${name}`);
      for (const args of [[], [null], ["yes"], [{ actor: 7 }]])
        expect(
          await rejection(handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: args as [unknown] })),
        ).toMatchObject({
          code: "bad-form",
        });
      const undecodable = handle.executeUpdate<MessageAnswer, [unknown]>(name, {
        args: [{ kind: "undecodable", encoding: "binary/other", reason: "?" }],
      });
      await expect(undecodable).rejects.toMatchObject({
        cause: { type: "InvalidArgument", message: expect.stringContaining("binary/other") as string },
      });
      expect(await updateEvents(handle)).toBe(0);
      await decide(handle, Message.withdraw);
      await expect(handle.result()).resolves.toMatchObject({ state: "withdrawn" });
    },
  );

  test("twice: the second is refused, and the plan is applied once", async () => {
    const handle = await waiting("twice");
    const { opened, open } = gate();
    environment.world.device("twice-r1").next("prepare", async (proceed) => {
      await opened;
      return proceed();
    });
    await approve(handle, approval("twice"));
    await environment.untilState("twice", "applying");
    expect(await rejection(approve(handle, approval("twice")))).toMatchObject({ code: "wrong-state" });
    open();
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
    expect(planOf(handle).approvals).toBe(1);
  });

  test("two at the same time: one is accepted, the other waits for its verdict and is refused", async () => {
    const { opened, open } = gate();
    environment.world.approvalGates.set("race", opened);
    const handle = await waiting("race");
    const answers = Promise.all([
      approve(handle, approval("race")),
      approve(handle, { ...approval("race"), approver: "edsger" }),
    ]);
    await until("both are in the history", async () => (await updateEvents(handle)) === 2);
    open();
    expect((await answers).map((answer) => answer.kind).sort()).toEqual(["accepted", "refused"]);
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
    expect(planOf(handle)).toMatchObject({ approvals: 1, refusals: ["wrong-state"] });
  });

  test("refused by the owner, then given by somebody else", async () => {
    const handle = await waiting("author");
    environment.world.approvalRefusals.set("author", "author");
    await expect(approve(handle, approval("author"))).resolves.toMatchObject({ kind: "refused", code: "author" });
    environment.world.approvalRefusals.delete("author");
    await expect(approve(handle, approval("author"))).resolves.toMatchObject({ kind: "accepted" });
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
  });

  test("a repeat with the same update id gets the first answer, whatever it says", async () => {
    const handle = await waiting("repeat");
    const first = await approve(handle, approval("repeat", "hold"), "one");
    expect(first).toMatchObject({ kind: "accepted", state: "held" });
    await expect(approve(handle, { ...approval("repeat"), digest: "digest-other" }, "one")).resolves.toEqual(first);
    await decide(handle, Message.reject);
    await handle.result();
    await expect(approve(handle, approval("repeat"), "one")).resolves.toEqual(first);
    expect(planOf(handle).approvals).toBe(1);
  });

  test("while the plan is still being made: it waits for it", async () => {
    const { opened, open } = gate();
    environment.world.device("eager-r1").next("plan", async (proceed) => {
      await opened;
      return proceed();
    });
    const handle = await environment.startPlan(planInput({ name: "eager", devices: ["r1"] }));
    const answer = approve(handle, approval("eager"));
    await until("it is in the history", async () => (await updateEvents(handle)) === 1);
    open();
    await expect(answer).resolves.toMatchObject({ kind: "accepted" });
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
  });
});

describe.concurrent("hold, reject, withdraw, cancel", () => {
  test("a held plan waits for apply", async () => {
    const handle = await waiting("hold");
    expect(await decide(handle, Message.apply)).toMatchObject({ kind: "refused", code: "wrong-state" });
    await approve(handle, approval("hold", "hold"));
    expect(planOf(handle).state).toBe("held");
    expect(environment.world.logOf("hold").filter((line) => line.startsWith("check"))).toEqual([]);
    await expect(handle.query<PlanProgress>(Message.progress)).resolves.toMatchObject({
      state: "held",
      waitingFor: "plan apply",
    });
    await expect(decide(handle, Message.apply)).resolves.toMatchObject({ kind: "accepted", state: "applying" });
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
    expect(planOf(handle).states).toEqual(["waiting", "held", "applying", "applied"]);
  });

  test.for([
    [Message.reject, "rejected"],
    [Message.withdraw, "withdrawn"],
  ] as const)("%s ends it, also when held", async ([name, state], { expect }) => {
    for (const hold of ["no", "yes"]) {
      const handle = await waiting(`${name}-${hold}`);
      if (hold === "yes") await approve(handle, approval(`${name}-${hold}`, "hold"));
      await expect(decide(handle, name)).resolves.toEqual({ kind: "accepted", state });
      await expect(handle.result()).resolves.toMatchObject({ state, outcomes: [] });
      expect(planOf(handle)).toMatchObject({ state, reason: "no" });
    }
  });

  test("a cancel while an approval is being recorded waits for it, and wins", async () => {
    const { opened, open } = gate();
    environment.world.approvalGates.set("overtaken", opened);
    const handle = await waiting("overtaken");
    const approved = approve(handle, approval("overtaken", "hold"));
    await until("it is in the history", async () => (await updateEvents(handle)) === 1);
    await expect(decide(handle, Message.cancel)).resolves.toMatchObject({ kind: "accepted" });
    open();
    await expect(approved).resolves.toMatchObject({ kind: "accepted", state: "held" });
    await expect(handle.result()).resolves.toMatchObject({ state: "cancelled" });
    expect(planOf(handle).states).toEqual(["waiting", "held", "cancelled"]);
  });
});

test("Temporal's UI alone shows what is waited for: search attributes, details, summaries", async () => {
  const { opened, open } = gate();
  environment.world.device("shown-r1").next("prepare", async (proceed) => {
    await opened;
    return proceed();
  });
  const handle = await waiting("shown");
  const details = async (workflow: string): Promise<string> => {
    const metadata = await environment.client.workflow
      .getHandle(workflow)
      .query<{ readonly currentDetails: string }>("__temporal_workflow_metadata");
    return metadata.currentDetails;
  };
  expect(await details("plan/shown")).toContain("Waits for approval of digest digest-shown");
  await approve(handle, approval("shown"));
  await until("it prepares", () => environment.world.logOf("shown").includes("prepare r1"));
  expect(await details("plan/shown")).toContain("transaction shown runs");
  expect(await details("apply/shown")).toContain("- shown-r1: preparing");
  await expect(environment.client.workflow.getHandle("apply/shown").query(Message.progress)).resolves.toMatchObject({
    transaction: "shown",
    devices: [{ device: "shown-r1", phase: "preparing" }],
  });
  const { typedSearchAttributes, raw } = await environment.client.workflow.getHandle("apply/shown").describe();
  expect(typedSearchAttributes.get(defineSearchAttributeKey("TenurePlan", "KEYWORD"))).toBe("shown");
  expect(typedSearchAttributes.get(defineSearchAttributeKey("TenureDevice", "KEYWORD_LIST"))).toEqual(["shown-r1"]);
  expect(raw.pendingActivities?.map((activity) => activity.activityId)).toEqual(["prepare shown-r1"]);
  expect(Buffer.from(raw.executionConfig?.userMetadata?.summary?.data ?? []).toString()).toContain("apply plan shown");
  expect((await handle.describe()).taskQueue).toBe(TaskQueue.workflows);
  open();
  await handle.result();
  const ended = await handle.describe();
  expect(ended.typedSearchAttributes.get(defineSearchAttributeKey("TenurePhase", "KEYWORD"))).toBe("applied");
});
