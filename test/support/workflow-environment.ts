/** A real Temporal server with the real workflow bundle, converters and interceptors around a `World`. */
import { setTimeout } from "node:timers/promises";
import { Client, type WorkflowHandle } from "@temporalio/client";
import type { TestWorkflowEnvironment } from "@temporalio/testing";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { register } from "tsx/cjs/api";
import { SEARCH_ATTRIBUTES, TaskQueue } from "../../contract/task-queue.ts";
import {
  type ApplyTransactionInput,
  type PlanAndApplyInput,
  type PlanResult,
  type PlanSource,
  WorkflowName,
  workflowId,
} from "../../contract/workflows.ts";
import { Message, type PlanProgress } from "../../contract/messages.ts";
import { workflowBundlePath } from "../../worker/build-workflow-bundle.ts";
import { dataConverterPaths } from "../../worker/data-converter.ts";
import { createLocalTemporal, createTimeSkippingTemporal } from "./temporal.ts";
import { World } from "./workflow-world.ts";

// The SDK loads converters by `require`, which on Node 20 reads TypeScript only with help.
register();
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger("ERROR"),
  telemetryOptions: { logging: { forward: {}, filter: "ERROR" } },
});

export class WorkflowEnvironment {
  readonly temporal: TestWorkflowEnvironment;
  readonly world = new World();
  readonly client: Client;
  #workers: readonly { readonly worker: Worker; readonly ended: Promise<void> }[] = [];

  constructor(temporal: TestWorkflowEnvironment) {
    this.temporal = temporal;
    this.client = new Client({ connection: temporal.connection, dataConverter: dataConverterPaths });
    this.world.isClosed = async (id) => (await this.client.workflow.getHandle(id).describe()).status.name !== "RUNNING";
  }

  static async local(): Promise<WorkflowEnvironment> {
    return new WorkflowEnvironment(await createLocalTemporal({ searchAttributes: SEARCH_ATTRIBUTES }));
  }

  /** Time jumps while nothing runs, and only while `inSkippedTime` awaits something. */
  static async timeSkipping(): Promise<WorkflowEnvironment> {
    return new WorkflowEnvironment(await createTimeSkippingTemporal({ searchAttributes: SEARCH_ATTRIBUTES }));
  }

  /** Without a cache every workflow task replays the whole history, as after a restart. */
  async startWorkers({ cache = "default" }: { readonly cache?: "default" | "none" } = {}): Promise<void> {
    const base = {
      connection: this.temporal.nativeConnection,
      dataConverter: dataConverterPaths,
      shutdownGraceTime: "1s",
    } as const;
    const { world } = this;
    const workers = [
      await Worker.create({
        ...base,
        taskQueue: TaskQueue.workflows,
        workflowBundle: { codePath: workflowBundlePath },
        stickyQueueScheduleToStartTimeout: "1s",
        ...(cache === "none" ? { maxCachedWorkflows: 0 } : {}),
      }),
      await Worker.create({
        ...base,
        taskQueue: TaskQueue.control,
        activities: { ...world.graphActivities(), ...world.lockActivities() },
        maxHeartbeatThrottleInterval: "200ms",
      }),
      await Worker.create({ ...base, taskQueue: TaskQueue.devices, activities: { ...world.deviceActivities() } }),
    ];
    this.#workers = workers.map((worker) => ({ worker, ended: worker.run() }));
  }

  /** After this nothing is in the cache of any worker: what goes on is replayed. */
  async stopWorkers(): Promise<void> {
    for (const { worker } of this.#workers) worker.shutdown();
    await Promise.all(this.#workers.map(({ ended }) => ended));
    this.#workers = [];
  }

  async end(): Promise<void> {
    await this.stopWorkers();
    await this.temporal.teardown();
  }

  async startPlan(input: PlanAndApplyInput): Promise<PlanHandle> {
    return this.client.workflow.start<(input: PlanAndApplyInput) => Promise<PlanResult>>(WorkflowName.planAndApply, {
      workflowId: workflowId.planAndApply(input.plan),
      taskQueue: TaskQueue.workflows,
      args: [input],
    });
  }

  /** A plan that waits for its approval. */
  async waitingPlan(input: PlanAndApplyInput): Promise<PlanHandle> {
    const handle = await this.startPlan(input);
    // Asked of the workflow, not of the journal, which is ahead of it.
    await until(
      `plan ${input.plan} waits`,
      async () => (await handle.query<PlanProgress>(Message.progress)).state === "waiting",
    );
    return handle;
  }

  async approvedPlan(input: PlanAndApplyInput): Promise<PlanHandle> {
    const handle = await this.waitingPlan(input);
    await handle.executeUpdate(Message.approve, { args: [approval(input.plan)] });
    return handle;
  }

  async untilState(plan: string, state: PlanProgress["state"]): Promise<void> {
    await until(`plan ${plan} is ${state}`, () => this.world.hasPlan(plan) && this.world.plan(plan).state === state);
  }
}

export type PlanHandle = WorkflowHandle<(input: PlanAndApplyInput) => Promise<PlanResult>>;

/** Polls; rejects after 20 s. Usable in concurrent tests, of which `expect.poll` knows only one. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within 20 s: ${what}`);
    await setTimeout(30);
  }
}

/** A door that a scripted answer waits at until the test opens it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

export interface PlanShape {
  /** Names the plan and, with a dash, its devices. */
  readonly name: string;
  readonly devices: readonly string[];
  readonly policy?: PlanAndApplyInput["options"]["policy"];
  readonly source?: Partial<Extract<PlanSource, { kind: "change" }>>;
  readonly timing?: PlanAndApplyInput["timing"];
}

/** A change of every device from `before` to `after`. */
export function planInput({ name, devices, policy = "all-or-nothing", source, timing }: PlanShape): PlanAndApplyInput {
  return {
    plan: name,
    actor: "ada",
    source: {
      kind: "change",
      proposal: `proposal-${name}`,
      body: `body-${name}`,
      devices: devices.map((device) => `${name}-${device}`),
      keys: [`instance/${name}`],
      ...source,
    },
    options: { policy, includeDrift: "leave", unrelated: "refuse" },
    timing: timing ?? { confirmWindowMs: 120_000, reserveMs: 60_000 },
  };
}

export function approval(plan: string, hold: "hold" | "start" = "start") {
  return { digest: `digest-${plan}`, approver: "grace", comment: undefined, hold } as const;
}

export function transactionInput(name: string, devices: readonly string[]): ApplyTransactionInput {
  return {
    transaction: name,
    plan: name,
    digest: `digest-${name}`,
    actor: "ada",
    direction: "change",
    devices: devices.map((device) => ({ device, section: "before->after", operations: 1 })),
    keys: [],
    body: undefined,
    unrelated: "refuse",
    timing: { confirmWindowMs: 120_000, reserveMs: 60_000 },
  };
}
