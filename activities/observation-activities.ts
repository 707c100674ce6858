/** What observations become: imports, accepted drift, the sync state of a device. */
import { itemsOf } from "../codec/items.ts";
import type { GraphActivities } from "../contract/activities.ts";
import type { ImportOutcome } from "../contract/workflows.ts";
import type { DesiredState, RevisionBody, Setter } from "../services/desired-state.ts";
import { type ObservedDevice, observeChange } from "../services/observe-change.ts";
import { schemasFor, stateFor } from "./compile-submission.ts";
import { canonicalText, readObservation, treeOfContent } from "./documents.ts";
import type { GraphContext } from "./graph-context.ts";
import { IMPORTED, recordCondition } from "./record-condition.ts";

export function createObservationActivities(
  context: GraphContext,
): Pick<
  GraphActivities,
  "importObservation" | "compileAccept" | "recordFailedImport" | "recordReach" | "recordSyncState"
> {
  return {
    async importObservation({ submission, device, observation, actor, mode, empty }): Promise<ImportOutcome> {
      const observed = await observedDevice(context, device, observation);
      if (observed.items.length === 0 && empty === "refuse") {
        return {
          kind: "failed",
          device,
          code: "EmptyConfiguration",
          message: "the device has no configuration; if that is right, say --allow-empty",
        };
      }
      const key = `import/${submission}/${device}`;
      const body =
        (await committedBody(context, key)) ?? (await bodyOfObservation(context, [observed], { kind: "import" }, []));
      const writes = body.devices.find((each) => each.device === device);
      const unchanged = writes === undefined && body.statuses.length === 0;
      const committed =
        mode === "preview" || unchanged
          ? undefined
          : await context.store.commitRevision({
              body,
              key,
              actor,
              cause: { kind: "import", submission, observation },
            });
      await recordCondition(context.store, {
        id: device,
        type: "InSync",
        status: "true",
        reason: "Imported",
        message: "as observed",
        revision: committed?.revision ?? (await context.store.currentRevision()),
        observation,
        mode,
      });
      await recordCondition(context.store, {
        id: device,
        type: IMPORTED,
        status: "true",
        reason: "Imported",
        message: "the last import succeeded",
        revision: undefined,
        observation: undefined,
        mode,
      });
      if (unchanged) return { kind: "unchanged", device, items: observed.items.length };
      return {
        kind: "imported",
        device,
        revision: committed?.revision ?? (await context.store.currentRevision()),
        items: observed.items.length,
        changed: writes?.put.length ?? 0,
        removed: writes?.remove.length ?? 0,
        affectedServices: body.statuses.map((each) => each.service),
        evidence: body.evidence.length,
      };
    },

    async compileAccept({ plan, observations, paths }) {
      const observed = await Promise.all(
        observations.map((each) => observedDevice(context, each.device, each.observation)),
      );
      const body = await bodyOfObservation(context, observed, { kind: "accept", plan }, paths);
      const digest = await context.store.documents.put(canonicalText(body));
      return {
        proposal: digest,
        body: digest,
        devices: body.devices.map((each) => each.device),
        services: [],
        definitions: [],
        empty: body.devices.length === 0 && body.statuses.length === 0,
      };
    },

    async recordFailedImport({ device, message }) {
      await recordCondition(context.store, {
        id: device,
        type: IMPORTED,
        status: "false",
        reason: "ImportFailed",
        message,
        revision: undefined,
        observation: undefined,
        mode: "record",
      });
    },

    async recordReach({ device, failure }) {
      await recordCondition(context.store, {
        id: device,
        type: "Reachable",
        status: failure === undefined ? "true" : "false",
        reason: failure?.code ?? "Answered",
        message: failure?.message ?? "the newest read succeeded",
        revision: undefined,
        observation: undefined,
        mode: "record",
      });
    },

    async recordSyncState({ device, inSync, revision }) {
      await recordCondition(context.store, {
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
}

/** What this import committed before its answer was lost: compared with that, the device would seem unchanged. */
async function committedBody({ store, read }: GraphContext, key: string): Promise<RevisionBody | undefined> {
  const answered = await store.answerTo("revision", key);
  const revision = answered === undefined ? undefined : await store.revision(Number(answered));
  return revision === undefined ? undefined : (JSON.parse(await read(revision.body)) as RevisionBody);
}

async function observedDevice(context: GraphContext, device: string, observation: string): Promise<ObservedDevice> {
  const document = await readObservation(context.read, observation);
  const schema = await context.schemaOf(document.moduleSet);
  return {
    device,
    items: itemsOf(treeOfContent(schema, await context.read(document.content))),
    observation,
    moduleSet: document.moduleSet,
  };
}

/** The state that an observation changes; a device without an import yet starts empty, typed against what was observed. */
async function stateWith(context: GraphContext, observed: readonly ObservedDevice[]): Promise<DesiredState> {
  const state = await stateFor(
    context.store,
    observed.map((each) => each.device),
    [],
  );
  const devices = new Map(state.devices);
  for (const each of observed) {
    const record = await context.device(each.device);
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
  context: GraphContext,
  observed: readonly ObservedDevice[],
  setBy: Setter,
  paths: readonly string[],
): Promise<RevisionBody> {
  const state = await stateWith(context, observed);
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
