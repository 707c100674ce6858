import { canonicalJson } from "./canonical-json.ts";
import type { DocumentStore } from "./documents/document-store.ts";
import type { Journal } from "./journal/journal.ts";
import type { Run } from "./ladybug.ts";
import { OPEN_END } from "./schema/migrations.ts";
import * as statements from "./statements/reads.ts";
import { isStoreError } from "./store-error.ts";

export type CheckCode =
  | "many-current"
  | "current-ended"
  | "open-not-current"
  | "orphan-version"
  | "broken-chain"
  | "link-without-service"
  | "graph-behind"
  | "revision-differs"
  | "document-missing";

/** Something that must not be. `place` is an id in the graph, a revision, or a record number. */
export interface CheckFinding {
  readonly code: CheckCode;
  readonly place: string;
}

const INVARIANTS: readonly { readonly code: CheckCode; readonly statement: string }[] = [
  { code: "many-current", statement: statements.ITEMS_WITH_MANY_CURRENT },
  { code: "current-ended", statement: statements.CURRENT_THAT_ENDED },
  { code: "open-not-current", statement: statements.OPEN_VERSIONS_NOT_CURRENT },
  { code: "orphan-version", statement: statements.VERSIONS_WITHOUT_DEVICE },
  { code: "broken-chain", statement: statements.BROKEN_CHAINS },
  { code: "link-without-service", statement: statements.OWNS_AFTER_SERVICE },
  { code: "link-without-service", statement: statements.DEPENDS_AFTER_SERVICE },
];

/**
 * Verifies what must always hold: within the graph, and between graph, journal and documents. Reads everything once;
 * changes nothing. No findings: all is well. Errors: `journal-broken`.
 */
export async function checkStore(
  read: Run,
  journal: Journal,
  documents: DocumentStore,
): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = [];
  for (const { code, statement } of INVARIANTS) {
    const rows = await read(statement, statement.includes("$open") ? { open: OPEN_END } : undefined);
    for (const row of rows) findings.push({ code, place: String(row["place"]) });
  }
  const [meta] = await read(statements.META);
  if (meta?.["record"] !== journal.last.n) findings.push({ code: "graph-behind", place: String(meta?.["record"]) });

  for await (const record of journal.read(1)) {
    if (record.kind !== "revision") continue;
    const { revision, body } = record.body;
    const [row] = await read(statements.REVISION, { id: revision });
    if (row?.["record"] !== record.n || row["time"] !== record.time) {
      findings.push({ code: "revision-differs", place: canonicalJson({ revision, record: record.n }) });
    }
    try {
      await documents.get(body);
    } catch (error) {
      if (!isStoreError(error)) throw error;
      findings.push({ code: "document-missing", place: body });
    }
  }
  return findings;
}
