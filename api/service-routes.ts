import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type {
  DefinitionDetail,
  DefinitionView,
  ServiceDetail,
  ServiceView,
  StartedSubmission,
  SubmissionView,
} from "../contract/api.ts";
import type { SubmissionDocument } from "../contract/documents.ts";
import { PlanState } from "../contract/plan-state.ts";
import { type ChangeServiceResult, workflowId } from "../contract/workflows.ts";
import { canonicalJson } from "../graph/canonical-json.ts";
import { PAUSED } from "../graph/reads.ts";
import type { GraphStore } from "../graph/store.ts";
import { compareText } from "../model/compare-text.ts";
import { readSubmission } from "../services/documents.ts";
import { ApiError, failureBody, notFound } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { planOfSubmission } from "./new-id.ts";
import { actorOf, askUntil, parameter, readInput, waitSchema } from "./request.ts";
import { revisionQuery, revisionOf } from "./revision-query.ts";
import { changeOptionsShape, startChange } from "./start-change.ts";
import { conditionLine, deviceNames, planSummary, serviceView } from "./views.ts";

const putSchema = z.strictObject({
  files: z.array(z.strictObject({ name: z.string().min(1), text: z.string() })).min(1),
  ...changeOptionsShape,
});
const removeSchema = z.strictObject(changeOptionsShape);

export function addServiceRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.get("/v1/services", async (request): Promise<readonly ServiceView[]> => {
    const revision = await revisionOf(store, readInput(revisionQuery, request.query, "query"));
    const names = await deviceNames(store);
    const when = await whenOf(store, revision);
    return (await store.services({ revision })).map((service) => serviceView(service, names, when));
  });

  app.get("/v1/services/:service", async (request): Promise<ServiceDetail> => {
    const name = parameter(request, "service");
    const revision = await revisionOf(store, readInput(revisionQuery, request.query, "query"));
    const service = await store.service(name, { revision });
    if (service === undefined) throw unknownService(name);
    const names = await deviceNames(store);
    const links = await store.linksOf(name, { revision });
    const when = await whenOf(store, revision);
    const conditions = when === "now" ? await store.conditions({ kind: "service", name }) : [];
    return {
      ...serviceView(service, names, when),
      conditions: conditions.map(conditionLine),
      parameters: JSON.parse(service.parameters) as unknown,
      links: links
        .map(({ device, path, relation, value, scope, onRemove }) => ({
          device: names.get(device) ?? device,
          path,
          relation,
          value,
          scope,
          onRemove,
        }))
        .sort((a, b) => compareText(a.device, b.device) || compareText(a.path, b.path)),
    };
  });

  app.post("/v1/services", async (request, reply): Promise<StartedSubmission> => {
    const actor = actorOf(request);
    const { files, ...change } = readInput(putSchema, request.body, "body");
    refuseUnreadable(files);
    const document: SubmissionDocument = { format: "tenure-submission/1", files };
    const digest = await store.documents.put(canonicalJson(document));
    reply.code(202);
    return startChange(context, { kind: "put", document: digest }, { change, actor });
  });

  app.post("/v1/services/:service/removal", async (request, reply): Promise<StartedSubmission> => {
    const actor = actorOf(request);
    const name = parameter(request, "service");
    const change = readInput(removeSchema, request.body, "body");
    if ((await store.service(name)) === undefined) throw unknownService(name);
    reply.code(202);
    return startChange(context, { kind: "remove", service: name }, { change, actor });
  });

  app.post("/v1/services/:service/pause", async (request) =>
    setPaused(store, parameter(request, "service"), { paused: "paused", actor: actorOf(request) }),
  );
  app.post("/v1/services/:service/resume", async (request) =>
    setPaused(store, parameter(request, "service"), { paused: "active", actor: actorOf(request) }),
  );

  app.get("/v1/definitions", async (request): Promise<readonly DefinitionView[]> => {
    return store.definitions({ revision: await revisionOf(store, readInput(revisionQuery, request.query, "query")) });
  });

  app.get("/v1/definitions/:definition", async (request): Promise<DefinitionDetail> => {
    const name = parameter(request, "definition");
    const revision = await revisionOf(store, readInput(revisionQuery, request.query, "query"));
    const found = (await store.definitions({ revision })).find((definition) => definition.name === name);
    if (found === undefined)
      throw notFound("unknown-definition", `there is no definition ${name}`, "tenure definition list shows the names");
    return { ...found, content: JSON.parse(await store.documents.getText(found.document)) as unknown };
  });

  app.get("/v1/submissions/:submission", async (request): Promise<SubmissionView> => {
    const { wait } = readInput(waitSchema, request.query, "query");
    const submission = parameter(request, "submission");
    return askUntil(() => submissionView(context, submission), {
      done: (view) => view.kind !== "running",
      waitSeconds: wait,
      signal: context.closing,
    });
  });
}

