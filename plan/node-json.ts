/** Nodes and values in the form in which plan documents carry them: RFC 7951, secrets sealed, canonical order of system-ordered lists. */
import { dataFromJson } from "../codec/json/data-from-json.ts";
import { dataToJson, valueToJson as plainValueToJson } from "../codec/json/data-to-json.ts";
import { type JsonMember, type JsonValue, jsonObject } from "../codec/json/json-value.ts";
import { sealedToJson } from "../codec/json/tenure-form.ts";
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, formatInstancePath, segmentKey } from "../model/path.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import { type DataNode, findNode, segmentOf } from "../model/tree.ts";
import type { Value } from "../model/value.ts";
import { keyValues } from "./key-values.ts";
import { type PlainJson, fromPlainJson, toPlainJson } from "./plain-json.ts";
import { schemaAlong } from "./schema-along.ts";

/** A leaf's value: RFC 7951 JSON, or `{"keyId","hmac"}`. */
export function valueToJson(value: Value): PlainJson {
  return toPlainJson(value.kind === "plain" ? plainValueToJson(value) : sealedToJson(value, "known"));
}

/** A leaf or leaf-list entry: its value. A container or entry: an object, keys first. Opaque content: `{"encoding","content"}`. */
export function nodeToJson(node: DataNode): PlainJson {
  const roots = new Map([[segmentKey(segmentOf(node)), node]]);
  const written = dataToJson(
    { schema: NO_SCHEMA, roots },
    { dialect: "tenure", order: "canonical", defaults: "write" },
  );
  if (written.kind === "error") throw new RangeError(`${node.schema.schemaPath} has no form in documents`);
  const value = written.value.members[0]?.value;
  if (value === undefined) return {};
  const isMember = node.kind === "entry" || node.kind === "leaf-list-entry";
  const [only] = isMember && value.kind === "array" ? value.items : [value];
  return only === undefined ? {} : toPlainJson(only);
}

/**
 * Reverses `nodeToJson` for the node at a path; leafs come back with origin `set`.
 * Errors are those of the JSON codec, with instance paths, and `operation-form` where the value names another node than the path.
 */
export function nodeFromJson(schema: Schema, path: InstancePath, json: PlainJson): Result<DataNode> {
  const schemas = schemaAlong(schema, path);
  const tree = dataFromJson(schema, nest(schema, path, schemas, 0, fromPlainJson(json)), {
    unknown: "error",
    nodes: "config",
    defaultsMode: "explicit",
    dialect: "tenure",
  });
  if (tree.kind === "error") return tree;
  const node = findNode(tree.value, path);
  if (node !== undefined) return ok(node);
  const diagnostic: Diagnostic = {
    code: "operation-form",
    severity: "error",
    message: "the value is not the one of the node that the path names",
    places: [{ kind: "instance", path: formatInstancePath(path) }],
  };
  return failure([diagnostic]);
}

/** The value at a path with what stands around it, from the top of the tree. */
function nest(
  schema: Schema,
  path: InstancePath,
  schemas: readonly DataSchemaNode[],
  depth: number,
  value: JsonValue,
): JsonValue {
  const segment = path[depth];
  const node = schemas[depth];
  if (segment === undefined || node === undefined) return value;
  const inner = depth === path.length - 1 ? value : nest(schema, path, schemas, depth + 1, value);
  const keys: readonly JsonMember[] =
    depth < path.length - 1 && node.kind === "list" && segment.kind === "entry"
      ? keyValues(schema, node, segment.keys).map((key, index) => ({
          name: segment.keys[index]?.name ?? "",
          value: plainValueToJson(key),
        }))
      : [];
  const whole = keys.length > 0 && inner.kind === "object" ? jsonObject([...keys, ...inner.members]) : inner;
  const isMember = node.kind === "list" || node.kind === "leaf-list";
  return jsonObject([{ name: node.id, value: isMember ? { kind: "array", items: [whole] } : whole }]);
}

/** Writing looks at the schemas of the nodes alone. */
const NO_SCHEMA: Schema = {
  modules: new Map(),
  roots: new Map(),
  rootChoices: new Map(),
  operations: new Map(),
  notifications: new Map(),
  identities: new Map(),
  namespaces: new Map(),
};
