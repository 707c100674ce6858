/** A data tree to RFC 7951 JSON. */
import { simpleTypesOf } from "../../model/values/canonical-value.ts";
import { type SortKey, compareSortKeys, sortKeyOf } from "../../model/values/canonical-order.ts";
import type { Result } from "../../model/diagnostic.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema } from "../../model/schema.ts";
import {
  type AnydataNode,
  type Children,
  type DataNode,
  type DataTree,
  type LeafNode,
  isUserOrdered,
  segmentOf,
} from "../../model/tree.ts";
import type { PlainValue, Value } from "../../model/value.ts";
import { DataFindings, type DataPlace, NodePlace } from "../data-findings.ts";
import { jsonFormOf } from "./json-form.ts";
import { type JsonMember, type JsonObject, type JsonValue, jsonObject, jsonString } from "./json-value.ts";
import { parseJson } from "./parse-json.ts";
import { opaqueToJson, originToJson, sealedToJson } from "./tenure-form.ts";

export interface DataToJsonOptions {
  /** `tenure`: our own documents, with sealed secrets and opaque content of any encoding. Else plain RFC 7951. */
  readonly dialect?: "rfc7951" | "tenure";
  /**
   * Leafs of origin `default`: left out, written like any other, or written with the annotation of RFC 8040 section
   * 4.8.9. `omit` where left out.
   */
  readonly defaults?: "omit" | "write" | "tag";
  /** `annotate` (own dialect only) tells the origin of each leaf that is not `set`. */
  readonly origins?: "omit" | "annotate";
  /** `canonical` sorts the entries of system-ordered lists and leaf-lists by value; user order always stands. */
  readonly order?: "document" | "canonical";
}

/**
 * An object of the top-level nodes. Keys come first in their entries; identities always name their module; a list
 * without entries is absent. Errors: `sealed-value` and `opaque-content`, for what plain RFC 7951 cannot carry.
 */
export function dataToJson(tree: DataTree, options: DataToJsonOptions = {}): Result<JsonObject> {
  const writer = new JsonDataWriter(options);
  const members = writer.members(tree.roots, undefined, undefined);
  return writer.findings.result(jsonObject(members));
}

/** A value as its type has it in JSON (RFC 7951 section 6). */
export function valueToJson(value: PlainValue): JsonValue {
  switch (jsonFormOf(value.type)) {
    case "number":
      return { kind: "number", text: value.text };
    case "boolean":
      return { kind: "boolean", value: value.text === "true" };
    case "empty":
      return { kind: "array", items: [{ kind: "null" }] };
    case "string":
      return jsonString(value.text);
  }
}

class JsonDataWriter {
  readonly findings = new DataFindings();
  readonly #options: DataToJsonOptions;

  constructor(options: DataToJsonOptions) {
    this.#options = options;
  }

  members(children: Children, parentModule: string | undefined, place: DataPlace | undefined): JsonMember[] {
    const members: JsonMember[] = [];
    for (const [schema, group] of this.#bySchema(children)) {
      const name = schema.module === parentModule ? schema.name : schema.id;
      if (isList(group)) {
        const items = this.#ordered(schema, group).map((node) => this.#node(node, place));
        members.push({ name, value: { kind: "array", items } });
        continue;
      }
      const value = this.#node(group, place);
      // A container whose only content is left-out defaults does not exist without them.
      if (group.kind === "container" && !group.schema.presence && value.kind === "object" && value.members.length === 0)
        continue;
      members.push({ name, value });
      const annotation = group.kind === "leaf" ? this.#annotationOf(group) : undefined;
      if (annotation !== undefined) members.push({ name: `@${name}`, value: annotation });
    }
    return members;
  }

  #annotationOf({ origin }: LeafNode): JsonObject | undefined {
    if (origin === "set") return undefined;
    if (this.#options.origins === "annotate") return originToJson(origin);
    return origin === "default" && this.#options.defaults === "tag" ? DEFAULT_TAG : undefined;
  }

