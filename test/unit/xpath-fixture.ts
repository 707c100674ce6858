/** Data and expressions for the tests of the evaluator. */
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { formatInstancePath } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import type { Schema, SchemaExpression } from "../../model/schema.ts";
import { type CompiledXPath, compileXPath } from "../../model/xpath/compile-xpath.ts";
import {
  DataDocument,
  type DataDocumentOptions,
  type XPathNode,
  instancePathOf,
} from "../../model/xpath/data-document.ts";
import { valueOf } from "../support/results.ts";

export const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["m", "m"],
  ["o", "other"],
]);

export function expressionOf(text: string, module = "m"): SchemaExpression {
  return { text, prefixes: PREFIXES, module, definedIn: module, position: { source: "m.yang", line: 3, column: 5 } };
}

export function documentOf(schema: Schema, data: object, options: DataDocumentOptions = {}): DataDocument {
  const json = valueOf(parseJson(JSON.stringify(data), { source: "test" }));
  const tree = valueOf(dataFromJson(schema, json, { unknown: "error", nodes: "all", defaultsMode: "explicit" }));
  return new DataDocument(tree, options);
}

export function nodeAt(document: DataDocument, path: string): XPathNode {
  const node = document.nodeAt(valueOf(parseInstancePath(document.schema, path)).path);
  if (node === undefined) throw new Error(`no ${path}`);
  return node;
}

export function compiled(schema: Schema, text: string, context: XPathNode): CompiledXPath {
  return valueOf(compileXPath(expressionOf(text), schema, context.schema));
}

/** The value of an expression: nodes as their paths, texts marked as such. */
export function evaluate(
  document: DataDocument,
  text: string,
  path = "/",
): readonly string[] | string | number | boolean {
  const context = nodeAt(document, path);
  const value = compiled(document.schema, text, context).evaluate(context);
  if (value === "too-costly") return value;
  return value.kind === "nodes" ? value.nodes.map(placeOf) : value.value;
}

export function placeOf(node: XPathNode): string {
  return formatInstancePath(instancePathOf(node)) + (node.kind === "text" ? "/text()" : "");
}
