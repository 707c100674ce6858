/**
 * From the names of a path to nodes of a schema: the one place where a path that was read is held against it, and where
 * a path that is to be written is checked. No entry passes without exactly its keys, so no path can silently widen to a
 * list or to the root.
 */
import type { Result } from "../diagnostic.ts";
import type { InstancePath, KeyValue, PathSegment } from "../path.ts";
import { type PathProblem, type PathResult, pathOk, readProblem } from "./path-diagnostic.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ListSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
  isParentSchema,
} from "../schema.ts";
import type { SpelledPath, SpelledPredicate, SpelledSegment, SpelledValue } from "./spelled-path.ts";
import type { PlainValue } from "../value.ts";

export interface ResolvedPath {
  readonly path: InstancePath;
  /** Schema node of the last segment; undefined for the whole device. */
  readonly schema: DataSchemaNode | undefined;
}

export interface ResolveOptions {
  /** Module of a written qualifier; undefined: there is none such. */
  readonly moduleOf: (qualifier: string) => string | undefined;
  /**
   * A name without qualifier:
   * - `parent-module`: in the parent's module; the first name needs one (RFC 7951 section 4, RFC 8040 section 3.5.3);
   * - `only-candidate`: the one child of that name, in whatever module; several are an error, unless `prefers` takes
   *   exactly one of their modules;
   * - `refuse`: an error (RFC 7950 section 9.13).
   */
  readonly unqualified: "parent-module" | "only-candidate" | "refuse";
  readonly prefers?: (module: string) => boolean;
  /**
   * A list or leaf-list without predicate at the end of the path: `refuse`, `take` as the list as a whole, or take a
   * `leaf-list` only. Above the end it is always an error.
   */
  readonly whole: "refuse" | "leaf-list" | "take";
  /** Canonical form of the value of a key or of a leaf-list entry. Left out: as written. */
  readonly read?: (leaf: LeafSchema | LeafListSchema, text: string) => Result<PlainValue>;
}

/** Guarantees: every segment exists in the schema, every entry has exactly its keys, in schema order. */
export function resolvePath(schema: Schema, spelled: SpelledPath, options: ResolveOptions): PathResult<ResolvedPath> {
  const path: PathSegment[] = [];
  let node: DataSchemaNode | undefined;
  for (const [index, segment] of spelled.segments.entries()) {
    const child = findChild(schema, node, spelled.text, segment, options);
    if (child.kind === "error") return child;
    node = child.value;
    const last = index === spelled.segments.length - 1;
    const resolved = resolveSegment(node, segment, { text: spelled.text, last, options });
    if (resolved.kind === "error") return resolved;
    path.push(resolved.value);
  }
  return pathOk({ path, schema: node });
}

function findChild(
  schema: Schema,
  parent: DataSchemaNode | undefined,
  text: string,
  segment: SpelledSegment,
  options: ResolveOptions,
): PathResult<DataSchemaNode> {
  const { at, qualifier, name } = segment;
  const problem = (each: PathProblem): PathResult<never> => readProblem(text, at, each);
  if (parent !== undefined && !isParentSchema(parent))
    return problem({
      code: "path-unknown-node",
      message: `${parent.name} is a ${parent.kind} and has nothing below it`,
    });
  const children = childSchemas(schema, parent);
  let module: string | undefined;
  if (qualifier !== undefined) {
    module = options.moduleOf(qualifier);
    if (module === undefined) return problem(unknownPrefix(qualifier));
  } else if (options.unqualified === "only-candidate") {
    const candidates = [...children.values()].filter((child) => child.name === name);
    const only = soleCandidate(candidates, options.prefers);
    if (only !== undefined) return pathOk(only);
    if (candidates.length > 1)
      return problem({
        code: "path-ambiguous-node",
        message: `${name} can be a node of several modules here`,
        expected: `one of ${candidates.map((each) => each.id).join(", ")}`,
      });
  } else {
    module = options.unqualified === "refuse" ? undefined : parent?.module;
    if (module === undefined) {
      const which = options.unqualified === "refuse" ? "every name needs a prefix" : "the first name needs its module";
      return problem({ code: "path-needs-module", message: `${which}: ${name}`, expected: suggestion(children, name) });
    }
  }
  const child = module === undefined ? undefined : children.get(`${module}:${name}`);
  if (child !== undefined) return pathOk(child);
  const where = parent === undefined ? "at the top" : `below ${parent.schemaPath}`;
  return problem({
    code: "path-unknown-node",
    message: `no node ${module === undefined ? name : `${module}:${name}`} ${where}`,
    expected: knownNames(children, parent),
  });
}

/** The node that a name without module means among those that have it; undefined where that cannot be told. */
export function soleCandidate(
  candidates: readonly DataSchemaNode[],
  prefers: ((module: string) => boolean) | undefined,
): DataSchemaNode | undefined {
  if (candidates.length === 1) return candidates[0];
  const preferred = prefers === undefined ? [] : candidates.filter((each) => prefers(each.module));
  return preferred.length === 1 ? preferred[0] : undefined;
}

