/**
 * The composition root: which providers exist, which activities a role offers, what they are made of. The role `graph`
 * owns the data folder and serves the API; `devices` speaks to devices; `workflows` runs the pipeline. `all` is the
 * three in one process, with the same code paths: devices ask the owner over its API even then.
 */
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from "@temporalio/worker";
import type { Logger } from "pino";
import { createDeviceActivities } from "../activities/device-activities.ts";
import { createGraphActivities } from "../activities/graph-activities.ts";
import { createLockActivities } from "../activities/lock-activities.ts";
import { type ServedApi, serveApi } from "../api/create-api.ts";
import { TaskQueue } from "../contract/task-queue.ts";
import type { FileOperations } from "../graph/files.ts";
import { type GraphStore, openStore } from "../graph/store.ts";
import type { ValidationPolicy } from "../model/validation/policy.ts";
import { register as registerNetconf } from "../providers/netconf/netconf-provider.ts";
import { ProviderRegistry } from "../providers/registry.ts";
import { readApiAccess } from "../runtime/api-access.ts";
import { createLogger } from "../runtime/logging.ts";
import { ownerClient } from "../runtime/owner-client.ts";
import { dataPaths } from "../runtime/paths.ts";
import { openSecretBox } from "../runtime/secrets.ts";
import { connectTemporal } from "../runtime/temporal-client.ts";
import type { TemporalPort } from "../runtime/temporal-port.ts";
import { checkBasis } from "../services/basis.ts";
import { workflowBundlePath } from "./build-workflow-bundle.ts";
import { type TenureConfig, readConfig, readConfiguredPolicy, timingOf } from "./config.ts";
import { dataConverterPaths } from "./data-converter.ts";

export const ROLES = ["graph", "devices", "workflows", "all"] as const;
export type Role = (typeof ROLES)[number];

export interface RunWorkerOptions {
  readonly role: Role;
  readonly dataFolder: string;
  readonly temporal: { readonly address: string; readonly ui: string | undefined };
  /** File operations of the store; a test of crashes watches and ends them. */
  readonly files?: FileOperations;
}

export interface RunningWorker {
  /** Ends when the worker was shut down, or rejects when it failed. Everything it opened is closed then. */
  readonly ended: Promise<void>;
  /** Address of the API, where this role serves it. */
  readonly api: string | undefined;
  shutdown(): void;
}

type Closer = () => Promise<unknown>;
type Base = Pick<WorkerOptions, "connection" | "namespace" | "dataConverter">;