/** Conditions and pauses are of now: an earlier revision is shown without them. */
async function whenOf(store: GraphStore, revision: number): Promise<"now" | "then"> {
  return revision === (await store.currentRevision()) ? "now" : "then";
}

/** A pause is no revision: what is desired stays, and an earlier revision is shown as it was. */
async function setPaused(
  store: GraphStore,
  name: string,
  { paused, actor }: { readonly paused: "paused" | "active"; readonly actor: string },
): Promise<ServiceView> {
  const service = await store.service(name);
  if (service === undefined) throw unknownService(name);
  if (service.paused !== (paused === "paused")) {
    await store.recordCondition({
      subject: { kind: "service", name },
      type: PAUSED,
      status: paused === "paused" ? "true" : "false",
      reason: "Asked",
      message: `${paused === "paused" ? "paused" : "resumed"} by ${actor}`,
      path: undefined,
      revision: undefined,
      observation: undefined,
    });
  }
  return { ...serviceView(service, await deviceNames(store)), paused };
}

function unknownService(name: string): ApiError {
  return notFound("unknown-service", `there is no service ${name}`, "tenure service list shows the names");
}

/** What can be said of the text alone is said at once, with file:line:column, before anything is stored or started. */
function refuseUnreadable(files: SubmissionDocument["files"]): void {
  const read = readSubmission(files);
  if (read.kind === "error") {
    throw new ApiError(400, {
      code: "Refused",
      message: `${read.diagnostics.length} error(s) in the submission; nothing was written`,
      diagnostics: read.diagnostics,
    });
  }
}

/** The plan as soon as the journal has it; until then, how the workflow that makes it stands. */
async function submissionView({ store, temporal }: ApiContext, submission: string): Promise<SubmissionView> {
  const plan = planOfSubmission(submission);
  if (plan === undefined) throw notFound("unknown-submission", `${submission} is not the id of a submission`);
  const stands = await store.plan(plan);
  if (stands !== undefined && stands.state !== PlanState.planning)
    return { kind: "planned", submission, plan: planSummary(stands) };
  const state =
    (await temporal.state(workflowId.changeService(submission))) ??
    (await temporal.state(workflowId.planAndApply(plan)));
  if (state === undefined) throw notFound("unknown-submission", `there is no submission ${submission}`);
  switch (state.kind) {
    case "running":
      return { kind: "running", submission, plan };
    case "failed":
      return { kind: "failed", submission, plan, error: failureBody(state.failure) };
    case "completed":
      return completedView(state.result as Partial<ChangeServiceResult>, { submission, plan });
  }
}

function completedView(
  { proposal, revision }: Partial<ChangeServiceResult>,
  ids: { readonly submission: string; readonly plan: string },
): SubmissionView {
  // A plan that ended is in the journal; a workflow that ended without one only compiled.
  if (proposal !== undefined) return { kind: "compiled", submission: ids.submission, proposal, revision };
  return { kind: "failed", ...ids, error: { code: "Internal", message: `plan ${ids.plan} ended without a record` } };
}
