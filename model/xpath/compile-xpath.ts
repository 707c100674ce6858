/**
 * XPath 1.0 for YANG: expressions of `must`, `when` and leafref paths, compiled once and evaluated on many nodes.
 *
 * The problem it owns: large configurations hold hundreds of thousands of nodes with constraints, and the expressions
 * were written for readers, not for speed. An expression becomes closures that know from the schema where its steps
 * lead; what it asks of the whole document is answered from indexes and sets that are made once a document. What XPath
 * says about values holds exactly; what it says about order and identity of nodes is paid for only where an expression
 * can tell.
 *
 * Where the texts leave a choice: `document order` is that of `DataDocument`; identities and instance-identifiers
 * compare with texts as `ExpressionNames.equalsText` says; name() gives the name as the expression would write it;
 * opaque nodes are elements without content; a sealed value compares by its fingerprint and equals no text. `.` and `..`
 * with a predicate are read with a warning, though the grammar gives abbreviated steps none (section 2.5 [12], section 2
 * [4]) and libyang refuses them: Cisco IOS-XE modules write `count(..[pce]) = 1`, and it can mean one thing only.
 */
import type { Result } from "../diagnostic.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, LeafrefType, Schema, SchemaExpression } from "../schema.ts";
import { compileCall } from "./compile-call.ts";
import { compileComparison } from "./compile-comparison.ts";
import { compileFilter, compileUnion } from "./compile-node-sets.ts";
import { compilePath } from "./compile-path.ts";
import type { XPathNode } from "./xpath-node.ts";
import type { ArithmeticOperator, XPathExpression } from "./expression.ts";
import { evaluationDepth } from "./evaluation-depth.ts";
import { Frame } from "./frame.ts";
import { targetExpression } from "./leafref-targets.ts";
import { ExpressionNames } from "./names.ts";
import { type Operand, type ScalarOperand, booleanOperand, literalOperand, numberOperand } from "./operand.ts";
import { parseXPath } from "./parse-xpath.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import type { Scope } from "./scope.ts";
import { type XPathDiagnostic, xpathDiagnostic } from "./xpath-diagnostic.ts";
import type { XPathValue } from "./xpath-value.ts";

/** An evaluation that looked at more nodes than its document allows gives `too-costly` in place of its value. */
export interface CompiledXPath {
  readonly expression: SchemaExpression;
  readonly evaluate: (node: XPathNode) => XPathValue | "too-costly";
  /** `boolean()` of the value: the verdict of a `must` or `when`. */
  readonly test: (node: XPathNode) => boolean | "too-costly";
  /** The nodes selected, in document order; none when the expression gives no nodes. */
  readonly nodes: (node: XPathNode) => readonly XPathNode[] | "too-costly";
}

/**
 * Compiles an expression for context nodes of one schema node, `undefined` being the root.
 *
 * Guarantees: the compiled expression gives what XPath 1.0 and RFC 7950 sections 6.4 and 10 say for every such node of
 * every document of the schema; it never throws, whatever the data is.
 * Needs: `schema` is complete, and context nodes come from a `DataDocument` over a tree of it.
 * Errors: those of `parseXPath`, with the expression's position. Warnings: steps that no data can match, identities
 * that do not exist.
 */
export function compileXPath(
  expression: SchemaExpression,
  schema: Schema,
  contextSchema: DataSchemaNode | undefined,
): Result<CompiledXPath, XPathDiagnostic> {
  const parsed = parseXPath(expression.text, { prefixes: expression.prefixes });
  if (parsed.kind === "error")
    return { kind: "error", diagnostics: parsed.diagnostics.map((each) => placed(each, expression)) };
  const compiled = compileTree(parsed.value, expression, schema, contextSchema);
  if (compiled.kind === "error" || parsed.warnings.length === 0) return compiled;
  const warnings = [...parsed.warnings.map((each) => placed(each, expression)), ...compiled.warnings];
  return { ...compiled, warnings };
}

/**
 * Compiles the path of a leafref: the result selects the instances that a value of `leaf` refers to, those with its
 * value, and `test` tells whether there is one (RFC 7950 section 9.9). A value among 100,000 is looked up, not searched.
 */
export function compileLeafref(
  type: LeafrefType,
  leaf: LeafSchema | LeafListSchema,
  schema: Schema,
): Result<CompiledXPath, XPathDiagnostic> {
  const expression = targetExpression(type);
  if (expression !== undefined) return compileTree(expression, type.path, schema, leaf);
  const compiled = compileXPath(type.path, schema, leaf);
  if (compiled.kind === "error") return compiled;
  const wrong = xpathDiagnostic("xpath-type", "a leafref needs a path", { offset: 0, expected: "a path to a leaf" });
  return { kind: "error", diagnostics: [placed(wrong, type.path)] };
}

