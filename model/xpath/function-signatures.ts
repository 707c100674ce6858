/**
 * The functions an expression of a YANG module may call: the core library of XPath 1.0 (section 4) and the six of
 * RFC 7950 section 10. The set is closed (RFC 7950 section 6.4), so types are known before anything is evaluated.
 */
import type { XPathExpression } from "./expression.ts";

export type XPathType = "nodes" | "string" | "number" | "boolean";

export interface FunctionSignature {
  /** `object`: any type. The last `optional` of them may be left out; `repeats`: the last may be given again and again. */
  readonly parameters: readonly (XPathType | "object")[];
  readonly optional: number;
  readonly repeats: boolean;
  readonly result: XPathType;
}

function signature(
  result: XPathType,
  parameters: readonly (XPathType | "object")[],
  more: { readonly optional?: number; readonly repeats?: boolean } = {},
): FunctionSignature {
  return { parameters, optional: more.optional ?? 0, repeats: more.repeats ?? false, result };
}

const SIGNATURES: ReadonlyMap<string, FunctionSignature> = new Map<string, FunctionSignature>([
  ["last", signature("number", [])],
  ["position", signature("number", [])],
  ["count", signature("number", ["nodes"])],
  ["id", signature("nodes", ["object"])],
  ["local-name", signature("string", ["nodes"], { optional: 1 })],
  ["namespace-uri", signature("string", ["nodes"], { optional: 1 })],
  ["name", signature("string", ["nodes"], { optional: 1 })],
  ["string", signature("string", ["object"], { optional: 1 })],
  ["concat", signature("string", ["string", "string"], { repeats: true })],
  ["starts-with", signature("boolean", ["string", "string"])],
  ["contains", signature("boolean", ["string", "string"])],
  ["substring-before", signature("string", ["string", "string"])],
  ["substring-after", signature("string", ["string", "string"])],
  ["substring", signature("string", ["string", "number", "number"], { optional: 1 })],
  ["string-length", signature("number", ["string"], { optional: 1 })],
  ["normalize-space", signature("string", ["string"], { optional: 1 })],
  ["translate", signature("string", ["string", "string", "string"])],
  ["boolean", signature("boolean", ["object"])],
  ["not", signature("boolean", ["boolean"])],
  ["true", signature("boolean", [])],
  ["false", signature("boolean", [])],
  ["lang", signature("boolean", ["string"])],
  ["number", signature("number", ["object"], { optional: 1 })],
  ["sum", signature("number", ["nodes"])],
  ["floor", signature("number", ["number"])],
  ["ceiling", signature("number", ["number"])],
  ["round", signature("number", ["number"])],
  ["current", signature("nodes", [])],
  ["re-match", signature("boolean", ["string", "string"])],
  ["deref", signature("nodes", ["nodes"])],
  ["derived-from", signature("boolean", ["nodes", "string"])],
  ["derived-from-or-self", signature("boolean", ["nodes", "string"])],
  ["enum-value", signature("number", ["nodes"])],
  ["bit-is-set", signature("boolean", ["nodes", "string"])],
]);

export function signatureOf(name: string): FunctionSignature | undefined {
  return SIGNATURES.get(name);
}

export const FUNCTION_NAMES: readonly string[] = [...SIGNATURES.keys()];

/** The type of a value that the expression gives; XPath without variables is typed by its text alone. */
export function typeOf(expression: XPathExpression): XPathType {
  switch (expression.kind) {
    case "or":
    case "and":
    case "comparison":
      return "boolean";
    case "arithmetic":
    case "negate":
    case "number":
      return "number";
    case "literal":
      return "string";
    case "union":
    case "path":
    case "filter":
      return "nodes";
    case "call":
      return signatureOf(expression.name)?.result ?? "string";
  }
}
