/**
 * The draft tree: every schema node after `uses`, choices, cases, operations and notifications included, since augments
 * and deviations name them all. Its nodes are mutable until the schema is built. A node's substatements that are not
 * nodes are its properties, each with the scope to read it in; refine and deviate exchange them.
 *
 * Nodes switched off by `if-feature` or `deviate not-supported` stay, marked, so that what refers to them still
 * resolves (RFC 7950 section 7.20.2: the modules are valid whichever features are on).
 */
import type { Definition, LinkedModule, Scope } from "./linked-module.ts";
import { type YangStatement, argumentOf, describe, splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export type DraftKeyword =
  | "module"
  | "container"
  | "list"
  | "leaf"
  | "leaf-list"
  | "anydata"
  | "anyxml"
  | "choice"
  | "case"
  | "rpc"
  | "action"
  | "input"
  | "output"
  | "notification";

/** A `when` of the `uses` or `augment` that brought a node; its context is the node's data parent. */
export interface OuterWhen {
  readonly property: Definition;
  /** Module in which its unprefixed names resolve. */
  readonly module: LinkedModule;
}

export interface DraftNode {
  readonly keyword: DraftKeyword;
  /** Whose namespace the node is in: for nodes of a grouping, the module that uses it. */
  readonly module: LinkedModule;
  readonly name: string;
  /** `module:name`. */
  readonly id: string;
  readonly statement: YangStatement;
  readonly scope: Scope;
  readonly parent: DraftNode | undefined;
  readonly depth: number;
  readonly children: Map<string, DraftNode>;
  readonly outerWhens: readonly OuterWhen[];
  /** Those the node depends on: its own, then of the `uses` that brought it, innermost first, then of refinements. */
  ifFeatures: readonly YangStatement[];
  /** The augment that put the node where it is, on its topmost nodes only. */
  augment: YangStatement | undefined;
  properties: readonly Definition[];
  enabled: boolean;
  /** The `deviate not-supported` that switched it off. */
  removedBy: YangStatement | undefined;
}

const NO_PROPERTIES: readonly Definition[] = [];

export function propertiesOf(node: DraftNode, keyword: string): readonly Definition[] {
  let found: Definition[] | undefined;
  for (const each of node.properties) if (each.statement.keyword === keyword) (found ??= []).push(each);
  return found ?? NO_PROPERTIES;
}

export function propertyOf(node: DraftNode, keyword: string): Definition | undefined {
  for (const each of node.properties) if (each.statement.keyword === keyword) return each;
  return undefined;
}

export function propertyText(node: DraftNode, keyword: string): string | undefined {
  const found = propertyOf(node, keyword);
  return found && argumentOf(found.statement);
}

/** Does the case stand in the module only as the node in it (RFC 7950 section 7.9.2)? */
export function isShorthandCase(node: DraftNode): boolean {
  return node.keyword === "case" && node.statement.keyword !== "case";
}

/** Where the nodes of one step of a schema path belong, for a path that stands in `scope`. */
export interface StepContext {
  readonly scope: Scope;
  /** For no prefix and for the unit's own: in a grouping, the module that uses it. */
  readonly module: LinkedModule;
}

/** Follows schema node names (choices and cases included) from `start`; undefined when a step has no node. */
export function followSchemaPath(
  start: ReadonlyMap<string, DraftNode>,
  path: string,
  context: StepContext,
): DraftNode | undefined {
  let children = start;
  let node: DraftNode | undefined;
  for (const step of path.split("/").filter((each) => each !== "")) {
    node = children.get(stepId(step, context));
    if (node === undefined) return undefined;
    children = node.children;
  }
  return node;
}

/** `module:name` for a step `name` or `prefix:name`; an id that no node has when the prefix is unknown. */
export function stepId(step: string, context: StepContext): string {
  const { prefix, name } = splitName(step);
  const own = prefix === undefined || context.scope.unit.prefixes.get(prefix) === context.scope.unit.module;
  const module = own ? context.module : context.scope.unit.prefixes.get(prefix);
  return `${module?.name ?? "?"}:${name}`;
}

/** The properties that refine and deviate handle, and the nodes that can have them (RFC 7950 sections 7.13.2, 7.20.3.2). */
const APPLIES_TO: Readonly<Record<string, readonly DraftKeyword[]>> = {
  config: ["container", "list", "leaf", "leaf-list", "anydata", "anyxml", "choice"],
  default: ["leaf", "leaf-list", "choice"],
  mandatory: ["leaf", "choice", "anydata", "anyxml"],
  "max-elements": ["list", "leaf-list"],
  "min-elements": ["list", "leaf-list"],
  must: ["container", "list", "leaf", "leaf-list", "anydata", "anyxml", "notification", "input", "output"],
  presence: ["container"],
  type: ["leaf", "leaf-list"],
  unique: ["list"],
  units: ["leaf", "leaf-list"],
};

/** Reports and returns false when nodes such as `node` have no such property. */
export function checkApplies(
  node: DraftNode,
  statement: YangStatement,
  code: "refine-not-allowed" | "deviation-conflict",
  report: YangReport,
): boolean {
  const kinds = APPLIES_TO[statement.keyword];
  if (kinds === undefined || kinds.includes(node.keyword)) return true;
  report.error(code, `${describe(statement)} does not apply to ${node.keyword} ${node.name}`, [
    statement.position,
    node.statement.position,
  ]);
  return false;
}

/** May a node hold several of this property? */
export function isRepeatable(node: DraftNode, keyword: string): boolean {
  return keyword === "must" || keyword === "unique" || (keyword === "default" && node.keyword === "leaf-list");
}
