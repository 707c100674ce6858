import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DecisionArgs, Message } from "../../contract/messages.ts";
import type { PlanResult } from "../../contract/workflows.ts";
import {
  type PlanHandle,
  type PlanShape,
  WorkflowEnvironment,
  approval,
  gate,
  planInput,
  until,
} from "../support/workflow-environment.ts";
import { loseReply, neverAnswer } from "../support/workflow-world.ts";

/** What a transaction does when devices refuse, fall silent, revert, or a person cancels. Tests share one server. */

let environment: WorkflowEnvironment;

beforeAll(async () => {
  environment = await WorkflowEnvironment.local();
  await environment.startWorkers();
});
afterAll(() => environment.end());

const approved = (shape: PlanShape): Promise<PlanHandle> => environment.approvedPlan(planInput(shape));

/** `r1 applied`: each device's outcome without the plan's name. */
function outcomesOf(result: PlanResult): readonly string[] {
  return result.outcomes.map((outcome) => `${outcome.device.slice(result.plan.length + 1)} ${outcome.kind}`);
}

const device = (id: string) => environment.world.device(id);
const written = (name: string) =>
  environment.world.logOf(name).filter((line) => /^(prepare|confirm|cancel) /.test(line));

describe.concurrent("all-or-nothing", () => {
  test("three devices are prepared, decided once, confirmed, and desired state takes the change", async () => {
    const handle = await approved({ name: "happy", devices: ["r1", "r2", "r3"] });
    const result = await handle.result();
    expect(result).toMatchObject({ state: "applied", digest: "digest-happy", direction: "change" });
    expect(outcomesOf(result)).toEqual(["r1 applied", "r2 applied", "r3 applied"]);
    expect(result.revision).toBeTypeOf("number");
    for (const name of ["r1", "r2", "r3"])
      expect(device(`happy-${name}`)).toMatchObject({ running: "after", pending: undefined });
    const log = environment.world.logOf("happy");
    const decided = log.findIndex((line) => line.startsWith("decide"));
    expect(log.slice(0, decided).filter((line) => line.startsWith("prepare"))).toHaveLength(3);
    expect(log.slice(decided).filter((line) => line.startsWith("confirm"))).toHaveLength(3);
    expect(log.filter((line) => line.startsWith("commit"))).toHaveLength(1);
    expect(environment.world.plan("happy").states).toEqual(["waiting", "applying", "applied"]);
    expect(environment.world.locked().filter((line) => line.includes("happy"))).toEqual([]);
  });

  test("one device refuses: the others are taken back, nothing is confirmed, there is no revision", async () => {
    device("refuse-r2").next("prepare", () => ({
      kind: "refused",
      code: "DeviceRejected",
      message: "mtu too large",
      retry: "never",
    }));
    const result = await (await approved({ name: "refuse", devices: ["r1", "r2", "r3"] })).result();
    expect(result).toMatchObject({ state: "aborted" });
    expect(result.revision).toBeUndefined();
    expect(outcomesOf(result)).toEqual(["r1 rolled-back", "r2 not-applied", "r3 rolled-back"]);
    expect(environment.world.plan("refuse").reason).toBe("refuse-r2: mtu too large");
    expect(written("refuse").filter((line) => line.startsWith("confirm"))).toEqual([]);
    for (const name of ["r1", "r2", "r3"])
      expect(device(`refuse-${name}`)).toMatchObject({ running: "before", pending: undefined });
    expect(environment.world.logOf("refuse").filter((line) => line.startsWith("commit"))).toEqual([]);
  });

  test("what a device shows is not what was planned: its change is taken back", async () => {
    device("differs-r1").next("prepare", (proceed) => {
      proceed();
      return {
        kind: "unverified",
        readBack: "seen",
        differences: [{ path: "/text", expected: "after", found: "afterwards" }],
      };
    });
    const result = await (await approved({ name: "differs", devices: ["r1"] })).result();
    expect(outcomesOf(result)).toEqual(["r1 rolled-back"]);
    expect(environment.world.plan("differs")).toMatchObject({
      state: "aborted",
      reason: expect.stringContaining("/text (expected after, found afterwards)") as string,
    });
    expect(device("differs-r1").running).toBe("before");
  });

  test("a prepare whose reply is lost is cancelled by its id, proven clean, and prepared again", async () => {
    device("lost-r1").next("prepare", (proceed) => {
      proceed();
      loseReply();
    });
    const result = await (await approved({ name: "lost", devices: ["r1", "r2"] })).result();
    expect(outcomesOf(result)).toEqual(["r1 applied", "r2 applied"]);
    expect(written("lost").filter((line) => line.endsWith("r1"))).toEqual([
      "prepare r1",
      "cancel r1",
      "prepare r1",
      "confirm r1",
    ]);
  });

  test("a prepare that never answers is noticed by its heartbeat time-out, and then the same", async () => {
    device("silent-r1").next("prepare", (proceed) => {
      proceed();
      neverAnswer();
    });
    const result = await (await approved({ name: "silent", devices: ["r1"] })).result();
    expect(outcomesOf(result)).toEqual(["r1 applied"]);
    expect(written("silent")).toEqual(["prepare r1", "cancel r1", "prepare r1", "confirm r1"]);
  });

  test("a lock denied by the device is waited for", async () => {
    device("denied-r1").next("prepare", () => ({
      kind: "refused",
      code: "LockDenied",
      message: "held by 7",
      retry: "later",
    }));
    const result = await (await approved({ name: "denied", devices: ["r1"] })).result();
    expect(outcomesOf(result)).toEqual(["r1 applied"]);
    expect(written("denied")).toEqual(["prepare r1", "prepare r1", "confirm r1"]);
  });

  test("verified only after the deadline: a confirm is answered abort", async () => {
    const timing = { confirmWindowMs: 1_500, reserveMs: 1_000 };
    device("late-r1").next("prepare", async (proceed) => {
      const result = proceed();
      const end = Date.now() + timing.confirmWindowMs - timing.reserveMs;
      await until("the deadline has passed", () => Date.now() > end + 50);
      return result;
    });
    const result = await (await approved({ name: "late", devices: ["r1", "r2"], timing })).result();
    expect(result).toMatchObject({ state: "aborted" });
    expect(result.revision).toBeUndefined();
    expect(outcomesOf(result)).toEqual(["r1 rolled-back", "r2 rolled-back"]);
    expect(environment.world.decision("late")).toBe("abort");
    expect(written("late").filter((line) => line.startsWith("confirm"))).toEqual([]);
  });

  test("a device that took its commit back after the decision is applied once more", async () => {
    device("revert-r1").next("confirm", (proceed) => {
      device("revert-r1").revert();
      return proceed();
    });
    const result = await (await approved({ name: "revert", devices: ["r1", "r2"] })).result();
    expect(result.state).toBe("applied");
    expect(written("revert").filter((line) => line.endsWith("r1"))).toEqual([
      "prepare r1",
      "confirm r1",
      "prepare r1",
      "confirm r1",
    ]);
    expect(device("revert-r1")).toMatchObject({ running: "after", pending: undefined });
  });

  test("a device that takes it back twice makes the plan partial, by name; the other keeps the change", async () => {
    const revert = (proceed: () => unknown): unknown => {
      device("twice-r1").revert();
      return proceed();
    };
    device("twice-r1").next("confirm", revert);
    device("twice-r1").next("confirm", revert);
    const result = await (await approved({ name: "twice", devices: ["r1", "r2"] })).result();
    expect(result.state).toBe("partial");
    expect(result.revision).toBeTypeOf("number");
    expect(result.outcomes).toMatchObject([
      {
        device: "twice-r1",
        kind: "rolled-back",
        message: "the device took the change back twice",
        observation: "seen-before",
      },
      { device: "twice-r2", kind: "applied" },
    ]);
  });

  test("a confirm whose reply is lost is sent again", async () => {
    device("again-r1").next("confirm", (proceed) => {
      proceed();
      loseReply();
    });
    const result = await (await approved({ name: "again", devices: ["r1"] })).result();
    expect(outcomesOf(result)).toEqual(["r1 applied"]);
    expect(written("again")).toEqual(["prepare r1", "confirm r1", "confirm r1"]);
  });

  test("refused credentials after the decision are tried once, and the outcome is unknown", async () => {
    device("account-r1").next("confirm", () => {
      throw ApplicationFailure.nonRetryable("password refused", "AuthenticationFailed");
    });
    const result = await (await approved({ name: "account", devices: ["r1"] })).result();
    expect(result).toMatchObject({ state: "partial", outcomes: [{ kind: "unknown", message: "password refused" }] });
    expect(written("account")).toEqual(["prepare r1", "confirm r1"]);
  });

  test("one stale device at step 0: nothing is written anywhere", async () => {
    const handle = await environment.waitingPlan(planInput({ name: "stale", devices: ["r1", "r2"] }));
    device("stale-r2").running = "somebody else's";
    await handle.executeUpdate(Message.approve, { args: [approval("stale")] });
    const result = await handle.result();
    expect(result.state).toBe("stale");
    expect(outcomesOf(result)).toEqual(["r1 not-applied", "r2 not-applied"]);
    expect(written("stale")).toEqual([]);
    expect(environment.world.decision("stale")).toBeUndefined();
    expect(environment.world.plan("stale").reason).toContain("stale-r2: found somebody else's");
  });

  test("a base that changed: nothing is written anywhere", async () => {
    environment.world.staleBases.add("base");
    const result = await (await approved({ name: "base", devices: ["r1"] })).result();
    expect(result.state).toBe("stale");
    expect(written("base")).toEqual([]);
  });

  test("a device that cannot be read when the plan is made fails the plan by name", async () => {
    device("absent-r2").next("plan", () => {
      throw ApplicationFailure.nonRetryable("connection refused", "HostKey");
    });
    const handle = await environment.startPlan(planInput({ name: "absent", devices: ["r1", "r2"] }));
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "HostKey", message: "absent-r2: connection refused" },
    });
  });

  test("a transaction that is terminated leaves its devices unknown, not forgotten", async () => {
    device("killed-r1").next("prepare", neverAnswer);
    const handle = await approved({ name: "killed", devices: ["r1"] });
    await until("it prepares", () => written("killed").includes("prepare r1"));
    await environment.client.workflow.getHandle("apply/killed").terminate();
    const result = await handle.result();
    expect(result).toMatchObject({ state: "partial", outcomes: [{ device: "killed-r1", kind: "unknown" }] });
    expect(environment.world.locked()).toContain("killed holds");
  });
});

