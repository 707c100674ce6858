/**
 * The whole product on loopback for one test: simulated devices in the test's own process, a Temporal server in memory,
 * a data folder, and the worker as a process of its own that may be killed and started again. The test acts through
 * the API only, as the command line does.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createApiClient } from "../../client/api-client.ts";
import type {
  ChangeOptions,
  CreatePlanRequest,
  DecisionAnswer,
  PlanDetail,
  PlanSummary,
  RunView,
  StartedDevice,
  StartedRun,
  StartedSubmission,
  StatusView,
  SubmissionView,
} from "../../contract/api.ts";
import { FINAL_PLAN_STATES, type PlanState } from "../../contract/plan-state.ts";
import { SEARCH_ATTRIBUTES } from "../../contract/task-queue.ts";
import type { AddDeviceResult, CheckDriftResult, DriftOutcome, ImportDevicesResult } from "../../contract/workflows.ts";
import type { YangSource } from "../../model/yang/compile-yang.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { type DevServer, startDevServer } from "../../runtime/temporal/dev-server.ts";
import { resolveTemporalProgram } from "../../runtime/temporal/resolve-temporal.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/simulator.ts";
import { eventually as ask } from "./eventually.ts";
import { type WorkerProcess, startWorkerProcess } from "./pipeline-process.ts";

export interface WorldDevice extends Partial<Omit<SimulatorOptions, "name" | "users">> {
  readonly name: string;
}

export interface WorldOptions {
  /** Names, or simulator options beside the name; by default the demo's modules and two Ethernet ports, eth0 and eth1. */
  readonly devices: readonly (string | WorldDevice)[];
  /** Seconds; see `transaction` in `worker/config.ts`. Default 60 and 10. */
  readonly transaction?: { readonly confirmWindow: number; readonly reserve?: number };
  /** Further settings of `config.yaml`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Who acts. */
  readonly actor?: string;
}

/** Calls that wait do so until their limit, also over a restart of the worker; each rejects when the answer is a failure. */
export interface World {
  readonly folder: string;
  readonly temporal: DevServer;
  readonly api: ApiClient;
  /** The device of that name. */
  device(name: string): Simulator;
  readonly devices: readonly Simulator[];
  /** The present life of the worker process. */
  worker(): WorkerProcess;
  /** Starts the worker again after it was killed. */
  restart(): Promise<void>;
  /** Adds devices (all when none is named) and returns when their first contact is recorded. */
  addDevices(names?: readonly string[]): Promise<readonly AddDeviceResult[]>;
  importDevices(names?: readonly string[]): Promise<ImportDevicesResult>;
  /** Submits service files. */
  startPut(yaml: string, options?: Partial<ChangeOptions>): Promise<StartedSubmission>;
  /** The plan of a submission, waiting for its approval. Rejects when the submission failed or only compiled. */
  planOf(started: StartedSubmission): Promise<PlanSummary>;
  put(yaml: string, options?: Partial<ChangeOptions>): Promise<PlanSummary>;
  removeService(name: string, options?: Partial<ChangeOptions>): Promise<PlanSummary>;
  createPlan(request: CreatePlanRequest): Promise<PlanSummary>;
  approve(plan: Pick<PlanSummary, "plan" | "digest">): Promise<DecisionAnswer>;
  /** The plan once it is in one of these states; default: any final one. */
  waitForPlan(plan: string, options?: WaitOptions): Promise<PlanDetail>;
  /** Approves and waits for the end. */
  apply(plan: Pick<PlanSummary, "plan" | "digest">): Promise<PlanDetail>;
  drift(names?: readonly string[]): Promise<readonly DriftOutcome[]>;
  run<T>(started: StartedRun, limitMs?: number): Promise<T>;
  status(): Promise<StatusView>;
  /** Ends everything and removes the folder; may be called again. */
  stop(): Promise<void>;
}

