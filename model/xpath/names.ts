/** What the names in an expression mean: prefixes, identities, and values that are written with prefixes. */
import { parseValue, simpleTypesOf } from "../values/canonical-value.ts";
import type { DataSchemaNode, Schema, SchemaExpression } from "../schema.ts";
import { pathText } from "../tree.ts";
import type { Value } from "../value.ts";

export class ExpressionNames {
  readonly schema: Schema;
  readonly expression: SchemaExpression;

  constructor(expression: SchemaExpression, schema: Schema) {
    this.expression = expression;
    this.schema = schema;
  }

  /** Names without prefix belong to the expression's module (RFC 7950 section 6.4.1). */
  moduleOf(prefix: string | undefined): string | undefined {
    return prefix === undefined || prefix === "" ? this.expression.module : this.expression.prefixes.get(prefix);
  }

  /** How the expression would write the name of a node: without prefix in its own module. */
  qualifiedName(node: DataSchemaNode): string {
    if (node.module === this.expression.module) return node.name;
    for (const [prefix, module] of this.expression.prefixes)
      if (module === node.module) return `${prefix}:${node.name}`;
    return node.id;
  }

  /**
   * `module:identity` of the second argument of derived-from() (RFC 7950 section 10.4). Without prefix it is of the
   * "current module": the one the expression is used in, or where that has no such identity the one it is written in,
   * which for an expression of a grouping is another one.
   */
  identity(text: string): string | undefined {
    const [, prefix, name = ""] = /^[ \t\r\n]*(?:([^\s:]+):)?([^\s:]+)[ \t\r\n]*$/.exec(text) ?? [];
    if (prefix !== undefined) return this.#known(this.expression.prefixes.get(prefix), name);
    return this.#known(this.expression.module, name) ?? this.#known(this.expression.definedIn, name);
  }

  #known(module: string | undefined, name: string): string | undefined {
    const id = `${module ?? ""}:${name}`;
    return this.schema.identities.has(id) ? id : undefined;
  }

  /**
   * Does the leaf value equal a text of the expression? Identities and instance-identifiers have no canonical form
   * (RFC 7950 sections 9.10.3, 9.13), since their text depends on the prefixes around it. So the text is read with the
   * prefixes of the expression and the values are compared; a text that is no such value is compared as it stands.
   * All other values compare as strings (XPath 1.0 section 3.4).
   */
  equalsText(schema: DataSchemaNode | undefined, value: Value, text: string): boolean {
    return pathText(value) === (dependsOnPrefixes(value) ? this.#canonical(schema, value, text) : text);
  }

  #canonical(schema: DataSchemaNode | undefined, value: Value, text: string): string {
    if (schema?.kind !== "leaf" && schema?.kind !== "leaf-list") return text;
    if (value.type === "identityref") return this.identity(text) ?? text;
    const moduleOf = (prefix: string): string | undefined => this.moduleOf(prefix);
    const read = parseValue(schema.type, text, {
      schema: this.schema,
      form: { kind: "yang", moduleOf },
      as: value.type,
    });
    return read.kind === "ok" ? read.value.text : text;
  }

  /** Can a value of the leaf be written with prefixes? */
  readsPrefixes(schema: DataSchemaNode): boolean {
    return (
      (schema.kind === "leaf" || schema.kind === "leaf-list") &&
      simpleTypesOf(schema.type).some(({ kind }) => kind === "identityref" || kind === "instance-identifier")
    );
  }

  /** The texts under which values that equal `text` may be found among those of a leaf. */
  lookupTexts(schema: DataSchemaNode, text: string): readonly string[] {
    if (schema.kind !== "leaf" && schema.kind !== "leaf-list") return [text];
    const texts = new Set([text]);
    for (const { kind } of simpleTypesOf(schema.type)) {
      if (kind === "identityref" || kind === "instance-identifier")
        texts.add(this.#canonical(schema, { kind: "plain", type: kind, text: "" }, text));
    }
    return [...texts];
  }
}

export function dependsOnPrefixes(value: Value): boolean {
  return value.type === "identityref" || value.type === "instance-identifier";
}
