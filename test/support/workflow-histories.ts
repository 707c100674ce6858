/**
 * The runs whose histories are kept in `test/replay/` and must still replay after every change of a workflow. Recorded
 * anew by `UPDATE_HISTORIES=1 npx vitest run --project integration test/replay`: only for a new case, or when no running
 * workflow can be older than the change; a change that old histories do not survive needs a patch.
 */
import { readFileSync, readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { ApplicationFailure } from "@temporalio/common";
import { Message } from "../../contract/messages.ts";
import { TaskQueue } from "../../contract/task-queue.ts";
import { WorkflowName } from "../../contract/workflows.ts";
import { WorkflowEnvironment, approval, gate, planInput, until } from "./workflow-environment.ts";
import { loseReply } from "./workflow-world.ts";

const folder = join(import.meta.dirname, "..", "replay");

export interface RecordedHistory {
  /** Workflow and behaviour, such as `apply-transaction-prepare-lost`. */
  readonly name: string;
  readonly workflowId: string;
  /** Temporal's own JSON form. */
  readonly history: { readonly events: readonly object[] };
}

export function readHistories(): readonly RecordedHistory[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => {
    const history = JSON.parse(readFileSync(join(folder, file), "utf8")) as RecordedHistory["history"];
    const [started] = history.events as readonly {
      readonly workflowExecutionStartedEventAttributes?: { readonly workflowId?: string };
    }[];
    const workflowId = started?.workflowExecutionStartedEventAttributes?.workflowId;
    if (workflowId === undefined) throw new Error(`${file} does not begin with the start of a workflow`);
    return { name: file.slice(0, -".json".length), workflowId, history };
  });
}

/** Runs every case on a real server and writes the histories. */
export async function recordHistories(): Promise<void> {
  const environment = await WorkflowEnvironment.local();
  try {
    await environment.startWorkers();
    await Promise.all(
      readdirSync(folder)
        .filter((file) => file.endsWith(".json"))
        .map((file) => rm(join(folder, file))),
    );
    for (const record of cases) {
      for (const [name, workflowId] of Object.entries(await record(environment))) {
        const handle = environment.client.workflow.getHandle(workflowId);
        await until(`${workflowId} ends`, async () => (await handle.describe()).status.name !== "RUNNING");
        await writeFile(join(folder, `${name}.json`), anonymous(historyToJSON(await handle.fetchHistory())));
      }
    }
  } finally {
    await environment.end();
  }
}

/** Who ran it, and where, is nobody's business; stacks name folders of the machine. */
function anonymous(json: string): string {
  const clean = JSON.parse(json, (key, value: unknown) => {
    if (key === "stackTrace") return "";
    if (key === "identity") return "worker";
    return typeof value === "string" && /^\d+@/.test(value) ? "worker" : value;
  }) as unknown;
  return `${JSON.stringify(clean)}\n`;
}

type Case = (environment: WorkflowEnvironment) => Promise<Readonly<Record<string, string>>>;

const approvedPlan: Case = async (environment) => {
  await (await environment.approvedPlan(planInput({ name: "happy", devices: ["r1", "r2"] }))).result();
  return { "plan-and-apply-all-or-nothing": "plan/happy", "apply-transaction-applied": "apply/happy" };
};

const perDevice: Case = async (environment) => {
  const handle = await environment.waitingPlan(
    planInput({ name: "each", devices: ["r1", "r2"], policy: "per-device" }),
  );
  environment.world.device("each-r2").running = "other";
  await handle.signal(Message.approve, approval("each"));
  await handle.result();
  return { "plan-and-apply-per-device-by-signal": "plan/each", "apply-transaction-stale": "apply/each/each-r2" };
};

const lostPrepare: Case = async (environment) => {
  const device = environment.world.device("lost-r1");
  device.next("prepare", (proceed) => {
    proceed();
    loseReply();
  });
  await (await environment.approvedPlan(planInput({ name: "lost", devices: ["r1", "r2"] }))).result();
  return { "apply-transaction-prepare-lost": "apply/lost" };
};

const refused: Case = async (environment) => {
  environment.world
    .device("refused-r1")
    .next("prepare", () => ({ kind: "refused", code: "DeviceRejected", message: "no", retry: "never" }));
  await (await environment.approvedPlan(planInput({ name: "refused", devices: ["r1", "r2"] }))).result();
  return { "apply-transaction-aborted": "apply/refused" };
};