export interface WaitOptions {
  readonly states?: ReadonlySet<PlanState>;
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
/** Who may log in to the devices. */
export const USER = { name: "admin", password: "only on loopback" };
/** A credentials reference that gives `USER`, where the environment has `CREDENTIALS_ENV`. */
export const CREDENTIALS = "env:TENURE_TEST_DEVICE";
export const CREDENTIALS_ENV = { TENURE_TEST_DEVICE_USERNAME: USER.name, TENURE_TEST_DEVICE_PASSWORD: USER.password };

const DEFAULT_CONFIG = `<interfaces xmlns="urn:tenure:demo:interfaces">${["eth0", "eth1"]
  .map((name) => `<interface><name>${name}</name><type>ethernet</type></interface>`)
  .join("")}</interfaces>`;

/** Starts a world; nothing is added to it yet. Rejects, with everything ended again, when a part does not start. */
export async function startWorld(options: WorldOptions): Promise<World> {
  /** Undone in reverse order. */
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await assemble(options, closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  options: WorldOptions,
  closers: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "tenure-world-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const { transaction = { confirmWindow: 60, reserve: 10 }, config = {} } = options;
  // JSON is YAML.
  await writeFile(dataPaths(folder).configFile, JSON.stringify({ transaction, ...config }));
  const modules = await demoModules();
  const devices = await Promise.all(
    options.devices.map((each) =>
      startSimulator({
        modules,
        initialConfigXml: DEFAULT_CONFIG,
        ...(typeof each === "string" ? { name: each } : each),
        users: [USER],
      }),
    ),
  );
  for (const device of devices) closers.push(() => device.stop());
  const temporal = await startDevServer({
    program: resolveTemporalProgram().path,
    storage: { kind: "memory" },
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  closers.push(() => temporal.stop());
  const start = (): Promise<WorkerProcess> =>
    startWorkerProcess({ folder, temporal: temporal.address, env: CREDENTIALS_ENV });
  let worker = await start();
  closers.push(() => worker.shutDown());
  /** What did not come in time may stand explained in the worker's log. */
  const eventually: typeof ask = (what, question, limits) =>
    ask(what, question, limits).catch((error: unknown): never => {
      throw new Error(`${messageOf(error)}\nthe worker said:\n${worker.errors()}`, { cause: error });
    });
  const api = createApiClient({ dataFolder: folder, actor: options.actor ?? "alice" });

  const device = (name: string): Simulator => {
    const found = devices.find((each) => each.name === name);
    if (found === undefined) throw new RangeError(`the world has no device ${name}`);
    return found;
  };
  const run = <T>(started: StartedRun, limitMs = LIMIT_MS): Promise<T> =>
    runResult<T>({ api, eventually }, started, limitMs);
  const planOf = (started: StartedSubmission): Promise<PlanSummary> => plannedBy({ api, eventually }, started);
  const startPut: World["startPut"] = (text, more = {}) =>
    api.post("/services", { mode: "plan", files: [{ name: "services.yaml", text }], ...more });
  const approve: World["approve"] = ({ plan, digest }) => api.post(`/plans/${plan}/approve`, { digest });
  const waitForPlan: World["waitForPlan"] = (plan, { states = FINAL_PLAN_STATES, limitMs = LIMIT_MS } = {}) =>
    eventually(
      `plan ${plan} in state ${[...states].join("|")}`,
      async () => {
        const detail = await api.get<PlanDetail>(`/plans/${plan}`);
        return states.has(detail.state) ? detail : undefined;
      },
      { limitMs },
    );

  return {
    folder,
    temporal,
    api,
    devices,
    device,
    run,
    planOf,
    startPut,
    approve,
    waitForPlan,
    stop,
    worker: () => worker,
    restart: async () => {
      await worker.ended;
      worker = await start();
    },
    addDevices: async (names = devices.map((each) => each.name)) =>
      Promise.all(
        names.map(async (name) => {
          const address = `127.0.0.1:${String(device(name).port)}`;
          const settings = { name, address, credentials: CREDENTIALS, hostKey: { kind: "accept-new" } };
          return run<AddDeviceResult>(await api.post<StartedDevice>("/devices", settings));
        }),
      ),
    importDevices: async (names) =>
      run<ImportDevicesResult>(
        await api.post<StartedRun>("/imports", {
          mode: "record",
          empty: "refuse",
          ...(names === undefined ? {} : { devices: names }),
        }),
      ),
    put: async (text, more) => planOf(await startPut(text, more)),
    removeService: async (name, more = {}) =>
      planOf(await api.post<StartedSubmission>(`/services/${name}/removal`, { mode: "plan", ...more })),
    createPlan: async (request) => planOf(await api.post<StartedSubmission>("/plans", request)),
    apply: async (plan) => {
      await approve(plan);
      return waitForPlan(plan.plan);
    },
    drift: async (names) =>
      (
        await run<CheckDriftResult>(
          await api.post<StartedRun>("/drift-checks", names === undefined ? {} : { devices: names }),
        )
      ).outcomes,
    status: () => api.get<StatusView>("/status"),
  };
}

interface Asking {
  readonly api: ApiClient;
  readonly eventually: typeof ask;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function runResult<T>({ api, eventually }: Asking, { run }: StartedRun, limitMs: number): Promise<T> {
  const [kind = "", ...rest] = run.split("/");
  const ended = await eventually(
    `run ${run}`,
    async () => {
      const view = await api.get<RunView<T>>(`/runs/${kind}/${encodeURIComponent(rest.join("/"))}`);
      return view.kind === "running" ? undefined : view;
    },
    { limitMs },
  );
  if (ended.kind === "completed") return ended.result;
  throw new Error(`run ${run} failed: ${ended.error.code}: ${ended.error.message}`);
}

async function plannedBy({ api, eventually }: Asking, { submission }: StartedSubmission): Promise<PlanSummary> {
  const view = await eventually(
    `the plan of ${submission}`,
    async () => {
      const answer = await api.get<SubmissionView>(`/submissions/${submission}`);
      return answer.kind === "running" ? undefined : answer;
    },
    { limitMs: LIMIT_MS },
  );
  if (view.kind === "planned") return view.plan;
  throw new Error(
    view.kind === "failed" ? `${view.error.code}: ${view.error.message}` : "the submission only compiled",
  );
}

let demo: Promise<readonly YangSource[]> | undefined;

/** The modules of `examples/yang`. */
export function demoModules(): Promise<readonly YangSource[]> {
  demo ??= readDemoModules();
  return demo;
}

async function readDemoModules(): Promise<readonly YangSource[]> {
  const folder = new URL("../../examples/yang/", import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yang"));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), "utf8") })));
}
