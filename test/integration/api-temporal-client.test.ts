/** The client adapter against a real Temporal server and the product's own workflows; activities are the test's. */
import { ApplicationFailure } from "@temporalio/common";
import type { TestWorkflowEnvironment } from "@temporalio/testing";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { register } from "tsx/cjs/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApprovalVerdict } from "../../contract/activities.ts";
import { FailureType } from "../../contract/failure.ts";
import { Message } from "../../contract/messages.ts";
import { SEARCH_ATTRIBUTES, TaskQueue } from "../../contract/task-queue.ts";
import { DEFAULT_TIMING, type PlanAndApplyInput } from "../../contract/workflows.ts";
import { connectTemporal } from "../../runtime/temporal-client.ts";
import { type StartRequest, type TemporalPort, TemporalUnavailableError } from "../../runtime/temporal-port.ts";
import { workflowBundlePath } from "../../worker/build-workflow-bundle.ts";
import { dataConverterPaths } from "../../worker/data-converter.ts";
import { createLocalTemporal } from "../support/temporal.ts";

// The SDK loads converters by `require`, which on Node 20 reads TypeScript only with help.
register();
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger("ERROR"),
  telemetryOptions: { logging: { forward: {}, filter: "ERROR" } },
});

const DIGEST = "d".repeat(64);
const diagnostics = [{ code: "unknown-path", severity: "error", message: "no such node", places: [] }] as const;

let environment: TestWorkflowEnvironment;
let temporal: TemporalPort;
let workers: readonly Worker[] = [];
let runs: Promise<unknown> = Promise.resolve();
let verdict: ApprovalVerdict = { kind: "approved" };

beforeAll(async () => {
  environment = await createLocalTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
  temporal = await connectTemporal({
    address: environment.address,
    ui: "http://127.0.0.1:1",
    ...dataConverterPaths,
    updateTimeoutMs: 3000,
  });
});

afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await runs;
  await temporal.close();
  await environment.teardown();
});

/** The graph side of a plan for one device, and a compiler that refuses everything. */
async function startWorkers(): Promise<void> {
  const activities = {
    planTarget: () => Promise.resolve({ device: { id: "d-1", name: "r1" } }),
    planDevice: () => Promise.resolve({ section: "s", operations: 1, observation: "o" }),
    storePlan: () => Promise.resolve({ digest: DIGEST, operations: 1, nothingToDo: false }),
    recordPlanState: () => Promise.resolve(),
    journalApproval: () => Promise.resolve(verdict),
    journalRefusal: () => Promise.resolve(),
    compileProposal: () =>
      Promise.reject(
        ApplicationFailure.create({
          message: "1 error",
          type: FailureType.refused,
          nonRetryable: true,
          details: [{ diagnostics, omitted: 3 }],
        }),
      ),
  };
  const common = { connection: environment.nativeConnection, dataConverter: dataConverterPaths };
  workers = await Promise.all([
    Worker.create({ ...common, taskQueue: TaskQueue.workflows, workflowBundle: { codePath: workflowBundlePath } }),
    Worker.create({ ...common, taskQueue: TaskQueue.control, activities }),
    Worker.create({ ...common, taskQueue: TaskQueue.devices, activities }),
  ]);
  runs = Promise.all(workers.map((worker) => worker.run()));
}

function plan(id: string): Extract<StartRequest, { readonly workflow: "planAndApply" }> {
  const input: PlanAndApplyInput = {
    plan: id,
    actor: "tester",
    source: { kind: "drift", direction: "enforce", devices: ["d-1"], paths: [] },
    options: { policy: "per-device", includeDrift: "leave", unrelated: "refuse" },
    timing: DEFAULT_TIMING,
  };
  return { workflow: "planAndApply", id: `plan/${id}`, input, reuse: "once" };
}

const approve = (id: string, updateId: string, digest = DIGEST) =>
  temporal.update({
    id: `plan/${id}`,
    name: Message.approve,
    updateId,
    args: { digest, approver: "bob", comment: undefined, hold: "hold" },
  });