function suggestion(children: ReadonlyMap<string, DataSchemaNode>, name: string): string {
  const ids = [...children.values()].filter((child) => child.name === name).map((child) => child.id);
  return ids.length === 0 ? `module:${name}` : ids.join(" or ");
}

const MAX_NAMES = 12;

function knownNames(children: ReadonlyMap<string, DataSchemaNode>, parent: ParentSchemaNode | undefined): string {
  if (children.size === 0) return "nothing";
  const names: string[] = [];
  for (const child of children.values()) {
    if (names.length === MAX_NAMES) break;
    names.push(child.module === parent?.module ? child.name : child.id);
  }
  return `one of ${names.join(", ")}${children.size > MAX_NAMES ? ", ..." : ""}`;
}

interface SegmentContext {
  readonly text: string;
  readonly last: boolean;
  readonly options: ResolveOptions;
}

function resolveSegment(
  node: DataSchemaNode,
  segment: SpelledSegment,
  { text, last, options }: SegmentContext,
): PathResult<PathSegment> {
  const { predicate } = segment;
  const { module, name } = node;
  if (predicate === undefined) {
    if (node.kind !== "list" && node.kind !== "leaf-list") return pathOk({ kind: "node", module, name });
    const taken = options.whole === "take" || (options.whole === "leaf-list" && node.kind === "leaf-list");
    if (last && taken) return pathOk({ kind: "node", module, name });
    if (node.kind === "list" && node.keys.length > 0 && !(last && options.whole === "take"))
      return readProblem(
        text,
        segment.at,
        missingKey(
          node,
          node.keys.map((key) => key.name),
        ),
      );
    return readProblem(text, segment.at, wholeList(node));
  }
  switch (node.kind) {
    case "list":
      return resolveEntry(node, predicate, segment, text, options);
    case "leaf-list":
      return resolveValue(node, predicate, text, options);
    default:
      return readProblem(text, predicateAt(predicate), {
        code: "path-not-a-list",
        message: `${name} is a ${node.kind} and takes no key`,
      });
  }
}

function resolveValue(
  node: LeafListSchema,
  predicate: SpelledPredicate,
  text: string,
  options: ResolveOptions,
): PathResult<PathSegment> {
  const { module, name } = node;
  if (predicate.kind === "position") return readProblem(text, predicate.at, unusedPosition(node));
  const value = valueOfLeafList(predicate);
  if (value === undefined) {
    return readProblem(text, predicateAt(predicate), {
      code: "path-unknown-key",
      message: `an entry of leaf-list ${name} is named by its one value`,
      expected: predicate.kind === "positional" ? `${name}=value, a comma in it as %2C` : `${name}[.='value']`,
    });
  }
  const read = readKey(node, value.value, options);
  if (read.kind === "error") return readProblem(text, value.at, read.problem);
  const entry = { kind: "leaf-list-entry", module, name, value: read.text } as const;
  const place = predicate.kind === "value" ? predicate.position : undefined;
  if (place === undefined) return pathOk(entry);
  if (node.config) return readProblem(text, place.at, unusedPosition(node));
  // The first of equal values is the one without a position.
  return pathOk(place.position === 1 ? entry : { ...entry, position: place.position });
}

function resolveEntry(
  list: ListSchema,
  predicate: SpelledPredicate,
  segment: SpelledSegment,
  text: string,
  options: ResolveOptions,
): PathResult<PathSegment> {
  const { module, name } = list;
  if (predicate.kind === "position") {
    if (list.keys.length > 0) return readProblem(text, predicate.at, unusedPosition(list));
    return pathOk({ kind: "entry", module, name, keys: [], position: predicate.position });
  }
  const given = gatherKeys(list, predicate, text, options);
  if (given.kind === "error") return given;
  const missing = list.keys.filter((key) => !given.value.has(key.name)).map((key) => key.name);
  if (missing.length > 0) return readProblem(text, segment.at, missingKey(list, missing));
  const keys: KeyValue[] = [];
  for (const leaf of list.keys) {
    const { at, value } = given.value.get(leaf.name) ?? { at: segment.at, value: "" };
    const read = readKey(leaf, value, options);
    if (read.kind === "error") return readProblem(text, at, read.problem);
    keys.push({ name: leaf.name, value: read.text });
  }
  return pathOk({ kind: "entry", module, name, keys });
}

