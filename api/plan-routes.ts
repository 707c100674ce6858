import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { PlanDetail, PlanProgressView, PlanSummary, StartedSubmission } from "../contract/api.ts";
import { Message, type PlanProgress, type TransactionProgress } from "../contract/messages.ts";
import { PlanState } from "../contract/plan-state.ts";
import { workflowId } from "../contract/workflows.ts";
import { must, readObservation } from "../graph/documents/typed-documents.ts";
import type { PlanView } from "../graph/reads.ts";
import type { GraphStore } from "../graph/store.ts";
import { displayValue } from "../model/value.ts";
import { operationsFromDocuments } from "../plan/operation-json.ts";
import { renderEditConfig } from "../plan/render-edit-config.ts";
import { badRequest, notFound } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { addDecisionRoutes } from "./decision-routes.ts";
import { findDevices } from "./find-device.ts";
import { findPlan } from "./find-plan.ts";
import { newSubmission } from "./new-id.ts";
import { readHeader, readSection } from "./plan-document.ts";
import { actorOf, askUntil, parameter, readInput, waitSchema } from "./request.ts";
import { deviceNames, planApproval, planOutcomes, planSummary } from "./views.ts";
import { configXml } from "./xml-text.ts";

const createSchema = z.strictObject({
  devices: z.array(z.string().min(1)).optional(),
  direction: z.enum(["enforce", "accept"]),
  paths: z.array(z.string().startsWith("/", "an instance path")).optional(),
  policy: z.enum(["all-or-nothing", "per-device"]).optional(),
  unrelated: z.enum(["refuse", "allow"]).optional(),
});
const watchSchema = waitSchema.extend({ after: z.string().optional() });

export function addPlanRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.get("/v1/plans", async (): Promise<readonly PlanSummary[]> => (await store.plans()).map(planSummary));

  app.post("/v1/plans", async (request, reply): Promise<StartedSubmission> => {
    const body = readInput(createSchema, request.body, "body");
    reply.code(202);
    return startDriftPlan(context, body, actorOf(request));
  });

  /** With `after=STATE&wait=SECONDS` the answer comes when the plan has left that state. */
  app.get("/v1/plans/:plan", async (request): Promise<PlanDetail> => {
    const id = parameter(request, "plan");
    const { wait, after } = readInput(watchSchema, request.query, "query");
    const view = await askUntil(() => findPlan(store, id), {
      done: (plan) => after === undefined || plan.state !== after,
      waitSeconds: wait,
      signal: context.closing,
    });
    return planDetail(store, view);
  });

  app.get("/v1/plans/:plan/progress", async (request): Promise<PlanProgressView> => {
    return progressOf(context, await findPlan(store, parameter(request, "plan")));
  });

  /** What is sent to each device, secrets by their fingerprints: to read, not to send. */
  app.get("/v1/plans/:plan/netconf", async (request) => {
    const { plan } = await findPlan(store, parameter(request, "plan"));
    const header = await readHeader(store, plan.digest);
    const devices = Object.entries(header.sections).map(async ([name, digest]) => ({
      name,
      edits: await editsOf(context, digest),
    }));
    return Promise.all(devices);
  });

  app.get("/v1/plans/:plan/observations/:device", async (request, reply) => {
    const { plan } = await findPlan(store, parameter(request, "plan"));
    const name = parameter(request, "device");
    const header = await readHeader(store, plan.digest);
    const digest = header.sections[name];
    if (digest === undefined) throw notFound("unknown-device", `plan ${plan.plan} has no section for ${name}`);
    const read = (document: string) => store.documents.getText(document);
    const observation = await readObservation(read, (await readSection(store, digest)).observation);
    return reply.type("application/json; charset=utf-8").send(await read(observation.content));
  });

  addDecisionRoutes(app, context);
}

async function planDetail(store: GraphStore, view: PlanView): Promise<PlanDetail> {
  const { plan } = view.plan;
  return {
    ...planSummary(view),
    sections: (await readHeader(store, view.plan.digest)).sections,
    approvals: (await store.approvals(plan)).map(planApproval),
    outcomes: await planOutcomes(store, await store.outcomes(plan)),
  };
}

async function startDriftPlan(
  context: ApiContext,
  body: z.infer<typeof createSchema>,
  actor: string,
): Promise<StartedSubmission> {
  const { store, temporal, timing, transactionLimit } = context;
  const found = await findDevices(store, body.devices);
  const policy = body.policy ?? "per-device";
  if (policy === "all-or-nothing" && found.length > transactionLimit) {
    throw badRequest(
      `one transaction of ${found.length} devices is more than the setting transactionLimit (${transactionLimit}) allows`,
    );
  }
  const ids = newSubmission();
  const run = workflowId.planAndApply(ids.plan);
  await temporal.start({
    workflow: "planAndApply",
    id: run,
    input: {
      plan: ids.plan,
      actor,
      source: {
        kind: "drift",
        direction: body.direction,
        devices: found.map((device) => device.id),
        paths: [...(body.paths ?? [])].sort(),
      },
      options: { policy, includeDrift: "leave", unrelated: body.unrelated ?? "refuse" },
      timing,
    },
    reuse: "once",
  });
  return { ...ids, run };
}

/** Phases come from the running transactions; what has ended, and an engine that does not answer, is left out. */
async function progressOf({ store, temporal }: ApiContext, view: PlanView): Promise<PlanProgressView> {
  const { plan, policy } = view.plan;
  const progress = (await temporal.query({ id: workflowId.planAndApply(plan), name: Message.progress })) as
    | PlanProgress
    | undefined;
  const names = await deviceNames(store);
  const transactions = view.state === PlanState.applying ? await transactionsOf(store, view, policy) : [];
  const answers = await Promise.all(
    transactions.map((transaction) =>
      temporal.query({ id: workflowId.applyTransaction(transaction), name: Message.progress }),
    ),
  );
  const devices = answers.flatMap((answer) => (answer as TransactionProgress | undefined)?.devices ?? []);
  return {
    plan,
    state: view.state,
    waitingFor: progress?.waitingFor,
    devices: devices.map(({ device, phase }) => ({ device, name: names.get(device) ?? device, phase })),
  };
}

async function transactionsOf(
  store: GraphStore,
  { plan }: PlanView,
  policy: PlanView["plan"]["policy"],
): Promise<readonly string[]> {
  if (policy === "all-or-nothing") return [plan.plan];
  const header = await readHeader(store, plan.digest);
  const sections = await Promise.all(Object.values(header.sections).map((digest) => readSection(store, digest)));
  return sections.map((section) => `${plan.plan}/${section.device}`);
}

async function editsOf({ store, schemas }: ApiContext, digest: string): Promise<readonly string[]> {
  const section = await readSection(store, digest);
  const schema = await schemas.get(section.moduleSet);
  const operations = must("plan section", operationsFromDocuments(schema, section.operations));
  const edits = must("plan section", renderEditConfig(schema, operations, { reveal: displayValue }));
  return edits.map(configXml);
}
