/**
 * What the readers of data trees share, whatever the encoding: options, the list of findings, places in the data, and
 * the rules that make a sequence of nodes the children of one parent.
 */
import { type Diagnostic, type DiagnosticPlace, type Result, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, type PathSegment, formatInstancePath, segmentKey } from "../model/path.ts";
import type { DataSchemaNode, LeafSchema, ListSchema, Schema } from "../model/schema.ts";
import { type Children, type DataNode, type DataTree, type LeafOrigin, segmentOf } from "../model/tree.ts";
import type { ValueDiagnosticCode } from "../model/canonical-value.ts";
import type { PlainValue, Value } from "../model/value.ts";

/**
 * How the answer treats defaults (RFC 6243), which decides the origin of its leafs. A leaf that is tagged as default
 * has origin `default` in every mode; one without tag is
 * - `set` under `explicit` and `report-all-tagged` (the server's basic mode being `explicit` or `trim`);
 * - `unknown` under `report-all` and `trim` where it equals its default, and `set` elsewhere: only a default hides
 *   whether somebody wrote it.
 */
export type DefaultsMode = "explicit" | "trim" | "report-all" | "report-all-tagged";

export interface ReadDataOptions {
  /** What to do with a node that the schema does not have: an error, or a warning and the node is left out. */
  readonly unknown: "error" | "warn";
  /** `config` leaves `config false` nodes out without looking into them. */
  readonly nodes: "config" | "all";
  readonly defaultsMode: DefaultsMode;
}

export type DataDiagnosticCode =
  | "unknown-node"
  | "unqualified-node"
  | "missing-key"
  | "duplicate-node"
  | "keyless-list"
  | "unexpected-text"
  | "unexpected-element"
  | "wrong-json-type"
  | "opaque-content"
  | "sealed-value"
  | "device-deviation"
  | ValueDiagnosticCode;

/** A place in the data being read or written, from the inside out; its text is made only when something is wrong there. */
export interface DataPlace {
  readonly parent: DataPlace | undefined;
  readonly segment: PathSegment;
}

export function instancePlace(place: DataPlace | undefined, below = ""): DiagnosticPlace {
  const path: PathSegment[] = [];
  for (let at = place; at !== undefined; at = at.parent) path.unshift(at.segment);
  const text = formatInstancePath(path satisfies InstancePath);
  return { kind: "instance", path: below === "" ? text : `${text === "/" ? "" : text}/${below}` };
}

/** The place of a node whose entry predicates are not known (yet): its name alone. */
export function namePlace(parent: DataPlace | undefined, schema: DataSchemaNode): DataPlace {
  return { parent, segment: { kind: "node", module: schema.module, name: schema.name } };
}

export interface Problem {
  readonly code: DataDiagnosticCode;
  readonly message: string;
  readonly places: readonly DiagnosticPlace[];
  readonly expected?: string | undefined;
}

/** Collects findings, so that one reading reports all of them. */
export class DataFindings {
  readonly #errors: Diagnostic[] = [];
  readonly #warnings: Diagnostic[] = [];

  error(problem: Problem): void {
    this.#errors.push(diagnosticOf(problem, "error"));
  }

  warn(problem: Problem): void {
    this.#warnings.push(diagnosticOf(problem, "warning"));
  }

  /** The value, or undefined after noting why there is none. */
  valueOf<T>(result: Result<T>, places: readonly DiagnosticPlace[]): T | undefined {
    const found = result.kind === "ok" ? result.warnings : result.diagnostics;
    for (const each of found) (each.severity === "error" ? this.#errors : this.#warnings).push({ ...each, places });
    return result.kind === "ok" ? result.value : undefined;
  }

  unknown(options: ReadDataOptions, problem: Problem): void {
    if (options.unknown === "error") this.error(problem);
    else this.warn(problem);
  }

  result<T>(value: T): Result<T> {
    return this.#errors.length > 0 ? failure([...this.#errors, ...this.#warnings]) : ok(value, this.#warnings);
  }
}

function diagnosticOf(problem: Problem, severity: "error" | "warning"): Diagnostic {
  const { code, message, places, expected } = problem;
  return { code, severity, message, places, ...(expected === undefined ? {} : { expected }) };
}

/** The children of one parent as they arrive. Guarantees: no two nodes of one identity, no empty non-presence container. */
export class ChildrenReader {
  readonly children = new Map<string, DataNode>();
  readonly #findings: DataFindings;
  readonly #place: DataPlace | undefined;

  constructor(findings: DataFindings, place: DataPlace | undefined) {
    this.#findings = findings;
    this.#place = place;
  }

  add(node: DataNode): void {
    if (node.kind === "container" && !node.schema.presence && node.children.size === 0) return;
    const segment = segmentOf(node);
    const key = segmentKey(segment);
    if (!this.children.has(key)) {
      this.children.set(key, node);
    } else if (node.kind !== "leaf-list-entry" || node.schema.config) {
      this.#findings.error(duplicate(node.schema, [instancePlace({ parent: this.#place, segment })]));
    }
  }
}

export function duplicate(schema: DataSchemaNode, places: readonly DiagnosticPlace[]): Problem {
  const what =
    schema.kind === "list"
      ? "an entry with the same keys"
      : schema.kind === "leaf-list"
        ? "the same value"
        : schema.kind;
  return { code: "duplicate-node", message: `${what} of ${schema.name} stands twice`, places };
}

/** Lists without keys exist in state data only; their entries have no identity that a tree could hold. */
export function keylessList(schema: ListSchema, places: readonly DiagnosticPlace[]): Problem {
  return { code: "keyless-list", message: `list ${schema.name} has no key and cannot be part of a tree`, places };
}

export function originOf(
  leaf: LeafSchema,
  value: Value,
  source: { readonly mode: DefaultsMode; readonly tagged: boolean },
): LeafOrigin {
  if (source.tagged) return "default";
  if (source.mode === "explicit" || source.mode === "report-all-tagged") return "set";
  return value.kind === "plain" && value.text === leaf.defaultText ? "unknown" : "set";
}

/** Names of the nodes that could have stood there, for error messages. */
export function expectedNames(children: ReadonlyMap<string, DataSchemaNode>): string {
  const names = [...children.keys()];
  if (names.length === 0) return "nothing";
  return `one of ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", ..." : ""}`;
}

export function treeOf(schema: Schema, roots: Children): DataTree {
  return { schema, roots };
}

export type KeyValues = readonly PlainValue[];

/** The place of a list entry. */
export function entryPlace(parent: DataPlace | undefined, schema: ListSchema, keys: KeyValues): DataPlace {
  const named = schema.keys.map((key, index) => ({ name: key.name, value: keys[index]?.text ?? "" }));
  return { parent, segment: { kind: "entry", module: schema.module, name: schema.name, keys: named } };
}
