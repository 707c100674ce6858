/** Instance paths to and from the `Path` of gNMI. */
import { type InstancePath, formatInstancePath } from "../../model/path.ts";
import {
  type PathProblem,
  type PathResult,
  pathOk,
  readProblem,
  writeProblem,
} from "../../model/paths/path-diagnostic.ts";
import { type ResolvedPath, resolvePath, soleCandidate } from "../../model/paths/resolve-path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type Schema,
  isParentSchema,
} from "../../model/schema.ts";
import { type SpelledKey, type SpelledSegment, scanName, wildcard } from "../../model/paths/spelled-path.ts";
import type { PlainValue } from "../../model/value.ts";
import { type GnmiPath, type GnmiPathElem, formatGnmiElem, formatGnmiPath } from "./gnmi-path-text.ts";
import { identitiesNamed, keyReader } from "./key-text.ts";
import { type PathStep, pathSteps, uncounted } from "./path-steps.ts";

export interface GnmiKeyOptions {
  /**
   * Quotes in keys are characters of the value: `literal`, where left out. Some devices put one pair around every text
   * and want it so: `surrounding` takes it off what they send and puts it around texts that they get.
   */
  readonly keyQuotes?: "literal" | "surrounding";
}

/**
 * Reads a path as one instance. Names come with or without their module: without one, the name must fit one child only,
 * whichever module that is from. Of several, one of OpenConfig is meant where the origin is that or none (mixed-schema of
 * the OpenConfig reference); under origin `rfc7951` the rule of RFC 7951 holds instead, by which the module is the
 * parent's.
 * Keys may stand in any order; an identity may stand without its module where only one can be meant. A leaf-list stands
 * as a whole: gNMI has no path to one entry of it.
 *
 * Refused, with the offset in the text form: wildcards (`*`, `...`, a key that is `*`), missing keys, which gNMI reads
 * as wildcards too, and origin `cli`.
 */
export function readGnmiPath(schema: Schema, path: GnmiPath, options: GnmiKeyOptions = {}): PathResult<ResolvedPath> {
  const text = formatGnmiPath(path);
  if (path.origin === "cli")
    return readProblem(text, 0, { code: "path-origin", message: "origin cli names commands and no YANG data" });
  const segments: SpelledSegment[] = [];
  let at = path.origin === "" ? 0 : path.origin.length + 1;
  for (const elem of path.elem) {
    const segment = spelledElem(elem, text, at + 1, options.keyQuotes ?? "literal");
    if (segment.kind === "error") return segment;
    segments.push(segment.value);
    at += 1 + formatGnmiElem(elem).length;
  }
  return resolvePath(
    schema,
    { text, segments },
    {
      moduleOf: (name) => name,
      unqualified: path.origin === "rfc7951" ? "parent-module" : "only-candidate",
      whole: "leaf-list",
      ...preference(path.origin),
      read: keyReader(schema, { kind: "modules-or-alone" }),
    },
  );
}

function preference(origin: string): { readonly prefers?: (module: string) => boolean } {
  return isSameGnmiOrigin(origin, "") ? { prefers: (module) => module.startsWith("openconfig-") } : {};
}

function spelledElem(
  elem: GnmiPathElem,
  text: string,
  at: number,
  quotes: "literal" | "surrounding",
): PathResult<SpelledSegment> {
  const { name, key } = elem;
  if (name === "*" || name === "...") return wildcard(text, at);
  const scanned = scanName(name, 0);
  if (scanned?.end !== name.length) return nameProblem(text, at, name);
  const keys: SpelledKey[] = [];
  for (const [keyName, value] of key) {
    if (value === "*") return wildcard(text, at);
    if (keyName === ".") {
      return readProblem(text, at, {
        code: "path-not-expressible",
        message: "gNMI has no path to one entry of a leaf-list",
        expected: "the leaf-list as a whole",
      });
    }
    const local = scanName(keyName, 0);
    if (local?.end !== keyName.length) return nameProblem(text, at, keyName);
    keys.push({
      at,
      qualifier: local.qualifier,
      name: local.name,
      value: quotes === "literal" ? value : unquoted(value),
    });
  }
  const predicate = keys.length === 0 ? undefined : ({ kind: "keys", keys } as const);
  return pathOk({ at, qualifier: scanned.qualifier, name: scanned.name, predicate });
}

function unquoted(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1) : value;
}

function nameProblem(text: string, at: number, name: string): PathResult<never> {
  return readProblem(text, at, {
    code: "path-syntax",
    message: `${JSON.stringify(name.slice(0, 40))} is no name of YANG`,
    expected: "name, or module:name",
  });
}

