/**
 * Services that wait for each other. An instance stands on firm ground when each item that it depends on is nobody's,
 * its own, existed before any service took it, or is owned by an instance that stands on firm ground itself. Instances
 * for which that cannot be shown could never have been put one after the other, and could never be removed in an order
 * in which nothing is left behind: a submission that holds one is refused.
 *
 * Links alone decide. An item that nobody owns is no reason, whether it is there (rule 4 keeps it) or absent (rule 7).
 */
import type { Diagnostic, DiagnosticPlace, SourcePosition } from "../model/diagnostic.ts";
import type { DeviceId, ServiceLink } from "./desired-state.ts";

/** An instance that is put, with the places of its `depends` rules. */
export interface SubmittedDependencies {
  readonly name: string;
  readonly position: SourcePosition;
  readonly depends: readonly { readonly device: DeviceId; readonly path: string; readonly writer: SourcePosition }[];
}

export interface DependencyQuestion {
  /** As they are after the submission: of the instances put, and of all whose items they depend on, and so on. */
  readonly links: Iterable<ServiceLink>;
  readonly submitted: readonly SubmittedDependencies[];
  readonly deviceName: (device: DeviceId) => string;
}

export type DependencyDiagnosticCode = "dependency-cycle";

/**
 * One diagnostic of code `dependency-cycle` for each cycle that an instance of the submission is in or leads to, with
 * the places of the `depends` rules on it. Linear in links.
 */
export function dependencyCycles({ links, submitted, deviceName }: DependencyQuestion): readonly Diagnostic[] {
  if (submitted.every((each) => each.depends.length === 0)) return [];
  const waiting = waitingServices([...links]);
  const places = placesOf(submitted);
  const told = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const { name, position } of [...submitted].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!waiting.has(name) || told.has(name)) continue;
    const trail = trailFrom(name, waiting);
    for (const step of trail) told.add(step.service);
    diagnostics.push(
      diagnosticOf(trail, {
        name: deviceName,
        places,
        instance: { kind: "source", position } satisfies DiagnosticPlace,
      }),
    );
  }
  return diagnostics;
}

/** A dependency that nothing firm meets. */
interface Wait {
  readonly service: string;
  readonly device: DeviceId;
  readonly path: string;
  readonly owners: readonly string[];
}

/** The first of the waits of each service that is not on firm ground: the least fixpoint, one service at a time. */
function waitingServices(links: readonly ServiceLink[]): ReadonlyMap<string, Wait> {
  const owners = new Map<string, Set<string>>();
  const existed = new Set<string>();
  const items = new Map<string, string[]>();
  for (const link of links) {
    if (link.relation !== "owns") continue;
    const item = itemOf(link);
    membersOf(owners, item, () => new Set<string>()).add(link.service);
    membersOf(items, link.service, () => [] as string[]).push(item);
    if (link.existedBefore !== undefined) existed.add(item);
  }
  const waits = new Map<string, Map<string, Wait>>();
  const waiters = new Map<string, string[]>();
  for (const link of links) {
    const item = itemOf(link);
    const holders = owners.get(item);
    if (link.relation !== "depends" || holders === undefined || holders.has(link.service) || existed.has(item))
      continue;
    const { service, device, path } = link;
    membersOf(waits, service, () => new Map<string, Wait>()).set(item, {
      service,
      device,
      path,
      owners: [...holders].sort(),
    });
    membersOf(waiters, item, () => [] as string[]).push(service);
  }
  const firm = [...items.keys()].filter((service) => !waits.has(service));
  for (let service = firm.pop(); service !== undefined; service = firm.pop()) {
    for (const item of items.get(service) ?? []) {
      for (const waiter of waiters.get(item) ?? []) {
        const left = waits.get(waiter);
        if (left?.delete(item) !== true || left.size > 0) continue;
        waits.delete(waiter);
        firm.push(waiter);
      }
      waiters.delete(item);
    }
  }
  const first = new Map<string, Wait>();
  for (const [service, left] of waits) {
    const [wait] = [...left].sort(([a], [b]) => (a < b ? -1 : 1));
    if (wait !== undefined) first.set(service, wait[1]);
  }
  return first;
}

function itemOf({ device, path }: Pick<ServiceLink, "device" | "path">): string {
  return `${device} ${path}`;
}

function membersOf<M>(map: Map<string, M>, key: string, empty: () => M): M {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = empty();
  map.set(key, made);
  return made;
}

/** From one wait to the owner's, until a service comes again; the last step leads back to it. */
function trailFrom(start: string, waiting: ReadonlyMap<string, Wait>): readonly Wait[] {
  const trail = new Map<string, Wait>();
  for (let wait = waiting.get(start); wait !== undefined && !trail.has(wait.service); ) {
    trail.set(wait.service, wait);
    // None of the owners is on firm ground, so each of them waits.
    wait = waiting.get(wait.owners[0] ?? "");
  }
  return [...trail.values()];
}

interface Telling {
  readonly name: (device: DeviceId) => string;
  readonly places: ReadonlyMap<string, DiagnosticPlace>;
  readonly instance: DiagnosticPlace;
}

function diagnosticOf(trail: readonly Wait[], { name, places, instance }: Telling): Diagnostic {
  const steps = trail.map((wait) => `${wait.service} -> ${name(wait.device)} ${wait.path}`);
  const last = trail.at(-1);
  const back = last?.owners[0] ?? "";
  const said = trail.flatMap((wait) => places.get(`${wait.service} ${itemOf(wait)}`) ?? []);
  return {
    code: "dependency-cycle" satisfies DependencyDiagnosticCode,
    severity: "error",
    message: `services depend on each other in a circle: ${[...steps, back].join(" -> ")}`,
    places: said.length > 0 ? said : [instance],
    expected: "items that nobody owns, or whose owners can be put first",
    remedy: `take one of these \`depends\` rules out, or let ${last?.service ?? ""} own ${last?.path ?? ""} as well`,
  };
}

function placesOf(submitted: readonly SubmittedDependencies[]): ReadonlyMap<string, DiagnosticPlace> {
  return new Map(
    submitted.flatMap(({ name, depends }) =>
      depends.map((each) => [`${name} ${itemOf(each)}`, { kind: "source", position: each.writer } as const] as const),
    ),
  );
}
