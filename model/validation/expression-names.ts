/** Which nodes an expression may look at, judged by their local names: too many at most, never too few. */
import type { SchemaExpression } from "../schema.ts";
import type { NodeTest, XPathExpression, XPathStep } from "../xpath/expression.ts";
import { parseXPath } from "../xpath/parse-xpath.ts";

const known = new WeakMap<SchemaExpression, ReadonlySet<string> | "any" | undefined>();

/** Names of the nodes below and beside its context that an expression asks for; undefined when it cannot be read. */
export function namesIn(expression: SchemaExpression): ReadonlySet<string> | "any" | undefined {
  if (known.has(expression)) return known.get(expression);
  const parsed = parseXPath(expression.text);
  let names: ReadonlySet<string> | "any" | undefined;
  if (parsed.kind === "ok") {
    const found = new NamesOf();
    found.expression(parsed.value);
    names = found.all ? "any" : found.found;
  }
  known.set(expression, names);
  return names;
}

class NamesOf {
  readonly found = new Set<string>();
  all = false;

  expression(expression: XPathExpression): void {
    switch (expression.kind) {
      case "or":
      case "and":
      case "union":
        for (const each of expression.operands) this.expression(each);
        return;
      case "comparison":
      case "arithmetic":
        this.expression(expression.left);
        this.expression(expression.right);
        return;
      case "negate":
        this.expression(expression.operand);
        return;
      case "path":
        if (typeof expression.start !== "string") this.expression(expression.start);
        for (const step of expression.steps) this.#step(step);
        return;
      case "filter":
        this.expression(expression.primary);
        for (const each of expression.predicates) this.expression(each);
        return;
      case "call":
        // string(), count() and the like of a container take in what is below it.
        if (expression.name === "string" || expression.name === "normalize-space") this.all = true;
        for (const each of expression.arguments) this.expression(each);
        return;
      case "literal":
      case "number":
        return;
    }
  }

  #step({ axis, test, predicates }: XPathStep): void {
    if (axis !== "parent" && axis !== "self" && axis !== "ancestor" && axis !== "ancestor-or-self") this.#test(test);
    for (const each of predicates) this.expression(each);
  }

  #test(test: NodeTest): void {
    if (test.kind === "name") this.found.add(test.name);
    else this.all = true;
  }
}
