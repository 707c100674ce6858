/**
 * Text to syntax tree: the whole of XPath 1.0 (W3C Recommendation, 16 November 1999), section 3, with what RFC 7950
 * section 6.4 says about it: the functions are a closed set and there are no variables, so both are checked here.
 */
import type { Result } from "../diagnostic.ts";
import {
  type ArithmeticOperator,
  type ComparisonOperator,
  type NodeTest,
  XPATH_AXES,
  type XPathAxis,
  type XPathCall,
  type XPathExpression,
  type XPathStep,
} from "./expression.ts";
import { evaluationDepth } from "./evaluation-depth.ts";
import { FUNCTION_NAMES, signatureOf, typeOf } from "./function-signatures.ts";
import { Refusal, TokenCursor } from "./token-cursor.ts";
import { type XPathDiagnostic, xpathDiagnostic } from "./xpath-diagnostic.ts";

/** Bounds the stack that parsing, compiling and evaluating take. Real expressions nest less than ten deep. */
const MAX_DEPTH = 200;
/** Of left-associative operators in all, each of which may make the tree one level deeper. */
const MAX_OPERATORS = 1000;
/** Of calls that evaluating may nest by `evaluationDepth`: the steps of a path, and all that stands around it. */
const MAX_EVALUATION_DEPTH = 2000;

export interface ParseXPathOptions {
  /** The prefixes that names may have; any when absent. */
  readonly prefixes?: ReadonlyMap<string, unknown>;
}

/**
 * Reads an expression. Guarantees of a value: it is syntactically whole, nests at most 200 levels, is evaluated in a
 * bounded stack (`evaluationDepth` 2000 at most), calls only functions that exist with as many arguments as they take,
 * and asks for nodes only where nodes are.
 * Errors: the first one, with its offset in the text. Time is linear in the length of the text.
 */
export function parseXPath(text: string, options: ParseXPathOptions = {}): Result<XPathExpression, XPathDiagnostic> {
  try {
    const parser = new Parser(text, options);
    return { kind: "ok", value: parser.whole(), warnings: parser.warnings };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "error", diagnostics: [error.diagnostic] };
    throw error;
  }
}

const AXES: ReadonlySet<string> = new Set(XPATH_AXES);
const NODE_TYPES: ReadonlySet<string> = new Set(["comment", "text", "processing-instruction", "node"]);
const EQUALITY: ReadonlySet<string> = new Set(["=", "!="]);
const RELATIONAL: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);
const ADDITIVE: ReadonlySet<string> = new Set(["+", "-"]);
const MULTIPLICATIVE: ReadonlySet<string> = new Set(["*", "div", "mod"]);

function isAxis(name: string): name is XPathAxis {
  return AXES.has(name);
}

class Parser {
  readonly warnings: XPathDiagnostic[] = [];
  readonly #cursor: TokenCursor;
  readonly #prefixes: ReadonlyMap<string, unknown> | undefined;
  #depth = 0;
  #operators = 0;

  constructor(text: string, options: ParseXPathOptions) {
    this.#cursor = new TokenCursor(text);
    this.#prefixes = options.prefixes;
  }

