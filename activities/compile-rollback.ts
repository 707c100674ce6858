/** From "back to revision N" to a proposal: the two states and what lies between them are read, the rules do the rest. */
import type { Submission } from "../contract/workflows.ts";
import type { GraphStore } from "../graph/store.ts";
import type { DeviceId, ServiceState } from "../services/desired-state.ts";
import { instanceChanges, rollback, targetsOf } from "../services/rollback.ts";
import { type CompileContext, type CompiledSubmission, schemasFor } from "./compile-submission.ts";
import { RefusedError } from "./to-application-failure.ts";

/** Errors: `unknown-revision` and `pruned` of the store; Refused with the diagnostics of `rollback`. */
export async function compileRollback(
  context: CompileContext,
  { to, devices }: Omit<Extract<Submission, { readonly kind: "rollback" }>, "kind">,
): Promise<CompiledSubmission> {
  const { store } = context;
  // One number for all reads of the present: what is written meanwhile is the basis' affair.
  const current = await store.currentRevision();
  if (to < 1) throw new RefusedError(`there is no revision ${String(to)}`, []);
  const [servicesNow, servicesThen] = [
    await store.services({ revision: current }),
    await store.services({ revision: to }),
  ];
  const wanted =
    devices === "all"
      ? [
          ...(await devicesWritten(store, { after: to, upTo: current })),
          ...instanceChanges(servicesNow, servicesThen).flatMap(targetsOf),
        ]
      : devices;
  const near = devicesNear(wanted, [...servicesNow, ...servicesThen]);
  const managed = new Set((await store.devices()).map((device) => device.id));
  const now = await store.desiredState(
    { devices: near.filter((id) => managed.has(id)), services: "all" },
    { revision: current },
  );
  const then = await store.desiredState({ devices: near, services: "all" }, { revision: to });
  const made = rollback({ now, then, schemas: await schemasFor(context, now), devices });
  if (made.kind === "ok") return { state: now, proposal: made.value };
  const [first] = made.diagnostics;
  const head = made.diagnostics.length === 1 ? first?.message : `${String(made.diagnostics.length)} errors`;
  throw new RefusedError(head ?? "refused", made.diagnostics);
}

async function devicesWritten(
  store: GraphStore,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly DeviceId[]> {
  const written = new Set<DeviceId>();
  for (let to = upTo; to > after; ) {
    const page = await store.revisions({ from: after + 1, to });
    for (const revision of page) for (const device of revision.devices) written.add(device);
    to = (page.at(-1)?.revision ?? after + 1) - 1;
  }
  return [...written];
}

/** The devices, and all that their services target now or targeted then: a status is judged whole. */
function devicesNear(wanted: readonly DeviceId[], services: readonly ServiceState[]): readonly DeviceId[] {
  const reach = new Map<string, Set<DeviceId>>();
  for (const { name, targets } of services) {
    const known = reach.get(name) ?? new Set();
    reach.set(name, known);
    for (const id of targets) known.add(id);
  }
  const near = new Set(wanted);
  for (const targets of reach.values()) {
    if (wanted.some((id) => targets.has(id))) for (const id of targets) near.add(id);
  }
  return [...near].sort();
}
