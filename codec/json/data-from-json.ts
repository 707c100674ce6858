/** RFC 7951 JSON to a data tree. */
import { simpleTypesOf } from "../../model/values/canonical-value.ts";
import { type Result, ok } from "../../model/diagnostic.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../../model/schema.ts";
import type { AnydataNode, DataTree, LeafOrigin } from "../../model/tree.ts";
import type { Value } from "../../model/value.ts";
import { type DataPlace, namePlace } from "../data-findings.ts";
import { type Locate, type OpenParent, type ReadDataOptions, TreeAssembler } from "../data-reading.ts";
import { type JsonCursor, JsonValueCursor } from "./json-cursor.ts";
import { type JsonValue, formatJson, memberOf } from "./json-value.ts";
import { type JsonLimits, readJson } from "./parse-json.ts";
import { builtInTypes, opaqueFromJson, originFromJson, sealedFromJson } from "./tenure-form.ts";
import { type JsonQuirk, JsonValueReader, describeKind } from "./value-from-json.ts";

export interface DataFromJsonOptions extends ReadDataOptions {
  /** `tenure`: sealed secrets, opaque content and origins as our own documents write them. Else plain RFC 7951. */
  readonly dialect?: "rfc7951" | "tenure";
  readonly quirks?: readonly JsonQuirk[];
}

export interface DataFromJsonTextOptions extends DataFromJsonOptions {
  /** Name of the text: findings point into it too. */
  readonly source: string;
  readonly limits?: Partial<JsonLimits>;
}

/**
 * Reads an object whose members are top-level data nodes, all named with their module (section 4). Guarantees of a tree
 * that is returned: as `dataFromXml`. `[]` is a list without entries; null is never data. A name that is qualified
 * without need is accepted. Metadata (RFC 7952) is ignored, except `default` of RFC 8040 section 4.8.9, the origin in
 * our own dialect, and what makes a node an edit, which is an error.
 */
export function dataFromJson(schema: Schema, json: JsonValue, options: DataFromJsonOptions): Result<DataTree> {
  return new JsonDataReader(schema, options, () => undefined).read(new JsonValueCursor(json));
}

/**
 * `dataFromJson` of a text, which is read while it goes by; findings point into it too. What is no JSON gives the errors
 * of `parseJson` alone.
 */
export function dataFromJsonText(schema: Schema, text: string, options: DataFromJsonTextOptions): Result<DataTree> {
  return readJson(text, options, (cursor, lines) =>
    new JsonDataReader(schema, options, (offset) => lines.positionOf(offset)).read(cursor),
  );
}

/** Metadata in one object, by the id of the node that it is about; the empty text is the object itself. */
type Annotations = Map<string, { readonly json: JsonValue; readonly mark: number }>;

class JsonDataReader {
  readonly #assembler: TreeAssembler;
  readonly #values: JsonValueReader;
  readonly #dialect: "rfc7951" | "tenure";

  constructor(schema: Schema, options: DataFromJsonOptions, locate: Locate) {
    this.#assembler = new TreeAssembler(schema, options, locate);
    this.#values = new JsonValueReader(schema, options.quirks ?? []);
    this.#dialect = options.dialect ?? "rfc7951";
  }

  read(cursor: JsonCursor): Result<DataTree> {
    this.#object(cursor, this.#assembler.root);
    return this.#assembler.result();
  }

