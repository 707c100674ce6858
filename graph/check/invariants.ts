import type { Parameters, ResultRow, Run } from "../ladybug.ts";
import { OPEN_END } from "../schema/migrations.ts";
import * as statements from "../statements/checks.ts";
import { type CheckCode, type CheckFinding, MAX_FINDINGS } from "./finding.ts";

/** One rule that the graph must keep, whatever the journal says. */
export interface Invariant {
  /** What breaks it now. `newest` is the newest revision, `pruned` the oldest that can be told (0: all). */
  find(read: Run, bounds: RevisionBounds): Promise<readonly CheckFinding[]>;
}

export interface RevisionBounds {
  readonly newest: number;
  readonly pruned: number;
}

function invariant(code: CheckCode, statement: string, parameters?: (bounds: RevisionBounds) => Parameters): Invariant {
  return {
    async find(read, bounds) {
      const rows = await read(statement, parameters?.(bounds));
      return rows.map((row) => ({ code, place: String(row["place"]) }));
    },
  };
}

const open = () => ({ open: OPEN_END });
const within = ({ newest }: RevisionBounds) => ({ newest, open: OPEN_END });

export const INVARIANTS: readonly Invariant[] = [
  invariant("current-ended", statements.CURRENT_THAT_ENDED, open),
  invariant("open-not-current", statements.OPEN_VERSIONS_NOT_CURRENT, open),
  invariant("broken-chain", statements.BROKEN_CHAINS),
  invariant("cut-chain", statements.CUT_CHAINS, open),
  invariant("orphan-version", statements.VERSIONS_WITHOUT_DEVICE),
  invariant("orphan-item", statements.ITEMS_WITHOUT_ANYTHING),
  invariant("orphan-service-version", statements.SERVICE_VERSIONS_WITHOUT_SERVICE),
  invariant("orphan-evidence", statements.EVIDENCE_WITHOUT_ITEM),
  invariant("bad-span", statements.BAD_SPANS_OF_VERSIONS, within),
  invariant("bad-span", statements.BAD_SPANS_OF_SERVICES, within),
  invariant("bad-span", statements.BAD_SPANS_OF_DEFINITIONS, within),
  invariant("bad-span", statements.BAD_SPANS_OF_LINKS, within),
  invariant("bad-span", statements.BAD_SPANS_OF_TARGETS, within),
  invariant("link-elsewhere", statements.LINKS_ELSEWHERE),
  { find: linksOutsideLives },
];

/* ---- links lie within the life of their instance, and within the time that it targets their device ---- */

interface Span {
  readonly since: number;
  readonly until: number;
}

async function linksOutsideLives(read: Run, { pruned }: RevisionBounds): Promise<readonly CheckFinding[]> {
  const lives = spansBy(await read(statements.SERVICE_SPANS), (row) => String(row["service"]));
  const targets = spansBy(await read(statements.TARGET_SPANS), pairOf);
  const links = await read(statements.LINK_SPANS);
  const lost = (code: CheckCode, spans: ReadonlyMap<string, readonly Span[]>, keyOf: (row: ResultRow) => string) =>
    links
      .filter((row) => !covers(spans.get(keyOf(row)) ?? [], told(spanOf(row), pruned)))
      .slice(0, MAX_FINDINGS)
      .map((row): CheckFinding => {
        const { since, until } = spanOf(row);
        const end = until === OPEN_END ? "" : String(until);
        return { code, place: `${String(row["service"])} ${String(row["device"])} ${since}..${end}` };
      });
  return [
    ...lost("link-without-service", lives, (row) => String(row["service"])),
    ...lost("link-without-target", targets, pairOf),
  ];
}

function pairOf(row: ResultRow): string {
  return JSON.stringify([row["service"], row["device"]]);
}

function spanOf(row: ResultRow): Span {
  return { since: Number(row["since"]), until: Number(row["until"]) };
}

/** The part of a span that can be told: of what was before, a snapshot keeps when it began, not what it lay within. */
function told({ since, until }: Span, pruned: number): Span {
  return { since: Math.max(since, pruned), until };
}

function spansBy(rows: readonly ResultRow[], keyOf: (row: ResultRow) => string): ReadonlyMap<string, readonly Span[]> {
  const spans = new Map<string, Span[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = spans.get(key);
    if (known === undefined) spans.set(key, [spanOf(row)]);
    else known.push(spanOf(row));
  }
  for (const known of spans.values()) known.sort((a, b) => a.since - b.since);
  return spans;
}

/** Do these spans, sorted by their beginning, leave no gap in `wanted`? */
function covers(spans: readonly Span[], wanted: Span): boolean {
  let reached = wanted.since;
  for (const { since, until } of spans) if (since <= reached && until > reached) reached = until;
  return reached >= wanted.until;
}
