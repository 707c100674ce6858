/** Keys and `unique` of a list (RFC 7950 sections 7.8.2, 7.8.3, 7.20.2, 7.21.5; RFC 6020 section 7.8.2). */
import { type DataSchemaNode, type LeafSchema, type ListSchema, isParentSchema } from "../schema.ts";
import { type DraftNode, followSchemaPath, propertiesOf, propertyOf, stepId } from "./draft-node.ts";
import type { Definition } from "./linked-module.ts";
import { argumentOf } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

function words(property: Definition): readonly string[] {
  return argumentOf(property.statement)
    .split(/[ \t\r\n]+/)
    .filter((word) => word !== "");
}

/** Ids of the key leafs as `key` names them, in its order; empty for other nodes. */
export function keyNames(draft: DraftNode): ReadonlySet<string> {
  const property = propertyOf(draft, "key");
  if (draft.keyword !== "list" || property === undefined) return new Set();
  return new Set(words(property).map((word) => stepId(word, { scope: property.scope, module: draft.module })));
}

/** Key leafs in order and unique paths of a list whose children are built; what is wrong with them is reported. */
export function checkList(
  draft: DraftNode,
  list: ListSchema,
  report: YangReport,
): Pick<ListSchema, "keys" | "uniques"> {
  return {
    keys: checkKeys(draft, list, report),
    uniques: propertiesOf(draft, "unique").map((property) => checkUnique(draft, list, property, report)),
  };
}

function checkKeys(draft: DraftNode, list: ListSchema, report: YangReport): readonly LeafSchema[] {
  const property = propertyOf(draft, "key");
  if (property === undefined) {
    if (list.config)
      report.error("key-invalid", `list ${list.name} holds configuration and has no key`, list.position, {
        expected: "key, or config false",
      });
    return [];
  }
  const problem = (message: string, other: LeafSchema["position"] = list.position): void => {
    report.error("key-invalid", message, [property.statement.position, other]);
  };
  const names = keyNames(draft);
  if (names.size < words(property).length) problem(`a key of list ${list.name} is named twice`);
  const keys: LeafSchema[] = [];
  for (const name of names) {
    const leaf = list.children.get(name);
    const off = draft.children.get(name);
    if (off?.enabled === false)
      problem(
        `key ${off.name} of list ${list.name} is switched off`,
        (off.removedBy ?? off.ifFeatures[0] ?? off.statement).position,
      );
    else if (leaf?.kind !== "leaf" || leaf.cases.length > 0)
      problem(`list ${list.name} has no leaf ${name} to be its key`, leaf?.position ?? list.position);
    else {
      if (leaf.config !== list.config)
        problem(`key ${leaf.name} and list ${list.name} must have the same config`, leaf.position);
      checkKeyLeaf(draft.children.get(name), leaf, report);
      keys.push(leaf);
    }
  }
  return keys;
}

/** A key is always there, so nothing may make it depend on something. */
function checkKeyLeaf(draft: DraftNode | undefined, leaf: LeafSchema, report: YangReport): void {
  if (draft === undefined) return;
  const version = draft.scope.unit.parsed.yangVersion;
  const problem = (message: string, position: LeafSchema["position"]): void => {
    report.error("key-invalid", `key ${leaf.name} ${message}`, [position, leaf.position]);
  };
  // Its own, and those that a refine, a uses or an augment put on it.
  const [condition] = draft.ifFeatures;
  if (version === "1.1" && condition !== undefined) problem("must not have an if-feature", condition.position);
  const when = propertyOf(draft, "when") ?? draft.outerWhens[0]?.property;
  if (version === "1.1" && when !== undefined) problem("must not have a when", when.statement.position);
  if (version === "1" && leaf.type.kind === "empty") problem("must not be of type empty in YANG 1", leaf.position);
}

/** The leafs of one `unique`, as paths of data node ids below the list. */
function checkUnique(draft: DraftNode, list: ListSchema, property: Definition, report: YangReport): readonly string[] {
  const paths = words(property).flatMap((word) => {
    const node = followSchemaPath(draft.children, word, { scope: property.scope, module: draft.module });
    if (node?.keyword !== "leaf") {
      report.error("unique-invalid", `unique of list ${draft.name}: ${word} is no leaf below it`, [
        property.statement.position,
        node?.statement.position ?? draft.statement.position,
      ]);
      return [];
    }
    const ids: string[] = [];
    for (let at: DraftNode | undefined = node; at !== undefined && at !== draft; at = at.parent) {
      if (at.keyword === "list")
        report.error("unique-invalid", `unique of list ${draft.name}: ${word} stands in another list`, [
          property.statement.position,
          at.statement.position,
        ]);
      if (at.keyword !== "choice" && at.keyword !== "case") ids.unshift(at.id);
    }
    return [ids.join("/")];
  });
  const leafs = paths.flatMap((path) => leafAt(list, path) ?? []);
  const configuration = leafs.find((leaf) => leaf.config);
  const state = leafs.find((leaf) => !leaf.config);
  if (configuration !== undefined && state !== undefined)
    report.error(
      "unique-invalid",
      `unique of list ${draft.name} names configuration, ${configuration.name}, and state, ${state.name}`,
      [property.statement.position, configuration.position, state.position],
    );
  if (new Set(paths).size < paths.length)
    report.error("unique-invalid", `unique of list ${draft.name} names a leaf twice`, property.statement.position);
  return paths;
}

/** The built leaf; undefined where a feature or a deviation switched it off. */
function leafAt(list: ListSchema, path: string): LeafSchema | undefined {
  let at: DataSchemaNode | undefined = list;
  for (const id of path.split("/")) at = at !== undefined && isParentSchema(at) ? at.children.get(id) : undefined;
  return at?.kind === "leaf" ? at : undefined;
}
