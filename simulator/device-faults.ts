import { childElements, type XmlElement } from "../codec/xml/xml-element.ts";
import { parseXml } from "../codec/xml/read-xml.ts";
import { describeXmlError } from "../codec/xml/xml-result.ts";
import { parseCanonicalPath, parseValue } from "../model/values/canonical-value.ts";
import { type PathSegment, segmentKey } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { type Children, type DataTree, hasChildren } from "../model/tree.ts";
import type { PlainValue } from "../model/value.ts";
import { applyEdit } from "./apply-edit.ts";
import { type Fault, actionsOf } from "./faults.ts";
import { readEdit } from "./read-edit.ts";

export type ReadConfig =
  | { readonly kind: "ok"; readonly config: readonly XmlElement[] }
  | { readonly kind: "error"; readonly message: string };

/** Reads XML text as the children of a `<config>` element: a `<config>` or `<data>` element, or data elements one after the other. */
export function readConfigText(text: string): ReadConfig {
  const wrapped = parseXml(`<config>${text.replace(/^\s*<\?xml[^>]*\?>/u, "")}</config>`);
  if (wrapped.kind === "failed") return { kind: "error", message: describeXmlError(wrapped.error) };
  const elements = childElements(wrapped.value);
  const [only, second] = elements;
  const isWrapper = second === undefined && (only?.name === "config" || only?.name === "data");
  return { kind: "ok", config: isWrapper ? childElements(only) : elements };
}

/** What is wrong with a fault for a device of that schema; undefined when it can be installed. */
export function faultProblem(schema: Schema, { id, action }: Fault): string | undefined {
  switch (action.kind) {
    case "rewrite":
      return rewriteOf(schema, action.path, action.value) === undefined
        ? `fault ${id}: ${action.path} is no leaf, or has no such value`
        : undefined;
    case "refuse-edit": {
      const resolved = parseCanonicalPath(schema, action.path);
      return resolved.kind === "ok" ? undefined : `fault ${id}: ${resolved.diagnostics[0]?.message ?? "no path"}`;
    }
    case "add": {
      const read = readConfigText(action.config);
      if (read.kind === "error") return `fault ${id}: ${read.message}`;
      const [error] = readEdit(schema, read.config, "merge").errors;
      return error === undefined ? undefined : `fault ${id}: ${error.message}`;
    }
    default:
      return undefined;
  }
}

/** A configuration on its way to running, as the device's own ideas change it. Needs faults without a `faultProblem`. */
export function finishByFaults(tree: DataTree, faults: readonly Fault[]): DataTree {
  let next = tree;
  for (const { path, value } of actionsOf(faults, "rewrite")) {
    const rewrite = rewriteOf(tree.schema, path, value);
    if (rewrite === undefined) continue;
    const roots = withLeaf(next.roots, rewrite.path, rewrite.value);
    if (roots !== next.roots) next = { schema: tree.schema, roots };
  }
  for (const { config } of actionsOf(faults, "add")) {
    const read = readConfigText(config);
    if (read.kind === "error") continue;
    const { edits } = readEdit(tree.schema, read.config, "merge");
    next = applyEdit(next, edits, { errorOption: "continue-on-error", basicMode: "explicit" }).tree;
  }
  return next;
}

interface Rewrite {
  readonly path: readonly PathSegment[];
  readonly value: PlainValue;
}

function rewriteOf(schema: Schema, path: string, text: string): Rewrite | undefined {
  const resolved = parseCanonicalPath(schema, path);
  if (resolved.kind === "error" || resolved.value.schema?.kind !== "leaf") return undefined;
  const value = parseValue(resolved.value.schema.type, text, { schema, form: { kind: "canonical" } });
  return value.kind === "ok" ? { path: resolved.value.path, value: value.value } : undefined;
}

/** Only a leaf that is there gets the value. */
function withLeaf(children: Children, [segment, ...rest]: readonly PathSegment[], value: PlainValue): Children {
  if (segment === undefined) return children;
  const key = segmentKey(segment);
  const node = children.get(key);
  if (node === undefined) return children;
  if (node.kind === "leaf") return new Map(children).set(key, { ...node, value });
  if (!hasChildren(node)) return children;
  const below = withLeaf(node.children, rest, value);
  return below === node.children ? children : new Map(children).set(key, { ...node, children: below });
}
