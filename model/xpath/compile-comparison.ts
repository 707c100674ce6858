/** Comparisons (XPath 1.0 section 3.4): of node-sets they ask whether there is a node, or a pair, that compares. */
import { pathText } from "../tree.ts";
import type { XPathNode } from "./xpath-node.ts";
import type { ComparisonOperator } from "./expression.ts";
import type { Frame } from "./frame.ts";
import type { ExpressionNames } from "./names.ts";
import { type NodesOperand, type Operand, type ScalarOperand, booleanOperand } from "./operand.ts";
import { numbersOf } from "./node-facts.ts";
import { stringToNumber } from "./xpath-value.ts";

type Equality = "=" | "!=";
type Relation = Exclude<ComparisonOperator, Equality>;

const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

export function compileComparison(
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
  names: ExpressionNames,
): ScalarOperand {
  return booleanOperand(left.dependsOn | right.dependsOn, comparison(operator, left, right, names));
}

function comparison(
  operator: ComparisonOperator,
  left: Operand,
  right: Operand,
  names: ExpressionNames,
): (frame: Frame) => boolean {
  if (left.type === "nodes" && right.type === "nodes") return compareNodeSets(operator, left, right);
  if (left.type === "nodes" && right.type !== "nodes") return compareNodes(operator, left, right, names);
  if (right.type === "nodes" && left.type !== "nodes") return compareNodes(MIRRORED[operator], right, left, names);
  if (!isEquality(operator)) return compareNumbers(operator, left, right);
  const equal = operator === "=";
  if (left.type === "boolean" || right.type === "boolean")
    return (frame) => (left.toBoolean(frame) === right.toBoolean(frame)) === equal;
  if (left.type === "number" || right.type === "number")
    return (frame) => (left.toNumber(frame) === right.toNumber(frame)) === equal;
  return (frame) => (left.toText(frame) === right.toText(frame)) === equal;
}

function isEquality(operator: ComparisonOperator): operator is Equality {
  return operator === "=" || operator === "!=";
}

