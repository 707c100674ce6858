/** What a write set was computed from, and whether that still holds. */
import { compareText } from "../model/compare-text.ts";
import type { DesiredDevice, DesiredState, DeviceId, RevisionBasis } from "./desired-state.ts";
import type { Judged } from "./judged.ts";
import { SortedPaths } from "./sorted-paths.ts";
import { type WatchedReference, referring, watchText } from "./watched-references.ts";

/**
 * The state of one path as far as a change of it depends on it: its value (by the revision that gave it), who owns or
 * depends on it or on anything below, and what stands below (of a list: its entries). The cost follows what stands
 * below, once a device's paths are sorted. Needs items and links that do not change any more.
 */
export function pathFingerprint(device: DesiredDevice, path: string): string {
  const item = device.items.get(path);
  const linksByPath = linksByPathOf(device);
  const links = [path, ...SortedPaths.of(linksByPath).below(path)]
    .flatMap((each) => linksByPath.get(each) ?? [])
    .sort();
  const paths = SortedPaths.of(device.items);
  const below = [...paths.below(path), ...(item === undefined ? paths.startingWith(`${path}[`) : [])];
  let newest = 0;
  for (const each of below) newest = Math.max(newest, device.items.get(each)?.since ?? 0);
  return JSON.stringify([item === undefined ? null : [item.since, item.retained], links, below.length, newest]);
}

const linksOfDevice = new WeakMap<DesiredDevice["links"], ReadonlyMap<string, readonly string[]>>();

function linksByPathOf(device: DesiredDevice): ReadonlyMap<string, readonly string[]> {
  const known = linksOfDevice.get(device.links);
  if (known !== undefined) return known;
  const byPath = new Map<string, string[]>();
  for (const link of device.links) {
    const text = `${link.service} ${link.relation} ${link.path}`;
    const same = byPath.get(link.path);
    if (same === undefined) byPath.set(link.path, [text]);
    else same.push(text);
  }
  linksOfDevice.set(device.links, byPath);
  return byPath;
}

/**
 * The basis of a write set: what it was judged by on each device, revisions of the services and documents of the
 * definitions it was compiled from.
 */
export function basisOf(
  state: DesiredState,
  judged: ReadonlyMap<DeviceId, Judged>,
  names: { readonly services: readonly string[]; readonly definitions: readonly string[] },
): RevisionBasis {
  return {
    devices: [...judged.entries()]
      .map(([id, { paths, stands, references }]) => {
        const device = state.devices.get(id);
        if (device === undefined) throw new RangeError(`no state of device ${id}`);
        return {
          device: id,
          moduleSet: device.moduleSet,
          touched: [...new Set(paths)].sort().map((path) => ({ path, fingerprint: pathFingerprint(device, path) })),
          ...(stands.length === 0
            ? {}
            : { stands: stands.map((path) => ({ path, retained: isRetained(device, path) })) }),
          ...(references.length === 0 ? {} : { references: knownReferences(device, references) }),
        };
      })
      .sort((a, b) => (a.device < b.device ? -1 : 1)),
    services: names.services.map((name) => ({ name, revision: state.services.get(name)?.revision })),
    definitions: names.definitions.map((name) => ({ name, document: state.definitions.get(name)?.document })),
  };
}

function isRetained(device: DesiredDevice, path: string): boolean {
  return device.items.get(path)?.retained === true;
}

function knownReferences(device: DesiredDevice, watched: readonly WatchedReference[]) {
  const known = referring(device, watched);
  return watched
    .map(({ leaf, value }) => ({ leaf, value, known: known.get(watchText({ leaf, value })) ?? [] }))
    .sort((a, b) => compareText(watchText(a), watchText(b)));
}

/** Reasons why a write set is stale; empty while it is valid. */
export function checkBasis(state: DesiredState, basis: RevisionBasis): readonly string[] {
  const reasons: string[] = [];
  for (const each of basis.devices) {
    const device = state.devices.get(each.device);
    if (device === undefined) {
      reasons.push(`device ${each.device} is gone`);
      continue;
    }
    if (device.moduleSet !== each.moduleSet) reasons.push(`${device.name} now has another module set`);
    for (const { path, fingerprint } of each.touched) {
      if (pathFingerprint(device, path) !== fingerprint)
        reasons.push(`${device.name} ${path}: its value, owners or dependants changed since the proposal`);
    }
    const pointing = referring(device, each.references ?? []);
    for (const reference of each.references ?? []) {
      const known = new Set(reference.known);
      for (const path of pointing.get(watchText(reference)) ?? []) {
        if (!known.has(path)) reasons.push(`${device.name} ${path}: it points at what the proposal removes`);
      }
    }
    for (const { path, retained } of each.stands ?? []) {
      if (!device.items.has(path)) reasons.push(`${device.name} ${path}: it went since the proposal, which needs it`);
      else if (isRetained(device, path) !== retained)
        reasons.push(`${device.name} ${path}: its last owner came or went since the proposal`);
    }
  }
  for (const each of basis.services) {
    if (state.services.get(each.name)?.revision !== each.revision)
      reasons.push(`service ${each.name} was changed since the proposal`);
  }
  for (const each of basis.definitions) {
    if (state.definitions.get(each.name)?.document !== each.document)
      reasons.push(`definition ${each.name} was changed since the proposal`);
  }
  return reasons;
}