const revertedTwice: Case = async (environment) => {
  const device = environment.world.device("reverted-r1");
  for (let times = 0; times < 2; times += 1)
    device.next("confirm", (proceed) => {
      device.revert();
      return proceed();
    });
  await (await environment.approvedPlan(planInput({ name: "reverted", devices: ["r1", "r2"] }))).result();
  return { "plan-and-apply-partial": "plan/reverted", "apply-transaction-reverted-twice": "apply/reverted" };
};

const cancelledInPrepare: Case = async (environment) => {
  const { opened, open } = gate();
  environment.world.device("cancel-r1").next("prepare", async (proceed) => {
    const result = proceed();
    await opened;
    return result;
  });
  const handle = await environment.approvedPlan(planInput({ name: "cancel", devices: ["r1"] }));
  await until("it stands provisionally", () => environment.world.device("cancel-r1").pending !== undefined);
  await handle.executeUpdate(Message.cancel, { args: [{ actor: "ada", comment: "not today" }] });
  open();
  await handle.result();
  return { "plan-and-apply-cancelled": "plan/cancel", "apply-transaction-cancelled": "apply/cancel" };
};

const cancelledByTemporal: Case = async (environment) => {
  const handle = await environment.waitingPlan(planInput({ name: "native", devices: ["r1"] }));
  await handle.cancel();
  await handle.result();
  return { "plan-and-apply-cancelled-by-temporal": "plan/native" };
};

const inherited: Case = async (environment) => {
  environment.world.leaveBehind("earlier", ["heir-r1"]);
  environment.world
    .device("heir-r1")
    .next("plan", () => ({ section: "before->after", operations: 1, observation: "seen-before" }));
  await (await environment.approvedPlan(planInput({ name: "heir", devices: ["r1"] }))).result();
  return { "apply-transaction-inherited": "apply/heir" };
};

const heldThenRejected: Case = async (environment) => {
  const handle = await environment.waitingPlan(planInput({ name: "held", devices: ["r1"] }));
  await handle.signal<[unknown]>(Message.approve, "yes");
  await handle.executeUpdate(Message.approve, { args: [approval("held", "hold")] });
  await handle.executeUpdate(Message.reject, { args: [{ actor: "grace", comment: undefined }] });
  await handle.result();
  return { "plan-and-apply-held-rejected": "plan/held" };
};

const others: Case = async (environment) => {
  const { client, world } = environment;
  const run = (name: string, workflowId: string, input: object) =>
    client.workflow.execute(name, { workflowId, taskQueue: TaskQueue.workflows, args: [input] });
  const reference = await world.graphActivities().deviceReference({ device: "edge-r1" });
  await run(WorkflowName.addDevice, "device/edge-r1", {
    submission: "s1",
    device: reference,
    actor: "ada",
    modules: undefined,
  });
  world.device("edge-r2").next("observe", () => {
    throw ApplicationFailure.nonRetryable("no route", "HostKey");
  });
  await run(WorkflowName.importDevices, "import/s2", {
    submission: "s2",
    devices: ["edge-r1", "edge-r2"],
    actor: "ada",
    mode: "record",
    empty: "refuse",
  });
  await run(WorkflowName.checkDrift, "drift/s3", { submission: "s3", devices: ["edge-r1", "edge-r2"], actor: "ada" });
  const change = {
    submission: { kind: "put", document: "edge-r1" },
    actor: "ada",
    options: planInput({ name: "", devices: [] }).options,
    timing: undefined,
  };
  await run(WorkflowName.changeService, "change/s4", { ...change, submissionId: "s4", plan: "p4", mode: "record" });
  const planned = run(WorkflowName.changeService, "change/s5", {
    ...change,
    submissionId: "s5",
    plan: "p5",
    mode: "plan",
  });
  await environment.untilState("p5", "waiting");
  await client.workflow.getHandle("plan/p5").executeUpdate(Message.approve, { args: [approval("p5")] });
  await planned;
  return {
    "add-device": "device/edge-r1",
    "import-devices-one-silent": "import/s2",
    "check-drift": "drift/s3",
    "change-service-record": "change/s4",
    "change-service-plan": "change/s5",
  };
};

const cases: readonly Case[] = [
  approvedPlan,
  perDevice,
  lostPrepare,
  refused,
  revertedTwice,
  cancelledInPrepare,
  cancelledByTemporal,
  inherited,
  heldThenRejected,
  others,
];