  whole(): XPathExpression {
    const expression = this.#expression();
    if (this.#cursor.token.kind !== "end") this.#cursor.unexpected("an operator or the end");
    if (evaluationDepth(expression) > MAX_EVALUATION_DEPTH)
      this.#cursor.fail(
        "xpath-too-deep",
        `the steps and operators of the expression nest more than ${String(MAX_EVALUATION_DEPTH)} levels`,
        expression.offset,
        "shorter paths",
      );
    return expression;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      this.#cursor.fail(
        "xpath-too-deep",
        `the expression nests more than ${String(MAX_DEPTH)} levels`,
        this.#cursor.token.offset,
        "a flatter expression",
      );
  }

  #expression(): XPathExpression {
    this.#deeper();
    const expression = this.#chain("or", () => this.#chain("and", () => this.#equality()));
    this.#depth -= 1;
    return expression;
  }

  /** Sequences of `or`, `and` and `|` are one node, so that they may be as long as they like. */
  #chain(kind: "or" | "and" | "union", part: () => XPathExpression): XPathExpression {
    const first = part();
    const operands = [first];
    const ours =
      kind === "union"
        ? (): boolean => this.#cursor.is("|")
        : (): boolean => this.#cursor.token.kind === "operator" && this.#cursor.token.text === kind;
    while (ours()) {
      this.#cursor.skip(1);
      operands.push(part());
    }
    if (operands.length === 1) return first;
    if (kind === "union") for (const operand of operands) this.#needNodes(operand, "'|'");
    return { kind, operands, offset: first.offset };
  }

  #operator(of: ReadonlySet<string>): string | undefined {
    const { kind, text } = this.#cursor.token;
    return (kind === "symbol" || kind === "operator") && of.has(text) ? text : undefined;
  }

  #leftAssociative(
    operators: ReadonlySet<string>,
    part: () => XPathExpression,
    combine: (operator: string, left: XPathExpression, right: XPathExpression) => XPathExpression,
  ): XPathExpression {
    let left = part();
    for (;;) {
      const operator = this.#operator(operators);
      if (operator === undefined) return left;
      this.#operators += 1;
      if (this.#operators > MAX_OPERATORS)
        this.#cursor.fail(
          "xpath-too-deep",
          `the expression has more than ${String(MAX_OPERATORS)} operators`,
          this.#cursor.token.offset,
          "a shorter expression",
        );
      this.#cursor.skip(1);
      left = combine(operator, left, part());
    }
  }

  #equality(): XPathExpression {
    const combine = (operator: string, left: XPathExpression, right: XPathExpression): XPathExpression => ({
      kind: "comparison",
      operator: operator as ComparisonOperator,
      left,
      right,
      offset: left.offset,
    });
    return this.#leftAssociative(
      EQUALITY,
      () => this.#leftAssociative(RELATIONAL, () => this.#sum(), combine),
      combine,
    );
  }

  #sum(): XPathExpression {
    const combine = (operator: string, left: XPathExpression, right: XPathExpression): XPathExpression => ({
      kind: "arithmetic",
      operator: operator as ArithmeticOperator,
      left,
      right,
      offset: left.offset,
    });
    return this.#leftAssociative(
      ADDITIVE,
      () => this.#leftAssociative(MULTIPLICATIVE, () => this.#unary(), combine),
      combine,
    );
  }

  #unary(): XPathExpression {
    const { offset } = this.#cursor.token;
    let minuses = 0;
    while (this.#cursor.accept("-")) minuses += 1;
    let operand = this.#chain("union", () => this.#path());
    // An even number of signs still converts to a number, so two remain.
    for (let left = minuses === 0 ? 0 : 2 - (minuses % 2); left > 0; left -= 1)
      operand = { kind: "negate", operand, offset };
    return operand;
  }

  /** PathExpr (section 3.3): a location path, or a filter expression that may go on as one. */
  #path(): XPathExpression {
    const { offset } = this.#cursor.token;
    if (!this.#startsFilter()) {
      if (this.#cursor.is("/") || this.#cursor.is("//")) {
        const steps: XPathStep[] = [];
        if (this.#cursor.accept("/")) {
          if (this.#startsStep()) this.#relative(steps);
        } else this.#relative(steps);
        return { kind: "path", start: "root", steps, offset };
      }
      const steps: XPathStep[] = [];
      this.#relative(steps);
      return { kind: "path", start: "context", steps, offset };
    }
    let primary = this.#primary();
    if (this.#cursor.is("[")) {
      this.#needNodes(primary, "a predicate");
      primary = { kind: "filter", primary, predicates: this.#predicates(), offset };
    }
    if (!this.#cursor.is("/") && !this.#cursor.is("//")) return primary;
    this.#needNodes(primary, "'/'");
    const steps: XPathStep[] = [];
    if (this.#cursor.is("/")) this.#cursor.skip(1);
    this.#relative(steps);
    return { kind: "path", start: primary, steps, offset };
  }

  #startsFilter(): boolean {
    const { kind, text } = this.#cursor.token;
    if (kind === "literal" || kind === "number") return true;
    if (kind === "symbol") return text === "(" || text === "$";
    const next = this.#cursor.peek(1);
    return kind === "name" && next?.kind === "symbol" && next.text === "(" && !NODE_TYPES.has(text);
  }

  #startsStep(): boolean {
    const { kind, text } = this.#cursor.token;
    return kind === "name" || (kind === "symbol" && (text === "." || text === ".." || text === "@" || text === "*"));
  }

  /** Steps to the end of the path; stands at a step, or at `//`. */
  #relative(steps: XPathStep[]): void {
    for (;;) {
      if (this.#cursor.is("//")) {
        steps.push({
          axis: "descendant-or-self",
          test: { kind: "node" },
          predicates: [],
          offset: this.#cursor.token.offset,
        });
        this.#cursor.skip(1);
      }
      steps.push(this.#step());
      if (!this.#cursor.is("//") && !this.#cursor.accept("/")) return;
    }
  }

  #step(): XPathStep {
    const { offset } = this.#cursor.token;
    if (this.#cursor.accept(".")) return this.#abbreviated("self", ".", offset);
    if (this.#cursor.accept("..")) return this.#abbreviated("parent", "..", offset);
    let axis: XPathAxis = "child";
    if (this.#cursor.accept("@")) axis = "attribute";
    else if (
      this.#cursor.token.kind === "name" &&
      this.#cursor.peek(1)?.text === "::" &&
      this.#cursor.peek(1)?.kind === "symbol"
    ) {
      const { text } = this.#cursor.token;
      if (!isAxis(text))
        this.#cursor.fail("xpath-syntax", `unknown axis ${text}`, offset, `one of ${XPATH_AXES.join(", ")}`);
      axis = text;
      this.#cursor.skip(2);
    }
    const test = this.#nodeTest();
    return { axis, test, predicates: this.#predicates(), offset };
  }

  /** The grammar gives '.' and '..' no predicates: compile-xpath.ts says why they are read nevertheless. */
  #abbreviated(axis: XPathAxis, text: "." | "..", offset: number): XPathStep {
    if (this.#cursor.is("["))
      this.warnings.push(
        xpathDiagnostic("xpath-syntax", `'${text}' takes no predicate`, {
          offset: this.#cursor.token.offset,
          severity: "warning",
          expected: `${axis}::node()[..]`,
        }),
      );
    return { axis, test: { kind: "node" }, predicates: this.#predicates(), offset };
  }

  #nodeTest(): NodeTest {
    if (this.#cursor.accept("*")) return { kind: "any-name", prefix: undefined };
    const { kind, text, offset } = this.#cursor.token;
    if (kind !== "name") this.#cursor.unexpected("a step: a name, '*', '.', '..' or a node test");
    this.#cursor.skip(1);
    if (this.#cursor.is("(") && NODE_TYPES.has(text)) {
      this.#cursor.skip(1);
      let target: string | undefined;
      if (text === "processing-instruction" && this.#cursor.token.kind === "literal") {
        target = this.#cursor.token.text;
        this.#cursor.skip(1);
      }
      this.#cursor.expect(")");
      return text === "processing-instruction" ? { kind: text, target } : { kind: text as "comment" | "text" | "node" };
    }
    if (!this.#cursor.is(":")) return { kind: "name", prefix: undefined, name: text };
    // A QName is one token of the grammar, without blanks in it.
    const colon = this.#cursor.token.offset;
    const after = this.#cursor.peek(1);
    if (colon !== offset + text.length || after?.offset !== colon + 1)
      this.#cursor.unexpected("no blanks around the colon");
    if (this.#prefixes?.has(text) === false)
      this.#cursor.fail(
        "xpath-unknown-prefix",
        `prefix ${text} is not declared`,
        offset,
        `one of ${[...this.#prefixes.keys()].join(", ")}`,
      );
    this.#cursor.skip(1);
    if (after.kind === "symbol" && after.text === "*") {
      this.#cursor.skip(1);
      return { kind: "any-name", prefix: text };
    }
    if (after.kind !== "name") this.#cursor.unexpected("a name after the prefix");
    this.#cursor.skip(1);
    return { kind: "name", prefix: text, name: after.text };
  }

  #predicates(): readonly XPathExpression[] {
    const predicates: XPathExpression[] = [];
    while (this.#cursor.accept("[")) {
      predicates.push(this.#expression());
      this.#cursor.expect("]");
    }
    return predicates;
  }

  #primary(): XPathExpression {
    const { kind, text, offset } = this.#cursor.token;
    if (kind === "literal" || kind === "number") {
      this.#cursor.skip(1);
      return kind === "literal" ? { kind, value: text, offset } : { kind, value: Number(text), offset };
    }
    if (this.#cursor.is("$"))
      this.#cursor.fail(
        "xpath-variable",
        "YANG has no variables (RFC 7950 section 6.4)",
        offset,
        "current() or a path",
      );
    if (this.#cursor.accept("(")) {
      const expression = this.#expression();
      this.#cursor.expect(")");
      return expression;
    }
    return this.#call();
  }

  #call(): XPathCall {
    const { text: name, offset } = this.#cursor.token;
    this.#cursor.skip(1);
    this.#cursor.expect("(");
    const parameters: XPathExpression[] = [];
    if (!this.#cursor.is(")")) {
      do parameters.push(this.#expression());
      while (this.#cursor.accept(","));
    }
    this.#cursor.expect(")");
    this.#checkCall(name, parameters, offset);
    return { kind: "call", name, arguments: parameters, offset };
  }

  #checkCall(name: string, given: readonly XPathExpression[], offset: number): void {
    const signature = signatureOf(name);
    if (signature === undefined)
      return this.#cursor.fail(
        "xpath-unknown-function",
        `unknown function ${name}()`,
        offset,
        `one of ${FUNCTION_NAMES.join(", ")}`,
      );
    const most = signature.parameters.length;
    const least = most - signature.optional;
    if (given.length < least || (given.length > most && !signature.repeats))
      this.#cursor.fail(
        "xpath-argument-count",
        `${name}() is called with ${String(given.length)} arguments`,
        offset,
        signature.repeats
          ? `${String(least)} or more`
          : least === most
            ? String(most)
            : `${String(least)} to ${String(most)}`,
      );
    for (const [index, argument] of given.entries())
      if (signature.parameters[index] === "nodes") this.#needNodes(argument, `${name}()`);
  }

  #needNodes(expression: XPathExpression, where: string): void {
    const type = typeOf(expression);
    if (type !== "nodes")
      this.#cursor.fail("xpath-type", `${where} needs nodes and is given a ${type}`, expression.offset, "a path");
  }
}
