/** The activities of the process that owns the graph: proposals, goals, plans, approvals, revisions. */
import { itemsOf, treeFromItems } from "../codec/items.ts";
import type {
  CompiledProposal,
  CommitResult,
  GraphActivities,
  PlanTarget,
  StoredPlan,
} from "../contract/activities.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { AdoptedDocument, ProposalDocument, SubmissionDocument, WishDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import { PlanState } from "../contract/plan-state.ts";
import type { ImportOutcome, Submission } from "../contract/workflows.ts";
import { renderGoal } from "../goal/device-goal.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import { isStoreError } from "../graph/store-error.ts";
import type { GraphStore } from "../graph/store.ts";
import type { Item } from "../model/item.ts";
import { headerDocument, planHeader } from "../plan/plan-document.ts";
import { type DeviceProfile, isSecretLeaf } from "../providers/capability.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { checkBasis } from "../services/basis.ts";
import type { DesiredDevice, DesiredState, DeviceWrites, RevisionBody, Setter } from "../services/desired-state.ts";
import { type ObservedDevice, observeChange } from "../services/observe-change.ts";
import { statusesEqual } from "../services/status.ts";
import {
  type CompileContext,
  type CompiledSubmission,
  compilePut,
  compileRemove,
  schemasFor,
  stateFor,
} from "./compile-submission.ts";
import { profileOf } from "./device-session.ts";
import { SchemaCache, canonicalText, must, readFormat, readObservation, treeOfContent } from "./documents.ts";
import { beating } from "./heartbeat.ts";
import { RefusedError, translated } from "./to-application-failure.ts";

export interface GraphActivityOptions {
  readonly store: GraphStore;
  /** For profiles only: which leafs are secret on a device. */
  readonly registry: ProviderRegistry;
  readonly approval: { readonly author: "may-approve" | "may-not-approve" };
}