/** Starts one worker process's work. Rejects, with everything closed again, when a part cannot start. */
export async function runWorker(options: RunWorkerOptions): Promise<RunningWorker> {
  const { role, dataFolder } = options;
  const logger = createLogger({ name: `worker ${role}` });
  installRuntimeOnce(logger);
  /** Undone in reverse order. */
  const closers: Closer[] = [];
  try {
    const config = await readConfig(dataFolder);
    const validationPolicy = await readConfiguredPolicy(dataFolder, config);
    const { address, ui } = options.temporal;
    const temporal = await connectTemporal({
      address,
      ui,
      namespace: config.temporal.namespace,
      ...dataConverterPaths,
    });
    closers.push(() => temporal.close());
    const connection = await NativeConnection.connect({ address });
    closers.push(() => connection.close());
    const base: Base = { connection, namespace: config.temporal.namespace, dataConverter: dataConverterPaths };
    const registry = providers();
    const has = (wanted: Exclude<Role, "all">): boolean => role === "all" || role === wanted;
    const workers: Worker[] = [];
    let api: ServedApi | undefined;
    if (has("graph")) {
      const store = await openOwnedStore(dataFolder, logger, options.files);
      closers.push(() => store.close());
      const served = await serveApi({
        store,
        temporal,
        logger,
        port: config.api.port,
        timing: timingOf(config),
        actorPolicy: config.approval.author === "may-approve" ? "author-may-approve" : "author-may-not-approve",
      });
      closers.push(() => served.close());
      api = served;
      workers.push(await controlWorker(base, { store, registry, temporal, config, validationPolicy }));
    }
    if (has("devices")) workers.push(await deviceWorker(base, registry, dataFolder, logger));
    if (has("workflows")) workers.push(await workflowWorker(base));
    logger.info({ role, api: api?.address, temporal: address }, "worker runs");
    return {
      api: api?.address,
      ended: runAll(workers).finally(() => closeAll(closers)),
      shutdown: () => {
        for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
      },
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** The one list of providers. Nothing registers itself by being imported. */
function providers(): ProviderRegistry {
  const registry = new ProviderRegistry();
  for (const register of [registerNetconf]) register(registry);
  return registry;
}

async function openOwnedStore(
  dataFolder: string,
  logger: Logger,
  files: FileOperations | undefined,
): Promise<GraphStore> {
  const store = await openStore({
    dataFolder,
    ...(files === undefined ? {} : { files }),
    checkBasis,
    report: (event) => {
      logger.warn({ event }, "the graph was repaired");
    },
  });
  logger.info({ opening: store.opening }, "the journal is open");
  return store;
}

interface Control {
  readonly store: GraphStore;
  readonly registry: ProviderRegistry;
  readonly temporal: TemporalPort;
  readonly config: TenureConfig;
  readonly validationPolicy: ValidationPolicy | undefined;
}

function controlWorker(base: Base, { store, registry, temporal, config, validationPolicy }: Control): Promise<Worker> {
  return Worker.create({
    ...base,
    taskQueue: TaskQueue.control,
    activities: {
      ...createGraphActivities({ store, registry, validationPolicy, approval: { author: config.approval.author } }),
      ...createLockActivities({
        store,
        isClosed: async (id) => (await temporal.state(id))?.kind !== "running",
        reapEveryMs: config.locks.reapEvery * 1000,
      }),
    },
    // Each wait for locks takes a slot; a decision must never queue behind them.
    maxConcurrentActivityTaskExecutions: 2000,
    shutdownGraceTime: "1s",
  });
}

async function deviceWorker(
  base: Base,
  registry: ProviderRegistry,
  dataFolder: string,
  logger: Logger,
): Promise<Worker> {
  const secrets = await openSecretBox(dataPaths(dataFolder).secretKeys);
  if (secrets.key === "made") {
    logger.info({ keyId: secrets.keyId }, "made a key for configuration secrets in the data folder; backups omit it");
  }
  const owner = ownerClient(() => readApiAccess(dataFolder));
  return Worker.create({
    ...base,
    taskQueue: TaskQueue.devices,
    activities: createDeviceActivities({ registry, secrets, owner }),
    maxConcurrentActivityTaskExecutions: 200,
    shutdownGraceTime: "5s",
  });
}

function workflowWorker(base: Base): Promise<Worker> {
  return Worker.create({
    ...base,
    taskQueue: TaskQueue.workflows,
    workflowBundle: { codePath: workflowBundlePath },
    // After a crash the next worker takes over within seconds instead of ten.
    stickyQueueScheduleToStartTimeout: "1s",
  });
}

async function runAll(workers: readonly Worker[]): Promise<void> {
  const runs = workers.map((worker) => worker.run());
  try {
    await Promise.all(runs);
  } finally {
    for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
    await Promise.allSettled(runs);
  }
}

async function closeAll(closers: Closer[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

let installed = false;

/** Said at every start of a worker that has one kind of task only; ours all do. */
const EXPECTED = /^No (workflows|activities|Nexus services) registered/;

/** One Temporal runtime a process; signals are ours to handle, so that the store closes after the workers. */
function installRuntimeOnce(logger: Logger): void {
  if (installed) return;
  installed = true;
  const forward = new DefaultLogger("WARN", ({ level, message, meta }) => {
    if (EXPECTED.test(message)) return;
    if (level === "ERROR") logger.error({ temporal: meta }, message);
    else logger.warn({ temporal: meta }, message);
  });
  Runtime.install({ shutdownSignals: [], logger: forward });
}
