/**
 * Put: an instance asserts every value it yields, changed or not. Newer wins over older whatever the creation order
 * (rule 2); inside one submission nobody wins over anybody (rule 3, checked before this).
 */
import type { Item } from "../model/item.ts";
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import type { DataSchemaNode } from "../model/schema.ts";
import { type Value, valuesEqual } from "../model/value.ts";
import { parseValue, simpleTypesOf } from "../model/values/canonical-value.ts";
import { schemaAlong } from "../plan/schema-along.ts";
import type { Yield } from "./compile-instance.ts";
import type { ExistedBefore, ServiceLink } from "./desired-state.ts";
import type { DeviceDraft } from "./device-draft.ts";
import { endOtherCases } from "./end-other-cases.ts";
import type { Explanation } from "./explanation.ts";

/**
 * Writes the yields of one instance on one device into the draft and returns the links it now has there: to the items
 * its rules name, and (`implied`) to the entries and presence containers that it had to create for them.
 */
export function assertYields(
  draft: DeviceDraft,
  service: string,
  yields: readonly Yield[],
  explain: Explanation[],
): readonly ServiceLink[] {
  const links = new Map<string, ServiceLink>();
  const earlier = new Map(draft.linksOf(service).map((link) => [`${link.relation} ${link.path}`, link]));
  const setBy = { kind: "service", service } as const;
  const device = draft.base.device;
  const addLink = (link: ServiceLink): void => {
    const key = `${link.relation} ${link.path}`;
    const present = links.get(key);
    // A rule of its own says more than an ancestor that had to be created.
    if (present === undefined || (present.implied && !link.implied)) links.set(key, link);
  };

  const existedBefore = (path: string, known: ServiceLink | undefined): ExistedBefore | undefined =>
    known === undefined ? existenceBefore(draft, path) : known.existedBefore;

  // What stands in others comes after these, so that an entry with a rule of its own is created by that rule.
  const owns = oneEach(yields, "owns").sort((a, b) => a.path.length - b.path.length);
  for (const each of owns) {
    for (const [index, schema] of schemaAlong(draft.schema, each.path).slice(0, -1).entries()) {
      if (!existsByItself(schema)) continue;
      const ancestor = each.path.slice(0, index + 1);
      const text = formatInstancePath(ancestor);
      const known = earlier.get(`owns ${text}`);
      // What several instances of one submission stand in is created by all of them, whatever their order.
      if (draft.isNew(text))
        addLink(
          ownLink(service, device, text, {
            scope: "subtree",
            implied: true,
            existedBefore: existedBefore(text, known),
          }),
        );
      else if (known?.implied === true) addLink(known);
      if (draft.item(text) !== undefined) continue;
      draft.put(structuralItem(draft, ancestor, schema), setBy);
      draft.reorder(ancestor, "append", setBy);
      explain.push({ kind: "created", device, path: text, service });
    }
    for (const path of endOtherCases(draft, each.path))
      explain.push({ kind: "case-ended", device, path, service, by: each.text });
    const before = draft.item(each.text);
    const others = draft.linksAt(each.text).filter((link) => link.service !== service);
    const known = earlier.get(`owns ${each.text}`);
    addLink({
      ...ownLink(service, device, each.text, {
        scope: each.scope ?? known?.scope ?? (isEntryLike(each.schema) && draft.isNew(each.text) ? "subtree" : "node"),
        implied: false,
        existedBefore: existedBefore(each.text, known),
      }),
      value: each.value,
      onRemove: each.onRemove,
    });
    draft.put(yieldItem(draft, each), setBy);
    if (before === undefined) draft.reorder(each.path, "append", setBy);
    explainPut(device, each, before?.item, others, explain);
  }

  for (const each of oneEach(yields, "depends")) {
    addLink({
      service,
      device,
      path: each.text,
      relation: "depends",
      value: each.value,
      scope: "node",
      onRemove: each.onRemove,
      existedBefore: undefined,
      implied: false,
    });
  }
  return [...links.values()];
}

/** One yield an item; what only one of several rules says about it counts (where two differ, it was refused before). */
function oneEach(yields: readonly Yield[], relation: Yield["relation"]): Yield[] {
  const byPath = new Map<string, Yield>();
  for (const each of yields) {
    if (each.relation !== relation) continue;
    const same = byPath.get(each.text);
    byPath.set(
      each.text,
      same === undefined ? each : { ...same, scope: same.scope ?? each.scope, value: same.value ?? each.value },
    );
  }
  return [...byPath.values()];
}

/**
 * What a service that takes an item for the first time found there, if no service had taken it before: not what this
 * submission made, nor what a former owner left behind.
 */
function existenceBefore(draft: DeviceDraft, path: string): ExistedBefore | undefined {
  const owners = [...draft.linksAt(path).filter((link) => link.relation === "owns"), ...draft.ownersBefore(path)];
  if (owners.length > 0) return owners.find((link) => link.existedBefore !== undefined)?.existedBefore;
  const base = draft.base.items.get(path);
  return base === undefined || base.retained ? undefined : { since: base.since, value: itemValue(base.item) };
}

function explainPut(
  device: string,
  each: Yield,
  stood: Item | undefined,
  others: readonly ServiceLink[],
  explain: Explanation[],
): void {
  const { text: path, service, value: after } = each;
  const before = stood === undefined ? undefined : itemValue(stood);
  if (after === undefined) {
    if (stood === undefined) explain.push({ kind: "created", device, path, service });
    return;
  }
  if (before !== undefined && valuesEqual(before, after)) return;
  explain.push({ kind: "set", device, path, service, before, after });
  for (const { service: overridden, value } of others)
    if (value !== undefined && !valuesEqual(value, after))
      explain.push({ kind: "overrides", device, path, service, overridden, before, after });
}

function ownLink(
  service: string,
  device: string,
  path: string,
  rest: Pick<ServiceLink, "scope" | "implied" | "existedBefore">,
): ServiceLink {
  return { service, device, path, relation: "owns", value: undefined, onRemove: "delete", ...rest };
}

export function existsByItself(schema: DataSchemaNode): boolean {
  return schema.kind !== "container" || schema.presence;
}

function isEntryLike(schema: DataSchemaNode): boolean {
  return schema.kind === "list" || schema.kind === "container";
}

export function itemValue(item: Item): Value | undefined {
  return item.kind === "leaf" || item.kind === "leaf-list-entry" ? item.value : undefined;
}

function structuralItem(draft: DeviceDraft, path: InstancePath, schema: DataSchemaNode): Item {
  const text = formatInstancePath(path);
  const last = path.at(-1);
  if (schema.kind !== "list" || last?.kind !== "entry") return { kind: "container", path: text };
  const keyTypes = schema.keys.map((key, index) => {
    const types = simpleTypesOf(key.type);
    const only = types.length === 1 ? types[0] : undefined;
    if (only !== undefined) return only.kind;
    const value = parseValue(key.type, last.keys[index]?.value ?? "", {
      schema: draft.schema,
      form: { kind: "canonical" },
    });
    return value.kind === "ok" ? value.value.type : "string";
  });
  return { kind: "entry", path: text, keyTypes };
}

function yieldItem(draft: DeviceDraft, each: Yield): Item {
  if (each.value !== undefined) {
    return each.schema.kind === "leaf"
      ? { kind: "leaf", path: each.text, value: each.value, origin: "set" }
      : { kind: "leaf-list-entry", path: each.text, value: each.value };
  }
  return structuralItem(draft, each.path, each.schema);
}
