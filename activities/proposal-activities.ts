/** Submissions become proposals; goals before and after one are rendered for planning. */
import type { CompiledProposal, GraphActivities, PlanTarget } from "../contract/activities.ts";
import type { ProposalDocument, SubmissionDocument, WishDocument } from "../contract/documents.ts";
import type { Submission } from "../contract/workflows.ts";
import type { Item } from "../model/item.ts";
import type { DesiredState, DeviceWrites, RevisionBody } from "../services/desired-state.ts";
import { statusesEqual } from "../services/status.ts";
import { type CompiledSubmission, compilePut, compileRemove } from "./compile-submission.ts";
import { canonicalText, readFormat } from "./documents.ts";
import { type GraphContext, referenceOf } from "./graph-context.ts";

export function createProposalActivities(
  context: GraphContext,
): Pick<GraphActivities, "compileProposal" | "planTarget"> {
  return {
    async compileProposal({ submission }) {
      const compiled =
        submission.kind === "put"
          ? await compilePut(
              context,
              await readFormat<SubmissionDocument>(context.read, submission.document, "tenure-submission/1"),
            )
          : await compileRemove(context, submission.service);
      return storeProposal(context, submission, compiled);
    },

    async planTarget({ device, proposal }): Promise<PlanTarget> {
      const record = await context.device(device);
      const desired = await context.imported(record);
      const items = new Map([...desired.items].map(([path, each]) => [path, each.item]));
      const goalBefore = await context.goalOf(desired.moduleSet, items.values());
      const revision = await context.store.currentRevision();
      const base = { device: referenceOf(record), goalBefore, revision, proposal };
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

async function storeProposal(
  context: GraphContext,
  submission: Submission,
  compiled: CompiledSubmission,
): Promise<CompiledProposal> {
  const { proposal, state, changes, definitions } = compiled;
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
    services: changes.map((change) => ({
      name: change.name,
      effect: change.kind === "put" ? ("put" as const) : ("removed" as const),
    })),
    definitions: definitions.map(({ name, version }) => ({ name, version })),
    explanations: proposal.explanations,
    wishes,
    statuses: proposal.body.statuses.map(({ service, status }) => ({ service, status: status.kind })),
    body,
  };
  return {
    proposal: await context.store.documents.put(canonicalText(document)),
    body,
    devices: proposal.devices,
    services: changes.map((change) => change.name).sort(),
    definitions: [
      ...new Set([
        ...definitions.map((each) => each.name),
        ...changes.flatMap((change) => (change.kind === "put" ? [change.definition.name] : [])),
      ]),
    ].sort(),
    empty: changesNothing(proposal.body, state),
  };
}

function applyWrites(items: Map<string, Item>, writes: DeviceWrites | undefined): void {
  for (const path of writes?.remove ?? []) items.delete(path);
  for (const put of writes?.put ?? []) items.set(put.item.path, put.item);
}

/** A put of an instance exactly as it stands changes nothing, unless an item, link, definition or status does. */
function changesNothing(body: RevisionBody, state: DesiredState): boolean {
  const quiet = body.devices.every(
    (each) => each.put.length + each.remove.length + each.putLinks.length + each.removeLinks.length === 0,
  );
  return (
    quiet &&
    body.definitions.length === 0 &&
    body.statuses.every(({ service, status }) => {
      const present = state.services.get(service);
      return present !== undefined && statusesEqual(present.status, status);
    }) &&
    body.services.every((write) => {
      const present = state.services.get(write.name);
      return (
        write.kind === "put" &&
        present !== undefined &&
        present.definition.document === write.definition.document &&
        present.parameters === write.parameters &&
        JSON.stringify(present.targets) === JSON.stringify(write.targets)
      );
    })
  );
}
