/**
 * Data validation: does a configuration keep what its modules ask for beyond the types of its values (RFC 7950
 * section 8)?
 *
 * The problem it owns: one walk over the data, in time that grows with the data and not with its square, that finds
 * everything a server would refuse, and says it in a server's words with the place in the data and in the module. The
 * walk visits nodes with rules only (schema-rules); each kind of rule has a file. Findings are data: what they mean for
 * a change is decided by a policy (policy.ts), not here.
 */
import type { DataSchemaNode } from "../schema.ts";
import type { DataNode, DataTree } from "../tree.ts";
import { checkChoices, reportMissing } from "./check-demanded.ts";
import { checkCount, checkUnique } from "./check-elements.ts";
import { References } from "./check-reference.ts";
import { checkValues } from "./check-values.ts";
import { type ChosenCases, chosenCases, isChosen, isInUse } from "./choice-state.ts";
import { Conditions } from "./conditions.ts";
import { Findings, type ValidationFinding } from "./finding.ts";
import { type Place, dataPlace, impliedPlace, rootPlace } from "./place.ts";
import { type LevelRules, type NodeRules, type ValidatedNodes, rulesOf } from "./schema-rules.ts";

export type { ValidationCode, ValidationFinding } from "./finding.ts";

export interface ValidateOptions {
  /** `config` (the default) leaves state data alone; `all` holds it to its own constraints. */
  readonly nodes?: ValidatedNodes;
  /**
   * Every reader of this project gives trees whose values fit their types. `checked` is for trees that were made
   * otherwise: values, keys and the places of nodes are checked first, and nothing else where those are wrong.
   */
  readonly values?: "trusted" | "checked";
  /**
   * Most findings to list of one rule at one schema node; 100 when absent. The last of them says how many `more` there
   * are. So the list grows with what can be wrong, not with the data.
   */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 100;

/**
 * Everything wrong with a whole configuration, in document order, parents before children.
 *
 * Needs: a tree of one complete configuration; a part of one lacks what its references point at. Guarantees: an empty
 * list is a configuration that a server with these modules accepts, sealed values and expressions that were not
 * evaluated (`not-evaluated`) apart. Time and memory grow with the data, `must` and `when` expressions that themselves
 * look at all of it apart. A tree is never changed.
 */
export function validateTree(tree: DataTree, options: ValidateOptions = {}): readonly ValidationFinding[] {
  const { nodes = "config", values = "trusted", limit = DEFAULT_LIMIT } = options;
  const findings = new Findings(limit);
  if (values === "checked") {
    checkValues(tree, findings);
    if (findings.all().length > 0) return findings.all();
  }
  const rules = rulesOf(tree.schema, nodes);
  new TreeValidation(tree, { rules, nodes, findings }).level(rootPlace(tree.roots), rules);
  return findings.all();
}

class TreeValidation {
  readonly #findings: Findings;
  readonly #conditions: Conditions;
  readonly #references: References;
  readonly #nodes: ValidatedNodes;

  constructor(
    tree: DataTree,
    context: { readonly rules: LevelRules; readonly nodes: ValidatedNodes; readonly findings: Findings },
  ) {
    this.#findings = context.findings;
    this.#nodes = context.nodes;
    this.#conditions = new Conditions(tree, context);
    this.#references = new References(tree, context.rules, this.#conditions);
  }

  /** Checks everything below a place that exists. */
  level(place: Place, level: LevelRules): void {
    const { children } = place;
    const allowed = new AllowedNodes(this.#conditions, place);
    const chosen = chosenCases(level, children.values());
    if (level.choices.length > 0) {
      checkChoices(this.#findings, place, {
        level,
        chosen,
        nodes: this.#nodes,
        allow: (index) => this.#conditions.allowChoice(place, level, index),
      });
    }
    const entries = new Map<NodeRules, DataNode[]>(level.counted.map((each) => [each, []]));
    for (const node of children.values()) {
      const rules = level.nodes.get(node.schema);
      if (rules === undefined) continue;
      if (entries.size > 0) entries.get(rules)?.push(node);
      if (rules.quiet) continue;
      const instance = dataPlace(place, node);
      this.#checkWhen(instance, rules, allowed);
      this.#instance(instance, rules);
    }
    for (const [rules, found] of entries) this.#elements(place, rules, found, { chosen, allowed });
    for (const rules of level.absent) {
      if (!stands(rules, children)) this.#absent(place, rules, { level, chosen, allowed });
    }
  }

