/** What a write set depends on without writing it, so that it is refused when that is another one by then. */
import { parentPathText } from "../model/path.ts";
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import type { DeviceWrites } from "./desired-state.ts";
import type { DeviceDraft } from "./device-draft.ts";
import { otherCases } from "./end-other-cases.ts";
import type { WatchedReference } from "./watched-references.ts";

/** On one device. */
export interface Judged {
  /** Nothing about these, or below them, may be another one. */
  readonly paths: readonly string[];
  /** These have to be there and wait for nobody else than before, whatever is in them. */
  readonly stands: readonly string[];
  /** Nothing else may come to point in these ways. */
  readonly references: readonly WatchedReference[];
}

/**
 * What the writes of a draft depend on: the paths given, those that the rules asked for (`judge` and `watch` of the
 * draft), the other cases of every choice in which something new stands, and what written items and ended links stand
 * in. Not told: an item that came to wait for a reference that the writes remove; it stays then.
 */
export function judgedBy(draft: DeviceDraft, { put, removeLinks }: DeviceWrites, paths: Iterable<string>): Judged {
  const { items } = draft.base;
  const written = put.map(({ item }) => item.path);
  const judged = new Set([...paths, ...draft.judged]);
  for (const path of written) if (!items.has(path)) for (const other of otherCasesOf(draft, path)) judged.add(other);
  const above = new Set<string>();
  for (const path of [...written, ...removeLinks.map((link) => link.path)])
    for (let at = parentPathText(path); at !== "/" && !above.has(at); at = parentPathText(at)) above.add(at);
  return {
    paths: [...judged],
    stands: [...above].filter((path) => items.has(path) && !judged.has(path)).sort(),
    references: draft.watched,
  };
}

function otherCasesOf(draft: DeviceDraft, path: string): readonly string[] {
  const parsed = parseCanonicalPath(draft.schema, path);
  if (parsed.kind === "error") return [];
  return otherCases(draft.schema, parsed.value.path).flatMap(({ others }) => others());
}
