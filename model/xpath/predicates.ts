/** Predicates (XPath 1.0 section 2.4): a number asks for a position, everything else is a condition. */
import type { XPathNode } from "./xpath-node.ts";
import type { XPathExpression } from "./expression.ts";
import { Frame } from "./frame.ts";
import { typeOf } from "./function-signatures.ts";
import { DEPENDS_ON_CURRENT, type Operand } from "./operand.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import type { Scope } from "./scope.ts";

export type Predicate =
  | { readonly kind: "at"; readonly position: number }
  | { readonly kind: "last" }
  | { readonly kind: "position"; readonly operand: Operand }
  | { readonly kind: "condition"; readonly operand: Operand };

export interface Predicates {
  readonly list: readonly Predicate[];
  /** On what outside of the filtered nodes they depend. */
  readonly dependsOn: number;
  /** Does the position among the filtered nodes matter? */
  readonly positional: boolean;
}

export function compilePredicates(
  expressions: readonly XPathExpression[],
  filtered: PossibleNodes,
  scope: Scope,
): Predicates {
  const inner = { ...scope, context: filtered };
  let dependsOn = 0;
  const list = expressions.map((expression): Predicate => {
    if (expression.kind === "number") return { kind: "at", position: expression.value };
    if (expression.kind === "call" && expression.name === "last") return { kind: "last" };
    const operand = scope.compile(expression, inner);
    dependsOn |= operand.dependsOn & DEPENDS_ON_CURRENT;
    return { kind: operand.type === "number" ? "position" : "condition", operand };
  });
  return { list, dependsOn, positional: expressions.some(isPositional) };
}

/** Could the value differ for the same node at another position? Said without regard to who asks for the position. */
export function isPositional(predicate: XPathExpression): boolean {
  return typeOf(predicate) === "number" || asksForPosition(predicate);
}

function asksForPosition(expression: XPathExpression): boolean {
  switch (expression.kind) {
    case "or":
    case "and":
    case "union":
      return expression.operands.some(asksForPosition);
    case "comparison":
    case "arithmetic":
      return asksForPosition(expression.left) || asksForPosition(expression.right);
    case "negate":
      return asksForPosition(expression.operand);
    case "path":
      // Predicates of its steps ask for positions among the nodes of the step.
      return typeof expression.start === "object" && asksForPosition(expression.start);
    case "filter":
      return asksForPosition(expression.primary);
    case "literal":
    case "number":
      return false;
    case "call":
      return expression.name === "position" || expression.name === "last" || expression.arguments.some(asksForPosition);
  }
}

/** Keeps the nodes for which all hold, one predicate after the other; positions count along `nodes` as it stands. */
export function applyPredicates(
  nodes: readonly XPathNode[],
  predicates: readonly Predicate[],
  frame: Frame,
): readonly XPathNode[] {
  let left = nodes;
  for (const predicate of predicates) {
    const [first] = left;
    if (first === undefined) return left;
    switch (predicate.kind) {
      case "at":
      case "last": {
        const node = left[(predicate.kind === "at" ? predicate.position : left.length) - 1];
        left = node === undefined ? [] : [node];
        break;
      }
      case "position":
      case "condition":
        left = keepThose(left, first, predicate, frame);
        break;
    }
  }
  return left;
}

function keepThose(
  nodes: readonly XPathNode[],
  first: XPathNode,
  { kind, operand }: Extract<Predicate, { readonly operand: Operand }>,
  frame: Frame,
): readonly XPathNode[] {
  const inner = new Frame(frame.current, first, nodes.length);
  const kept: XPathNode[] = [];
  frame.document.charge(nodes.length);
  let position = 0;
  for (const node of nodes) {
    position += 1;
    inner.node = node;
    inner.position = position;
    if (kind === "condition" ? operand.toBoolean(inner) : operand.toNumber(inner) === position) kept.push(node);
  }
  return kept;
}