  /**
   * A node under a false `when` is reported once for all its instances. What stands there is held to its other rules all
   * the same: public models have conditions that are never true, and a policy may exempt them.
   */
  #checkWhen(place: Place, rules: NodeRules, allowed: AllowedNodes): void {
    if (allowed.of(rules.schema) === "refused") this.#conditions.reportRefused(place, rules.schema);
  }

  /** Checks a node that exists, whether or not it stands in the data itself. */
  #instance(place: Place, rules: NodeRules): void {
    if (rules.reference !== undefined) this.#references.check(place, rules.reference, this.#findings);
    if (rules.schema.musts.length > 0) this.#conditions.checkMusts(place, rules.schema);
    const { data } = place;
    if (data?.kind === "entry") {
      for (const { index, rules: key } of rules.keys) {
        this.#instance(impliedPlace(place, key.schema, data.keys[index]), key);
      }
    }
    if (rules.level !== undefined && !rules.level.quiet) this.level(place, rules.level);
  }

  #elements(
    parent: Place,
    rules: NodeRules,
    entries: readonly DataNode[],
    { chosen, allowed }: { readonly chosen: ChosenCases; readonly allowed: AllowedNodes },
  ): void {
    const demanding = rules.schema.kind === "list" || rules.schema.kind === "leaf-list" ? rules.schema.minElements : 0;
    if (entries.length === 0 && demanding === 0) return;
    if (entries.length === 0) {
      // Nothing is asked of what may not be there, nor of a case that is not chosen.
      if (allowed.of(rules.schema) !== "allowed" || !isChosen(rules.memberships, chosen)) return;
    }
    checkCount(this.#findings, parent, { rules, count: entries.length });
    if (entries.length > 1) {
      checkUnique({ findings: this.#findings, conditions: this.#conditions }, parent, { rules, entries });
    }
  }

  #absent(
    parent: Place,
    rules: NodeRules,
    around: { readonly level: LevelRules; readonly chosen: ChosenCases; readonly allowed: AllowedNodes },
  ): void {
    const { schema, defaults, memberships } = rules;
    if ((schema.kind === "leaf" || schema.kind === "anydata" || schema.kind === "anyxml") && schema.mandatory) {
      if (isChosen(memberships, around.chosen) && around.allowed.of(schema) === "allowed") {
        reportMissing(this.#findings, parent, schema);
      }
      return;
    }
    if (!isInUse(rules, around.level, around.chosen) || around.allowed.of(schema) !== "allowed") return;
    if (schema.kind === "container") this.#instance(impliedPlace(parent, schema, undefined), rules);
    for (const value of defaults) this.#instance(impliedPlace(parent, schema, value), rules);
  }
}

/** Is there an instance? Looked up by key; only leaf-lists, which rarely have defaults, are searched for. */
function stands(rules: NodeRules, children: Place["children"]): boolean {
  if (rules.schema.kind !== "leaf-list") return children.has(rules.key);
  for (const node of children.values()) if (node.schema === rules.schema) return true;
  return false;
}

/** Which nodes may stand below one parent: a `when` is evaluated once for all instances there (RFC 7950 section 7.21.5). */
class AllowedNodes {
  readonly #conditions: Conditions;
  readonly #parent: Place;
  #known: Map<DataSchemaNode, boolean> | undefined;

  constructor(conditions: Conditions, parent: Place) {
    this.#conditions = conditions;
    this.#parent = parent;
  }

  /** `refused` is told once for each node, `known-refused` from then on. */
  of(schema: DataSchemaNode): "allowed" | "refused" | "known-refused" {
    if (schema.whens.length === 0) return "allowed";
    const known = this.#known?.get(schema);
    if (known !== undefined) return known ? "allowed" : "known-refused";
    const allowed = this.#conditions.allow(this.#parent, schema);
    (this.#known ??= new Map()).set(schema, allowed);
    return allowed ? "allowed" : "refused";
  }
}