function placed(diagnostic: XPathDiagnostic, { position }: SchemaExpression): XPathDiagnostic {
  return { ...diagnostic, places: [{ kind: "source", position }] };
}

function compileTree(
  tree: XPathExpression,
  expression: SchemaExpression,
  schema: Schema,
  contextSchema: DataSchemaNode | undefined,
): Result<CompiledXPath, XPathDiagnostic> {
  const warnings: XPathDiagnostic[] = [];
  const context: PossibleNodes = [contextSchema ?? "root"];
  const operand = compileExpression(tree, {
    schema,
    names: new ExpressionNames(expression, schema),
    context,
    current: context,
    warn: (code, message, offset, expected) => {
      const facts = { offset, severity: "warning", ...(expected === undefined ? {} : { expected }) } as const;
      warnings.push(placed(xpathDiagnostic(code, message, facts), expression));
    },
    compile: compileExpression,
    compiled: new Map(),
  });
  return { kind: "ok", value: executable(operand, expression, evaluationDepth(tree)), warnings };
}

function executable(operand: Operand, expression: SchemaExpression, depth: number): CompiledXPath {
  const { toBoolean } = operand;
  return {
    expression,
    test: (node) => node.document.bounded(depth, () => toBoolean(new Frame(node))),
    nodes: (node) =>
      operand.type === "nodes" ? node.document.bounded(depth, () => operand.nodes(new Frame(node))) : [],
    evaluate: (node) => node.document.bounded(depth, () => valueOf(operand, new Frame(node))),
  };
}

function valueOf(operand: Operand, frame: Frame): XPathValue {
  switch (operand.type) {
    case "nodes":
      return { kind: "nodes", nodes: operand.nodes(frame) };
    case "string":
      return { kind: "string", value: operand.toText(frame) };
    case "number":
      return { kind: "number", value: operand.toNumber(frame) };
    case "boolean":
      return { kind: "boolean", value: operand.toBoolean(frame) };
  }
}

function compileExpression(expression: XPathExpression, scope: Scope): Operand {
  const known = scope.compiled.get(expression);
  if (known?.context === scope.context) return known.operand;
  const operand = compileAnew(expression, scope);
  scope.compiled.set(expression, { operand, context: scope.context });
  return operand;
}

function compileAnew(expression: XPathExpression, scope: Scope): Operand {
  switch (expression.kind) {
    case "or":
    case "and":
      return logical(
        expression.kind,
        expression.operands.map((each) => compileExpression(each, scope)),
      );
    case "comparison": {
      const left = compileExpression(expression.left, scope);
      return compileComparison(expression.operator, left, compileExpression(expression.right, scope), scope.names);
    }
    case "arithmetic": {
      const left = compileExpression(expression.left, scope);
      return arithmetic(expression.operator, left, compileExpression(expression.right, scope));
    }
    case "negate": {
      const { toNumber, dependsOn } = compileExpression(expression.operand, scope);
      return numberOperand(dependsOn, (frame) => -toNumber(frame));
    }
    case "union":
      return compileUnion(expression.operands, scope);
    case "path":
      return compilePath(expression, scope);
    case "filter":
      return compileFilter(expression, scope);
    case "literal":
    case "number":
      return literalOperand(expression.value);
    case "call":
      return compileCall(expression, scope);
  }
}

/** Section 3.4: the right side is not looked at when the left one decides. */
function logical(kind: "or" | "and", operands: readonly Operand[]): ScalarOperand {
  const dependsOn = operands.reduce((all, each) => all | each.dependsOn, 0);
  const decides = kind === "or";
  const [first, second] = operands;
  if (first !== undefined && second !== undefined && operands.length === 2)
    return booleanOperand(
      dependsOn,
      decides
        ? (frame) => first.toBoolean(frame) || second.toBoolean(frame)
        : (frame) => first.toBoolean(frame) && second.toBoolean(frame),
    );
  return booleanOperand(dependsOn, (frame) => {
    for (const each of operands) if (each.toBoolean(frame) === decides) return decides;
    return !decides;
  });
}

/** Section 3.5. JavaScript's numbers are those of IEEE 754, and its `%` truncates as `mod` does. */
function arithmetic(operator: ArithmeticOperator, left: Operand, right: Operand): ScalarOperand {
  const dependsOn = left.dependsOn | right.dependsOn;
  const { toNumber: a } = left;
  const { toNumber: b } = right;
  switch (operator) {
    case "+":
      return numberOperand(dependsOn, (frame) => a(frame) + b(frame));
    case "-":
      return numberOperand(dependsOn, (frame) => a(frame) - b(frame));
    case "*":
      return numberOperand(dependsOn, (frame) => a(frame) * b(frame));
    case "div":
      return numberOperand(dependsOn, (frame) => a(frame) / b(frame));
    case "mod":
      return numberOperand(dependsOn, (frame) => a(frame) % b(frame));
  }
}