/** The values by the names of their keys; every name is a key of the list and none stands twice. */
function gatherKeys(
  list: ListSchema,
  predicate: Exclude<SpelledPredicate, { readonly kind: "position" }>,
  text: string,
  options: ResolveOptions,
): PathResult<ReadonlyMap<string, SpelledValue>> {
  const problem = (at: number, each: PathProblem): PathResult<never> => readProblem(text, at, each);
  if (list.keys.length === 0) return problem(predicateAt(predicate), unknownKey(list, ""));
  const given = new Map<string, SpelledValue>();
  switch (predicate.kind) {
    case "value":
      return problem(predicate.at, unknownKey(list, "."));
    case "positional": {
      const surplus = predicate.values[list.keys.length];
      if (surplus !== undefined) {
        return problem(surplus.at, {
          code: "path-unknown-key",
          message: `list ${list.name} has ${String(list.keys.length)} key(s), the path has ${String(predicate.values.length)} values`,
          expected: `values of ${keyNames(list)}, a comma in them as %2C`,
        });
      }
      for (const [index, value] of predicate.values.entries()) given.set(list.keys[index]?.name ?? "", value);
      return pathOk(given);
    }
    case "keys":
      for (const key of predicate.keys) {
        const { at, qualifier, name } = key;
        const module = qualifier === undefined ? list.module : options.moduleOf(qualifier);
        if (module === undefined) return problem(at, unknownPrefix(qualifier ?? ""));
        if (qualifier === undefined && options.unqualified === "refuse")
          return problem(at, { code: "path-needs-module", message: `every name needs a prefix: ${name}` });
        if (!list.keys.some((each) => each.name === name && each.module === module))
          return problem(at, unknownKey(list, qualifier === undefined ? name : `${qualifier}:${name}`));
        if (given.has(name)) {
          const message = `key ${name} of list ${list.name} is given twice`;
          return problem(at, { code: "path-duplicate-key", message });
        }
        given.set(name, key);
      }
      return pathOk(given);
  }
}

function unknownPrefix(prefix: string): PathProblem {
  return { code: "path-unknown-prefix", message: `nothing is known by the prefix ${prefix}` };
}

function readKey(
  leaf: LeafSchema | LeafListSchema,
  text: string,
  options: ResolveOptions,
): { readonly kind: "ok"; readonly text: string } | { readonly kind: "error"; readonly problem: PathProblem } {
  const read = options.read?.(leaf, text);
  if (read === undefined) return { kind: "ok", text };
  return read.kind === "ok"
    ? { kind: "ok", text: read.value.text }
    : { kind: "error", problem: keyProblem(leaf, read) };
}

/** Why a text is no value of a key or of a leaf-list. */
export function keyProblem(
  leaf: LeafSchema | LeafListSchema,
  read: Extract<Result<unknown>, { readonly kind: "error" }>,
): PathProblem {
  return {
    code: "path-key-value",
    message: `${leaf.kind === "leaf" ? "key" : "leaf-list"} ${leaf.name}: ${read.diagnostics.map((each) => each.message).join("; ")}`,
    expected: read.diagnostics.find((each) => each.expected !== undefined)?.expected,
  };
}

export function missingKey(list: ListSchema, missing: readonly string[]): PathProblem {
  return {
    code: "path-missing-key",
    message: `key ${missing.join(", ")} of list ${list.name} is missing`,
    expected: `values of ${keyNames(list)}; the empty text is one`,
  };
}

export function unknownKey(list: ListSchema, name: string): PathProblem {
  return list.keys.length === 0
    ? { code: "path-unknown-key", message: `list ${list.name} has no keys`, expected: "the position, from 1" }
    : { code: "path-unknown-key", message: `list ${list.name} has no key ${name}`, expected: keyNames(list) };
}

export function wholeList(node: ListSchema | LeafListSchema): PathProblem {
  return {
    code: "path-whole-list",
    message: `the path names the whole ${node.kind} ${node.name} and not an entry of it`,
    expected:
      node.kind === "leaf-list"
        ? "the value of the entry"
        : node.keys.length === 0
          ? "the position of the entry, from 1"
          : `values of ${keyNames(node)}`,
  };
}

/** Positions are for what has nothing else: entries of lists without keys, repeated values of state data. */
export function unusedPosition(node: ListSchema | LeafListSchema): PathProblem {
  return {
    code: "path-position",
    message: `an entry of ${node.kind} ${node.name} is named by its ${node.kind === "list" ? "keys" : "value"} and not by its position`,
    expected: node.kind === "list" ? `values of ${keyNames(node)}` : "[.='value']",
  };
}

function keyNames(list: ListSchema): string {
  return list.keys.map((key) => key.name).join(", ");
}

function valueOfLeafList(predicate: SpelledPredicate): { readonly at: number; readonly value: string } | undefined {
  if (predicate.kind === "value") return predicate;
  return predicate.kind === "positional" && predicate.values.length === 1 ? predicate.values[0] : undefined;
}

function predicateAt(predicate: SpelledPredicate): number {
  return predicate.kind === "keys" ? (predicate.keys[0]?.at ?? 0) : predicate.at;
}
