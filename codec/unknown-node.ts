/** What to say of a name that the schema does not have: what could have stood there, and what was probably meant. */
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import { nearNames } from "../model/near-names.ts";
import type { Problem } from "./data-findings.ts";

/** How a text names a node: XML by namespace, JSON by module; undefined where JSON names none. */
export interface GivenName {
  readonly name: string;
  readonly qualifier:
    | { readonly kind: "namespace"; readonly uri: string }
    | { readonly kind: "module"; readonly module: string | undefined };
}

/** Some containers have hundreds of children. */
const MAX_LISTED = 12;

/**
 * `siblings` are the nodes that could have stood there. The remedy is the node of that name in another module, else the module that is
 * not there, else the names that differ by a slip: in this order, since the first is certain.
 */
export function unknownNode(
  schema: Schema,
  siblings: ReadonlyMap<string, DataSchemaNode>,
  given: GivenName,
): Pick<Problem, "expected" | "remedy"> {
  return { expected: expectedNames(siblings), remedy: remedyOf(schema, [...siblings.values()], given) };
}

function remedyOf(schema: Schema, siblings: readonly DataSchemaNode[], given: GivenName): string | undefined {
  const { name, qualifier } = given;
  const elsewhere = siblings.filter((each) => each.name === name);
  if (elsewhere.length > 0)
    return `${name} of ${elsewhere.map(({ module }) => described(schema, module)).join(" or of ")}`;
  const missing = missingModule(schema, qualifier);
  if (missing !== undefined) return missing;
  const near = nearNames(name, new Set(siblings.map((each) => each.name)));
  return near.length === 0 ? undefined : near.join(" or ");
}

function missingModule(schema: Schema, qualifier: GivenName["qualifier"]): string | undefined {
  switch (qualifier.kind) {
    case "namespace":
      if (qualifier.uri === "") return "declare the namespace of its module";
      return schema.namespaces.has(qualifier.uri)
        ? undefined
        : `implement the module with the namespace ${qualifier.uri}`;
    case "module":
      if (qualifier.module === undefined || schema.modules.has(qualifier.module)) return undefined;
      return `implement the module ${qualifier.module}, or name another: JSON has module names, not their prefixes`;
  }
}

function described(schema: Schema, module: string): string {
  const namespace = schema.modules.get(module)?.namespace;
  return namespace === undefined ? `module ${module}` : `module ${module} (namespace ${namespace})`;
}

/** Names of the nodes that could have stood there. */
export function expectedNames(children: ReadonlyMap<string, DataSchemaNode>): string {
  const names: string[] = [];
  for (const name of children.keys()) {
    if (names.length === MAX_LISTED) return `one of ${names.join(", ")}, ...`;
    names.push(name);
  }
  return names.length === 0 ? "nothing" : `one of ${names.join(", ")}`;
}
