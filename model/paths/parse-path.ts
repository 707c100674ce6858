/** The texts of instance paths that one bracket syntax serves: our own, and the instance-identifiers of the RFCs. */
import { type PathResult, readProblem } from "./path-diagnostic.ts";
import { type ResolveOptions, type ResolvedPath, resolvePath } from "./resolve-path.ts";
import type { Schema } from "../schema.ts";
import { scanPath } from "./spelled-path.ts";

export interface ParsePathOptions extends Pick<ResolveOptions, "read"> {
  /** A list or leaf-list as a whole at the end of the path; `take` where left out. */
  readonly whole?: ResolveOptions["whole"];
}

/**
 * Reads our text form (`formatInstancePath`) against a schema. Guarantees: every segment exists in the schema, every
 * list entry has exactly its keys, in schema order (any order is accepted in the text). Key values are taken as written
 * unless `read` gives their canonical form. A list or leaf-list named without predicate is allowed only as the last
 * segment. The one error has the offset at which the text goes wrong.
 */
export function parseInstancePath(
  schema: Schema,
  text: string,
  options: ParsePathOptions = {},
): PathResult<ResolvedPath> {
  const spelled = scanPath(text, "doubling");
  if (spelled.kind === "error") return spelled;
  return resolvePath(schema, spelled.value, {
    moduleOf: (name) => name,
    unqualified: "parent-module",
    whole: "take",
    ...options,
  });
}

/**
 * How the names of an instance-identifier are qualified:
 * - `prefixes`: every one, by prefixes of XML or of a module's text (RFC 7950 section 9.13);
 * - `modules`: by module names, where the module differs from the parent's (RFC 7951 section 6.11).
 */
export type InstanceIdentifierNames =
  | { readonly kind: "prefixes"; readonly moduleOf: (prefix: string) => string | undefined }
  | { readonly kind: "modules" };

/**
 * Reads an instance-identifier by the grammar of RFC 7950 section 14, and no other XPath: no axes, functions,
 * wildcards, `and` or second literal in a predicate, and a position only for an entry of a list without keys. It names one instance or is refused, so `/` (the whole
 * device) is refused as well unless `root` is `take`. Otherwise as `parseInstancePath`.
 */
export function parseInstanceIdentifier(
  schema: Schema,
  text: string,
  names: InstanceIdentifierNames,
  options: ParsePathOptions & { readonly root?: "refuse" | "take" } = {},
): PathResult<ResolvedPath> {
  const spelled = scanPath(text, "xpath");
  if (spelled.kind === "error") return spelled;
  if (spelled.value.segments.length === 0 && options.root !== "take") {
    const message = "the whole device is no instance";
    return readProblem(text, 0, { code: "path-not-expressible", message, expected: "at least one name" });
  }
  const { read, whole = "refuse" } = options;
  return resolvePath(schema, spelled.value, {
    moduleOf: names.kind === "prefixes" ? names.moduleOf : (name) => name,
    unqualified: names.kind === "prefixes" ? "refuse" : "parent-module",
    whole,
    ...(read === undefined ? {} : { read }),
  });
}
