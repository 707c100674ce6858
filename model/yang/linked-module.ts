/**
 * Modules that know each other: the units (module plus submodules) with the modules their prefixes stand for, and the
 * scopes in which typedefs and groupings are found (RFC 7950 sections 5.1, 5.5, 6.2.1).
 */
import { nearNames } from "../near-names.ts";
import { type PrefixedName, type YangStatement, argumentOf, findChildren, splitName } from "./statement.ts";
import type { YangModule } from "./parse-yang-module.ts";
import type { YangReport } from "./yang-report.ts";

/** One text of a module: the module itself or one of its submodules. */
export class SourceUnit {
  readonly parsed: YangModule;
  readonly module: LinkedModule;
  /** prefix -> module, the own prefix included. */
  readonly prefixes: ReadonlyMap<string, LinkedModule>;
  /** prefix -> module name, for expressions that are evaluated later. */
  readonly prefixNames: ReadonlyMap<string, string>;
  readonly scope: Scope;

  constructor(parsed: YangModule, module: LinkedModule, prefixes: ReadonlyMap<string, LinkedModule>) {
    this.parsed = parsed;
    this.module = module;
    this.prefixes = prefixes;
    this.prefixNames = new Map([...prefixes].map(([prefix, each]) => [prefix, each.name]));
    this.scope = { unit: this, outer: undefined, own: { typedef: new Map(), grouping: new Map() } };
  }
}

export interface LinkedModule {
  readonly name: string;
  readonly revision: string | undefined;
  readonly namespace: string;
  readonly prefix: string;
  readonly yangVersion: "1" | "1.1";
  /** The module first, then its submodules. */
  readonly units: readonly SourceUnit[];
  /** Definitions of all units together, by kind and name. */
  readonly definitions: Definitions;
  readonly implemented: boolean;
}

/** A definition and the scope in which its contents are to be read. */
export interface Definition {
  readonly statement: YangStatement;
  readonly scope: Scope;
}

const KINDS = ["typedef", "grouping", "identity", "feature", "extension"] as const;
export type DefinitionKind = (typeof KINDS)[number];
export type Definitions = Readonly<Record<DefinitionKind, ReadonlyMap<string, Definition>>>;
export type ScopedKind = "typedef" | "grouping";

/** Typedefs and groupings visible at a place: those of the block, else of the blocks around it, else of the module. */
export interface Scope {
  readonly unit: SourceUnit;
  readonly outer: Scope | undefined;
  readonly own: Readonly<Record<ScopedKind, ReadonlyMap<string, Definition>>>;
}

/**
 * Gathers the top-level definitions of a module's units. YANG 1.1 lets every unit see all of them; YANG 1 only what
 * it includes, which accepts a subset of the same modules, so both are read alike.
 */
export function gatherDefinitions(units: readonly SourceUnit[], report: YangReport): Definitions {
  const found: Record<DefinitionKind, Map<string, Definition>> = {
    typedef: new Map(),
    grouping: new Map(),
    identity: new Map(),
    feature: new Map(),
    extension: new Map(),
  };
  for (const unit of units) {
    for (const kind of KINDS) {
      for (const statement of findChildren(unit.parsed.statement, kind))
        define(found[kind], { statement, scope: unit.scope }, report);
    }
  }
  return found;
}

function define(into: Map<string, Definition>, definition: Definition, report: YangReport): void {
  const { statement } = definition;
  const name = argumentOf(statement);
  const earlier = into.get(name);
  if (earlier === undefined) into.set(name, definition);
  else
    report.error("duplicate-definition", `${statement.keyword} ${name} is defined twice`, [
      statement.position,
      earlier.statement.position,
    ]);
}

/** The scopes of blocks, made when first entered. A block is always entered from the same outer scope. */
export class ScopeTable {
  readonly #scopes = new Map<YangStatement, Scope>();
  readonly #report: YangReport;

  constructor(report: YangReport) {
    this.#report = report;
  }

  /** The scope for what stands within `block`, itself read in `outer`. */
  within(block: YangStatement, outer: Scope): Scope {
    if (!block.children.some((child) => child.keyword === "typedef" || child.keyword === "grouping")) return outer;
    const known = this.#scopes.get(block);
    if (known !== undefined) return known;
    const own = { typedef: new Map<string, Definition>(), grouping: new Map<string, Definition>() };
    const scope: Scope = { unit: outer.unit, outer, own };
    for (const child of block.children) {
      if (child.keyword !== "typedef" && child.keyword !== "grouping") continue;
      define(own[child.keyword], { statement: child, scope }, this.#report);
      const hidden = findInScope(outer, child.keyword, argumentOf(child));
      if (hidden !== undefined)
        // RFC 7950 section 6.2.1: no definition may hide one of an outer block.
        this.#report.error("duplicate-definition", `${child.keyword} ${argumentOf(child)} hides an outer one`, [
          child.position,
          hidden.statement.position,
        ]);
    }
    this.#scopes.set(block, scope);
    return scope;
  }
}

function findInScope(scope: Scope, kind: ScopedKind, name: string): Definition | undefined {
  for (let each: Scope | undefined = scope; each !== undefined; each = each.outer) {
    const found = each.own[kind].get(name);
    if (found !== undefined) return found;
  }
  return scope.unit.module.definitions[kind].get(name);
}

/** The module a prefix stands for in a unit; no prefix means the unit's own module. */
export function moduleOf(unit: SourceUnit, prefix: string | undefined): LinkedModule | undefined {
  return prefix === undefined ? unit.module : unit.prefixes.get(prefix);
}

/** As `moduleOf`; an unknown prefix is reported at the statement that uses it. */
export function resolvePrefix(
  unit: SourceUnit,
  name: PrefixedName,
  at: YangStatement,
  report: YangReport,
): LinkedModule | undefined {
  const module = moduleOf(unit, name.prefix);
  if (module === undefined)
    report.error("unknown-prefix", `prefix ${name.prefix ?? ""} is not declared`, at.position, {
      expected: `one of ${[...unit.prefixes.keys()].join(", ")}`,
    });
  return module;
}

const UNKNOWN = {
  typedef: "unknown-type",
  grouping: "unknown-grouping",
  identity: "unknown-identity",
  feature: "unknown-feature",
} as const;

/** A definition by its name as seen from `scope`: without prefix the nearest around, else that of the prefix's module. */
export function lookUpDefinition(kind: DefinitionKind, name: PrefixedName, scope: Scope): Definition | undefined {
  const module = moduleOf(scope.unit, name.prefix);
  if (module === undefined) return undefined;
  const local = module === scope.unit.module && (kind === "typedef" || kind === "grouping");
  return local ? findInScope(scope, kind, name.name) : module.definitions[kind].get(name.name);
}

/** As `lookUpDefinition`; reports at `at` when there is none. */
export function findDefinition(
  kind: Exclude<DefinitionKind, "extension">,
  reference: string,
  scope: Scope,
  at: YangStatement,
  report: YangReport,
): Definition | undefined {
  const name = splitName(reference);
  const module = resolvePrefix(scope.unit, name, at, report);
  if (module === undefined) return undefined;
  const found = lookUpDefinition(kind, name, scope);
  if (found === undefined) {
    const near = report.isFull ? [] : nearNames(name.name, module.definitions[kind].keys());
    report.error(
      UNKNOWN[kind],
      `no ${kind} ${name.name} in ${module.name}`,
      at.position,
      near.length === 0 ? {} : { expected: near.join(" or ") },
    );
  }
  return found;
}