const waiting = (id: string) =>
  expect
    .poll(() => temporal.query({ id: `plan/${id}`, name: Message.progress }), { timeout: 30_000, interval: 200 })
    .toMatchObject({ state: "waiting", digest: DIGEST });

test("nobody listening is told as such", async () => {
  await expect(connectTemporal({ address: "127.0.0.1:1", connectTimeoutMs: 500 })).rejects.toBeInstanceOf(
    TemporalUnavailableError,
  );
});

test("without a worker: started once, running, no answer to updates and queries in time", async () => {
  expect(await temporal.state("plan/none")).toBeUndefined();
  expect(await temporal.start(plan("p-1"))).toEqual({ kind: "started" });
  expect(await temporal.start(plan("p-1"))).toEqual({ kind: "already-started" });
  expect(await temporal.state("plan/p-1")).toEqual({ kind: "running" });
  expect(await approve("p-1", "early")).toEqual({ kind: "unanswered" });
  expect(await temporal.query({ id: "plan/p-1", name: Message.progress })).toBeUndefined();
  expect(await approve("none", "u")).toEqual({ kind: "closed" });
});

test("an update that nobody answered in time is taken later, and its id then gives the answer", async () => {
  await startWorkers();
  const accepted = { kind: "answered", answer: { kind: "accepted", state: "held" } };
  await expect.poll(() => approve("p-1", "early"), { timeout: 30_000, interval: 200 }).toEqual(accepted);
});

test("with workers: the validator's no, the activity's no, the same answer to the same id, and a yes", async () => {
  await temporal.start(plan("p-4"));
  await waiting("p-4");
  expect(await approve("p-4", "u0", "e".repeat(64))).toMatchObject({
    kind: "rejected",
    code: "wrong-digest",
    message: expect.stringContaining(DIGEST) as unknown,
  });
  verdict = { kind: "refused", code: "author", message: "another person has to approve it" };
  const refused = { kind: "answered", answer: verdict };
  expect(await approve("p-4", "u1")).toEqual(refused);
  verdict = { kind: "approved" };
  expect(await approve("p-4", "u1")).toEqual(refused);
  expect(await approve("p-4", "u2")).toEqual({ kind: "answered", answer: { kind: "accepted", state: "held" } });
});

test("a plan that has ended answers closed, its state its result, and its id is used up", async () => {
  await temporal.start(plan("p-2"));
  await waiting("p-2");
  const reject = () =>
    temporal.update({
      id: "plan/p-2",
      name: Message.reject,
      updateId: `r-${String(performance.now())}`,
      args: { actor: "bob", comment: "no" },
    });
  expect(await reject()).toEqual({ kind: "answered", answer: { kind: "accepted", state: "rejected" } });
  await expect
    .poll(() => temporal.state("plan/p-2"))
    .toMatchObject({ kind: "completed", result: { plan: "p-2", state: "rejected" } });
  expect(await reject()).toEqual({ kind: "closed" });
  expect(await temporal.start(plan("p-2"))).toEqual({ kind: "already-started" });
});

test("a failure keeps its code, words and diagnostics through the wrappers; a terminated run says so", async () => {
  const { options, timing } = plan("x").input;
  const input = {
    submissionId: "s-1",
    plan: "p-3",
    submission: { kind: "remove", service: "mtu" },
    actor: "tester",
    mode: "plan",
    options,
    timing,
  } as const;
  await temporal.start({ workflow: "changeService", id: "change/s-1", input, reuse: "once" });
  await expect
    .poll(() => temporal.state("change/s-1"), { timeout: 30_000, interval: 200 })
    .toEqual({
      kind: "failed",
      failure: { code: FailureType.refused, message: "1 error", details: { diagnostics, omitted: 3 } },
    });
  await environment.client.workflow.getHandle("plan/p-1").terminate("test");
  await expect
    .poll(() => temporal.state("plan/p-1"))
    .toMatchObject({ kind: "failed", failure: { code: "Terminated" } });
});