function relate(operator: Relation, a: number, b: number): boolean {
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

function compareNumbers(operator: Relation, left: Operand, right: Operand): (frame: Frame) => boolean {
  switch (operator) {
    case "<":
      return (frame) => left.toNumber(frame) < right.toNumber(frame);
    case "<=":
      return (frame) => left.toNumber(frame) <= right.toNumber(frame);
    case ">":
      return (frame) => left.toNumber(frame) > right.toNumber(frame);
    case ">=":
      return (frame) => left.toNumber(frame) >= right.toNumber(frame);
  }
}

function some(nodes: NodesOperand, frame: Frame, test: (node: XPathNode) => boolean): boolean {
  const all = nodes.nodes(frame);
  frame.document.charge(all.length);
  return all.some(test);
}

/** One side is a node-set, the other is not. */
function compareNodes(
  operator: ComparisonOperator,
  nodes: NodesOperand,
  other: ScalarOperand,
  names: ExpressionNames,
): (frame: Frame) => boolean {
  if (other.type === "boolean") {
    if (!isEquality(operator))
      return (frame) => relate(operator, nodes.toBoolean(frame) ? 1 : 0, other.toNumber(frame));
    const equal = operator === "=";
    return (frame) => (nodes.toBoolean(frame) === other.toBoolean(frame)) === equal;
  }
  const { leaf } = nodes;
  if (!isEquality(operator)) {
    if (leaf !== undefined)
      return (frame) => {
        const value = leaf(frame);
        return value !== undefined && relate(operator, stringToNumber(pathText(value)), other.toNumber(frame));
      };
    return (frame) => {
      const number = other.toNumber(frame);
      return some(nodes, frame, (node) => relate(operator, stringToNumber(frame.document.stringValue(node)), number));
    };
  }
  const equal = operator === "=";
  if (other.type === "number") {
    if (leaf !== undefined)
      return (frame) => {
        const value = leaf(frame);
        return value !== undefined && (stringToNumber(pathText(value)) === other.toNumber(frame)) === equal;
      };
    return (frame) => {
      const number = other.toNumber(frame);
      return some(nodes, frame, (node) => (stringToNumber(frame.document.stringValue(node)) === number) === equal);
    };
  }
  return compareWithText(nodes, other, names, { equal });
}

function compareWithText(
  nodes: NodesOperand,
  other: ScalarOperand,
  names: ExpressionNames,
  { equal }: { readonly equal: boolean },
): (frame: Frame) => boolean {
  const { leaf, possible } = nodes;
  const only = possible !== "any" && possible.length === 1 ? possible[0] : undefined;
  const plain = possible !== "any" && possible.every((each) => each === "root" || !names.readsPrefixes(each));
  if (leaf !== undefined && plain)
    return (frame) => {
      const value = leaf(frame);
      return value !== undefined && (pathText(value) === other.toText(frame)) === equal;
    };
  if (leaf !== undefined && only !== undefined && only !== "root")
    return (frame) => {
      const value = leaf(frame);
      return value !== undefined && names.equalsText(only, value, other.toText(frame)) === equal;
    };
  return (frame) => {
    const text = other.toText(frame);
    return some(
      nodes,
      frame,
      (node) =>
        (node.value === undefined
          ? frame.document.stringValue(node) === text
          : names.equalsText(node.schema, node.value, text)) === equal,
    );
  };
}

/** Both sides are node-sets: texts are compared for (in)equality, numbers for order. */
function compareNodeSets(
  operator: ComparisonOperator,
  left: NodesOperand,
  right: NodesOperand,
): (frame: Frame) => boolean {
  if (!isEquality(operator)) return relateNodeSets(operator, left, right);
  if (operator === "=") return equalNodeSets(left, right);
  const { leaf: one } = left;
  const { leaf: other } = right;
  if (one !== undefined && other !== undefined)
    return (frame) => {
      const a = one(frame);
      const b = a && other(frame);
      return a !== undefined && b !== undefined && pathText(a) !== pathText(b);
    };
  return (frame) => {
    const texts = left.texts(frame);
    if (texts.size === 0) return false;
    // Two different texts on one side differ from whatever stands on the other.
    return some(right, frame, (node) => texts.size > 1 || !texts.has(frame.document.stringValue(node)));
  };
}

function equalNodeSets(left: NodesOperand, right: NodesOperand): (frame: Frame) => boolean {
  const { leaf: one } = left;
  const { leaf: other } = right;
  if (one !== undefined && other !== undefined)
    return (frame) => {
      const a = one(frame);
      const b = a && other(frame);
      return a !== undefined && b !== undefined && pathText(a) === pathText(b);
    };
  if (one === undefined && (other !== undefined || (left.dependsOn === 0 && right.dependsOn !== 0)))
    return equalNodeSets(right, left);
  if (one !== undefined)
    return (frame) => {
      const value = one(frame);
      return value !== undefined && right.texts(frame).has(pathText(value));
    };
  return (frame) => {
    const known = right.texts(frame);
    return known.size > 0 && some(left, frame, (node) => known.has(frame.document.stringValue(node)));
  };
}

/** There is a pair in order when the least of one side and the greatest of the other are; what is no number is not. */
function relateNodeSets(operator: Relation, left: NodesOperand, right: NodesOperand): (frame: Frame) => boolean {
  const lessFirst = operator === "<" || operator === "<=";
  const { leaf: one } = left;
  const { leaf: other } = right;
  if (one !== undefined && other !== undefined)
    return (frame) => {
      const a = one(frame);
      const b = a && other(frame);
      if (a === undefined || b === undefined) return false;
      return relate(operator, stringToNumber(pathText(a)), stringToNumber(pathText(b)));
    };
  return (frame) => {
    const a = numbersOf(left.nodes(frame), frame.document);
    const b = numbersOf(right.nodes(frame), frame.document);
    const [x, y] = lessFirst ? [a.least, b.greatest] : [a.greatest, b.least];
    return x !== undefined && y !== undefined && relate(operator, x, y);
  };
}
