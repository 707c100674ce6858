/** RFC 7951 JSON to a data tree. */
import { simpleTypesOf } from "../../model/canonical-value.ts";
import type { DiagnosticPlace, Result } from "../../model/diagnostic.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ListSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
} from "../../model/schema.ts";
import type { Children, DataTree } from "../../model/tree.ts";
import type { PlainValue, Value } from "../../model/value.ts";
import {
  ChildrenReader,
  DataFindings,
  type DataPlace,
  type ReadDataOptions,
  duplicate,
  entryPlace,
  expectedNames,
  instancePlace,
  keylessList,
  namePlace,
  originOf,
} from "../data-reading.ts";
import {
  type JsonMember,
  type JsonObject,
  type JsonPosition,
  type JsonValue,
  formatJson,
  memberOf,
} from "./json-value.ts";
import { builtInTypes, opaqueFromJson, originFromJson, sealedFromJson } from "./tenure-form.ts";
import { type JsonQuirk, describeJson, valueFromJson } from "./value-from-json.ts";

export interface DataFromJsonOptions extends ReadDataOptions {
  /** `tenure`: sealed secrets, opaque content and origins as our own documents write them. Else plain RFC 7951. */
  readonly dialect?: "rfc7951" | "tenure";
  readonly quirks?: readonly JsonQuirk[];
  /** Name of the text, so that findings point into it too. */
  readonly source?: string;
}

/**
 * Reads an object whose members are top-level data nodes, all named with their module (section 4). Guarantees of a tree
 * that is returned: as `dataFromXml`. `[]` is a list without entries; null is never data. A name that is qualified
 * without need is accepted. Metadata (RFC 7952) other than `default` of RFC 8040 section 4.8.9 and, in our own
 * dialect, the origin is ignored.
 */
export function dataFromJson(schema: Schema, json: JsonValue, options: DataFromJsonOptions): Result<DataTree> {
  const reader = new JsonDataReader(schema, options);
  const roots = reader.children(json, undefined, undefined);
  return reader.findings.result({ schema, roots });
}

class JsonDataReader {
  readonly findings = new DataFindings();
  readonly #schema: Schema;
  readonly #options: DataFromJsonOptions;

