/** The number of entries (RFC 7950 sections 7.7.5, 7.7.6) and what is unique among them (section 7.8.3). */
import { type DataNode, hasChildren } from "../tree.ts";
import type { Value } from "../value.ts";
import { chosenCases, isInUse } from "./choice-state.ts";
import type { Conditions } from "./conditions.ts";
import type { Findings } from "./finding.ts";
import { type Place, dataPlace, impliedPlace, textBelow, textOf } from "./place.ts";
import type { LevelRules, NodeRules, UniqueRule } from "./schema-rules.ts";

/**
 * Checks the number of instances of a list or leaf-list. Needs: the caller knows that they may be there, and of none
 * that they are demanded; it is otherwise in a case that is not chosen or under a `when` that is false.
 */
export function checkCount(
  findings: Findings,
  parent: Place,
  input: { readonly rules: NodeRules; readonly count: number },
): void {
  const { schema } = input.rules;
  if (schema.kind !== "list" && schema.kind !== "leaf-list") return;
  const { minElements, maxElements } = schema;
  const report = (code: "too-few-elements" | "too-many-elements", expected: string): void => {
    findings.add({
      code,
      path: textBelow(parent, schema),
      schemaPath: schema.schemaPath,
      module: schema.module,
      message: `${schema.kind} ${schema.name} has ${String(input.count)} entries`,
      position: schema.position,
      expected,
    });
  };
  if (input.count < minElements) {
    report("too-few-elements", `at least ${String(minElements)}`);
  }
  if (maxElements !== undefined && input.count > maxElements) {
    report("too-many-elements", `at most ${String(maxElements)}`);
  }
}

/** Checks every `unique` of a list; entries in which one of the leafs neither stands nor has a default in use are passed over. */
export function checkUnique(
  { findings, conditions }: { readonly findings: Findings; readonly conditions: Conditions },
  parent: Place,
  input: { readonly rules: NodeRules; readonly entries: readonly DataNode[] },
): void {
  for (const unique of input.rules.uniques) {
    const seen = new Map<string, DataNode>();
    for (const entry of input.entries) {
      const place = dataPlace(parent, entry);
      const key = uniqueKey(unique, place, input.rules.level, conditions);
      if (key === undefined) continue;
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, entry);
        continue;
      }
      const { schema } = input.rules;
      findings.add({
        code: "not-unique",
        path: textOf(place),
        others: [textOf(dataPlace(parent, first))],
        schemaPath: schema.schemaPath,
        module: schema.module,
        message: `two entries of list ${schema.name} have the same ${unique.text}`,
        position: schema.position,
        expected: `another ${unique.text} in each entry`,
        concerns: {
          kind: "leafs",
          paths: [dataPlace(parent, first), place].flatMap((each) =>
            unique.leafs.map((way) => textBelow(each, ...way)),
          ),
        },
      });
    }
  }
}

function uniqueKey(
  { leafs }: UniqueRule,
  entry: Place,
  level: LevelRules | undefined,
  conditions: Conditions,
): string | undefined {
  let key = "";
  for (const way of leafs) {
    const value = valueInUse(entry, level, way, conditions);
    // Equal secrets have different fingerprints in different places, so sealed values cannot be compared.
    if (value?.kind !== "plain") return undefined;
    // The length keeps the values apart.
    key += `${String(value.text.length)}:${value.type}:${value.text}`;
  }
  return key;
}

/** The value of a leaf below a place, its default where that is in use (RFC 7950 section 7.6.1); undefined if it has none. */
export function valueInUse(
  from: Place,
  rules: LevelRules | undefined,
  way: readonly NodeRules["schema"][],
  conditions: Conditions,
): Value | undefined {
  let place = from;
  let level = rules;
  for (const schema of way) {
    if (level === undefined) return undefined;
    if (place.data?.kind === "entry" && schema.kind === "leaf" && schema.isKey) {
      return place.data.keys[place.data.schema.keys.indexOf(schema)];
    }
    const data = place.children.get(schema.id);
    if (data?.kind === "leaf") return data.value;
    const own = level.nodes.get(schema);
    if (own === undefined) return undefined;
    if (data !== undefined && hasChildren(data)) place = dataPlace(place, data);
    else {
      const standsByItself = schema.kind === "container" ? !schema.presence : own.defaults.length > 0;
      if (!standsByItself || !isImplied(own, level, place, conditions)) return undefined;
      if (schema.kind === "leaf") return own.defaults[0];
      place = impliedPlace(place, schema, undefined);
    }
    level = own.level;
  }
  return undefined;
}

/** Does a node that is not in the data exist all the same: is its case in use and its `when` true? */
export function isImplied(rules: NodeRules, level: LevelRules, parent: Place, conditions: Conditions): boolean {
  if (rules.memberships.length > 0 && !isInUse(rules, level, chosenCases(level, parent.children.values())))
    return false;
  return conditions.allow(parent, rules.schema);
}
