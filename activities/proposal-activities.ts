/** Submissions become proposals; goals before and after one are rendered for planning. */
import type { CompiledProposal, GraphActivities, PlanTarget } from "../contract/activities.ts";
import type { ProposalDocument, SubmissionDocument, WishDocument } from "../contract/documents.ts";
import type { Submission } from "../contract/workflows.ts";
import type { DesiredState, RevisionBody } from "../services/desired-state.ts";
import { statusesEqual } from "../services/status.ts";
import { type CompiledSubmission, compilePut, compileRemove, schemasFor } from "./compile-submission.ts";
import { compileRollback } from "./compile-rollback.ts";
import { canonicalText, readFormat } from "./documents.ts";
import { type GraphContext, referenceOf } from "./graph-context.ts";
import {
  type JudgedDevice,
  applyWrites,
  findingsOf,
  judgeProposal,
  policyDocument,
  refuseByPolicy,
} from "./validation-policy.ts";
import { instanceDifferences } from "../services/instance-differences.ts";

export function createProposalActivities(
  context: GraphContext,
): Pick<GraphActivities, "compileProposal" | "planTarget"> {
  return {
    async compileProposal({ submission }) {
      const compiled = await compile(context, submission);
      const policy = context.validationPolicy;
      const judged = await judgeProposal({ ...compiled, schemas: await schemasFor(context, compiled.state) }, policy);
      if (policy !== undefined) refuseByPolicy(policy, judged);
      return storeProposal(context, submission, { ...compiled, judged });
    },

    async planTarget({ device, proposal }): Promise<PlanTarget> {
      const record = await context.device(device);
      const desired = await context.imported(record);
      const items = new Map([...desired.items].map(([path, each]) => [path, each.item]));
      const goalBefore = await context.goalOf(desired.moduleSet, items.values());
      const revision = await context.store.currentRevision();
      const validationPolicy =
        context.validationPolicy === undefined
          ? undefined
          : await context.store.documents.put(policyDocument(context.validationPolicy));
      const base = {
        ...{ device: referenceOf(record), goalBefore, revision, proposal },
        ...(validationPolicy === undefined ? {} : { validationPolicy }),
      };
      if (proposal === undefined) return { ...base, goalAfter: goalBefore, wish: undefined };
      const document = await readFormat<ProposalDocument>(context.read, proposal, "tenure-proposal/1");
      const body = JSON.parse(await context.read(document.body)) as RevisionBody;
      applyWrites(
        items,
        body.devices.find((each) => each.device === device),
      );
      return {
        ...base,
        goalAfter: await context.goalOf(desired.moduleSet, items.values()),
        wish: document.wishes.find((each) => each.device === device)?.wish,
      };
    },
  };
}

async function compile(context: GraphContext, submission: Submission): Promise<CompiledSubmission> {
  switch (submission.kind) {
    case "put": {
      const document = await readFormat<SubmissionDocument>(context.read, submission.document, "tenure-submission/1");
      return compilePut(context, document);
    }
    case "remove":
      return compileRemove(context, submission.service);
    case "rollback":
      return compileRollback(context, submission);
  }
}

async function storeProposal(
  context: GraphContext,
  submission: Submission,
  compiled: CompiledSubmission & { readonly judged: readonly JudgedDevice[] },
): Promise<CompiledProposal> {
  const { proposal, state, judged } = compiled;
  const { services, definitions, removedDefinitions = [] } = proposal.body;
  const body = await context.store.documents.put(canonicalText(proposal.body));
  const names = new Map([...state.devices.values()].map((device) => [device.device, device.name]));
  const wishes = [];
  for (const wish of proposal.wishes) {
    const document: WishDocument = { format: "tenure-wish/1", ...wish };
    wishes.push({
      device: wish.device,
      name: names.get(wish.device) ?? wish.device,
      wish: await context.store.documents.put(canonicalText(document)),
    });
  }
  const document: ProposalDocument = {
    format: "tenure-proposal/1",
    kind: submission.kind,
    ...(submission.kind === "rollback" ? { to: submission.to } : {}),
    services: services.map(({ name, kind }) => ({ name, effect: kind === "put" ? "put" : "removed" })),
    definitions: [
      ...definitions.map(({ name, version }) => ({ name, version, effect: "put" as const })),
      ...removedDefinitions.map((name) => ({
        name,
        version: state.definitions.get(name)?.version ?? "",
        effect: "removed" as const,
      })),
    ],
    explanations: proposal.explanations,
    wishes,
    statuses: proposal.body.statuses.map(({ service, status }) => ({ service, status: status.kind })),
    ...findingsOf(judged),
    body,
  };
  return {
    proposal: await context.store.documents.put(canonicalText(document)),
    body,
    devices: proposal.devices,
    services: services.map((write) => write.name).sort(),
    definitions: [
      ...new Set([
        ...definitions.map((each) => each.name),
        ...removedDefinitions,
        ...services.flatMap((write) => (write.kind === "put" ? [write.definition.name] : [])),
      ]),
    ].sort(),
    empty: changesNothing(proposal.body, state),
  };
}

/** A put of an instance exactly as it stands changes nothing, unless an item, link, definition or status does. */
function changesNothing(body: RevisionBody, state: DesiredState): boolean {
  const quiet = body.devices.every(
    (each) => each.put.length + each.remove.length + each.putLinks.length + each.removeLinks.length === 0,
  );
  return (
    quiet &&
    body.definitions.length === 0 &&
    (body.removedDefinitions ?? []).length === 0 &&
    body.statuses.every(({ service, status }) => {
      const present = state.services.get(service);
      return present !== undefined && statusesEqual(present.status, status);
    }) &&
    body.services.every((write) => {
      const present = state.services.get(write.name);
      return write.kind === "put" && present !== undefined && instanceDifferences(present, write).length === 0;
    })
  );
}