  /** Nodes by schema node: the entries of one list are one member, however they were interleaved. */
  #bySchema(children: Children): ReadonlyMap<DataSchemaNode, DataNode | readonly DataNode[]> {
    const groups = new Map<DataSchemaNode, DataNode | DataNode[]>();
    const leavesOut = (this.#options.defaults ?? "omit") === "omit";
    for (const node of children.values()) {
      if (node.kind === "leaf" && node.origin === "default" && leavesOut) continue;
      if (node.kind !== "entry" && node.kind !== "leaf-list-entry") {
        groups.set(node.schema, node);
        continue;
      }
      const group = groups.get(node.schema);
      if (group !== undefined && isList(group)) group.push(node);
      else groups.set(node.schema, [node]);
    }
    return groups;
  }

  #ordered(schema: DataSchemaNode, nodes: readonly DataNode[]): readonly DataNode[] {
    if (this.#options.order !== "canonical" || isUserOrdered(schema)) return nodes;
    return nodes
      .map((node) => ({ node, key: sortKeysOf(node) }))
      .sort((a, b) => compareSortKeys(a.key, b.key))
      .map(({ node }) => node);
  }

  #node(node: DataNode, parent: DataPlace | undefined): JsonValue {
    switch (node.kind) {
      case "container":
        return jsonObject(this.members(node.children, node.schema.module, new NodePlace(parent, node)));
      case "entry": {
        const place = new NodePlace(parent, node);
        const members = node.schema.keys.map((key, index): JsonMember => {
          const value = node.keys[index];
          if (value === undefined) throw new RangeError(`entry of ${node.schema.schemaPath} lacks key ${key.name}`);
          return { name: key.name, value: this.#value(value, key, () => place) };
        });
        for (const member of this.members(node.children, node.schema.module, place)) members.push(member);
        return jsonObject(members);
      }
      case "leaf":
      case "leaf-list-entry":
        return this.#value(node.value, node.schema, () => ({ parent, segment: segmentOf(node) }));
      case "anydata":
        return this.#opaque(node, { parent, segment: segmentOf(node) });
    }
  }

  #opaque(node: AnydataNode, place: DataPlace): JsonValue {
    if (this.#options.dialect === "tenure") return opaqueToJson(node);
    if (node.encoding === "json") {
      const parsed = parseJson(node.content, { source: "opaque content" });
      return this.findings.valueOf(parsed, () => ({ place })) ?? { kind: "null" };
    }
    const message = `${node.schema.kind} ${node.schema.name} came as XML and has no JSON form`;
    const remedy = "write XML, or leave the node out: what is opaque stays in the encoding that it came in";
    this.findings.error({ code: "opaque-content", message, place, remedy });
    return { kind: "null" };
  }

  #value(value: Value, leaf: LeafSchema | LeafListSchema, place: () => DataPlace): JsonValue {
    if (value.kind === "plain") return valueToJson(value);
    if (this.#options.dialect === "tenure") {
      return sealedToJson(value, simpleTypesOf(leaf.type).length === 1 ? "known" : "written");
    }
    const message = `the secret ${leaf.name} is sealed and cannot be written`;
    this.findings.error({ code: "sealed-value", message, place: place() });
    return { kind: "null" };
  }
}

/** RFC 8040 section 4.8.9. */
const DEFAULT_TAG: JsonObject = jsonObject([
  { name: "ietf-netconf-with-defaults:default", value: { kind: "boolean", value: true } },
]);

function isList<T extends DataNode[] | readonly DataNode[]>(group: DataNode | T): group is T {
  return Array.isArray(group);
}

function sortKeysOf(node: DataNode): readonly SortKey[] {
  switch (node.kind) {
    case "entry":
      return node.keys.map(sortKeyOf);
    case "leaf-list-entry":
      return [sortKeyOf(node.value)];
    default:
      return [];
  }
}
