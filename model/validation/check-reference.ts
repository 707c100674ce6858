/**
 * Does what a value points at exist (RFC 7950 sections 9.9.3, 9.13.1)?
 *
 * The values of a leafref's target are gathered once for each node that its path starts from, so that a list of any
 * length which refers to another costs one look-up an entry.
 */
import { parseValue, simpleTypesOf } from "../values/canonical-value.ts";
import { type InstancePath, segmentKey } from "../path.ts";
import { parseInstancePath } from "../paths/parse-path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafrefType,
  type LeafSchema,
  type Schema,
  isParentSchema,
} from "../schema.ts";
import { type Children, type DataTree } from "../tree.ts";
import type { PlainValue } from "../value.ts";
import { isImplied } from "./check-elements.ts";
import type { Conditions } from "./conditions.ts";
import type { Findings } from "./finding.ts";
import { type PlainLeafrefPath, plainLeafrefPath } from "./leafref-path.ts";
import { type Place, dataPlace, impliedPlace, rootPlace, textOf } from "./place.ts";
import type { LevelRules, NodeRules, ReferenceRule } from "./schema-rules.ts";

type ReferenceVerdict = "found" | "missing" | "unknown";

/** The references of one document. */
export class References {
  readonly #schema: Schema;
  readonly #root: Place;
  readonly #rules: LevelRules;
  readonly #conditions: Conditions;
  readonly #paths = new Map<LeafrefType, Map<DataSchemaNode, PlainLeafrefPath | undefined>>();
  readonly #targets = new Map<DataSchemaNode, WeakMap<Children, ReadonlySet<string>>>();

  constructor(tree: DataTree, rules: LevelRules, conditions: Conditions) {
    this.#schema = tree.schema;
    this.#root = rootPlace(tree.roots);
    this.#rules = rules;
    this.#conditions = conditions;
  }

  /** Adds a finding if the value at `place` requires an instance that is not there. Sealed values are not judged. */
  check(place: Place, rule: ReferenceRule, findings: Findings): void {
    const { schema, value } = place;
    if (schema === undefined || value?.kind !== "plain" || this.#find(place, rule, value) !== "missing") return;
    const path = rule.kind === "leafref" ? rule.type.path : undefined;
    const target = rule.kind === "leafref" ? rule.type.target() : undefined;
    // Keys stand in paths in clear; any other value might be a secret.
    const shown = rule.kind === "instance" || (target?.kind === "leaf" && target.isKey) ? ` ${value.text}` : "";
    findings.add({
      code: rule.kind === "instance" ? "instance-missing" : "reference-missing",
      path: textOf(place),
      schemaPath: schema.schemaPath,
      module: schema.module,
      message:
        target === undefined
          ? `${schema.name} points at${shown === "" ? " nothing that exists" : `${shown}, which does not exist`}`
          : `${schema.name} has the value${shown} of no existing ${target.name}`,
      position: path?.position ?? schema.position,
      expected: target === undefined ? "an instance that exists" : `the value of one ${target.schemaPath}`,
    });
  }

  #find(place: Place, rule: ReferenceRule, value: PlainValue): ReferenceVerdict {
    switch (rule.kind) {
      case "leafref":
        return this.#findLeafref(place, rule.type, value);
      case "instance":
        return this.#instanceExists(value.text) ? "found" : "missing";
      case "union": {
        let verdict: ReferenceVerdict = "missing";
        for (const { type, reference } of rule.members) {
          if (!this.#accepts(type, value)) continue;
          const found = reference === undefined ? "found" : this.#find(place, reference, value);
          if (found === "found") return found;
          if (found === "unknown") verdict = found;
        }
        return verdict;
      }
    }
  }

  /** A reader takes the first member that fits by its form; one behind it counts where that lacks its instance. */
  #accepts(type: LeafSchema["type"], value: PlainValue): boolean {
    return parseValue(type, value.text, { schema: this.#schema, form: { kind: "canonical" } }).kind === "ok";
  }

  #findLeafref(place: Place, type: LeafrefType, value: PlainValue): ReferenceVerdict {
    const path = this.#pathOf(place.schema, type);
    if (path === undefined) {
      const values = this.#conditions.values(type.path, place);
      if (values === undefined) return "unknown";
      return values.includes(value.text) ? "found" : "missing";
    }
    let start: Place | undefined = place;
    while (start !== undefined && start.schema !== path.start) start = start.parent;
    if (start === undefined) return "missing";
    return this.#valuesBelow(start, path).has(comparable(path.target, value)) ? "found" : "missing";
  }

  #pathOf(leaf: DataSchemaNode | undefined, type: LeafrefType): PlainLeafrefPath | undefined {
    if (leaf === undefined) return undefined;
    const byLeaf = this.#paths.get(type) ?? new Map<DataSchemaNode, PlainLeafrefPath | undefined>();
    this.#paths.set(type, byLeaf);
    if (!byLeaf.has(leaf)) byLeaf.set(leaf, plainLeafrefPath(this.#schema, leaf, type));
    return byLeaf.get(leaf);
  }

  #valuesBelow(start: Place, path: PlainLeafrefPath): ReadonlySet<string> {
    // All implied places share one empty map of children, which says nothing about them.
    const mayKeep = start.data !== undefined || start.schema === undefined;
    let known = this.#targets.get(path.target);
    if (known === undefined) this.#targets.set(path.target, (known = new WeakMap()));
    const standing = mayKeep ? known.get(start.children) : undefined;
    if (standing !== undefined) return standing;
    const values = new Set<string>();
    this.#collect(start, this.#levelOf(start), path, 0, values);
    if (mayKeep) known.set(start.children, values);
    return values;
  }

  #levelOf(place: Place): LevelRules | undefined {
    if (place.schema === undefined) return this.#rules;
    const above = place.parent && this.#levelOf(place.parent);
    return above?.nodes.get(place.schema)?.level;
  }