export interface WriteGnmiOptions extends GnmiKeyOptions {
  readonly origin?: string;
  readonly target?: string;
  /**
   * Where a name gets its module. Always where the name alone could be several nodes; by `rfc7951` also where the
   * module differs from the parent's. `shortest` where left out: what OpenConfig devices take. Under origin `rfc7951`
   * this is not asked: there exactly the rule of RFC 7951 holds.
   */
  readonly names?: "shortest" | "rfc7951";
  /** Identities in keys with their module (RFC 7951 section 6.8), or alone where that can be one identity only. */
  readonly identities?: "qualified" | "alone";
}

/**
 * Writes a path. Errors: `path-not-expressible` for an entry of a leaf-list (gNMI replaces the whole) and for a key that
 * is `*`, which every reader would take for all entries; `path-whole-list`; `path-missing-key`.
 */
export function writeGnmiPath(
  schema: Schema,
  path: InstancePath,
  options: WriteGnmiOptions = {},
): PathResult<GnmiPath> {
  const steps = pathSteps(schema, path, { whole: "leaf-list" });
  if (steps.kind === "error") return steps;
  const { origin = "", target = "" } = options;
  const names = origin === "rfc7951" ? "rfc7951-exactly" : (options.names ?? "shortest");
  const elem: GnmiPathElem[] = [];
  let parent: DataSchemaNode | undefined;
  for (const step of steps.value) {
    const key = keysOf(schema, step, options);
    if ("code" in key) return writeProblem(formatInstancePath(path), key);
    elem.push({ name: nameOf(schema, parent, step.schema, { names, origin }), key });
    parent = step.schema;
  }
  return pathOk({ origin, target, elem });
}

function nameOf(
  schema: Schema,
  parent: DataSchemaNode | undefined,
  node: DataSchemaNode,
  how: { readonly names: "shortest" | "rfc7951" | "rfc7951-exactly"; readonly origin: string },
): string {
  if (how.names !== "shortest" && node.module !== parent?.module) return node.id;
  if (how.names === "rfc7951-exactly") return node.name;
  const siblings = parent !== undefined && isParentSchema(parent) ? parent.children : schema.roots;
  const candidates = [...siblings.values()].filter((sibling) => sibling.name === node.name);
  return soleCandidate(candidates, preference(how.origin).prefers) === node ? node.name : node.id;
}

function keysOf(
  schema: Schema,
  step: PathStep,
  { identities = "qualified", keyQuotes = "literal" }: WriteGnmiOptions,
): ReadonlyMap<string, string> | PathProblem {
  const keys = new Map<string, string>();
  if (step.kind === "leaf-list-entry") {
    return {
      code: "path-not-expressible",
      message: `gNMI has no path to one entry of leaf-list ${step.schema.name}`,
      remedy: "name the leaf-list as a whole",
    };
  }
  if (step.kind === "position") return uncounted(step, "gNMI") ?? keys;
  if (step.kind === "node") return keys;
  for (const [index, leaf] of step.schema.keys.entries()) {
    const value = step.keys[index];
    if (value === undefined) continue;
    const text = identities === "alone" ? aloneIdentity(schema, leaf, value) : value.text;
    if (text === "*")
      return {
        code: "path-not-expressible",
        message: `key ${leaf.name} of list ${step.schema.name} is *, which gNMI takes for every entry`,
      };
    // A pair of quotes that belongs to the value needs one around it, or reading would take it off.
    const quoted = keyQuotes === "surrounding" && (value.type === "string" || unquoted(text) !== text);
    keys.set(leaf.name, quoted ? `"${text}"` : text);
  }
  return keys;
}

function aloneIdentity(schema: Schema, leaf: LeafSchema | LeafListSchema, value: PlainValue): string {
  if (value.type !== "identityref") return value.text;
  const alone = value.text.slice(value.text.indexOf(":") + 1);
  if (identitiesNamed(schema, leaf, alone).length !== 1) return value.text;
  const read = keyReader(schema, { kind: "modules-or-alone" })(leaf, alone);
  // In a union an earlier member may take the name alone for itself.
  return read.kind === "ok" && read.value.type === "identityref" && read.value.text === value.text ? alone : value.text;
}

/**
 * The path that a prefix and a path of one message mean together. Error: `path-origin` where both name an origin and
 * these differ, or both name a target.
 */
export function joinGnmiPaths(prefix: GnmiPath, path: GnmiPath): PathResult<GnmiPath> {
  const joined = {
    origin: prefix.origin === "" ? path.origin : prefix.origin,
    target: prefix.target === "" ? path.target : prefix.target,
    elem: [...prefix.elem, ...path.elem],
  };
  const differ =
    (path.origin !== "" && path.origin !== joined.origin) || (path.target !== "" && path.target !== joined.target);
  if (!differ) return pathOk(joined);
  return writeProblem(formatGnmiPath(joined), {
    code: "path-origin",
    message: "prefix and path name different origins or targets",
  });
}

/** No origin and `openconfig` mean the same (mixed-schema of the OpenConfig reference). */
export function isSameGnmiOrigin(a: string, b: string): boolean {
  return (a === "" ? "openconfig" : a) === (b === "" ? "openconfig" : b);
}
