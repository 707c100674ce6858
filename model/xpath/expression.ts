/** The syntax tree of an XPath 1.0 expression. Every node keeps its offset in the text, so that findings have a place. */

export const XPATH_AXES = [
  "ancestor",
  "ancestor-or-self",
  "attribute",
  "child",
  "descendant",
  "descendant-or-self",
  "following",
  "following-sibling",
  "namespace",
  "parent",
  "preceding",
  "preceding-sibling",
  "self",
] as const;

export type XPathAxis = (typeof XPATH_AXES)[number];

/** XPath 1.0 section 2.3. `prefix` is as written; undefined where there is none. */
export type NodeTest =
  | { readonly kind: "name"; readonly prefix: string | undefined; readonly name: string }
  | { readonly kind: "any-name"; readonly prefix: string | undefined }
  | { readonly kind: "node" | "text" | "comment" }
  | { readonly kind: "processing-instruction"; readonly target: string | undefined };

export interface XPathStep {
  readonly axis: XPathAxis;
  readonly test: NodeTest;
  readonly predicates: readonly XPathExpression[];
  readonly offset: number;
}

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type ArithmeticOperator = "+" | "-" | "*" | "div" | "mod";

/** `//` stands as the step it abbreviates, `descendant-or-self::node()`. */
export type XPathExpression =
  | { readonly kind: "or" | "and" | "union"; readonly operands: readonly XPathExpression[]; readonly offset: number }
  | {
      readonly kind: "comparison";
      readonly operator: ComparisonOperator;
      readonly left: XPathExpression;
      readonly right: XPathExpression;
      readonly offset: number;
    }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: XPathExpression;
      readonly right: XPathExpression;
      readonly offset: number;
    }
  | { readonly kind: "negate"; readonly operand: XPathExpression; readonly offset: number }
  | XPathLocationPath
  | {
      readonly kind: "filter";
      readonly primary: XPathExpression;
      readonly predicates: readonly XPathExpression[];
      readonly offset: number;
    }
  | { readonly kind: "literal"; readonly value: string; readonly offset: number }
  | { readonly kind: "number"; readonly value: number; readonly offset: number }
  | XPathCall;

export interface XPathLocationPath {
  readonly kind: "path";
  readonly start: "root" | "context" | XPathExpression;
  readonly steps: readonly XPathStep[];
  readonly offset: number;
}

export interface XPathCall {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly XPathExpression[];
  readonly offset: number;
}
