/** The function library: XPath 1.0 section 4 and RFC 7950 section 10. The parser has checked names, counts and types. */
import { patternMatcher } from "../patterns/xsd-pattern.ts";
import type { XPathNode } from "./xpath-node.ts";
import type { XPathCall } from "./expression.ts";
import { numbersOf } from "./node-facts.ts";
import {
  DEPENDS_ON_CONTEXT,
  DEPENDS_ON_CURRENT,
  DEPENDS_ON_POSITION,
  type NodesOperand,
  type Operand,
  type ScalarOperand,
  booleanOperand,
  nodesOperand,
  numberOperand,
  textOperand,
} from "./operand.ts";
import type { Scope } from "./scope.ts";
import { compileYangCall } from "./compile-yang-call.ts";
import { roundNumber } from "./xpath-value.ts";

export function compileCall(call: XPathCall, scope: Scope): Operand {
  const given = call.arguments.map((each) => scope.compile(each, scope));
  const dependsOn = given.reduce((all, each) => all | each.dependsOn, 0);
  const [first, second, third] = given;
  switch (call.name) {
    case "last":
      return numberOperand(DEPENDS_ON_POSITION, (frame) => frame.size);
    case "position":
      return numberOperand(DEPENDS_ON_POSITION, (frame) => frame.position);
    case "true":
    case "false":
      return booleanOperand(0, () => call.name === "true");
    case "current":
      return nodesOperand({
        dependsOn: DEPENDS_ON_CURRENT,
        possible: scope.current,
        nodes: (frame) => [frame.current],
        single: (frame) => frame.current,
      });
    case "local-name":
    case "namespace-uri":
    case "name":
      return nameOf(call.name, first ?? contextNode(scope), scope);
    case "string": {
      const { toText, dependsOn: on } = first ?? contextNode(scope);
      return textOperand(on, toText);
    }
    case "number": {
      const { toNumber, dependsOn: on } = first ?? contextNode(scope);
      return numberOperand(on, toNumber);
    }
    case "string-length": {
      const { toText, dependsOn: on } = first ?? contextNode(scope);
      return numberOperand(on, (frame) => characterCount(toText(frame)));
    }
    case "normalize-space": {
      const { toText, dependsOn: on } = first ?? contextNode(scope);
      return textOperand(on, (frame) => normaliseSpace(toText(frame)));
    }
  }
  if (first === undefined) throw new TypeError(`the parser lets no ${call.name}() without arguments through`);
  switch (call.name) {
    case "count": {
      const { count } = asNodes(first);
      return numberOperand(dependsOn, count);
    }
    case "sum": {
      const { nodes } = asNodes(first);
      return numberOperand(dependsOn, (frame) => numbersOf(nodes(frame), frame.document).sum);
    }
    case "id":
      // YANG data has no attributes of type ID.
      return nodesOperand({ dependsOn: 0, possible: [], nodes: () => [] });
    case "lang":
      // Nor has it xml:lang.
      return booleanOperand(0, () => false);
    case "boolean":
      return booleanOperand(dependsOn, first.toBoolean);
    case "not":
      return booleanOperand(dependsOn, (frame) => !first.toBoolean(frame));
    case "floor":
      return numberOperand(dependsOn, (frame) => Math.floor(first.toNumber(frame)));
    case "ceiling":
      return numberOperand(dependsOn, (frame) => Math.ceil(first.toNumber(frame)));
    case "round":
      return numberOperand(dependsOn, (frame) => roundNumber(first.toNumber(frame)));
    case "concat":
      return textOperand(dependsOn, (frame) => {
        let text = "";
        for (const each of given) {
          text += each.toText(frame);
          // What an expression can make longer and longer counts as work.
          frame.document.charge(text.length >> 6);
        }
        return text;
      });
  }
  if (second === undefined) return compileYangCall(call, first, undefined, scope);
  switch (call.name) {
    case "starts-with":
      return booleanOperand(dependsOn, (frame) => first.toText(frame).startsWith(second.toText(frame)));
    case "contains":
      return booleanOperand(dependsOn, (frame) => first.toText(frame).includes(second.toText(frame)));
    case "substring-before":
      return textOperand(dependsOn, (frame) => {
        const text = first.toText(frame);
        const at = text.indexOf(second.toText(frame));
        return at < 0 ? "" : text.slice(0, at);
      });
    case "substring-after":
      return textOperand(dependsOn, (frame) => {
        const text = first.toText(frame);
        const mark = second.toText(frame);
        const at = text.indexOf(mark);
        return at < 0 ? "" : text.slice(at + mark.length);
      });
    case "substring":
      return textOperand(dependsOn, (frame) =>
        substring(first.toText(frame), second.toNumber(frame), third?.toNumber(frame)),
      );
    case "translate": {
      if (third === undefined) break;
      return textOperand(dependsOn, (frame) =>
        translate(first.toText(frame), second.toText(frame), third.toText(frame)),
      );
    }
    case "re-match":
      return matches(first, second, dependsOn, call, scope);
  }
  return compileYangCall(call, first, second, scope);
}

