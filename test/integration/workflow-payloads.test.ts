import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Context } from "@temporalio/activity";
import { Client, WorkflowFailedError, type WorkflowHandle } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FailureType } from "../../contract/failure.ts";
import { MAX_PAYLOAD_BYTES } from "../../contract/payload-converter.ts";
import { WorkflowName } from "../../contract/workflows.ts";
import { buildWorkflowBundle } from "../../worker/build-workflow-bundle.ts";
import { dataConverterPaths } from "../../worker/data-converter.ts";
import { WorkflowEnvironment, until } from "../support/workflow-environment.ts";
import type { ProbeActivities } from "../support/workflow-payload-probes.ts";

/** Each kind of payload with a real server, once as it fits and once too large: refused or cut, and never a hang. */

const FITS = MAX_PAYLOAD_BYTES - 1000;
const TOO_LARGE = MAX_PAYLOAD_BYTES + 1;
/** More than a server takes in one message: without a guard every one of these would be retried for ever. */
const FAR_TOO_LARGE = 5_000_000;

let environment: WorkflowEnvironment;
let folder: string;
let worker: Worker;
let ended: Promise<void>;
let attempts = 0;

const activities: ProbeActivities = {
  takeText: (text) => Promise.resolve(text.length),
  giveText: (size) => Promise.resolve("x".repeat(size)),
  failWith: (size) => {
    const diagnostics = Array.from({ length: 40 }, () => "x".repeat(size / 40));
    return Promise.reject(
      ApplicationFailure.nonRetryable("x".repeat(size), "Probe", { diagnostics, omitted: 2 }, "x".repeat(size)),
    );
  },
  heartbeatWith: async (size) => {
    attempts += 1;
    const context = Context.current();
    context.heartbeat("x".repeat(size));
    if (size > MAX_PAYLOAD_BYTES) await context.cancelled;
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenure-payloads-"));
  environment = await WorkflowEnvironment.local();
  const codePath = await buildWorkflowBundle({
    workflowsPath: join(import.meta.dirname, "..", "support", "workflow-payload-probes.ts"),
    outputPath: join(folder, "bundle.js"),
  });
  worker = await Worker.create({
    connection: environment.temporal.nativeConnection,
    taskQueue: "probes",
    workflowBundle: { codePath },
    dataConverter: dataConverterPaths,
    activities: { ...activities },
  });
  ended = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await ended;
  await environment.end();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
function start(name: string, ...args: unknown[]): Promise<WorkflowHandle> {
  count += 1;
  return environment.client.workflow.start(name, { workflowId: `probe-${count}`, taskQueue: "probes", args });
}

/** The innermost failure of a workflow that has to end; a hang fails here, within the poll's limit. */
async function failureOf(handle: WorkflowHandle): Promise<ApplicationFailure> {
  await until(`${handle.workflowId} ends`, async () => (await handle.describe()).status.name !== "RUNNING");
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  let at = error;
  while (at instanceof Error && at.cause !== undefined) at = at.cause;
  if (at instanceof ApplicationFailure) return at;
  throw new Error(`${handle.workflowId} did not end by a failure of the application`, { cause: at });
}

describe.concurrent("too large", () => {
  test.for(["activityInput", "activityResult", "workflowResult", "childInput"])(
    "%s: fits, or fails by name",
    async (name, { expect }) => {
      await expect((await start(name, FITS)).result()).resolves.toBeDefined();
      for (const size of [TOO_LARGE, FAR_TOO_LARGE]) {
        const failure = await failureOf(await start(name, size));
        expect(failure).toMatchObject({ type: FailureType.payloadTooLarge, nonRetryable: true });
        expect(failure.message).toMatch(/^a string for .* takes \d+ bytes; the limit is 262144/);
      }
    },
  );

  test("workflow input: our client does not send it", async () => {
    await expect((await start("workflowInput", "x".repeat(FITS))).result()).resolves.toBe(FITS);
    await expect(start("workflowInput", "x".repeat(TOO_LARGE))).rejects.toMatchObject({
      type: FailureType.payloadTooLarge,
    });
  });

  test("query result, update result, update argument: the caller hears it, and the workflow lives", async () => {
    const handle = await start("listener");
    await expect(handle.query("text", FITS)).resolves.toHaveLength(FITS);
    await expect(handle.query("text", FAR_TOO_LARGE)).rejects.toThrow(/takes \d+ bytes/);
    const update = (text: number, answer: number) =>
      handle.executeUpdate<string, [string, number]>("text", { args: ["x".repeat(text), answer] });
    await expect(update(FITS, FITS)).resolves.toHaveLength(FITS + `${FITS} `.length);
    await expect(update(1, FAR_TOO_LARGE)).rejects.toMatchObject({ cause: { type: FailureType.payloadTooLarge } });
    await expect(update(TOO_LARGE, 1)).rejects.toMatchObject({ type: FailureType.payloadTooLarge });
    await handle.signal("end", "x".repeat(FITS));
    await expect(handle.result()).resolves.toBe(`${FITS} characters`);
  });

  test("signal: neither our client nor a workflow sends it; a foreign client's is received", async () => {
    const handle = await start("listener");
    await expect(handle.signal("end", "x".repeat(TOO_LARGE))).rejects.toMatchObject({
      type: FailureType.payloadTooLarge,
    });
    expect(await failureOf(await start("signalToOther", TOO_LARGE, handle.workflowId))).toMatchObject({
      type: FailureType.payloadTooLarge,
    });
    const foreign = new Client({ connection: environment.temporal.connection });
    await foreign.workflow.getHandle(handle.workflowId).signal("end", "x".repeat(TOO_LARGE));
    await expect(handle.result()).resolves.toBe(`${TOO_LARGE} characters`);
  });

  test("an activity's failure is cut: message, details, and the diagnostics that fit", async () => {
    const whole = await failureOf(await start("activityFailure", 4_000));
    expect(whole.message).toHaveLength(4_000);
    expect(whole.details).toEqual([
      { diagnostics: Array.from({ length: 40 }, () => "x".repeat(100)), omitted: 2 },
      "x".repeat(4_000),
    ]);
    const cut = await failureOf(await start("activityFailure", 200_000));
    expect(cut.message).toMatch(/^x{3960} … \(196040 more characters\)$/);
    const [first, second] = cut.details as readonly {
      readonly diagnostics?: readonly string[];
      readonly omitted?: number;
      readonly kind?: string;
    }[];
    expect(first?.diagnostics).toHaveLength(5);
    expect(first?.omitted).toBe(37);
    expect(second?.kind).toBe("cut");
    expect((await failureOf(await start("activityFailure", FAR_TOO_LARGE))).type).toBe("Probe");
  });

  test("a workflow's failure is cut", async () => {
    const failure = await failureOf(await start("workflowFailure", FAR_TOO_LARGE));
    expect(failure.type).toBe("Probe");
    expect(failure.message.length).toBeLessThanOrEqual(4_000);
    expect(failure.details).toMatchObject([{ kind: "cut" }, { diagnostics: [], omitted: 2 }]);
  });

  test("heartbeat details: the activity fails at its first attempt", async () => {
    await (await start("heartbeatDetails", FITS)).result();
    attempts = 0;
    const failure = await failureOf(await start("heartbeatDetails", TOO_LARGE));
    expect(failure.message).toContain("HEARTBEAT_DETAILS_CONVERSION_FAILED");
    expect(attempts).toBe(1);
  });
});

describe.concurrent("unreadable", () => {
  const payloads = [{ metadata: { encoding: Buffer.from("binary/other") }, data: Buffer.from("0101") }];
  const send = (workflow: string, taskQueue: string) =>
    environment.client.workflowService.startWorkflowExecution({
      namespace: "default",
      requestId: workflow,
      workflowId: `unreadable-${workflow}`,
      workflowType: { name: workflow },
      taskQueue: { name: taskQueue },
      input: { payloads },
    });

  test("workflow input fails the workflow", async () => {
    await send("workflowInput", "probes");
    const failure = await failureOf(environment.client.workflow.getHandle("unreadable-workflowInput"));
    expect(failure).toMatchObject({
      type: FailureType.invalidArgument,
      message: expect.stringContaining("binary/other") as string,
    });
  });

  test("a signal is a value that the handler can tell", async () => {
    const handle = await start("listener");
    await environment.client.workflowService.signalWorkflowExecution({
      namespace: "default",
      workflowExecution: { workflowId: handle.workflowId },
      signalName: "end",
      input: { payloads },
    });
    expect(JSON.parse((await handle.result()) as string)).toMatchObject({
      kind: "undecodable",
      encoding: "binary/other",
    });
  });

  test("the product's own workflows have the same guards", async () => {
    await environment.startWorkers();
    await send(WorkflowName.planAndApply, "tenure-workflows");
    const failure = await failureOf(environment.client.workflow.getHandle(`unreadable-${WorkflowName.planAndApply}`));
    expect(failure.message).toContain("the input of planAndApply cannot be read (binary/other)");
  });
});
