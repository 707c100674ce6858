/**
 * Is a service consistent? It is when every item it owns or depends on exists with the value it requires. An
 * inconsistency keeps the words in which it was first found until the requirement is met again.
 */
import { itemValue } from "./assert-yields.ts";
import type { DeviceId, Inconsistency, ServiceLink, ServiceStatus } from "./desired-state.ts";
import { type DeviceDraft, optionalValuesEqual } from "./device-draft.ts";

export type StatusCause =
  /** `writers` gives the service that last wrote a path, or ended its case, in the submission. */
  | { readonly kind: "submission"; readonly writers: (device: DeviceId, path: string) => string | undefined }
  | { readonly kind: "observation" };

export function statusOf(
  service: string,
  drafts: ReadonlyMap<DeviceId, DeviceDraft>,
  before: ServiceStatus,
  cause: StatusCause,
): ServiceStatus {
  const because = new Map<string, Inconsistency>();
  const said = wordsByPlace(before);
  for (const draft of drafts.values()) {
    for (const link of draft.linksOf(service)) {
      const problem = unmetRequirement(draft, link);
      if (problem === undefined) continue;
      // Owning and depending on one item is one reason, not two.
      const key = `${placeOf(link)} ${JSON.stringify([link.value])}`;
      if (!because.has(key))
        because.set(key, earlierWords(said, link, problem) ?? newWords(link, problem, service, cause));
    }
  }
  if (because.size === 0) return { kind: "consistent" };
  return { kind: "inconsistent", because: [...because].sort(byKey).map(([, words]) => words) };
}

/** Do two statuses say the same? Words that were kept are the very same objects. */
export function statusesEqual(a: ServiceStatus, b: ServiceStatus): boolean {
  if (a.kind === "consistent" || b.kind === "consistent") return a.kind === b.kind;
  const said = new Set(b.because);
  return a.because.length === b.because.length && a.because.every((each) => said.has(each));
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

/** Services with a link to an item that changes: they are judged anew. */
export function servicesNear(drafts: ReadonlyMap<DeviceId, DeviceDraft>): Set<string> {
  const near = new Set<string>();
  for (const draft of drafts.values()) {
    const touched = new Set(draft.touched());
    for (const link of draft.links()) if (touched.has(link.path)) near.add(link.service);
  }
  return near;
}

/** Paths that the statuses of these services are judged by: when one of them changes, a status may be another. */
export function judgedPaths(services: Iterable<string>, draft: DeviceDraft): readonly string[] {
  return [...services].flatMap((service) => draft.linksOf(service).map((link) => link.path));
}

export interface Unmet {
  readonly kind: "missing" | "differs";
  readonly found: Inconsistency["found"];
}

/** What is wrong with the item that a link requires; undefined where nothing is. */
export function unmetRequirement(draft: DeviceDraft, link: Pick<ServiceLink, "path" | "value">): Unmet | undefined {
  const item = draft.item(link.path)?.item;
  if (item === undefined) return { kind: "missing", found: undefined };
  if (link.value === undefined) return undefined;
  const found = itemValue(item);
  return optionalValuesEqual(found, link.value) ? undefined : { kind: "differs", found };
}

function wordsByPlace(status: ServiceStatus): ReadonlyMap<string, readonly Inconsistency[]> {
  const byPlace = new Map<string, Inconsistency[]>();
  for (const words of status.kind === "consistent" ? [] : status.because) {
    const same = byPlace.get(placeOf(words));
    if (same === undefined) byPlace.set(placeOf(words), [words]);
    else same.push(words);
  }
  return byPlace;
}

function placeOf({ device, path }: Pick<ServiceLink, "device" | "path">): string {
  return `${device} ${path}`;
}

function earlierWords(
  said: ReadonlyMap<string, readonly Inconsistency[]>,
  link: ServiceLink,
  problem: Unmet,
): Inconsistency | undefined {
  return said
    .get(placeOf(link))
    ?.find((each) => optionalValuesEqual(each.required, link.value) && optionalValuesEqual(each.found, problem.found));
}

function newWords(link: ServiceLink, problem: Unmet, service: string, cause: StatusCause): Inconsistency {
  const writer = cause.kind === "submission" ? cause.writers(link.device, link.path) : undefined;
  const by = writer === service ? undefined : writer;
  return {
    reason: by !== undefined ? "overridden" : problem.kind === "missing" ? "missing" : "contradicted",
    device: link.device,
    path: link.path,
    required: link.value,
    found: problem.found,
    by,
    revision: 0,
  };
}
