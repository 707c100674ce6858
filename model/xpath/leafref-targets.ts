/** From a leafref to the nodes it refers to (RFC 7950 sections 9.9 and 10.3.1). */
import type { LeafListSchema, LeafSchema, LeafrefType, TypeSchema } from "../schema.ts";
import type { XPathNode } from "./xpath-node.ts";
import { evaluationDepth } from "./evaluation-depth.ts";
import type { XPathExpression, XPathStep } from "./expression.ts";
import { Frame } from "./frame.ts";
import { ExpressionNames } from "./names.ts";
import { parseXPath } from "./parse-xpath.ts";
import type { Scope } from "./scope.ts";

type Targets = (node: XPathNode) => readonly XPathNode[];

const NO_TARGETS: Targets = () => [];
const known = new WeakMap<LeafrefType, Map<LeafSchema | LeafListSchema, Targets>>();

/**
 * The leafs that a value of a leafref refers to: those its path leads to which have that value. Of a union the first
 * member that refers to something counts.
 */
export function leafrefTargets(type: TypeSchema, node: XPathNode, scope: Scope): readonly XPathNode[] {
  if (type.kind === "union") {
    for (const member of type.members) {
      const found = leafrefTargets(member, node, scope);
      if (found.length > 0) return found;
    }
    return [];
  }
  const { schema: leaf } = node;
  if (type.kind !== "leafref" || (leaf?.kind !== "leaf" && leaf?.kind !== "leaf-list")) return [];
  let byLeaf = known.get(type);
  if (byLeaf === undefined) known.set(type, (byLeaf = new Map<LeafSchema | LeafListSchema, Targets>()));
  let targets = byLeaf.get(leaf);
  if (targets === undefined) byLeaf.set(leaf, (targets = compileTargets(type, leaf, scope)));
  return targets(node);
}

function compileTargets(type: LeafrefType, leaf: LeafSchema | LeafListSchema, scope: Scope): Targets {
  const expression = targetExpression(type);
  if (expression === undefined) return NO_TARGETS;
  const names = new ExpressionNames(type.path, scope.schema);
  const possible = [leaf];
  const operand = scope.compile(expression, {
    ...scope,
    names,
    context: possible,
    current: possible,
    warn: () => undefined,
  });
  if (operand.type !== "nodes") return NO_TARGETS;
  const depth = evaluationDepth(expression);
  let running = false;
  return (node) => {
    // A path that asks for its own targets has none.
    if (running) return [];
    running = true;
    try {
      const found = node.document.bounded(depth, () => operand.nodes(new Frame(node)));
      return found === "too-costly" ? [] : found;
    } finally {
      running = false;
    }
  };
}

/** The path with `[. = current()]` behind its last step; undefined for what is no path. */
export function targetExpression({ path }: Pick<LeafrefType, "path">): XPathExpression | undefined {
  const parsed = parseXPath(path.text, { prefixes: path.prefixes });
  const last = parsed.kind === "ok" && parsed.value.kind === "path" ? parsed.value.steps.at(-1) : undefined;
  if (parsed.kind !== "ok" || parsed.value.kind !== "path" || last === undefined) return undefined;
  const { offset } = last;
  const self: XPathStep = { axis: "self", test: { kind: "node" }, predicates: [], offset };
  const sameValue: XPathExpression = {
    kind: "comparison",
    operator: "=",
    left: { kind: "path", start: "context", steps: [self], offset },
    right: { kind: "call", name: "current", arguments: [], offset },
    offset,
  };
  const step = { ...last, predicates: [...last.predicates, sameValue] };
  return { ...parsed.value, steps: [...parsed.value.steps.slice(0, -1), step] };
}