describe.concurrent("per-device", () => {
  test("each device is a transaction of its own: one stale device does not hold up the other", async () => {
    const handle = await environment.waitingPlan(
      planInput({ name: "each", devices: ["r1", "r2"], policy: "per-device" }),
    );
    device("each-r2").running = "somebody else's";
    await handle.executeUpdate(Message.approve, { args: [approval("each")] });
    const result = await handle.result();
    expect(result.state).toBe("partial");
    expect(outcomesOf(result)).toEqual(["r1 applied", "r2 not-applied"]);
    const log = environment.world.logOf("each");
    expect(log.indexOf("commit body-each")).toBeLessThan(log.indexOf("prepare r1"));
    expect(environment.world.decision("each/each-r1")).toBe("confirm");
  });

  test("no device applied, but desired state took the change: partial", async () => {
    device("none-r1").next("prepare", () => ({
      kind: "refused",
      code: "DeviceRejected",
      message: "no",
      retry: "never",
    }));
    const result = await (await approved({ name: "none", devices: ["r1"], policy: "per-device" })).result();
    expect(result).toMatchObject({ state: "partial", outcomes: [{ kind: "not-applied" }] });
    expect(result.revision).toBeTypeOf("number");
  });

  test("a device that could not be read is listed; no device at all fails the plan", async () => {
    const silent = (): never => {
      throw ApplicationFailure.nonRetryable("no route", "HostKey");
    };
    device("list-r2").next("plan", silent);
    const listed = await (await approved({ name: "list", devices: ["r1", "r2"], policy: "per-device" })).result();
    expect(listed.state).toBe("partial");
    expect(outcomesOf(listed)).toEqual(["r1 applied", "r2 not-applied"]);
    device("mute-r1").next("plan", silent);
    const mute = await environment.startPlan(planInput({ name: "mute", devices: ["r1"], policy: "per-device" }));
    await expect(mute.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining("mute-r1: no route") as string },
    });
  });

  test("a base that changed before the commit: stale, and no device is touched", async () => {
    environment.world.staleBases.add("early");
    const result = await (await approved({ name: "early", devices: ["r1"], policy: "per-device" })).result();
    expect(result).toMatchObject({ state: "stale" });
    expect(result.revision).toBeUndefined();
    expect(written("early")).toEqual([]);
  });
});

