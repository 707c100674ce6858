import type { PlainJson } from "./plain-json.ts";

/**
 * What a reviewer has to know but no operation expresses. Findings are plain data, stand in plan documents as they are and carry values in
 * the form of documents (RFC 7951, secrets sealed), so nothing here can leak a clear text.
 */
export type Finding =
  /**
   * Both sides have the same value in effect, but only one has it written (RFC 6243). No drift; an operation only under `pin`.
   * `desired` and `observed` say whether the node is written there.
   */
  | {
      readonly kind: "explicitness";
      readonly path: string;
      readonly value: PlainJson;
      readonly desired: "set" | "unset";
      readonly observed: "set" | "unset";
    }
  /** The server reports another value as its default than the schema promises; removing a leaf cannot change that. */
  | {
      readonly kind: "server-default";
      readonly path: string;
      readonly schemaDefault: PlainJson;
      readonly found: PlainJson;
    }
  /** The two sides cannot be told apart or together: secrets sealed under different keys, opaque content in two encodings. */
  | { readonly kind: "unverifiable"; readonly path: string; readonly reason: "secret-key" | "opaque-encoding" }
  /** The operations on these paths need each other in a circle: only one atomic edit can carry them. */
  | { readonly kind: "reference-cycle"; readonly paths: readonly string[] }
  /**
   * The device differs from the goal that the change starts from. `touched`: on or below a path that the change itself writes, so its
   * operation overwrites the found value; `unrelated`: elsewhere, left alone. `expected` and `found` are absent where the node is.
   */
  | {
      readonly kind: "drift";
      readonly scope: "touched" | "unrelated";
      readonly op: "create" | "replace" | "delete" | "move";
      readonly path: string;
      readonly expected?: PlainJson;
      readonly found?: PlainJson;
    }
  /**
   * After this plan the device's configuration breaks a rule of its own modules that it keeps today: a `must`, a missing leafref target, ...
   * `code` is the validator's word for the rule, `message` its sentence; `errorAppTag` is what a server would answer with. `severity`
   * stands where a validation policy calls it an error; a change is refused for those.
   */
  | {
      readonly kind: "validation";
      readonly code: string;
      readonly path: string;
      readonly message: string;
      readonly errorAppTag?: string;
      readonly severity?: "error";
    }
  /** So many rules are broken already and stay broken: public models contain constraints that real configurations fail. */
  | { readonly kind: "validation-standing"; readonly path: string; readonly count: number };

/** The paths a finding is about, for sorting and for the text form. */
export function findingPaths(finding: Finding): readonly string[] {
  return finding.kind === "reference-cycle" ? finding.paths : [finding.path];
}

function sortKeyOf(finding: Finding): string {
  const paths = findingPaths(finding).join(" ");
  // One node can break several rules.
  const rule = finding.kind === "validation" ? ` ${finding.code} ${finding.message}` : "";
  return `${finding.kind} ${paths}${rule}`;
}

/** Findings in the order of documents: by kind, then by path, so that the order of reading a device leaves no trace. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = findings.map((finding) => ({ key: sortKeyOf(finding), finding }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ finding }) => finding);
}
