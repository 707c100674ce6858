/** From the store's records to the shapes of `contract/api.ts`. */
import type {
  ConditionLine,
  DeviceView,
  PlanApproval,
  PlanOutcome,
  PlanSummary,
  ServiceView,
  SyncState,
} from "../contract/api.ts";
import { FINAL_PLAN_STATES } from "../contract/plan-state.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { ApprovalView, ConditionView, OutcomeView, PlanView } from "../graph/reads.ts";
import type { GraphStore } from "../graph/store.ts";
import type { ServiceState, ServiceStatus } from "../services/desired-state.ts";

export const IN_SYNC = "InSync";

/** Devices with how they stand against desired state, in the order given. */
export async function deviceViews(store: GraphStore, devices: readonly DeviceRecord[]): Promise<readonly DeviceView[]> {
  const newest = await store.newestRevisions();
  const conditions = new Map(
    (await store.conditions())
      .filter((condition) => condition.type === IN_SYNC && condition.subject.kind === "device")
      .map((condition) => [condition.subject.kind === "device" ? condition.subject.id : "", condition]),
  );
  return devices.map((device) => deviceView(device, syncState(newest.get(device.id), conditions.get(device.id))));
}

function deviceView(device: DeviceRecord, sync: SyncState): DeviceView {
  const host = device.host.includes(":") ? `[${device.host}]` : device.host;
  return {
    id: device.id,
    name: device.name,
    provider: device.provider,
    address: `${host}:${device.port}`,
    credentials: device.credentials,
    hostKey: device.hostKey,
    profile: {
      name: device.profile ?? device.chosenProfile,
      chosen: device.profile === undefined ? "announced" : "named",
    },
    moduleSet: device.moduleSet,
    state: device.state,
    sync,
  };
}

/** A condition of an older revision of the device is never read as the present one; it is told as what was. */
function syncState(newest: number | undefined, condition: ConditionView | undefined): SyncState {
  if (newest === undefined) return { kind: "not-imported" };
  if (condition === undefined || condition.status === "unknown")
    return { kind: "unchecked", desired: newest, last: undefined };
  const { time: since, message, status, describes } = condition;
  if (describes !== "current") {
    const last = { kind: status === "true" ? "in-sync" : "drift", revision: describes.revision, since } as const;
    return { kind: "unchecked", desired: newest, last };
  }
  const revision = condition.revision ?? newest;
  return status === "true" ? { kind: "in-sync", revision, since } : { kind: "drift", revision, since, message };
}

export function conditionLine(condition: ConditionView): ConditionLine {
  const { type, status, reason, message, path, revision, time } = condition;
  const describes = condition.describes === "current" ? "current" : "earlier";
  return { type, status, reason, message, path, revision, describes, time };
}

export function planSummary({ plan, state, opened, latest }: PlanView): PlanSummary {
  return {
    plan: plan.plan,
    digest: plan.digest,
    direction: plan.direction,
    policy: plan.policy,
    author: plan.author,
    state,
    opened,
    since: latest.time,
    operations: plan.operations,
    proposal: plan.proposal,
    follows: plan.follows,
    reason: latest.reason,
    revision: latest.revision,
  };
}

export function isOpen(view: PlanView): boolean {
  return !FINAL_PLAN_STATES.has(view.state);
}

export function planApproval(view: ApprovalView): PlanApproval {
  return view.kind === "approval"
    ? {
        kind: "approval",
        actor: view.approver,
        what: view.hold === "hold" ? "approve, hold" : "approve",
        message: view.comment,
        time: view.time,
      }
    : { kind: "refusal", actor: view.actor, what: view.what, message: view.message, time: view.time };
}

export async function planOutcomes(
  store: GraphStore,
  outcomes: readonly OutcomeView[],
): Promise<readonly PlanOutcome[]> {
  return Promise.all(
    outcomes.map(async ({ device, outcome }) => {
      const { kind, message, observation, differences } = outcome;
      return { device, name: (await store.device(device))?.name ?? device, kind, message, observation, differences };
    }),
  );
}

/** With the names of devices in place of their ids. */
export function statusView(status: ServiceStatus, names: ReadonlyMap<string, string>): ServiceStatus {
  if (status.kind === "consistent") return status;
  const because = status.because.map((each) => ({ ...each, device: names.get(each.device) ?? each.device }));
  return { ...status, because };
}

/** `then`: as of an earlier revision, of which nobody knows whether it was paused. */
export function serviceView(
  service: ServiceState,
  names: ReadonlyMap<string, string>,
  when: "now" | "then" = "now",
): ServiceView {
  return {
    name: service.name,
    definition: { name: service.definition.name, version: service.definition.version },
    targets: service.targets.map((id) => names.get(id) ?? id).sort(),
    status: statusView(service.status, names),
    revision: service.revision,
    paused: when === "then" ? undefined : service.paused ? "paused" : "active",
  };
}

/** Names by id. A removed device has its name still, unless another one has taken it. */
export async function deviceNames(store: GraphStore): Promise<ReadonlyMap<string, string>> {
  const all = await store.everyDevice();
  const taken = new Map<string, number>();
  for (const { name } of all) taken.set(name, (taken.get(name) ?? 0) + 1);
  return new Map(
    all.filter(({ name, state }) => state !== "removed" || taken.get(name) === 1).map(({ id, name }) => [id, name]),
  );
}
