import type { DesiredState, DeviceId, ServiceLink } from "../services/desired-state.ts";
import type { Change } from "../services/propose.ts";
import type { DesiredNow } from "./desired-now.ts";

/**
 * The links on devices outside of `state` through which a dependency of a submission may come back to it: those of every
 * service that shares a device with one that shares a device, and so on. Read only where an instance depends on
 * something; devices are not read, links are few beside items.
 */
export async function linksElsewhere(
  store: Pick<DesiredNow, "services" | "linksOf">,
  state: DesiredState,
  changes: readonly Change[],
): Promise<readonly ServiceLink[]> {
  const depends = changes.some(
    (change) =>
      change.kind === "put" &&
      [...change.yields.values()].some((yields) => yields.some((each) => each.relation === "depends")),
  );
  if (!depends) return [];
  const near = new Set<DeviceId>(state.devices.keys());
  const links: ServiceLink[] = [];
  let rest = await store.services();
  for (let before = -1; before !== rest.length; ) {
    before = rest.length;
    const reached = rest.filter(({ targets }) => targets.some((id) => near.has(id)));
    rest = rest.filter((each) => !reached.includes(each));
    for (const { name, targets } of reached) {
      for (const id of targets) near.add(id);
      if (targets.every((id) => state.devices.has(id))) continue;
      links.push(...(await store.linksOf(name)).filter(({ device }) => !state.devices.has(device)));
    }
  }
  return links;
}