function asNodes(operand: Operand): NodesOperand {
  if (operand.type !== "nodes") throw new TypeError("the parser lets only nodes stand here");
  return operand;
}

function contextNode(scope: Scope): NodesOperand {
  return nodesOperand({
    dependsOn: DEPENDS_ON_CONTEXT,
    possible: scope.context,
    nodes: (frame) => [frame.node],
    single: (frame) => frame.node,
  });
}

/** Section 4.1: of the first node; the root and texts have no name. */
function nameOf(kind: "local-name" | "namespace-uri" | "name", operand: Operand, scope: Scope): ScalarOperand {
  const { nodes, single, dependsOn } = asNodes(operand);
  return textOperand(dependsOn, (frame) => {
    const node: XPathNode | undefined = single === undefined ? nodes(frame)[0] : single(frame);
    if (node?.kind !== "element" || node.schema === undefined) return "";
    switch (kind) {
      case "local-name":
        return node.schema.name;
      case "namespace-uri":
        return node.schema.namespace;
      case "name":
        return scope.names.qualifiedName(node.schema);
    }
  });
}

/** Section 3.6: a character is a Unicode one, not a UTF-16 unit. */
function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function normaliseSpace(text: string): string {
  return text
    .split(/[ \t\r\n]+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** Section 4.2: from the rounded start on, as many characters as the rounded length; NaN takes nothing. */
function substring(text: string, start: number, length: number | undefined): string {
  const from = roundNumber(start);
  const to = length === undefined ? Number.POSITIVE_INFINITY : from + roundNumber(length);
  let position = 0;
  let taken = "";
  for (const character of text) {
    position += 1;
    if (position >= from && position < to) taken += character;
  }
  return taken;
}

/** Section 4.2: each character of `from` becomes the one at its place in `to`, or nothing; its first place counts. */
function translate(text: string, from: string, to: string): string {
  const targets = Array.from(to);
  const map = new Map<string, string>();
  for (const [index, character] of Array.from(from).entries())
    if (!map.has(character)) map.set(character, targets[index] ?? "");
  let translated = "";
  for (const character of text) translated += map.get(character) ?? character;
  return translated;
}

/** RFC 7950 section 10.2.1. A pattern that is no XSD expression matches nothing. */
function matches(subject: Operand, pattern: Operand, dependsOn: number, call: XPathCall, scope: Scope): ScalarOperand {
  const literal = pattern.type === "string" && typeof pattern.literal === "string" ? pattern.literal : undefined;
  if (literal === undefined)
    return booleanOperand(
      dependsOn,
      (frame) => patternMatcher(pattern.toText(frame))?.(subject.toText(frame)) ?? false,
    );
  const matcher = patternMatcher(literal);
  if (matcher === undefined)
    scope.warn("xpath-never-matches", `re-match(): ${literal} is no XSD regular expression`, call.offset);
  return booleanOperand(dependsOn, (frame) => matcher?.(subject.toText(frame)) ?? false);
}
