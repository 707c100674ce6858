import type { FastifyInstance } from "fastify";
import type { CheckView, HealthView, LockLine, StatusView } from "../contract/api.ts";
import type { LockEntry } from "../graph/lock-table.ts";
import type { ApiContext } from "./context.ts";
import { deviceViews, isOpen, planSummary } from "./views.ts";

export function addStatusRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.get("/v1/health", async (): Promise<HealthView> => health(context));

  app.get("/v1/status", async (): Promise<StatusView> => {
    const { holders, waiters } = store.locks.list();
    const services = await store.services();
    return {
      health: await health(context),
      devices: await deviceViews(store, await store.devices()),
      openPlans: (await store.plans()).filter(isOpen).map(planSummary),
      inconsistentServices: services.filter(({ status }) => status.kind === "inconsistent").map(({ name }) => name),
      pausedServices: services.filter(({ paused }) => paused).map(({ name }) => name),
      holders: holders.map(lockLine),
      waiters: waiters.map(lockLine),
    };
  });

  app.get("/v1/check", async (): Promise<CheckView> => ({ findings: await store.check() }));
}

async function health({ store, temporal, version }: ApiContext): Promise<HealthView> {
  return {
    version,
    pid: process.pid,
    dataFolder: store.paths.folder,
    revision: await store.currentRevision(),
    temporal: { address: temporal.address, namespace: temporal.namespace, ui: temporal.ui },
  };
}

function lockLine({ request, since, token }: LockEntry): LockLine {
  return { request, since, token };
}