describe.concurrent("cancel", () => {
  const byAda: { args: [DecisionArgs] } = { args: [{ actor: "ada", comment: "not today" }] };

  test("before the approval: nothing happens", async () => {
    const handle = await environment.waitingPlan(planInput({ name: "before", devices: ["r1"] }));
    await expect(handle.executeUpdate(Message.cancel, byAda)).resolves.toMatchObject({ kind: "accepted" });
    await expect(handle.result()).resolves.toMatchObject({ state: "cancelled" });
    expect(environment.world.plan("before").reason).toBe("not today");
    expect(written("before")).toEqual([]);
  });

  test("during prepare: decided abort, and what stands is taken back", async () => {
    const { opened, open } = gate();
    device("during-r1").next("prepare", async (proceed) => {
      const result = proceed();
      await opened;
      return result;
    });
    const handle = await approved({ name: "during", devices: ["r1", "r2"] });
    await until("r1 stands provisionally", () => device("during-r1").pending !== undefined);
    await expect(handle.executeUpdate(Message.cancel, byAda)).resolves.toMatchObject({ kind: "accepted" });
    open();
    const result = await handle.result();
    expect(result).toMatchObject({ state: "cancelled" });
    expect(result.revision).toBeUndefined();
    expect(environment.world.decision("during")).toBe("abort");
    expect(outcomesOf(result)[0]).toBe("r1 rolled-back");
    for (const name of ["r1", "r2"])
      expect(device(`during-${name}`)).toMatchObject({ running: "before", pending: undefined });
  });

  test("after the decision: refused, and the change is applied", async () => {
    const { opened, open } = gate();
    device("decided-r1").next("confirm", async (proceed) => {
      await opened;
      return proceed();
    });
    const handle = await approved({ name: "decided", devices: ["r1"] });
    await until("it is decided", () => environment.world.decision("decided") === "confirm");
    await until("it confirms", () => written("decided").includes("confirm r1"));
    await expect(handle.executeUpdate(Message.cancel, byAda)).resolves.toMatchObject({
      kind: "refused",
      code: "decided",
    });
    open();
    await expect(handle.result()).resolves.toMatchObject({ state: "applied" });
  });

  test("Temporal's own cancel, during prepare, is the same", async () => {
    const { opened, open } = gate();
    device("native-r1").next("prepare", async (proceed) => {
      const result = proceed();
      await opened;
      return result;
    });
    const handle = await approved({ name: "native", devices: ["r1"] });
    await until("r1 stands provisionally", () => device("native-r1").pending !== undefined);
    await handle.cancel();
    await until("it is decided", () => environment.world.decision("native") === "abort");
    open();
    await expect(handle.result()).resolves.toMatchObject({ state: "cancelled", outcomes: [{ kind: "rolled-back" }] });
  });

  test("Temporal's own cancel of the transaction itself, after the decision, is ignored", async () => {
    const { opened, open } = gate();
    device("ignored-r1").next("confirm", async (proceed) => {
      await opened;
      return proceed();
    });
    const handle = await approved({ name: "ignored", devices: ["r1"] });
    await until("it is decided", () => environment.world.decision("ignored") === "confirm");
    await environment.client.workflow.getHandle("apply/ignored").cancel();
    open();
    await expect(handle.result()).resolves.toMatchObject({ state: "applied", outcomes: [{ kind: "applied" }] });
  });

  test("Temporal's own cancel of a waiting plan ends it, journalled", async () => {
    const handle = await environment.waitingPlan(planInput({ name: "idle", devices: ["r1"] }));
    await handle.cancel();
    await expect(handle.result()).resolves.toMatchObject({ state: "cancelled" });
    expect(environment.world.plan("idle").state).toBe("cancelled");
  });
});