  #collect(
    place: Place,
    level: LevelRules | undefined,
    path: PlainLeafrefPath,
    depth: number,
    into: Set<string>,
  ): void {
    const schema = path.steps[depth];
    const rules = schema && level?.nodes.get(schema);
    if (schema === undefined || level === undefined || rules === undefined) return;
    const below = (next: Place): void => {
      if (schema === path.target) {
        if (next.value?.kind === "plain") into.add(comparable(path.target, next.value));
      } else this.#collect(next, rules.level, path, depth + 1, into);
    };
    const key = keyValue(place, schema);
    if (key !== undefined) {
      below(impliedPlace(place, schema, key));
    } else if (schema.kind === "list" || schema.kind === "leaf-list") {
      let count = 0;
      for (const node of place.children.values()) {
        if (node.schema !== schema) continue;
        count += 1;
        below(dataPlace(place, node));
      }
      if (count === 0) this.#implied(rules, level, place, below);
    } else {
      const node = place.children.get(rules.key);
      if (node !== undefined) below(dataPlace(place, node));
      else this.#implied(rules, level, place, below);
    }
  }

  #implied(rules: NodeRules, level: LevelRules, parent: Place, below: (place: Place) => void): void {
    const { schema, defaults } = rules;
    const isContainer = schema.kind === "container" && !schema.presence;
    if ((!isContainer && defaults.length === 0) || !isImplied(rules, level, parent, this.#conditions)) return;
    if (isContainer) below(impliedPlace(parent, schema, undefined));
    else for (const value of defaults) below(impliedPlace(parent, schema, value));
  }

  #instanceExists(text: string): boolean {
    const parsed = parseInstancePath(this.#schema, text);
    return parsed.kind === "ok" && this.#exists(parsed.value.path);
  }

  #exists(path: InstancePath): boolean {
    let place = this.#root;
    let level: LevelRules | undefined = this.#rules;
    for (const segment of path) {
      const schema: DataSchemaNode | undefined = (
        place.schema === undefined
          ? this.#schema.roots
          : isParentSchema(place.schema)
            ? place.schema.children
            : undefined
      )?.get(`${segment.module}:${segment.name}`);
      const rules: NodeRules | undefined = schema && level?.nodes.get(schema);
      if (schema === undefined || level === undefined || rules === undefined) return false;
      const node = place.children.get(segmentKey(segment));
      const key = keyValue(place, schema);
      if (node !== undefined) {
        place = dataPlace(place, node);
      } else if (key !== undefined) {
        place = impliedPlace(place, schema, key);
      } else {
        const implied: Place[] = [];
        this.#implied(rules, level, place, (found) => implied.push(found));
        const [next] = implied.filter(
          ({ value }) =>
            segment.kind !== "leaf-list-entry" || (value?.kind === "plain" && value.text === segment.value),
        );
        // A default of a leaf-list is in use only while the whole leaf-list is empty.
        const stands =
          schema.kind === "leaf-list" && [...place.children.values()].some((each) => each.schema === schema);
        if (next === undefined || stands) return false;
        place = next;
      }
      level = rules.level;
    }
    return true;
  }
}

function keyValue(place: Place, schema: DataSchemaNode): Place["value"] {
  if (place.data?.kind !== "entry" || schema.kind !== "leaf" || !schema.isKey) return undefined;
  return place.data.keys[place.data.schema.keys.indexOf(schema)];
}

/** Equal for equal values. Of several types with one text, such as the number 1 and the string 1, only unions know both. */
function comparable(target: LeafSchema | LeafListSchema, value: PlainValue): string {
  return simpleTypesOf(target.type).length > 1 ? `${value.type} ${value.text}` : value.text;
}
