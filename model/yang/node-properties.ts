/** Properties of a draft node in the form the schema keeps them: expressions with their prefixes, extensions by module. */
import type { DataSchemaNode, MustConstraint, SchemaExpression, SchemaExtension, WhenConstraint } from "../schema.ts";
import { type DraftNode, propertiesOf, propertyText } from "./draft-node.ts";
import type { Definition, LinkedModule, SourceUnit } from "./linked-module.ts";
import { type YangStatement, argumentOf, childArgument, isExtensionStatement, splitName } from "./statement.ts";

function expressionOf(property: Definition, module: LinkedModule): SchemaExpression {
  return {
    text: argumentOf(property.statement),
    prefixes: property.scope.unit.prefixNames,
    module: module.name,
    position: property.statement.position,
  };
}

export function mustsOf(node: DraftNode): readonly MustConstraint[] {
  return propertiesOf(node, "must").map((property) => ({
    expression: expressionOf(property, node.module),
    errorMessage: childArgument(property.statement, "error-message"),
    errorAppTag: childArgument(property.statement, "error-app-tag"),
  }));
}

/** Those of the uses and augments that brought the node, then its own, whose context is given. */
export function whensOf(node: DraftNode, own: WhenConstraint["context"]): readonly WhenConstraint[] {
  return [
    ...node.outerWhens.map(
      ({ property, module }): WhenConstraint => ({ expression: expressionOf(property, module), context: "parent" }),
    ),
    ...propertiesOf(node, "when").map((property) => ({
      expression: expressionOf(property, node.module),
      context: own,
    })),
  ];
}

export function statusOf(node: DraftNode): DataSchemaNode["status"] {
  const text = propertyText(node, "status");
  return text === "deprecated" || text === "obsolete" ? text : "current";
}

/** Extension statements of a node, known or not. */
export function extensionsOf(node: DraftNode): readonly SchemaExtension[] {
  return node.properties.flatMap(({ statement, scope }) =>
    isExtensionStatement(statement) ? [extension(statement, scope.unit)] : [],
  );
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
