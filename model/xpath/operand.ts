/**
 * A compiled sub-expression: its type, what its value depends on, and closures that give the value in each type that
 * it converts to (XPath 1.0 sections 4.2 to 4.4).
 */
import type { Value } from "../value.ts";
import { pathText } from "../tree.ts";
import type { XPathNode } from "./xpath-node.ts";
import type { Frame } from "./frame.ts";
import { textsOf } from "./node-facts.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import { numberToString, stringToNumber } from "./xpath-value.ts";

/** Bits of `dependsOn`. What depends on nothing has one value for a document, and is computed once. */
export const DEPENDS_ON_CONTEXT = 1;
export const DEPENDS_ON_CURRENT = 2;
export const DEPENDS_ON_POSITION = 4;

interface OperandBase {
  readonly dependsOn: number;
  readonly toBoolean: (frame: Frame) => boolean;
  readonly toNumber: (frame: Frame) => number;
  readonly toText: (frame: Frame) => string;
}

export interface ScalarOperand extends OperandBase {
  readonly type: "string" | "number" | "boolean";
  /** The value, where the text of the expression alone gives it. */
  readonly literal?: string | number;
}

export interface NodesOperand extends OperandBase {
  readonly type: "nodes";
  /** In document order, each once. */
  readonly nodes: (frame: Frame) => readonly XPathNode[];
  readonly count: (frame: Frame) => number;
  /** The string values of the nodes. */
  readonly texts: (frame: Frame) => ReadonlySet<string>;
  /** Where there is at most one node: that one, without an array. */
  readonly single: ((frame: Frame) => XPathNode | undefined) | undefined;
  /** Where there is at most one node and it is a leaf: its value, without a node. */
  readonly leaf: ((frame: Frame) => Value | undefined) | undefined;
  readonly possible: PossibleNodes;
}

export type Operand = ScalarOperand | NodesOperand;

export function numberOperand(dependsOn: number, toNumber: (frame: Frame) => number): ScalarOperand {
  return {
    type: "number",
    dependsOn,
    toNumber,
    toBoolean: (frame) => {
      const value = toNumber(frame);
      return value !== 0 && !Number.isNaN(value);
    },
    toText: (frame) => numberToString(toNumber(frame)),
  };
}

export function textOperand(dependsOn: number, toText: (frame: Frame) => string): ScalarOperand {
  return {
    type: "string",
    dependsOn,
    toText,
    toBoolean: (frame) => toText(frame) !== "",
    toNumber: (frame) => stringToNumber(toText(frame)),
  };
}

export function booleanOperand(dependsOn: number, toBoolean: (frame: Frame) => boolean): ScalarOperand {
  return {
    type: "boolean",
    dependsOn,
    toBoolean,
    toNumber: (frame) => (toBoolean(frame) ? 1 : 0),
    toText: (frame) => (toBoolean(frame) ? "true" : "false"),
  };
}

export function literalOperand(literal: string | number): ScalarOperand {
  const operand = typeof literal === "string" ? textOperand(0, () => literal) : numberOperand(0, () => literal);
  return { ...operand, literal };
}

export interface NodesSource {
  readonly dependsOn: number;
  readonly possible: PossibleNodes;
  readonly nodes: (frame: Frame) => readonly XPathNode[];
  readonly count?: ((frame: Frame) => number) | undefined;
  readonly texts?: ((frame: Frame) => ReadonlySet<string>) | undefined;
  readonly single?: ((frame: Frame) => XPathNode | undefined) | undefined;
  readonly leaf?: ((frame: Frame) => Value | undefined) | undefined;
}

export function nodesOperand(source: NodesSource): NodesOperand {
  const { dependsOn, possible, nodes, single, leaf } = source;
  const count = source.count ?? ((frame: Frame): number => nodes(frame).length);
  const toText = leaf
    ? (frame: Frame): string => {
        const value = leaf(frame);
        return value === undefined ? "" : pathText(value);
      }
    : (frame: Frame): string => {
        const node = single ? single(frame) : nodes(frame)[0];
        return node === undefined ? "" : frame.document.stringValue(node);
      };
  return {
    type: "nodes",
    dependsOn,
    possible,
    nodes,
    count,
    texts: source.texts ?? ((frame) => textsOf(nodes(frame), frame.document)),
    single,
    leaf,
    toText,
    toBoolean: leaf
      ? (frame) => leaf(frame) !== undefined
      : single
        ? (frame) => single(frame) !== undefined
        : (frame) => count(frame) > 0,
    toNumber: (frame) => stringToNumber(toText(frame)),
  };
}
