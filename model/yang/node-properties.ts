/** Properties of a draft node in the form the schema keeps them: expressions with their prefixes, extensions by module. */
import type { DataSchemaNode, MustConstraint, SchemaExpression, SchemaExtension, WhenConstraint } from "../schema.ts";
import { type DraftNode, propertiesOf, propertyText } from "./draft-node.ts";
import type { Definition, LinkedModule, SourceUnit } from "./linked-module.ts";
import type { NodeCommon } from "./schema-node.ts";
import { type YangStatement, argumentOf, childArgument, isExtensionStatement, splitName } from "./statement.ts";

function expressionOf(property: Definition, module: LinkedModule): SchemaExpression {
  return {
    text: argumentOf(property.statement),
    prefixes: property.scope.unit.prefixNames,
    module: module.name,
    definedIn: property.scope.unit.module.name,
    position: property.statement.position,
  };
}

const NO_MUSTS: readonly MustConstraint[] = [];

export function mustsOf(node: DraftNode): readonly MustConstraint[] {
  const written = propertiesOf(node, "must");
  if (written.length === 0) return NO_MUSTS;
  return written.map((property) => ({
    expression: expressionOf(property, node.module),
    errorMessage: childArgument(property.statement, "error-message"),
    errorAppTag: childArgument(property.statement, "error-app-tag"),
  }));
}

/**
 * `around`, then those of the uses and augments that brought the node, then its own, whose context is given. Most nodes
 * have none and get the list that they have around them.
 */
export function whensOf(
  node: DraftNode,
  own: WhenConstraint["context"],
  around: readonly WhenConstraint[],
): readonly WhenConstraint[] {
  const written = propertiesOf(node, "when");
  if (written.length === 0 && node.outerWhens.length === 0) return around;
  return [
    ...around,
    ...node.outerWhens.map(
      ({ property, module }): WhenConstraint => ({ expression: expressionOf(property, module), context: "parent" }),
    ),
    ...written.map((property) => ({ expression: expressionOf(property, node.module), context: own })),
  ];
}

export function statusOf(node: DraftNode): DataSchemaNode["status"] {
  const text = propertyText(node, "status");
  return text === "deprecated" || text === "obsolete" ? text : "current";
}

const NO_EXTENSIONS: readonly SchemaExtension[] = [];

/** Extension statements of a node, known or not. */
export function extensionsOf(node: DraftNode): readonly SchemaExtension[] {
  let found: SchemaExtension[] | undefined;
  for (const { statement, scope } of node.properties)
    if (isExtensionStatement(statement)) (found ??= []).push(extension(statement, scope.unit));
  return found ?? NO_EXTENSIONS;
}

/** What nodes of every kind have; `config` is the node's own, the rest of `given` is what it has around it. */
export function nodeCommon(
  draft: DraftNode,
  given: Pick<NodeCommon, "parent" | "config" | "cases" | "whens"> & { readonly path: string },
): NodeCommon {
  return {
    module: draft.module.name,
    namespace: draft.module.namespace,
    name: draft.name,
    id: draft.id,
    parent: given.parent,
    schemaPath: `${given.path}/${draft.id}`,
    config: given.config,
    cases: given.cases,
    whens: whensOf(draft, "self", given.whens),
    musts: mustsOf(draft),
    status: statusOf(draft),
    description: propertyText(draft, "description"),
    extensions: extensionsOf(draft),
    position: draft.statement.position,
  };
}

/** Those that stand at the top of a module and its submodules, for example the `yang-data` of RFC 8040. */
export function moduleExtensions(module: LinkedModule): readonly SchemaExtension[] {
  return module.units.flatMap((unit) =>
    unit.parsed.statement.children.filter(isExtensionStatement).map((statement) => extension(statement, unit)),
  );
}

/** Within an extension, statements of YANG itself may stand; they have no defining module and get "". */
function extension(statement: YangStatement, unit: SourceUnit): SchemaExtension {
  const { prefix, name } = splitName(statement.keyword);
  return {
    module: prefix === undefined ? "" : (unit.prefixNames.get(prefix) ?? ""),
    name,
    argument: statement.argument,
    children: statement.children.map((child) => extension(child, unit)),
  };
}
