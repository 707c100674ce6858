import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Message } from "../../contract/messages.ts";
import { TaskQueue } from "../../contract/task-queue.ts";
import type { ApplyTransactionResult } from "../../contract/workflows.ts";
import {
  type PlanHandle,
  WorkflowEnvironment,
  approval,
  gate,
  planInput,
  transactionInput,
  until,
} from "../support/workflow-environment.ts";
import { loseReply, neverAnswer } from "../support/workflow-world.ts";

/** Who may write when: locks in the order of asking, what a vanished holder leaves behind, and workers that restart. */

describe("locks", () => {
  let environment: WorkflowEnvironment;

  beforeAll(async () => {
    environment = await WorkflowEnvironment.local();
    await environment.startWorkers();
  });
  afterAll(() => environment.end());

  /** A plan of this name for devices that other plans share. */
  const plan = (name: string, devices: readonly string[]): Promise<PlanHandle> =>
    environment.waitingPlan(planInput({ name, devices: [], source: { devices, keys: [] } }));
  const approve = (handle: PlanHandle, name: string) =>
    handle.executeUpdate(Message.approve, { args: [approval(name)] });
  const transactionLines = (...names: string[]) =>
    environment.world.log.filter((line) =>
      names.some((name) => [`grant ${name}`, `release ${name}`, `reap ${name}`].includes(line)),
    );

  test("overlapping transactions run one after the other, in the order of asking", async () => {
    const { opened, open } = gate();
    environment.world.device("f-r2").next("prepare", async () => {
      await opened;
      return { kind: "refused", code: "DeviceRejected", message: "no", retry: "never" };
    });
    const shapes = { first: ["f-r1", "f-r2"], second: ["f-r2", "f-r3"], third: ["f-r3", "f-r4"] };
    const handles: PlanHandle[] = [];
    for (const [name, devices] of Object.entries(shapes)) handles.push(await plan(name, devices));
    for (const [index, name] of Object.keys(shapes).entries()) {
      await approve(handles[index]!, name);
      await until(`${name} stands in the queue`, () =>
        environment.world.locked().some((line) => line.startsWith(`${name} `)),
      );
    }
    // The third overlaps only the second, which waits: it is not overtaken.
    expect(environment.world.locked()).toEqual(expect.arrayContaining(["first holds", "second waits", "third waits"]));
    open();
    const results = await Promise.all(handles.map((handle) => handle.result()));
    // The first leaves its devices as they were; the second changes f-r3, so the third's plan is stale.
    expect(results.map((result) => result.state)).toEqual(["aborted", "applied", "stale"]);
    expect(transactionLines("first", "second", "third")).toEqual([
      "grant first",
      "release first",
      "grant second",
      "release second",
      "grant third",
      "release third",
    ]);
  });

  test("a cancel while it waits ends it at once, and its place in the queue is given up", async () => {
    const { opened, open } = gate();
    environment.world.device("q-r1").next("prepare", async (proceed) => {
      await opened;
      return proceed();
    });
    const [holder, waiter] = [await plan("holder", ["q-r1"]), await plan("waiter", ["q-r1", "q-r2"])];
    const behind = await plan("behind", ["q-r2"]);
    await approve(holder, "holder");
    await until("the holder prepares", () => environment.world.log.includes("prepare q-r1"));
    await approve(waiter, "waiter");
    await until("the waiter waits", () => environment.world.locked().includes("waiter waits"));
    await approve(behind, "behind");
    await until("the third waits behind it", () => environment.world.locked().includes("behind waits"));
    await expect(
      waiter.executeUpdate(Message.cancel, { args: [{ actor: "ada", comment: undefined }] }),
    ).resolves.toMatchObject({ kind: "accepted" });
    await expect(waiter.result()).resolves.toMatchObject({ state: "cancelled" });
    await expect(behind.result()).resolves.toMatchObject({ state: "applied" });
    expect(environment.world.locked()).toContain("holder holds");
    open();
    await expect(holder.result()).resolves.toMatchObject({ state: "applied" });
  });

  test("a holder terminated while devices stand provisionally: the next one decides abort and settles them first", async () => {
    environment.world.device("t-r2").next("prepare", neverAnswer);
    const [gone, next] = [await plan("gone", ["t-r1", "t-r2"]), await plan("next", ["t-r1"])];
    await approve(gone, "gone");
    await until("t-r1 stands provisionally", () => environment.world.device("t-r1").pending !== undefined);
    await approve(next, "next");
    await until("the next one waits", () => environment.world.locked().includes("next waits"));
    await environment.client.workflow.getHandle("apply/gone").terminate();
    await expect(next.result()).resolves.toMatchObject({ state: "applied" });
    expect(environment.world.decision("gone")).toBe("abort");
    const lines = environment.world.log.filter((line) => /^(prepare|cancel|confirm) t-r1$/.test(line));
    expect(lines).toEqual(["prepare t-r1", "cancel t-r1", "prepare t-r1", "confirm t-r1"]);
    expect(environment.world.log.filter((line) => line === "cancel t-r2")).toHaveLength(1);
    await expect(gone.result()).resolves.toMatchObject({ state: "partial" });
  });

  test("a holder terminated after its decision: the next one confirms what it left", async () => {
    const { opened, open } = gate();
    environment.world.device("d-r1").next("confirm", async () => {
      await opened;
      loseReply();
    });
    const [decided, next] = [await plan("decided", ["d-r1"]), await plan("heir", ["d-r1"])];
    await approve(decided, "decided");
    await until("it is decided", () => environment.world.log.includes("confirm d-r1"));
    await approve(next, "heir");
    await until("the next one waits", () => environment.world.locked().includes("heir waits"));
    await environment.client.workflow.getHandle("apply/decided").terminate();
    open();
    // What it planned on is no longer there, because the earlier change was completed.
    await expect(next.result()).resolves.toMatchObject({ state: "stale" });
    expect(environment.world.device("d-r1")).toMatchObject({ running: "after", pending: undefined });
  });
});

