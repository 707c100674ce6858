/** What observations become: imports, accepted drift, the sync state of a device. */
import { itemsOf } from "../codec/items.ts";
import type { GraphActivities } from "../contract/activities.ts";
import type { ImportOutcome } from "../contract/workflows.ts";
import { isStoreError } from "../graph/store-error.ts";
import type { GraphStore } from "../graph/store.ts";
import type { DesiredDevice, DesiredState, RevisionBody } from "../services/desired-state.ts";
import { affectedServices, importReport } from "../services/import-report.ts";
import { type ObserveOptions, type ObservedDevice, observeChange } from "../services/observe-change.ts";
import { schemasFor, stateFor } from "./compile-submission.ts";
import { canonicalText, readObservation, treeOfContent } from "./documents.ts";
import { desiredNow } from "./desired-now.ts";
import type { GraphContext } from "./graph-context.ts";
import { IMPORTED, recordCondition, recordSeen, seenRevision } from "./record-condition.ts";

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
      const { before, body, recorded } =
        mode === "preview"
          ? await changeOfImport(context, key, observed)
          : await recordedChange(context, observed, { key, actor, cause: { kind: "import", submission, observation } });
      const unchanged = changesNothing(body);
      const revision = recorded ?? (await context.store.currentRevision());
      if (mode === "record") await recordImport(context.store, { device, observation, revision, unchanged });
      if (unchanged) return { kind: "unchanged", device, items: observed.items.length };
      const report = importReport(before, await context.schemaOf(observed.moduleSet), body);
      return {
        kind: "imported",
        device,
        revision,
        items: observed.items.length,
        changed: report.totals.added + report.totals.changed,
        removed: report.totals.removed + report.totals.unfit,
        retyped: report.totals.retyped,
        unfit: report.totals.unfit,
        affectedServices: affectedServices(report),
        evidence: report.evidence.length,
        report: await context.store.documents.put(canonicalText(report)),
      };
    },

    async compileAccept({ plan, observations, paths }) {
      const observed = await Promise.all(
        observations.map((each) => observedDevice(context, each.device, each.observation)),
      );
      const state = await stateWith(context, observed);
      const body = await bodyOfObservation(context, state, observed, { setBy: { kind: "accept", plan }, paths });
      const digest = await context.store.documents.put(canonicalText(body));
      return {
        proposal: digest,
        body: digest,
        devices: body.devices.map((each) => each.device),
        services: [],
        definitions: [],
        empty: changesNothing(body),
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
      if (inSync === "yes") await recordSeen(context.store, device, revision);
    },
  };
}

interface RecordedImport {
  readonly device: string;
  readonly observation: string;
  readonly revision: number;
  readonly unchanged: boolean;
}

/** An import that finds what is known leaves the conditions that say so as they are. */
async function recordImport(store: GraphStore, { device, observation, revision, unchanged }: RecordedImport) {
  const condition = await store.condition({ kind: "device", id: device }, "InSync");
  if (!unchanged || condition?.status !== "true" || condition.describes !== "current") {
    await recordCondition(store, {
      id: device,
      type: "InSync",
      status: "true",
      reason: "Imported",
      message: "as observed",
      revision,
      observation,
      mode: "record",
    });
  }
  await recordCondition(store, {
    id: device,
    type: IMPORTED,
    status: "true",
    reason: "Imported",
    message: "the last import succeeded",
    revision: undefined,
    observation: undefined,
    mode: "record",
  });
  // To have all of the revision that wrote a device last is to have all of the later ones.
  const seen = unchanged ? await store.newestRevision({ kind: "device", id: device }) : revision;
  await recordSeen(store, device, seen);
}

interface ImportChange {
  readonly before: DesiredDevice;
  readonly body: RevisionBody;
  /** The revision that it is; undefined where it is none (yet). */
  readonly recorded: number | undefined;
}

function changesNothing({ devices, statuses }: RevisionBody): boolean {
  return devices.length === 0 && statuses.length === 0;
}

/** Enough for every import of a window: each that is stale had another one before it. */
const ATTEMPTS = 50;

/**
 * What an import changes, recorded unless that is nothing. The statuses of services are judged by other devices too;
 * where these moved meanwhile, they are judged again.
 */
async function recordedChange(
  context: GraphContext,
  observed: TypedObservation,
  commit: Omit<Parameters<GraphStore["commitRevision"]>[0], "body">,
): Promise<ImportChange> {
  for (let attempt = 1; ; attempt += 1) {
    const change = await changeOfImport(context, commit.key, observed);
    if (changesNothing(change.body)) return change;
    try {
      const { revision } = await context.store.commitRevision({ ...commit, body: change.body });
      return { ...change, recorded: revision };
    } catch (error) {
      if (attempt === ATTEMPTS || !isStoreError(error, "stale-basis")) throw error;
    }
  }
}

/**
 * What an import makes of the device as it stands; or what it made of it, where it was recorded and the answer lost:
 * compared with that, the device would seem unchanged.
 */
async function changeOfImport(context: GraphContext, key: string, observed: TypedObservation): Promise<ImportChange> {
  const { store, read } = context;
  const { device } = observed;
  const answered = Number((await store.answerTo("revision", key)) ?? 0);
  const recorded = answered === 0 ? undefined : await store.revision(answered);
  if (recorded !== undefined) {
    const before = answered === 1 ? undefined : await store.desiredDevice(device, { revision: answered - 1 });
    return {
      before: before ?? (await emptyDevice(context, device)),
      body: JSON.parse(await read(recorded.body)) as RevisionBody,
      recorded: answered,
    };
  }
  const state = await stateWith(context, [observed]);
  return {
    before: state.devices.get(device) ?? (await emptyDevice(context, device)),
    body: await bodyOfObservation(context, state, [observed], { setBy: { kind: "import" }, paths: [] }),
    recorded: undefined,
  };
}

/** An observation and what it is typed against. */
type TypedObservation = ObservedDevice & { readonly moduleSet: string };

async function observedDevice(context: GraphContext, device: string, observation: string): Promise<TypedObservation> {
  const document = await readObservation(context.read, observation);
  const schema = await context.schemaOf(document.moduleSet);
  const seen = await seenRevision(context.store, device);
  return {
    device,
    items: itemsOf(treeOfContent(schema, await context.read(document.content))),
    observation,
    moduleSet: document.moduleSet,
    ...(seen === undefined ? {} : { seen }),
  };
}

/** The state that an observation changes; a device without an import yet starts empty and without a module set. */
async function stateWith(context: GraphContext, observed: readonly TypedObservation[]): Promise<DesiredState> {
  const state = await stateFor(
    await desiredNow(context.store),
    observed.map((each) => each.device),
    [],
  );
  const devices = new Map(state.devices);
  for (const { device } of observed) if (!devices.has(device)) devices.set(device, await emptyDevice(context, device));
  return { ...state, devices };
}

async function emptyDevice(context: GraphContext, device: string): Promise<DesiredDevice> {
  const { name } = await context.device(device);
  return { device, name, moduleSet: "", items: new Map(), links: [] };
}

async function bodyOfObservation(
  context: GraphContext,
  state: DesiredState,
  observed: readonly TypedObservation[],
  options: ObserveOptions,
): Promise<RevisionBody> {
  const others = new Map([...state.devices].filter(([id]) => !observed.some(({ device }) => device === id)));
  const schemas = new Map(await schemasFor(context, { ...state, devices: others }));
  for (const { device, moduleSet } of observed) schemas.set(device, await context.schemaOf(moduleSet));
  return observeChange(state, schemas, observed, options);
}