  #object(cursor: JsonCursor, parent: OpenParent): void {
    if (cursor.kind() !== "object") {
      this.#wrongType(cursor, "an object", parent);
      return;
    }
    let seen: Set<DataSchemaNode> | undefined;
    let annotations: Annotations | undefined;
    cursor.enterObject();
    for (let name = cursor.nextMember(); name !== undefined; name = cursor.nextMember()) {
      if (name.startsWith("@")) {
        annotations ??= new Map();
        this.#annotation(cursor, parent, name, annotations);
        continue;
      }
      const schema = this.#schemaOf(cursor, parent, name);
      if (schema === undefined || this.#assembler.isLeftOut(schema)) {
        cursor.value();
        continue;
      }
      // A leaf that stands twice is found among the children.
      if (schema.kind !== "leaf") {
        seen ??= new Set();
        if (seen.has(schema)) {
          this.#assembler.duplicate(namePlace(parent, schema), schema, cursor.nameMark());
          cursor.value();
          continue;
        }
        seen.add(schema);
      }
      this.#member(cursor, schema, parent);
    }
    if (annotations !== undefined) this.#annotate(parent, annotations);
  }

  #schemaOf(cursor: JsonCursor, parent: OpenParent, name: string): DataSchemaNode | undefined {
    const colon = name.indexOf(":");
    const module = colon < 0 ? parent.schema?.module : name.slice(0, colon);
    if (module === undefined) {
      const message = `the top-level name ${name} lacks its module`;
      const roots = parent.names.get(name)?.map((each) => each.id) ?? [];
      const remedy = roots.length === 0 ? undefined : `write ${roots.join(" or ")}`;
      const problem = {
        code: "unqualified-node",
        message,
        place: parent,
        below: name,
        expected: "MODULE:NAME",
        remedy,
      } as const;
      this.#assembler.error(problem, cursor.nameMark());
      return undefined;
    }
    const local = colon < 0 ? name : name.slice(colon + 1);
    const found = parent.names.get(local);
    if (found !== undefined) for (const schema of found) if (schema.module === module) return schema;
    const given = { name: local, qualifier: { kind: "module", module: colon < 0 ? undefined : module } } as const;
    this.#assembler.unknown(parent, name, given, cursor.nameMark());
    return undefined;
  }

  #member(cursor: JsonCursor, schema: DataSchemaNode, parent: OpenParent): void {
    const mark = cursor.mark();
    switch (schema.kind) {
      case "container": {
        const open = this.#assembler.open(parent, schema, mark);
        this.#object(cursor, open);
        this.#assembler.close(open);
        return;
      }
      case "list":
        if (!this.#enterArray(cursor, schema, parent)) return;
        while (cursor.nextItem()) {
          const open = this.#assembler.open(parent, schema, cursor.mark());
          const isEntry = cursor.kind() === "object";
          this.#object(cursor, open);
          if (isEntry) this.#assembler.close(open);
        }
        return;
      case "leaf": {
        const value = this.#value(cursor, schema, parent);
        this.#assembler.leaf(parent, schema, value, this.#assembler.originOf(schema, value, "none"), mark);
        return;
      }
      case "leaf-list":
        if (!this.#enterArray(cursor, schema, parent)) return;
        while (cursor.nextItem()) {
          const at = cursor.mark();
          const value = this.#value(cursor, schema, parent);
          if (value !== undefined) this.#assembler.leafListEntry(parent, schema, value, at);
        }
        return;
      case "anydata":
      case "anyxml": {
        // RFC 7951 sections 5.5 and 5.6: nodes stand in an anydata, any JSON in an anyxml.
        if (schema.kind === "anydata" && this.#dialect === "rfc7951" && cursor.kind() !== "object") {
          this.#wrongType(cursor, "an object", namePlace(parent, schema));
          return;
        }
        const content = this.#assembler.valueOf(this.#opaque(cursor.value()), () => namePlace(parent, schema), mark);
        if (content !== undefined) this.#assembler.opaque(parent, schema, content, mark);
      }
    }
  }

  #enterArray(cursor: JsonCursor, schema: DataSchemaNode, parent: OpenParent): boolean {
    if (cursor.kind() !== "array") {
      this.#wrongType(cursor, "an array", namePlace(parent, schema));
      return false;
    }
    cursor.enterArray();
    return true;
  }

  #opaque(json: JsonValue): Result<Pick<AnydataNode, "encoding" | "content">> {
    if (this.#dialect === "tenure") return opaqueFromJson(json);
    return ok({ encoding: "json", content: formatJson(json, { layout: "compact" }) });
  }

  #value(cursor: JsonCursor, schema: LeafSchema | LeafListSchema, parent: OpenParent): Value | undefined {
    const mark = cursor.mark();
    const kind = cursor.kind();
    const json = kind === "object" || kind === "array" ? cursor.value() : cursor.scalar();
    const result: Result<Value> =
      json.kind === "object" && this.#dialect === "tenure" && !(schema.kind === "leaf" && schema.isKey)
        ? sealedFromJson(json, builtInTypes(simpleTypesOf(schema.type)))
        : this.#values.read(schema, json);
    if (result.kind === "ok" && result.warnings.length === 0) return result.value;
    return this.#assembler.valueOf(result, () => namePlace(parent, schema), mark);
  }

  /** RFC 7952 section 5.2: `@` is about the object itself, `@name` about its member, wherever the two stand. */
  #annotation(cursor: JsonCursor, parent: OpenParent, name: string, annotations: Annotations): void {
    const mark = cursor.nameMark();
    const at = { place: parent, below: name };
    const json = cursor.value();
    if (!isMetadata(json) || (name === "@" && json.kind === "array")) {
      const message = `${describeKind(json.kind)} is no metadata`;
      const expected = name === "@" ? "an object" : "an object, or an array of objects and null";
      this.#assembler.error({ code: "wrong-json-type", message, expected, ...at }, mark);
    }
    for (const each of json.kind === "array" ? json.items : [json]) {
      const edit = each.kind === "object" ? each.members.find((member) => editAnnotation.test(member.name)) : undefined;
      if (edit === undefined) continue;
      const message = `${name} holds ${edit.name}, which is for edits, and no edit is read here`;
      this.#assembler.error({ code: "edit-attribute", message, ...at }, mark);
    }
    // The name of a node with its module and without are one name.
    const about =
      name === "@" || name.includes(":") ? name.slice(1) : `${parent.schema?.module ?? ""}:${name.slice(1)}`;
    if (annotations.has(about)) {
      const message = `the metadata ${name} stands twice`;
      this.#assembler.error({ code: "duplicate-node", message, ...at }, mark);
    }
    annotations.set(about, { json, mark });
  }

  #annotate(parent: OpenParent, annotations: Annotations): void {
    for (const [about, { json, mark }] of annotations) {
      const schema = parent.names.get(about.slice(about.indexOf(":") + 1))?.find((each) => each.id === about);
      if (schema?.kind === "leaf") {
        const origin = this.#assembler.valueOf(this.#originIn(json), () => namePlace(parent, schema), mark);
        if (origin !== undefined) this.#assembler.setOrigin(parent, schema, origin);
      } else if (schema?.kind === "leaf-list" && schema.config && json.kind === "array") {
        // The configuration does not hold a default of a leaf-list.
        const { items } = json;
        this.#assembler.dropEntries(parent, schema, (index) => isTaggedDefault(items[index]));
      }
    }
  }

  #originIn(json: JsonValue): Result<LeafOrigin | undefined> {
    const told = this.#dialect === "tenure" ? originFromJson(json) : ok(undefined);
    if (told.kind === "error" || told.value !== undefined) return told;
    return ok(isTaggedDefault(json) ? "default" : undefined);
  }

  #wrongType(cursor: JsonCursor, expected: string, place: DataPlace): void {
    const message = `${describeKind(cursor.kind())} cannot stand here`;
    this.#assembler.error({ code: "wrong-json-type", message, place, expected }, cursor.mark());
    cursor.value();
  }
}

/** What libyang and others name the attributes of RFC 6241 section 7.2 and RFC 7950 section 7.8.6 in JSON. */
const editAnnotation = /^(?:ietf-netconf|yang):/;

/** RFC 7952 section 5.2: an object, or for a leaf-list one for each entry or null. */
function isMetadata(json: JsonValue): boolean {
  const isOne = (each: JsonValue): boolean => each.kind === "object" || each.kind === "null";
  return json.kind === "object" || (json.kind === "array" && json.items.every(isOne));
}

/** RFC 8040 section 4.8.9: the annotation `default` of module ietf-netconf-with-defaults. */
function isTaggedDefault(annotations: JsonValue | undefined): boolean {
  const tag = annotations?.kind === "object" ? memberOf(annotations, "ietf-netconf-with-defaults:default") : undefined;
  return tag?.kind === "boolean" && tag.value;
}
