/** The functions about YANG types (RFC 7950 sections 10.3 to 10.6). */
import { simpleTypesOf } from "../values/canonical-value.ts";
import { parseInstancePath } from "../paths/parse-path.ts";
import { pathText } from "../tree.ts";
import type { XPathNode } from "./xpath-node.ts";
import type { XPathCall } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { leafrefTargets } from "./leafref-targets.ts";
import { type NodesOperand, type Operand, booleanOperand, nodesOperand, numberOperand } from "./operand.ts";
import type { PossibleNode, PossibleNodes } from "./possible-nodes.ts";
import type { Scope } from "./scope.ts";

export function compileYangCall(call: XPathCall, first: Operand, second: Operand | undefined, scope: Scope): Operand {
  if (first.type !== "nodes") throw new TypeError(`the parser lets only nodes be given to ${call.name}()`);
  const dependsOn = first.dependsOn | (second?.dependsOn ?? 0);
  switch (call.name) {
    case "deref":
      return nodesOperand({
        dependsOn,
        possible: referred(first.possible),
        nodes: (frame) => {
          const node = firstNode(first, frame);
          return node === undefined ? [] : deref(node, scope);
        },
      });
    case "enum-value":
      return numberOperand(dependsOn, (frame) => {
        const node = firstNode(first, frame);
        return node === undefined ? Number.NaN : enumValue(node);
      });
  }
  if (second === undefined) throw new TypeError(`no function ${call.name}() with one argument`);
  switch (call.name) {
    case "bit-is-set":
      return booleanOperand(dependsOn, (frame) => {
        const value = firstNode(first, frame)?.value;
        return value?.type === "bits" && pathText(value).split(" ").includes(second.toText(frame));
      });
    case "derived-from":
    case "derived-from-or-self":
      return derivedFrom(call, first, second, scope);
    default:
      throw new TypeError(`the parser lets no unknown function through: ${call.name}`);
  }
}

function firstNode({ single, nodes }: NodesOperand, frame: Frame): XPathNode | undefined {
  return single === undefined ? nodes(frame)[0] : single(frame);
}

function derivedFrom(call: XPathCall, nodes: NodesOperand, identity: Operand, scope: Scope): Operand {
  const { names, schema } = scope;
  const orSelf = call.name === "derived-from-or-self";
  const literal = identity.type === "string" && typeof identity.literal === "string" ? identity.literal : undefined;
  const fixed = literal === undefined ? undefined : names.identity(literal);
  if (literal !== undefined && fixed === undefined)
    scope.warn("xpath-never-equal", `${call.name}(): there is no identity ${literal}`, call.offset);
  const test = (node: XPathNode, base: string): boolean => {
    if (node.value?.type !== "identityref") return false;
    const text = pathText(node.value);
    return (orSelf && text === base) || schema.identities.get(base)?.derived.has(text) === true;
  };
  return booleanOperand(nodes.dependsOn | identity.dependsOn, (frame) => {
    const base = literal === undefined ? names.identity(identity.toText(frame)) : fixed;
    if (base === undefined) return false;
    const { single } = nodes;
    if (single === undefined) return nodes.nodes(frame).some((node) => test(node, base));
    const node = single(frame);
    return node !== undefined && test(node, base);
  });
}

function enumValue({ value, schema }: XPathNode): number {
  if (value?.type !== "enumeration" || (schema?.kind !== "leaf" && schema?.kind !== "leaf-list")) return Number.NaN;
  const text = pathText(value);
  for (const type of simpleTypesOf(schema.type)) {
    const found = type.kind === "enumeration" ? type.enums.find((each) => each.name === text) : undefined;
    if (found !== undefined) return found.value;
  }
  return Number.NaN;
}

/** RFC 7950 section 10.3.1: what a leafref or instance-identifier refers to; of anything else nothing. */
function deref(node: XPathNode, scope: Scope): readonly XPathNode[] {
  const { schema, value, document, kind } = node;
  if (kind !== "element" || value === undefined) return [];
  if (value.type === "instance-identifier") {
    const path = parseInstancePath(document.schema, pathText(value));
    const target = path.kind === "ok" ? document.nodeAt(path.value.path) : undefined;
    return target === undefined ? [] : [target];
  }
  return schema?.kind === "leaf" || schema?.kind === "leaf-list" ? leafrefTargets(schema.type, node, scope) : [];
}

function referred(possible: PossibleNodes): PossibleNodes {
  if (possible === "any") return "any";
  const found = new Set<PossibleNode>();
  for (const each of possible) {
    if (each === "root" || (each.kind !== "leaf" && each.kind !== "leaf-list")) continue;
    if (each.type.kind !== "leafref") return "any";
    found.add(each.type.target());
  }
  return [...found];
}
