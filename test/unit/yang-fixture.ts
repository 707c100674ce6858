import { formatPlace } from "../../model/diagnostic.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, ListSchema, Schema, TypeSchema } from "../../model/schema.ts";
import { type CompileOptions, type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";

export const EVERYTHING: CompileOptions = { implement: "all", features: "all" };

/** A YANG 1.1 module `name` with prefix `name` on the first line, so that `body` begins on line 2. */
export function yangModule(name: string, body: string, options: { readonly version?: "1" | "1.1" } = {}): YangSource {
  const header = `module ${name} { yang-version ${options.version ?? "1.1"}; namespace "urn:t:${name}"; prefix ${name};`;
  return { name: `${name}.yang`, text: `${header}\n${body}\n}` };
}

export function compiled(sources: readonly YangSource[], options: CompileOptions = EVERYTHING): Schema {
  return valueOf(compileYang(sources, options));
}

/** `code place place` of every finding of a compilation that has to fail. */
export function findings(sources: readonly YangSource[], options: CompileOptions = EVERYTHING): readonly string[] {
  const result = compileYang(sources, options);
  if (result.kind === "ok") throw new Error("the modules compile");
  return result.diagnostics.map(({ code, places }) => [code, ...places.map(formatPlace)].join(" "));
}

export function everyNode(schema: Schema): readonly DataSchemaNode[] {
  const found: DataSchemaNode[] = [];
  const walk = (nodes: ReadonlyMap<string, DataSchemaNode>): void => {
    for (const node of nodes.values()) {
      found.push(node);
      if (node.kind === "container" || node.kind === "list") walk(node.children);
    }
  };
  walk(schema.roots);
  return found;
}

/** Schema paths in schema order. */
export function paths(schema: Schema): readonly string[] {
  return everyNode(schema).map((node) => node.schemaPath);
}

export function nodeAt(schema: Schema, path: string): DataSchemaNode {
  const node = everyNode(schema).find((each) => each.schemaPath === path);
  if (node === undefined) throw new Error(`no ${path} among\n${paths(schema).join("\n")}`);
  return node;
}

export function leafAt(schema: Schema, path: string): LeafSchema {
  const node = nodeAt(schema, path);
  if (node.kind !== "leaf") throw new Error(`${path} is a ${node.kind}`);
  return node;
}

export function leafListAt(schema: Schema, path: string): LeafListSchema {
  const node = nodeAt(schema, path);
  if (node.kind !== "leaf-list") throw new Error(`${path} is a ${node.kind}`);
  return node;
}

export function listAt(schema: Schema, path: string): ListSchema {
  const node = nodeAt(schema, path);
  if (node.kind !== "list") throw new Error(`${path} is a ${node.kind}`);
  return node;
}

/** The type of a leaf `x` with the given `type` statement (and more) in a module with the given definitions. */
export function typeOf(type: string, definitions = ""): TypeSchema {
  return leafAt(compiled([yangModule("m", `${definitions} leaf x { ${type} }`)]), "/m:x").type;
}

/** The findings of the same. */
export function typeFindings(type: string, definitions = ""): readonly string[] {
  return findings([yangModule("m", `${definitions} leaf x { ${type} }`)]).map((each) => each.split(" ")[0] ?? "");
}
