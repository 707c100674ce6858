/**
 * Statements to draft nodes: `uses` replaced by what its grouping holds (with refine and augment), short-hand cases
 * made explicit, features looked at (RFC 7950 sections 7.9.2, 7.13, 7.14, 7.20.2).
 */
import {
  type DraftKeyword,
  type DraftNode,
  type OuterWhen,
  type StepContext,
  checkApplies,
  followSchemaPath,
  isRepeatable,
  isShorthandCase,
} from "./draft-node.ts";
import type { FeatureSet } from "./feature-set.ts";
import {
  type Definition,
  type LinkedModule,
  type Scope,
  type ScopeTable,
  type SourceUnit,
  findDefinition,
} from "./linked-module.ts";
import {
  type YangStatement,
  argumentOf,
  describe,
  findChild,
  findChildren,
  isExtensionStatement,
} from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Bounds on what a few lines of nested groupings could otherwise make of the stack. */
const MAX_TREE_DEPTH = 300;
const MAX_NESTED_USES = 100;

/** A large router's whole set has 354,000. */
export const DEFAULT_MAX_NODES = 1_000_000;

const NODE_KEYWORDS: ReadonlySet<string> = new Set<DraftKeyword>([
  "container",
  "list",
  "leaf",
  "leaf-list",
  "anydata",
  "anyxml",
  "choice",
  "case",
  "rpc",
  "action",
  "input",
  "output",
  "notification",
]);

/** Substatements that are neither nodes nor properties of the node they stand in. */
const NOT_PROPERTIES: ReadonlySet<string> = new Set(["uses", "typedef", "grouping", "augment", "if-feature"]);

function isNodeKeyword(keyword: string): keyword is DraftKeyword {
  return NODE_KEYWORDS.has(keyword);
}

/** How the statements of one block become nodes of one parent. */
interface Expansion extends StepContext {
  readonly enabled: boolean;
  readonly whens: readonly OuterWhen[];
}

interface StatementReading {
  readonly scope: Scope;
  readonly properties: readonly Definition[];
  readonly ifFeatures: readonly YangStatement[];
  readonly enabled: boolean;
}

const CHILDLESS: ReadonlySet<DraftKeyword> = new Set<DraftKeyword>(["leaf", "leaf-list", "anydata", "anyxml"]);

/** Of leafs and the like, to which nothing is ever attached; a map for each of them would be most of the memory. */
const NO_CHILDREN: Map<string, DraftNode> = new Map<string, DraftNode>();

export class TreeExpander {
  readonly #features: FeatureSet;
  readonly #scopes: ScopeTable;
  readonly #report: YangReport;
  readonly #open: Definition[] = [];
  readonly #used = new Set<YangStatement>();
  readonly #readings = new Map<YangStatement, StatementReading>();
  readonly #maxNodes: number;
  #count = 0;

  /** `maxNodes` bounds what a few lines of nested groupings could otherwise make of the memory. */
  constructor(features: FeatureSet, scopes: ScopeTable, report: YangReport, options: { readonly maxNodes: number }) {
    this.#maxNodes = options.maxNodes;
    this.#features = features;
    this.#scopes = scopes;
    this.#report = report;
  }

