/**
 * Rules 4 and 5: what goes when services let go of items. An owned item goes only where no surviving service owns or
 * depends on it or on anything below it, and no remaining leafref points at it. What stays keeps its value; nothing
 * earlier comes back. Unowned items outside a removed entry are never swept.
 *
 * First it is decided what stays, until nothing more is added to that (what stays may refer to, or stand in, something
 * that was about to go); only then is anything removed.
 */
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import { isAtOrBelow, parentPathText } from "../model/path.ts";
import { itemValue } from "./assert-yields.ts";
import type { ServiceLink } from "./desired-state.ts";
import type { DeviceDraft } from "./device-draft.ts";
import type { Explanation, Keeper } from "./explanation.ts";
import { Referrers } from "./referrers.ts";

type KeptReason = Extract<Explanation, { readonly kind: "kept" }>["reason"];

interface Stay {
  readonly reason: KeptReason;
  readonly keepers: readonly Keeper[];
  readonly referrers: readonly string[];
}

/** Releases links that were already taken out of the draft. Needs a draft in which everything new is asserted. */
export function release(draft: DeviceDraft, released: readonly ServiceLink[], explain: Explanation[]): void {
  if (released.length === 0) return;
  const referrers = new Referrers(draft);
  const referredTo = new Map(draft.retained().map((path) => [path, referrers.of(path)]));
  const owned = strongest(released.filter((link) => link.relation === "owns" && draft.item(link.path) !== undefined));
  const stays = decideStays(draft, owned, referrers);
  for (const link of owned.values()) {
    const stay = stays.get(link.path);
    if (stay !== undefined) keep(draft, link, stay, explain);
  }
  for (const link of owned.values()) {
    if (!stays.has(link.path) && draft.item(link.path) !== undefined) remove(draft, link, owned, referrers, explain);
  }
  const referring = { of: (path: string) => referredTo.get(path) ?? referrers.of(path), to: referrers.to };
  releaseRetained(draft, released, referring, explain);
}

/** One link a path: where several services let go at once, the wish to keep and the narrower scope win. */
function strongest(links: readonly ServiceLink[]): ReadonlyMap<string, ServiceLink> {
  const byPath = new Map<string, ServiceLink>();
  for (const link of links) {
    const other = byPath.get(link.path);
    if (other === undefined) byPath.set(link.path, link);
    else {
      byPath.set(link.path, {
        ...other,
        onRemove: other.onRemove === "keep" || link.onRemove === "keep" ? "keep" : "delete",
        scope: other.scope === "node" || link.scope === "node" ? "node" : "subtree",
        existedBefore: other.existedBefore ?? link.existedBefore,
      });
    }
  }
  return byPath;
}

function decideStays(
  draft: DeviceDraft,
  owned: ReadonlyMap<string, ServiceLink>,
  referrers: Referrers,
): ReadonlyMap<string, Stay> {
  const stays = new Map<string, Stay>();
  const open: Candidate[] = [];
  for (const link of owned.values()) {
    const stay = ownReasonToStay(draft, link);
    if (stay === undefined) open.push(candidateOf(draft, link, referrers));
    else stays.set(link.path, stay);
  }
  const fate = fateOf(owned, stays);
  // What stands in others comes before these, so that a chain of entries is decided in one go.
  let undecided = open.sort((a, b) => b.link.path.length - a.link.path.length);
  for (let before = -1; before !== undecided.length; ) {
    before = undecided.length;
    undecided = undecided.filter((each) => {
      const stay = reasonToStay(each, fate);
      if (stay !== undefined) stays.set(each.link.path, stay);
      return stay === undefined;
    });
  }
  return stays;
}

/** An item that goes unless something else stays. */
interface Candidate {
  readonly link: ServiceLink;
  readonly below: readonly string[];
  /** What points at it or into it. */
  readonly pointing: readonly string[];
}

interface Fate {
  readonly goes: (path: string) => boolean;
  readonly stays: (path: string) => boolean;
}

/** As decided so far. A path goes by a link of its own, or with an entry that goes with all that is in it. */
function fateOf(owned: ReadonlyMap<string, ServiceLink>, stays: ReadonlyMap<string, Stay>): Fate {
  const takers = new Map<string, readonly string[]>();
  const takersOf = (path: string): readonly string[] => {
    const known = takers.get(path);
    if (known !== undefined) return known;
    const found: string[] = [];
    for (let at = path; at !== "/"; at = parentPathText(at)) {
      const link = owned.get(at);
      if (link !== undefined && (at === path || link.scope === "subtree")) found.push(at);
    }
    takers.set(path, found);
    return found;
  };
  return {
    goes: (path) => takersOf(path).some((each) => !stays.has(each)),
    stays: (path) => stays.has(path),
  };
}

