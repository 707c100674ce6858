/**
 * Instance paths in the words of each protocol. This folder owns one problem: a path is one structured value
 * (`model/path.ts`), and each protocol spells it its own way, with its own rules for names, keys and characters that
 * mean something. A text becomes a path only if it names one instance of the schema, with every key; a path becomes a
 * text only if the text reads back as that path. What an encoding has no words for is refused, never approximated, since
 * the nearest text usually means more nodes.
 *
 * | file | encoding | read by |
 * |---|---|---|
 * | `instance-identifier.ts` | XPath subset of RFC 7950 section 9.13, RFC 7951 section 6.11 | NETCONF, filters, values |
 * | `restconf-path.ts` | api-path of RFC 8040 section 3.5.3 | RESTCONF |
 * | `gnmi-path.ts`, `gnmi-path-text.ts` | `Path` of gNMI, and its string form for people | gNMI |
 *
 * Selections of several nodes (wildcards, whole lists, subtrees) are not instance paths and are refused by name.
 */
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { formatInstancePath, type InstancePath } from "../../model/path.ts";
import { type PathResult, pathOk } from "../../model/paths/path-diagnostic.ts";
import type { ResolvedPath } from "../../model/paths/resolve-path.ts";
import type { Schema } from "../../model/schema.ts";
import { formatGnmiPath, parseGnmiPath } from "./gnmi-path-text.ts";
import { readGnmiPath, writeGnmiPath } from "./gnmi-path.ts";
import { formatInstanceIdentifier, parseAnyInstanceIdentifier } from "./instance-identifier.ts";
import { keyReader } from "./key-text.ts";
import { pathSteps, pathOfSteps } from "./path-steps.ts";
import { schemaPrefixes } from "./prefix-table.ts";
import { formatRestconfPath, parseRestconfPath } from "./restconf-path.ts";

export const PATH_FORMS = ["instance", "xpath", "restconf", "gnmi"] as const;
/** `instance` is our own text (`formatInstancePath`); `xpath` is the instance-identifier. */
export type PathForm = (typeof PATH_FORMS)[number];

/**
 * Reads a path that a person wrote in one of the forms. Guarantees: one instance (or the whole device), every key there
 * and canonical. Names of an `xpath` take the modules' own prefixes (`schemaPrefixes`) or module names. Only the form
 * `instance` takes a list as a whole, and it and `gnmi` a leaf-list. The one error has its offset.
 */
export function parsePath(schema: Schema, form: PathForm, text: string): PathResult<ResolvedPath> {
  switch (form) {
    case "instance":
      return parseInstancePath(schema, text, { read: keyReader(schema, { kind: "modules" }) });
    case "xpath":
      return parseAnyInstanceIdentifier(schema, text);
    case "restconf":
      return parseRestconfPath(schema, text);
    case "gnmi": {
      const path = parseGnmiPath(text);
      return path.kind === "error" ? path : readGnmiPath(schema, path.value);
    }
  }
}

/**
 * Writes a path in one of the forms: `xpath` with the modules' own prefixes, `restconf` from the datastore resource
 * downwards (`/m:top/list=key`), `gnmi` with a module name only where the name alone is ambiguous. Errors: a path that
 * the schema does not have, or that the form has no text for.
 */
export function formatPath(schema: Schema, form: PathForm, path: InstancePath): PathResult<string> {
  switch (form) {
    case "instance": {
      const steps = pathSteps(schema, path, { whole: "take" });
      return steps.kind === "error" ? steps : pathOk(formatInstancePath(pathOfSteps(steps.value)));
    }
    case "xpath":
      return formatInstanceIdentifier(schema, path, { kind: "prefixes", prefixOf: schemaPrefixes(schema).prefixOf });
    case "restconf":
      return formatRestconfPath(schema, path);
    case "gnmi": {
      const written = writeGnmiPath(schema, path);
      return written.kind === "error" ? written : pathOk(formatGnmiPath(written.value));
    }
  }
}