describe("devices that do not answer for a long time", () => {
  let environment: WorkflowEnvironment;

  beforeAll(async () => {
    environment = await WorkflowEnvironment.timeSkipping();
    environment.world.isClosed = () => Promise.resolve(false);
    await environment.startWorkers();
  });
  afterAll(() => environment.end());

  const silent = (): never => {
    throw ApplicationFailure.nonRetryable("no route", "CapabilityMissing");
  };
  /** Time is skipped while this waits. */
  const run = (name: string, devices: readonly string[]): Promise<ApplyTransactionResult> =>
    environment.temporal.client.workflow.execute("applyTransaction", {
      workflowId: `apply/${name}`,
      taskQueue: TaskQueue.workflows,
      args: [transactionInput(name, devices)],
    });

  test("after the decision it is asked for about an hour; then its outcome is unknown, and the other's is not", async () => {
    for (let times = 0; times < 19; times += 1) environment.world.device("hour-r1").next("confirm", silent);
    const result = await run("hour", ["hour-r1", "hour-r2"]);
    const { startTime, closeTime } = await environment.client.workflow.getHandle("apply/hour").describe();
    const minutes = ((closeTime?.getTime() ?? 0) - startTime.getTime()) / 60_000;
    expect(result).toMatchObject({
      kind: "partial",
      outcomes: [{ kind: "unknown", message: "no route" }, { kind: "applied" }],
    });
    expect(minutes).toBeGreaterThan(45);
    expect(minutes).toBeLessThan(90);
  });

  test("what it left behind cannot be settled: nothing is written, and it is not forgotten", async () => {
    environment.world.leaveBehind("earlier", ["left-r1"]);
    const device = environment.world.device("left-r1");
    for (let times = 0; times < 12; times += 1) device.next("cancel", silent);
    device.next("observe", silent);
    const result = await run("later", ["left-r1"]);
    expect(result).toMatchObject({ kind: "aborted", outcomes: [{ kind: "not-applied" }] });
    expect(result.reason).toContain("left-r1 does not answer, and transaction earlier may have left something on it");
    expect(environment.world.log.filter((line) => line === "prepare left-r1")).toEqual([]);
    // Its locks go on, once it is closed, to somebody who settles.
    expect(environment.world.locked()).toContain("later holds");
    environment.world.isClosed = () => Promise.resolve(true);
    await expect(run("last", ["left-r1"])).resolves.toMatchObject({ kind: "applied" });
    expect(device).toMatchObject({ running: "after", pending: undefined });
  });
});

test("workers that stop and start again at any wait go on where they were", async () => {
  const environment = await WorkflowEnvironment.local();
  try {
    await environment.startWorkers({ cache: "none" });
    const restart = async (): Promise<void> => {
      await environment.stopWorkers();
      await environment.startWorkers({ cache: "none" });
    };
    const { world } = environment;
    const handle = await environment.waitingPlan(planInput({ name: "restart", devices: ["r1", "r2"] }));
    // While it waits for a person.
    await restart();
    world
      .device("restart-r1")
      .next("prepare", () => ({ kind: "refused", code: "LockDenied", message: "held", retry: "later" }));
    world.device("restart-r1").next("confirm", (proceed) => {
      proceed();
      loseReply();
    });
    await handle.executeUpdate(Message.approve, { args: [approval("restart")] });
    // While one device stands provisionally and the other is waited for.
    await until("r2 stands provisionally", () => world.device("restart-r2").pending !== undefined);
    await restart();
    // While a confirmation is sent again.
    await until("it is decided", () => world.log.includes("confirm restart-r1"));
    await restart();
    await expect(handle.result()).resolves.toMatchObject({
      state: "applied",
      outcomes: [{ kind: "applied" }, { kind: "applied" }],
    });
    expect(world.log.filter((line) => line.startsWith("commit"))).toHaveLength(1);
    expect(world.log.filter((line) => line === "prepare restart-r2")).toHaveLength(1);
  } finally {
    await environment.end();
  }
});
