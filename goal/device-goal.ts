/**
 * The device goal file: one device's desired configuration as canonical bytes. It is what a plan's digest covers, what a
 * person reads and what is compared with the device, so equal desired state has to give equal bytes, whatever order it
 * was put together in.
 *
 * The form is RFC 7951 JSON in the canonical writing of RFC 8785. No floats and no prose; `null` stands only in `[null]`.
 */
import { dataFromJsonText } from "../codec/json/data-from-json.ts";
import { dataToJson } from "../codec/json/data-to-json.ts";
import { formatJson } from "../codec/json/json-value.ts";
import type { Result } from "../model/diagnostic.ts";
import type { Schema } from "../model/schema.ts";
import type { DataTree } from "../model/tree.ts";

/**
 * The goal of a tree, without final newline. Guarantees: trees that set the same give the same text. Entries of
 * system-ordered lists and leaf-lists are sorted by value, numbers as numbers; user order stands. Leafs of origin
 * `default` are left out, those of origin `set` and `unknown` stand alike. Secrets stand as they are in the tree: seal
 * them first.
 */
export function renderGoal(tree: DataTree): string {
  const json = dataToJson(tree, { dialect: "tenure", defaults: "omit", order: "canonical" });
  if (json.kind === "error") throw new Error("our own dialect carries every tree");
  return formatJson(json.value, { layout: "canonical" });
}

/**
 * Reads a goal. Every leaf in it is `set`. Errors: as `dataFromJsonText`; an unknown node is one. Findings
 * point into the text as well, which `source` names.
 */
export function parseGoal(schema: Schema, text: string, options: { readonly source?: string } = {}): Result<DataTree> {
  return dataFromJsonText(schema, text, {
    dialect: "tenure",
    unknown: "error",
    nodes: "config",
    defaultsMode: "explicit",
    source: options.source ?? "goal",
  });
}
