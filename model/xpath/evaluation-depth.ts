/** How deep the calls nest that evaluate an expression, so that none can exhaust the stack. */
import type { XPathExpression, XPathStep } from "./expression.ts";

/**
 * Levels of closures from the expression to its innermost part, never fewer than there will be. Each step of a path
 * counts as one, because a step is evaluated by asking the one before it.
 */
export function evaluationDepth(expression: XPathExpression): number {
  switch (expression.kind) {
    case "or":
    case "and":
    case "union":
      return 1 + deepest(expression.operands);
    case "comparison":
    case "arithmetic":
      return 1 + deepest([expression.left, expression.right]);
    case "negate":
      return 1 + evaluationDepth(expression.operand);
    case "path": {
      const { start, steps } = expression;
      return steps.length + deepest([...(typeof start === "object" ? [start] : []), ...steps.flatMap(predicatesOf)]);
    }
    case "filter":
      return 1 + deepest([expression.primary, ...expression.predicates]);
    case "literal":
    case "number":
      return 1;
    case "call":
      return 1 + deepest(expression.arguments);
  }
}

function predicatesOf({ predicates }: XPathStep): readonly XPathExpression[] {
  return predicates;
}

function deepest(expressions: readonly XPathExpression[]): number {
  let depth = 0;
  for (const each of expressions) depth = Math.max(depth, evaluationDepth(each));
  return depth;
}