function ownReasonToStay(draft: DeviceDraft, link: ServiceLink): Stay | undefined {
  const survivors = draft.linksAtOrBelow(link.path);
  if (survivors.length > 0) {
    const keepers = survivors.map((each) => ({ service: each.service, relation: each.relation, path: each.path }));
    return { reason: "linked", keepers, referrers: [] };
  }
  return link.onRemove === "keep" ? { reason: "on-remove-keep", keepers: [], referrers: [] } : undefined;
}

function candidateOf(draft: DeviceDraft, link: ServiceLink, referrers: Referrers): Candidate {
  const below = contentsOf(draft, link.path);
  const pointing = [...new Set([link.path, ...below].flatMap((path) => referrers.of(path)))].sort();
  for (const path of pointing) draft.judge(path);
  return { link, below, pointing };
}

function reasonToStay({ link, below, pointing }: Candidate, fate: Fate): Stay | undefined {
  const staying = below.filter(fate.stays);
  if (staying.length > 0) return { reason: "holds-others", keepers: [], referrers: staying };
  const unowned = link.scope === "node" ? below.filter((path) => !fate.goes(path)) : [];
  if (unowned.length > 0) return { reason: "holds-unowned", keepers: [], referrers: unowned };
  const referring = pointing.filter((path) => !fate.goes(path));
  return referring.length > 0 ? { reason: "referenced", keepers: [], referrers: referring } : undefined;
}

/** What stands below. Orders stand and fall with the entries that they put in order. */
function contentsOf(draft: DeviceDraft, path: string): readonly string[] {
  return draft.below(path).filter((each) => draft.item(each)?.item.kind !== "order");
}

function keep(draft: DeviceDraft, link: ServiceLink, stay: Stay, explain: Explanation[]): void {
  const present = draft.item(link.path);
  if (present === undefined) return;
  // With another owner the item is simply owned. Without one it waits for the last that needs it to go, unless its
  // owner wished it to stay.
  const owned = stay.keepers.some((each) => each.relation === "owns" && each.path === link.path);
  if (!owned && link.onRemove !== "keep") draft.retain(link.path);
  explain.push({
    kind: "kept",
    device: link.device,
    path: link.path,
    service: link.service,
    reason: stay.reason,
    keepers: stay.keepers,
    referrers: stay.referrers,
    value: itemValue(present.item),
    setBy: present.setBy,
  });
}

function remove(
  draft: DeviceDraft,
  link: ServiceLink,
  owned: ReadonlyMap<string, ServiceLink>,
  referrers: Referrers,
  explain: Explanation[],
): void {
  const { device, service } = link;
  const contents = contentsOf(draft, link.path);
  for (const reference of [link.path, ...contents].flatMap((path) => referrers.to(path))) draft.watch(reference);
  for (const path of contents) {
    const own = owned.get(path);
    explain.push(
      own === undefined
        ? { kind: "swept", device, path, service, with: link.path }
        : { kind: "removed", device, path, service: own.service, existedBefore: own.existedBefore },
    );
  }
  for (const path of draft.below(link.path)) draft.remove(path);
  removeItem(draft, link.path, service);
  explain.push({ kind: "removed", device, path: link.path, service, existedBefore: link.existedBefore });
}

/**
 * The removal of the last that needed a retained item deletes it: the last link to it or to something below, the last
 * item in it, the last leafref to it. Retained items that this release does not concern are left alone.
 */
function releaseRetained(
  draft: DeviceDraft,
  released: readonly ServiceLink[],
  referrers: Pick<Referrers, "of" | "to">,
  explain: Explanation[],
): void {
  const releasedAtOrBelow = new Map<string, ServiceLink>();
  for (const link of released) {
    for (let at = link.path; at !== "/"; at = parentPathText(at))
      if (!releasedAtOrBelow.has(at)) releasedAtOrBelow.set(at, link);
  }
  for (let again = true; again; ) {
    again = false;
    for (const path of draft.retained()) {
      const referring = referrers.of(path);
      const stillReferring = referring.filter((each) => draft.item(each) !== undefined && !isAtOrBelow(each, path));
      const near = releasedAtOrBelow.get(path);
      const concerned = near ?? (stillReferring.length < referring.length ? released[0] : undefined);
      if (concerned === undefined) continue;
      for (const each of [path, ...stillReferring]) draft.judge(each);
      if (stillReferring.length > 0) continue;
      if (draft.linksAtOrBelow(path).length > 0 || contentsOf(draft, path).length > 0) continue;
      for (const reference of referrers.to(path)) draft.watch(reference);
      removeItem(draft, path, concerned.service);
      explain.push({
        kind: "removed",
        device: concerned.device,
        path,
        service: concerned.service,
        existedBefore: undefined,
      });
      again = true;
    }
  }
}

function removeItem(draft: DeviceDraft, path: string, service: string): void {
  const parsed = parseCanonicalPath(draft.schema, path);
  draft.remove(path);
  if (parsed.kind === "ok") draft.reorder(parsed.value.path, "take-out", { kind: "service", service });
}