  constructor(schema: Schema, options: DataFromJsonOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  children(json: JsonValue, parent: ParentSchemaNode | undefined, place: DataPlace | undefined): Children {
    const schemas = childSchemas(this.#schema, parent);
    const into = new ChildrenReader(this.findings, place);
    if (json.kind !== "object") {
      this.#wrongType(json, "an object", place);
      return into.children;
    }
    const seen = new Set<DataSchemaNode>();
    for (const member of json.members) {
      if (member.name.startsWith("@")) continue;
      const schema = this.#schemaOf(member, parent, schemas, place);
      if (schema === undefined) continue;
      if (this.#options.nodes === "config" && !schema.config) continue;
      if (seen.has(schema))
        this.findings.error(duplicate(schema, this.#places(namePlace(place, schema), member.position)));
      else if (schema.kind !== "leaf" || !schema.isKey) this.#read(member, schema, json, place, into);
      seen.add(schema);
    }
    return into.children;
  }

  #schemaOf(
    member: JsonMember,
    parent: ParentSchemaNode | undefined,
    schemas: ReadonlyMap<string, DataSchemaNode>,
    place: DataPlace | undefined,
  ): DataSchemaNode | undefined {
    const problem = {
      places: [instancePlace(place, member.name), ...this.#sourcePlace(member.position)],
      expected: expectedNames(schemas),
    };
    const qualified = member.name.includes(":");
    if (!qualified && parent === undefined) {
      const message = `the top-level name ${member.name} lacks its module`;
      this.findings.error({ ...problem, code: "unqualified-node", message });
      return undefined;
    }
    const schema = schemas.get(qualified ? member.name : `${parent?.module ?? ""}:${member.name}`);
    if (schema === undefined) {
      this.findings.unknown(this.#options, {
        ...problem,
        code: "unknown-node",
        message: `no node ${member.name} in the schema`,
      });
    }
    return schema;
  }

  #read(
    member: JsonMember,
    schema: DataSchemaNode,
    siblings: JsonObject,
    parent: DataPlace | undefined,
    into: ChildrenReader,
  ): void {
    const json = member.value;
    const place = namePlace(parent, schema);
    switch (schema.kind) {
      case "container":
        into.add({ kind: "container", schema, children: this.children(json, schema, place) });
        return;
      case "list":
        if (schema.keys.length === 0) this.findings.error(keylessList(schema, this.#places(place, json.position)));
        else for (const item of this.#items(json, place)) this.#readEntry(item, schema, parent, into);
        return;
      case "leaf": {
        const value = this.#value(json, schema, place);
        if (value === undefined) return;
        const annotations = memberOf(siblings, `@${member.name}`);
        const told = this.#options.dialect === "tenure" ? originFromJson(annotations) : undefined;
        const source = { mode: this.#options.defaultsMode, tagged: isTaggedDefault(annotations) };
        into.add({ kind: "leaf", schema, value, origin: told ?? originOf(schema, value, source) });
        return;
      }
      case "leaf-list":
        for (const item of this.#items(json, place)) {
          const value = this.#value(item, schema, place);
          if (value !== undefined) into.add({ kind: "leaf-list-entry", schema, value });
        }
        return;
      case "anydata":
      case "anyxml":
        if (this.#options.dialect === "tenure") {
          const opaque = this.findings.valueOf(opaqueFromJson(json), this.#places(place, json.position));
          if (opaque !== undefined) into.add({ kind: "anydata", schema, ...opaque });
        } else {
          into.add({ kind: "anydata", schema, encoding: "json", content: formatJson(json, { layout: "compact" }) });
        }
    }
  }

  #readEntry(json: JsonValue, schema: ListSchema, parent: DataPlace | undefined, into: ChildrenReader): void {
    const listPlace = namePlace(parent, schema);
    if (json.kind !== "object") {
      this.#wrongType(json, "an object for each entry", listPlace);
      return;
    }
    const keys: PlainValue[] = [];
    for (const key of schema.keys) {
      const member = memberOf(json, key.name) ?? memberOf(json, key.id);
      if (member === undefined) {
        const message = `an entry of list ${schema.name} lacks its key ${key.name}`;
        this.findings.error({ code: "missing-key", message, places: this.#places(listPlace, json.position) });
        continue;
      }
      const value = this.#plainValue(member, key, namePlace(listPlace, key));
      if (value !== undefined) keys.push(value);
    }
    if (keys.length < schema.keys.length) return;
    into.add({ kind: "entry", schema, keys, children: this.children(json, schema, entryPlace(parent, schema, keys)) });
  }

  #items(json: JsonValue, place: DataPlace): readonly JsonValue[] {
    if (json.kind === "array") return json.items;
    this.#wrongType(json, "an array", place);
    return [];
  }

  #value(json: JsonValue, schema: LeafSchema | LeafListSchema, place: DataPlace): Value | undefined {
    if (this.#options.dialect !== "tenure" || json.kind !== "object") return this.#plainValue(json, schema, place);
    const types = builtInTypes(simpleTypesOf(schema.type));
    return this.findings.valueOf(sealedFromJson(json, types), this.#places(place, json.position));
  }

  #plainValue(json: JsonValue, schema: LeafSchema | LeafListSchema, place: DataPlace): PlainValue | undefined {
    const { module, type } = schema;
    const result = valueFromJson(type, json, { schema: this.#schema, module, quirks: this.#options.quirks ?? [] });
    if (result.kind === "ok" && result.warnings.length === 0) return result.value;
    return this.findings.valueOf(result, this.#places(place, json.position));
  }

  #wrongType(json: JsonValue, expected: string, place: DataPlace | undefined): void {
    const message = `${describeJson(json)} cannot stand here`;
    this.findings.error({ code: "wrong-json-type", message, places: this.#places(place, json.position), expected });
  }

  #places(place: DataPlace | undefined, position: JsonPosition | undefined): readonly DiagnosticPlace[] {
    return [instancePlace(place), ...this.#sourcePlace(position)];
  }

  #sourcePlace(position: JsonPosition | undefined): readonly DiagnosticPlace[] {
    const { source } = this.#options;
    return source === undefined || position === undefined
      ? []
      : [{ kind: "source", position: { source, ...position } }];
  }
}

/** RFC 8040 section 4.8.9: the annotation `default` of module ietf-netconf-with-defaults. */
function isTaggedDefault(annotations: JsonValue | undefined): boolean {
  const tag = annotations?.kind === "object" ? memberOf(annotations, "ietf-netconf-with-defaults:default") : undefined;
  return tag?.kind === "boolean" && tag.value;
}
