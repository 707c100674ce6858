/** Filter expressions and unions (XPath 1.0 section 3.3). */
import { sortUnique } from "./document-order.ts";
import type { XPathExpression } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { type NodesOperand, nodesOperand } from "./operand.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import { applyPredicates, compilePredicates } from "./predicates.ts";
import type { Scope } from "./scope.ts";
import type { XPathNode } from "./xpath-node.ts";

export function compileFilter(
  filter: Extract<XPathExpression, { readonly kind: "filter" }>,
  scope: Scope,
): NodesOperand {
  const primary = nodesOf(filter.primary, scope);
  const predicates = compilePredicates(filter.predicates, primary.possible, scope);
  const nodes = (frame: Frame): readonly XPathNode[] => applyPredicates(primary.nodes(frame), predicates.list, frame);
  return nodesOperand({
    dependsOn: primary.dependsOn | predicates.dependsOn,
    possible: primary.possible,
    nodes,
    single: primary.single && ((frame) => nodes(frame)[0]),
  });
}

export function compileUnion(operands: readonly XPathExpression[], scope: Scope): NodesOperand {
  const parts = operands.map((each) => nodesOf(each, scope));
  const possible = parts.reduce<PossibleNodes>(
    (all, part) => (all === "any" || part.possible === "any" ? "any" : [...new Set([...all, ...part.possible])]),
    [],
  );
  return nodesOperand({
    dependsOn: parts.reduce((all, part) => all | part.dependsOn, 0),
    possible,
    nodes: (frame) => {
      const found: XPathNode[] = [];
      for (const part of parts) for (const node of part.nodes(frame)) found.push(node);
      frame.document.charge(found.length);
      return sortUnique(found);
    },
  });
}

export function nodesOf(expression: XPathExpression, scope: Scope): NodesOperand {
  const operand = scope.compile(expression, scope);
  if (operand.type !== "nodes") throw new TypeError("the parser lets only nodes stand here");
  return operand;
}
