import { type CheckFinding, type CheckOptions, checkStore } from "../check.ts";
import { isStoreError } from "../store-error.ts";
import { proveSnapshot } from "./prune.ts";

/** Something that is not as it was recorded: in the graph, or in the snapshot that stands for dropped records. */
export type VerifyFinding =
  | CheckFinding
  | { readonly code: "snapshot-differs" | "document-missing" | "document-damaged"; readonly place: string };

export interface VerifyReport {
  /** Numbers of the oldest and the newest record. */
  readonly records: { readonly first: number; readonly last: number };
  /** The snapshot that stands for the records before; undefined while none were dropped. */
  readonly snapshot: { readonly record: number; readonly revision: number; readonly manifest: string } | undefined;
  readonly findings: readonly VerifyFinding[];
}

/**
 * Proves, beyond the chain of records that opening has proved, that the snapshot which stands for dropped records is
 * whole and gives itself when it is taken again, and that the graph says what the journal says. Changes nothing.
 */
export async function verifyStore(options: CheckOptions): Promise<VerifyReport> {
  const { journal, documents } = options;
  const snapshot = journal.base?.snapshot.body;
  const findings: VerifyFinding[] = [];
  if (snapshot !== undefined) {
    try {
      await proveSnapshot(snapshot, { documents });
    } catch (error) {
      if (!isStoreError(error)) throw error;
      const { code, details } = error;
      if (code !== "snapshot-differs" && code !== "document-missing" && code !== "document-damaged") throw error;
      findings.push({ code, place: String(details["digest"] ?? snapshot.manifest) });
    }
  }
  findings.push(...(await checkStore(options)));
  return {
    records: { first: (snapshot?.record ?? 0) + 1, last: journal.last.n },
    snapshot:
      snapshot === undefined
        ? undefined
        : { record: snapshot.record, revision: snapshot.revision, manifest: snapshot.manifest },
    findings,
  };
}