export function createGraphActivities(options: GraphActivityOptions): GraphActivities {
  const { store, registry, approval } = options;
  const readDocument = (digest: string): Promise<string> => store.documents.getText(digest);
  const schemas = new SchemaCache(readDocument);
  const context: CompileContext = {
    store,
    schemaOf: (moduleSet) => schemas.get(moduleSet),
    isSecret: (device, node) => isSecretLeaf(profileOfDevice(device), node),
  };

  function profileOfDevice(device: DeviceRecord): DeviceProfile {
    return profileOf(registry.get(device.provider), device.chosenProfile ?? device.profile);
  }

  async function deviceOrRefuse(id: string): Promise<DeviceRecord> {
    const device = await store.device(id);
    if (device === undefined) throw new RefusedError(`no device ${id}`, []);
    return device;
  }

  async function importedOrRefuse(device: DeviceRecord): Promise<DesiredDevice> {
    const desired = await store.desiredDevice(device.id);
    if (desired !== undefined) return desired;
    throw new RefusedError(
      `${device.name} was never imported; a device without one complete import has no goal. Try: tenure import ${device.name}`,
      [],
      FailureType.notImported,
    );
  }

  async function goalOf(moduleSet: string, items: Iterable<Item>): Promise<string> {
    const schema = await schemas.get(moduleSet);
    return store.documents.put(renderGoal(must("desired state", treeFromItems(schema, [...items]))));
  }

  async function storeProposal(submission: Submission, compiled: CompiledSubmission): Promise<CompiledProposal> {
    const { proposal, state, changes, definitions } = compiled;
    const body = await store.documents.put(canonicalText(proposal.body));
    const names = new Map([...state.devices.values()].map((device) => [device.device, device.name]));
    const wishes = [];
    for (const wish of proposal.wishes) {
      const document: WishDocument = { format: "tenure-wish/1", ...wish };
      wishes.push({
        device: wish.device,
        name: names.get(wish.device) ?? wish.device,
        wish: await store.documents.put(canonicalText(document)),
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
      proposal: await store.documents.put(canonicalText(document)),
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

  async function observedDevice(device: string, observation: string): Promise<ObservedDevice> {
    const document = await readObservation(readDocument, observation);
    const schema = await schemas.get(document.moduleSet);
    return {
      device,
      items: itemsOf(treeOfContent(schema, await readDocument(document.content))),
      observation,
      moduleSet: document.moduleSet,
    };
  }

  /** The state that an observation changes; a device without an import yet starts empty, typed against what was observed. */
  async function stateWith(observed: readonly ObservedDevice[]): Promise<DesiredState> {
    const state = await stateFor(
      store,
      observed.map((each) => each.device),
      [],
    );
    const devices = new Map(state.devices);
    for (const each of observed) {
      const record = await deviceOrRefuse(each.device);
      const present = devices.get(each.device);
      if (present === undefined)
        devices.set(each.device, {
          device: each.device,
          name: record.name,
          moduleSet: "",
          items: new Map(),
          links: [],
        });
    }
    return { ...state, devices };
  }

  async function bodyOfObservation(
    observed: readonly ObservedDevice[],
    setBy: Setter,
    paths: readonly string[],
  ): Promise<RevisionBody> {
    const state = await stateWith(observed);
    const typed: DesiredState = {
      ...state,
      devices: new Map(
        [...state.devices].map(([id, device]) => {
          const now = observed.find((each) => each.device === id);
          return [
            id,
            device.moduleSet === "" && now?.moduleSet !== undefined ? { ...device, moduleSet: now.moduleSet } : device,
          ];
        }),
      ),
    };
    const known = await schemasFor(context, typed);
    return observeChange(state, known, observed, { setBy, paths });
  }

  async function commitBody(request: Parameters<GraphActivities["commitRevision"]>[0]): Promise<CommitResult> {
    const body =
      request.body === undefined ? emptyBody : (JSON.parse(await readDocument(request.body)) as RevisionBody);
    const adopted = await Promise.all(
      (request.adopted ?? []).map((digest) => readFormat<AdoptedDocument>(readDocument, digest, "tenure-adopted/1")),
    );
    const plan = "plan" in request.cause ? request.cause.plan : "";
    try {
      const { revision } = await store.commitRevision({
        body: withAdopted(body, adopted, { kind: "adopted", plan }),
        key: request.key,
        actor: request.actor,
        cause: request.cause,
      });
      return { kind: "committed", revision };
    } catch (error) {
      if (isStoreError(error, "stale-basis")) return { kind: "stale", reasons: [error.message] };
      throw error;
    }
  }

  const activities: GraphActivities = {
    async recordDevice({ submission, modules, device, actor, profile }) {
      const present = await store.device(device.id);
      const found = { ...device, profile: present?.profile, chosenProfile: profile, givenModules: modules };
      if (present === undefined) {
        const record: DeviceRecord = { ...found, providerConfig: undefined, tls: undefined, state: "managed" };
        await store.putDevice({ device: record, actor, key: submission });
      } else {
        await store.updateDevice({ id: device.id, set: found, actor, key: submission });
      }
    },

    async deviceReference({ device }): Promise<DeviceReference> {
      return referenceOf(await deviceOrRefuse(device));
    },

    async compileProposal({ submission }) {
      const compiled =
        submission.kind === "put"
          ? await compilePut(
              context,
              await readFormat<SubmissionDocument>(readDocument, submission.document, "tenure-submission/1"),
            )
          : await compileRemove(context, submission.service);
      return storeProposal(submission, compiled);
    },

    async planTarget({ device, proposal }): Promise<PlanTarget> {
      const record = await deviceOrRefuse(device);
      const desired = await importedOrRefuse(record);
      const items = new Map([...desired.items].map(([path, each]) => [path, each.item]));
      const goalBefore = await goalOf(desired.moduleSet, items.values());
      const revision = await store.currentRevision();
      const base = { device: referenceOf(record), goalBefore, revision, proposal };
      if (proposal === undefined) return { ...base, goalAfter: goalBefore, wish: undefined };
      const document = await readFormat<ProposalDocument>(readDocument, proposal, "tenure-proposal/1");
      const body = JSON.parse(await readDocument(document.body)) as RevisionBody;
      applyWrites(
        items,
        body.devices.find((each) => each.device === device),
      );
      return {
        ...base,
        goalAfter: await goalOf(desired.moduleSet, items.values()),
        wish: document.wishes.find((each) => each.device === device)?.wish,
      };
    },

    async importObservation({ submission, device, observation, actor, mode, empty }): Promise<ImportOutcome> {
      const observed = await observedDevice(device, observation);
      if (observed.items.length === 0 && empty === "refuse") {
        return {
          kind: "failed",
          device,
          code: "EmptyConfiguration",
          message: "the device has no configuration; if that is right, say --allow-empty",
        };
      }
      const body = await bodyOfObservation([observed], { kind: "import" }, []);
      const writes = body.devices.find((each) => each.device === device);
      if (writes === undefined && body.statuses.length === 0)
        return { kind: "unchanged", device, items: observed.items.length };
      const key = `import/${submission}/${device}`;
      const committed =
        mode === "preview"
          ? undefined
          : await store.commitRevision({ body, key, actor, cause: { kind: "import", submission, observation } });
      await conditionOf(store, {
        id: device,
        type: "InSync",
        status: "true",
        reason: "Imported",
        message: "as observed",
        revision: committed?.revision,
        observation,
        mode,
      });
      return {
        kind: "imported",
        device,
        revision: committed?.revision ?? (await store.currentRevision()),
        items: observed.items.length,
        changed: writes?.put.length ?? 0,
        removed: writes?.remove.length ?? 0,
        affectedServices: body.statuses.map((each) => each.service),
        evidence: body.evidence.length,
      };
    },

    async compileAccept({ plan, observations, paths }) {
      const observed = await Promise.all(observations.map((each) => observedDevice(each.device, each.observation)));
      const body = await bodyOfObservation(observed, { kind: "accept", plan }, paths);
      const digest = await store.documents.put(canonicalText(body));
      return {
        proposal: digest,
        body: digest,
        devices: body.devices.map((each) => each.device),
        services: [],
        definitions: [],
        empty: body.devices.length === 0 && body.statuses.length === 0,
      };
    },

    async storePlan(request): Promise<StoredPlan> {
      const named = await Promise.all(
        request.sections.map(async (each) => ({ ...each, name: (await deviceOrRefuse(each.device)).name })),
      );
      const header = planHeader({
        direction: request.direction,
        policy: request.options.policy,
        scope:
          request.direction === "change"
            ? { kind: "proposal" }
            : { kind: "devices", devices: named.map((each) => each.name), paths: request.paths },
        allowUnrelated: request.options.unrelated === "allow",
        includeDrift: request.options.includeDrift === "include",
        ...(request.proposal === undefined ? {} : { proposal: request.proposal }),
        ...(request.body === undefined ? {} : { revisionBody: request.body }),
        approval: {
          policy: approval.author === "may-approve" ? "author-may-approve" : "another-person",
          approvals: 1,
          author: approval.author,
        },
        sections: Object.fromEntries(named.map((each) => [each.name, each.section])),
      });
      const digest = await store.documents.put(headerDocument(header));
      const contents = await store.documents.put(
        canonicalText({
          format: "tenure-plan-contents/1",
          sections: request.sections,
          unreachable: request.unreachable,
          paths: request.paths,
          options: request.options,
        }),
      );
      const operations = request.sections.reduce((sum, each) => sum + each.operations, 0);
      const nothingToDo = operations === 0 && request.body === undefined;
      await store.putPlan({
        plan: {
          plan: request.plan,
          digest,
          direction: request.direction,
          policy: request.options.policy,
          author: request.actor,
          proposal: request.proposal,
          body: request.body,
          contents,
          operations,
          follows: undefined,
        },
        // It waits once the workflow says so: an approval is then taken at once.
        state: nothingToDo ? PlanState.applied : PlanState.planning,
      });
      return { digest, operations, nothingToDo };
    },

    async journalApproval({ plan, approve }) {
      const refuse = async (code: string, message: string) => {
        await store.recordRefusal({
          plan,
          what: "approve",
          actor: approve.approver,
          code,
          message,
          key: `refuse/${plan}/${code}/${approve.approver}/${approve.digest}`,
        });
        return { kind: "refused" as const, code, message };
      };
      const view = await store.plan(plan);
      if (view === undefined) return { kind: "refused", code: "unknown-plan", message: `there is no plan ${plan}` };
      if (approval.author === "may-not-approve" && view.plan.author === approve.approver)
        return refuse("author", `${approve.approver} wrote plan ${plan}; another person has to approve it`);
      try {
        await store.recordApproval({
          plan,
          digest: approve.digest,
          approver: approve.approver,
          comment: approve.comment,
          expires: undefined,
          hold: approve.hold,
          key: `approve/${plan}`,
        });
        return { kind: "approved" };
      } catch (error) {
        if (isStoreError(error, "wrong-digest") || isStoreError(error, "wrong-state"))
          return refuse(error.code, error.message);
        throw error;
      }
    },

    async journalRefusal({ plan, actor, what, code, message }) {
      await store.recordRefusal({
        plan,
        what,
        actor,
        code,
        message,
        key: `refuse/${plan}/${what}/${code}/${actor}/${message.slice(0, 120)}`,
      });
    },

    async recordPlanState({ plan, state, decision, revision, outcomes, reason }) {
      // A plan that failed before it stood has no record; its workflow tells the client.
      const view = await store.plan(plan);
      if (view === undefined) return;
      const current = await store.currentRevision();
      for (const outcome of outcomes) {
        const { device, ...rest } = outcome;
        await store.recordOutcome({
          plan,
          transaction: undefined,
          device,
          outcome: rest,
          key: `${plan}/${device}/${state}`,
        });
        await conditionOf(store, {
          ...syncAfter(outcome.kind, outcome.message),
          id: device,
          type: "InSync",
          revision: current,
          observation: outcome.observation,
          mode: "record",
        });
      }
      await store.recordPlanState({
        plan,
        state,
        actor: decision?.actor,
        comment: decision?.comment,
        reason,
        revision,
      });
    },

    async checkBase({ plan, digest, body }) {
      const view = await store.plan(plan);
      const reasons: string[] = [];
      if (view?.plan.digest !== digest) reasons.push(`plan ${plan} has another digest than the one approved`);
      if (body !== undefined) {
        const { basis } = JSON.parse(await readDocument(body)) as RevisionBody;
        const state = await store.desiredState({
          devices: basis.devices.map((each) => each.device),
          services: basis.services.map((each) => each.name),
        });
        reasons.push(...checkBasis(state, basis));
      }
      return reasons.length === 0 ? { kind: "valid" } : { kind: "stale", reasons };
    },

    commitRevision: commitBody,

    async recordPrepared({ transaction, prepared }) {
      await store.locks.recordPrepared(transaction, prepared);
    },

    async recordSyncState({ device, inSync, revision }) {
      await conditionOf(store, {
        id: device,
        type: "InSync",
        status: inSync === "yes" ? "true" : "false",
        reason: inSync === "yes" ? "NoDrift" : "Drift",
        message:
          inSync === "yes"
            ? "the device shows its desired configuration"
            : "the device differs from its desired configuration",
        revision,
        observation: undefined,
        mode: "record",
      });
    },
  };
  return translated(beating(activities));
}

function referenceOf(record: DeviceRecord): DeviceReference {
  return {
    id: record.id,
    name: record.name,
    provider: record.provider,
    host: record.host,
    port: record.port,
    credentials: record.credentials,
    hostKey: record.hostKey,
    profile: record.chosenProfile ?? record.profile,
    moduleSet: record.moduleSet,
    announcement: record.announcement,
  };
}

const emptyBody: RevisionBody = {
  format: "tenure-revision/1",
  devices: [],
  services: [],
  definitions: [],
  statuses: [],
  evidence: [],
  basis: { devices: [], services: [], definitions: [] },
};

/** The body with the nodes that devices made themselves, unowned; what the body puts itself stands. */
function withAdopted(body: RevisionBody, adopted: readonly AdoptedDocument[], setBy: Setter): RevisionBody {
  if (adopted.length === 0) return body;
  const devices = new Map(body.devices.map((writes) => [writes.device, writes]));
  for (const { device, items } of adopted) {
    const writes = devices.get(device) ?? {
      device,
      moduleSet: undefined,
      put: [],
      remove: [],
      putLinks: [],
      removeLinks: [],
    };
    const own = new Set(writes.put.map((put) => put.item.path));
    const put = items.filter((item) => !own.has(item.path)).map((item) => ({ item, setBy, retained: false }));
    devices.set(device, {
      ...writes,
      put: [...writes.put, ...put].sort((a, b) => (a.item.path < b.item.path ? -1 : 1)),
    });
  }
  return { ...body, devices: [...devices.values()].sort((a, b) => (a.device < b.device ? -1 : 1)) };
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

interface SyncCondition {
  readonly id: string;
  readonly type: string;
  readonly status: "true" | "false" | "unknown";
  readonly reason: string;
  readonly message: string;
  readonly revision: number | undefined;
  readonly observation: string | undefined;
  readonly mode: "record" | "preview";
}

async function conditionOf(store: GraphStore, condition: SyncCondition): Promise<void> {
  if (condition.mode === "preview") return;
  await store.recordCondition({
    subject: { kind: "device", id: condition.id },
    type: condition.type,
    status: condition.status,
    reason: condition.reason,
    message: condition.message,
    path: undefined,
    revision: condition.revision,
    observation: condition.observation,
  });
}

function syncAfter(kind: string, message: string | undefined): Pick<SyncCondition, "status" | "reason" | "message"> {
  switch (kind) {
    case "applied":
      return message === undefined
        ? { status: "true", reason: "Applied", message: "verified against the expected state" }
        : { status: "unknown", reason: "Applied", message };
    case "unknown":
      return { status: "unknown", reason: "OutcomeUnknown", message: message ?? "the outcome is not known" };
    default:
      return { status: "unknown", reason: "NotApplied", message: message ?? "the plan was not applied" };
  }
}