  /**
   * The top-level nodes of a module and its submodules, below a root of their own; augments are not applied. The nodes
   * stand in the order of `units`, the module first where none is given.
   */
  expandModule(module: LinkedModule, units: readonly SourceUnit[] = module.units): DraftNode {
    const [main] = module.units;
    if (main === undefined) throw new TypeError("a linked module has at least its own unit");
    const root = this.#node("module", main.parsed.statement, undefined, {
      module,
      scope: main.scope,
      enabled: true,
      whens: [],
    });
    for (const unit of units)
      this.#expandBlock(unit.parsed.statement, root, { module, scope: unit.scope, enabled: true, whens: [] });
    return root;
  }

  /** Expands a grouping that was not used, and so expanded, before: to find what is wrong in it. */
  expandUnusedGrouping(definition: Definition): void {
    const { statement, scope } = definition;
    if (this.#used.has(statement)) return;
    const { module } = scope.unit;
    const holder = this.#node("container", statement, undefined, { module, scope, enabled: true, whens: [] });
    this.#open.push(definition);
    this.#expandBlock(statement, holder, { module, scope: holder.scope, enabled: true, whens: [] });
    this.#open.pop();
  }

  /** Adds the nodes of an `augment` to its target (RFC 7950 section 7.17); returns them, in order. */
  expandAugment(
    augment: YangStatement,
    target: DraftNode,
    context: StepContext & { readonly enabled: boolean },
  ): readonly DraftNode[] {
    const open: readonly DraftKeyword[] = ["container", "list", "choice", "case", "input", "output", "notification"];
    if (!open.includes(target.keyword)) {
      this.#report.error("augment-not-allowed", `${target.keyword} ${target.name} cannot be augmented`, [
        augment.position,
        target.statement.position,
      ]);
      return [];
    }
    const uses = target.keyword === "choice" ? findChild(augment, "uses") : undefined;
    if (uses !== undefined) {
      // RFC 7950 section 7.17: cases only, in full or in short; uses is no node.
      this.#report.error(
        "augment-not-allowed",
        `${describe(uses)} cannot be added to choice ${target.name} itself`,
        [uses.position, target.statement.position],
        { remedy: "put it in a case" },
      );
      return [];
    }
    const added = this.#expandBlock(augment, target, {
      module: context.module,
      scope: context.scope,
      enabled: this.#features.allows(augment, context.scope) && context.enabled,
      whens: this.#whens(augment, context),
    });
    for (const node of added) {
      if (isShorthandCase(node)) for (const only of node.children.values()) only.augment = augment;
      else node.augment = augment;
    }
    return added;
  }

  #whens(statement: YangStatement, context: StepContext): readonly OuterWhen[] {
    const when = findChild(statement, "when");
    return when === undefined ? [] : [{ property: { statement: when, scope: context.scope }, module: context.module }];
  }

  /** Adds what `block` holds to `parent`; returns the nodes added, in order. */
  #expandBlock(block: YangStatement, parent: DraftNode, expansion: Expansion): readonly DraftNode[] {
    const added: DraftNode[] = [];
    for (const statement of block.children) {
      const { keyword } = statement;
      if (keyword === "uses") added.push(...this.#expandUses(statement, parent, expansion));
      else if (isNodeKeyword(keyword)) {
        const node = this.#expandNode(keyword, statement, parent, expansion);
        if (node !== undefined) added.push(node);
      }
    }
    return added;
  }

  #expandNode(
    keyword: DraftKeyword,
    statement: YangStatement,
    above: DraftNode,
    expansion: Expansion,
  ): DraftNode | undefined {
    if (above.depth >= MAX_TREE_DEPTH) {
      this.#report.error("nesting-too-deep", `more than ${String(MAX_TREE_DEPTH)} levels of nodes`, statement.position);
      return undefined;
    }
    if (!this.#withinBounds(statement)) return undefined;
    if ((keyword === "case") !== (above.keyword === "choice")) {
      if (keyword === "case") {
        this.#report.error("augment-not-allowed", `case ${argumentOf(statement)} can be added to a choice only`, [
          statement.position,
          above.statement.position,
        ]);
        return undefined;
      }
      // RFC 7950 section 7.9.2: a node that stands in a choice by itself is the only one of a case of its name; its
      // features are not those of the case.
      const wrapper = this.#node("case", statement, above, { ...expansion, whens: [], enabled: true });
      wrapper.properties = [];
      wrapper.ifFeatures = [];
      wrapper.enabled = true;
      if (!this.#attach(wrapper)) return undefined;
      this.#expandNode(keyword, statement, wrapper, expansion);
      return wrapper;
    }
    const node = this.#node(keyword, statement, above, expansion);
    if (!this.#attach(node)) return undefined;
    if (keyword === "rpc" || keyword === "action") this.#addImplicitBodies(node);
    this.#expandBlock(statement, node, { module: node.module, scope: node.scope, enabled: true, whens: [] });
    return node;
  }

  /** Counts nodes and uses alike: groupings that only use others would take for ever without making a node. */
  #withinBounds(statement: YangStatement): boolean {
    this.#count += 1;
    if (this.#count === this.#maxNodes + 1)
      this.#report.error("schema-too-large", `more than ${String(this.#maxNodes)} nodes and uses`, statement.position);
    return this.#count <= this.#maxNodes;
  }

  /** RFC 7950 section 7.14: input and output exist even where they are not written; augments may name them. */
  #addImplicitBodies(operation: DraftNode): void {
    for (const keyword of ["input", "output"] as const) {
      if (findChild(operation.statement, keyword) !== undefined) continue;
      const statement = { keyword, argument: undefined, position: operation.statement.position, children: [] };
      const node = this.#node(keyword, statement, operation, { ...operation, whens: [], enabled: true });
      operation.children.set(node.id, node);
    }
  }

  #node(
    keyword: DraftKeyword,
    statement: YangStatement,
    parent: DraftNode | undefined,
    expansion: Expansion,
  ): DraftNode {
    const name = keyword === "input" || keyword === "output" ? keyword : argumentOf(statement);
    // A module's own definitions are found through the module, not through a block scope.
    const { scope, properties, ifFeatures, enabled } =
      keyword === "module"
        ? { scope: expansion.scope, properties: [], ifFeatures: [], enabled: true }
        : this.#readStatement(statement, expansion.scope);
    return {
      keyword,
      module: expansion.module,
      name,
      id: `${expansion.module.name}:${name}`,
      statement,
      scope,
      parent,
      depth: parent === undefined ? 0 : parent.depth + 1,
      children: CHILDLESS.has(keyword) ? NO_CHILDREN : new Map<string, DraftNode>(),
      outerWhens: expansion.whens,
      ifFeatures,
      augment: undefined,
      properties,
      enabled: enabled && expansion.enabled,
      removedBy: undefined,
    };
  }

  /** What all nodes made of one statement have in common; a grouping's statements are read once for all its uses. */
  #readStatement(statement: YangStatement, outer: Scope): StatementReading {
    const known = this.#readings.get(statement);
    if (known !== undefined) return known;
    const scope = this.#scopes.within(statement, outer);
    const properties = statement.children
      .filter((child) => !isNode(child))
      .map((child) => ({ statement: child, scope }));
    const ifFeatures = findChildren(statement, "if-feature");
    const reading = { scope, properties, ifFeatures, enabled: this.#features.allows(statement, scope) };
    this.#readings.set(statement, reading);
    return reading;
  }

  /** RFC 7950 section 6.2.1: all schema nodes of one parent share one name space. */
  #attach(node: DraftNode): boolean {
    const siblings = node.parent?.children;
    const twin = siblings?.get(node.id);
    if (twin === undefined) {
      siblings?.set(node.id, node);
      return true;
    }
    this.#report.error("duplicate-node", `${node.keyword} ${node.name} has the name of its sibling ${twin.keyword}`, [
      node.statement.position,
      twin.statement.position,
    ]);
    return false;
  }

  #expandUses(uses: YangStatement, parent: DraftNode, expansion: Expansion): readonly DraftNode[] {
    const { scope, module } = expansion;
    const definition = findDefinition("grouping", argumentOf(uses), scope, uses, this.#report);
    if (definition === undefined || !this.#withinBounds(uses)) return [];
    const grouping = definition.statement;
    const start = this.#open.findIndex((each) => each.statement === grouping);
    if (start >= 0) {
      this.#report.error("circular-grouping", `grouping ${argumentOf(grouping)} uses itself`, [
        uses.position,
        ...this.#open.slice(start).map((each) => each.statement.position),
      ]);
      return [];
    }
    if (this.#open.length >= MAX_NESTED_USES) {
      this.#report.error("nesting-too-deep", `more than ${String(MAX_NESTED_USES)} nested uses`, uses.position);
      return [];
    }
    this.#used.add(grouping);
    const enabled = this.#features.allows(uses, scope) && expansion.enabled;
    this.#open.push(definition);
    const added = this.#expandBlock(grouping, parent, {
      module,
      scope: this.#scopes.within(grouping, definition.scope),
      enabled,
      whens: [...expansion.whens, ...this.#whens(uses, expansion)],
    });
    this.#open.pop();
    const ifFeatures = findChildren(uses, "if-feature");
    if (ifFeatures.length > 0) for (const node of added) node.ifFeatures = [...node.ifFeatures, ...ifFeatures];
    if (uses.children.length === 0) return added;
    const targets = new Map(added.map((node) => [node.id, node]));
    for (const child of uses.children) {
      if (child.keyword === "refine") this.#refine(child, targets, { scope, module });
      if (child.keyword === "augment") this.#augmentUses(child, targets, { scope, module });
    }
    return added;
  }

  #augmentUses(augment: YangStatement, targets: ReadonlyMap<string, DraftNode>, context: StepContext): void {
    const target = argumentOf(augment).startsWith("/")
      ? undefined
      : followSchemaPath(targets, argumentOf(augment), context);
    if (target === undefined)
      this.#report.error("augment-target-not-found", `no node ${argumentOf(augment)} to augment`, augment.position, {
        expected: "a path that begins at a node of the grouping",
      });
    else this.expandAugment(augment, target, { ...context, enabled: true });
  }

  #refine(refine: YangStatement, targets: ReadonlyMap<string, DraftNode>, context: StepContext): void {
    const node = followSchemaPath(targets, argumentOf(refine), context);
    if (node === undefined) {
      this.#report.error("refine-target-not-found", `no node ${argumentOf(refine)} to refine`, refine.position, {
        expected: "a path that begins at a node of the grouping",
      });
      return;
    }
    const replaced = new Set<string>();
    for (const statement of refine.children) {
      const { keyword } = statement;
      if (keyword === "if-feature") {
        node.ifFeatures = [...node.ifFeatures, statement];
        continue;
      }
      if (!isExtensionStatement(statement)) {
        if (!checkApplies(node, statement, "refine-not-allowed", this.#report)) continue;
        if (keyword === "default" && replaced.has(keyword) && !isRepeatable(node, keyword))
          this.#report.error("refine-not-allowed", `${describe(statement)} is a second default`, statement.position);
        if (keyword !== "must" && !replaced.has(keyword))
          node.properties = node.properties.filter((each) => each.statement.keyword !== keyword);
        replaced.add(keyword);
      }
      node.properties = [...node.properties, { statement, scope: context.scope }];
    }
    if (!this.#features.allows(refine, context.scope)) node.enabled = false;
  }
}

function isNode(statement: YangStatement): boolean {
  return NODE_KEYWORDS.has(statement.keyword) || NOT_PROPERTIES.has(statement.keyword);
}
