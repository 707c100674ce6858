/** What is odd about the `must` and `when` expressions of a schema, told before any data is there. */
import type { Diagnostic } from "../diagnostic.ts";
import type { ChoiceSchema, DataSchemaNode, ParentSchemaNode, Schema, SchemaExpression } from "../schema.ts";
import { childSchemas, isParentSchema } from "../schema.ts";
import { compileXPath } from "../xpath/compile-xpath.ts";

/**
 * Warnings about every `must` and `when` of the data nodes: steps that no data can match, identities that do not exist.
 * Compiling accepts them (RFC 7950 sections 7.5.3 and 7.21.5 ask for a valid expression only), yet each is most often a
 * slip, and public modules have them. One warning a place: an expression of a grouping is told of where it warns in
 * every use, since a step may be meant for some of them.
 */
export function expressionWarnings(schema: Schema): readonly Diagnostic[] {
  const uses = new ExpressionUses(schema);
  uses.level(undefined, schema.rootChoices);
  return uses.warnings();
}

interface Use {
  count: number;
  /** By code and offset in the expression; the message names the nodes of one use. */
  readonly warned: Map<string, { readonly diagnostic: Diagnostic; count: number }>;
}

class ExpressionUses {
  readonly #schema: Schema;
  /** By place in the text. */
  readonly #uses = new Map<string, Use>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  level(parent: ParentSchemaNode | undefined, choices: ReadonlyMap<string, ChoiceSchema>): void {
    for (const choice of choices.values()) this.#choice(choice, parent);
    for (const node of childSchemas(this.#schema, parent).values()) {
      for (const { expression } of node.musts) this.#add(expression, node);
      for (const { expression, context } of node.whens) this.#add(expression, context === "self" ? node : parent);
      if (isParentSchema(node)) this.level(node, node.choices);
    }
  }

  #choice(choice: ChoiceSchema, parent: ParentSchemaNode | undefined): void {
    for (const { expression } of choice.whens) this.#add(expression, parent);
    for (const each of choice.cases) for (const inner of each.choices) this.#choice(inner, parent);
  }

  #add(expression: SchemaExpression, context: DataSchemaNode | undefined): void {
    const { source, line, column } = expression.position;
    const key = `${source}:${String(line)}:${String(column)}`;
    let use = this.#uses.get(key);
    if (use === undefined) this.#uses.set(key, (use = { count: 0, warned: new Map() }));
    use.count += 1;
    const compiled = compileXPath(expression, this.#schema, context);
    if (compiled.kind === "error") return;
    for (const diagnostic of compiled.warnings) {
      // What the parser alone says is a warning of the compiler already.
      if (diagnostic.code === "xpath-syntax") continue;
      const step = `${diagnostic.code} ${String(diagnostic.offset)}`;
      const known = use.warned.get(step);
      if (known === undefined) use.warned.set(step, { diagnostic, count: 1 });
      else known.count += 1;
    }
  }

  warnings(): readonly Diagnostic[] {
    return [...this.#uses.values()].flatMap(({ count, warned }) =>
      [...warned.values()].filter((each) => each.count === count).map((each) => each.diagnostic),
    );
  }
}
