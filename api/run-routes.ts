import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { RunView, StartedRun } from "../contract/api.ts";
import { workflowId } from "../contract/workflows.ts";
import { failureBody, notFound } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { findDevices } from "./find-device.ts";
import { newRunId } from "./new-id.ts";
import { actorOf, askUntil, parameter, readInput, waitSchema } from "./request.ts";

const devices = z.array(z.string().min(1)).optional();
const importSchema = z.strictObject({
  devices,
  mode: z.enum(["record", "preview"]),
  empty: z.enum(["refuse", "allow"]),
});
const driftSchema = z.strictObject({ devices });

const workflowOf = {
  device: workflowId.addDevice,
  import: workflowId.importDevices,
  drift: workflowId.checkDrift,
} as const;
const kindSchema = z.enum(["device", "import", "drift"]);

/** Work that ends by itself: imports, drift checks, first contacts; and how each stands. */
export function addRunRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store, temporal } = context;

  app.post("/v1/imports", async (request, reply): Promise<StartedRun> => {
    const body = readInput(importSchema, request.body, "body");
    const found = await findDevices(store, body.devices);
    const submission = newRunId("import");
    const run = workflowId.importDevices(submission);
    const input = {
      submission,
      devices: found.map((device) => device.id),
      actor: actorOf(request),
      mode: body.mode,
      empty: body.empty,
    };
    await temporal.start({ workflow: "importDevices", id: run, input, reuse: "once" });
    reply.code(202);
    return { run };
  });

  app.post("/v1/drift-checks", async (request, reply): Promise<StartedRun> => {
    const body = readInput(driftSchema, request.body, "body");
    const found = await findDevices(store, body.devices);
    const submission = newRunId("drift");
    const run = workflowId.checkDrift(submission);
    await temporal.start({
      workflow: "checkDrift",
      id: run,
      input: { submission, devices: found.map((device) => device.id), actor: actorOf(request) },
      reuse: "once",
    });
    reply.code(202);
    return { run };
  });

  app.get("/v1/runs/:kind/:id", async (request): Promise<RunView<unknown>> => {
    const { wait } = readInput(waitSchema, request.query, "query");
    const kind = kindSchema.safeParse(parameter(request, "kind"));
    if (!kind.success) throw notFound("unknown-run", `there are no runs of kind ${parameter(request, "kind")}`);
    const run = workflowOf[kind.data](parameter(request, "id"));
    return askUntil(() => runView(context, run), {
      done: (view) => view.kind !== "running",
      waitSeconds: wait,
      signal: context.closing,
    });
  });
}

async function runView({ temporal }: ApiContext, run: string): Promise<RunView<unknown>> {
  const state = await temporal.state(run);
  if (state === undefined) throw notFound("unknown-run", `there is no run ${run}`);
  switch (state.kind) {
    case "running":
      return { kind: "running", run };
    case "completed":
      return { kind: "completed", run, result: state.result };
    case "failed":
      return { kind: "failed", run, error: failureBody(state.failure) };
  }
}
