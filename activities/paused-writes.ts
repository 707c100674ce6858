/** What must not be written now: to a paused device, and for a paused service. Imports and drift checks go on. */
import { isAtOrBelow } from "../model/path.ts";
import type { PlanSection } from "../plan/plan-document.ts";
import type { GraphContext } from "./graph-context.ts";

/** A device that would be written to, and the digest of its section of the plan. */
export interface PlannedWrites {
  readonly device: string;
  readonly section: string;
}

/**
 * Why these writes must not happen now, each reason with the way out; none: they may. An operation is written for the
 * service that is its cause; one that undoes drift or returns to a revision, for every service that owns what it writes.
 */
export async function pausedReasons(
  context: GraphContext,
  planned: readonly PlannedWrites[],
): Promise<readonly string[]> {
  const records = await Promise.all(planned.map(({ device }) => context.device(device)));
  const devices = records.filter(({ state }) => state === "paused").map(({ name }) => name);
  const paused = new Set((await context.store.services()).filter((each) => each.paused).map(({ name }) => name));
  const services = new Set<string>();
  // Sections may be long; they are read only where somebody paused a service.
  if (paused.size > 0)
    for (const each of planned) for (const name of await servedBy(context, each, paused)) services.add(name);
  return [
    ...devices.map((name) => `${name} is paused, nothing is written to it; try: tenure device resume ${name}`),
    ...[...services]
      .sort()
      .map((name) => `service ${name} is paused, nothing is written for it; try: tenure service resume ${name}`),
  ];
}

/** Which of these services a section writes for. */
async function servedBy(
  { store, read }: GraphContext,
  { device, section }: PlannedWrites,
  among: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { operations } = JSON.parse(await read(section)) as Pick<PlanSection, "operations">;
  const desired = await store.desiredDevice(device);
  const owned = (desired?.links ?? []).filter(({ relation, service }) => relation === "owns" && among.has(service));
  return operations.flatMap(({ path, causes }) =>
    causes.flatMap((cause) => {
      if (cause.kind === "service-put" || cause.kind === "service-remove")
        return among.has(cause.service) ? [cause.service] : [];
      // An entry is written with all that is in it.
      return owned.filter((link) => isAtOrBelow(link.path, path)).map(({ service }) => service);
    }),
  );
}
