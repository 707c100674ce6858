/** RFC 7951 JSON to a data tree. */
import { simpleTypesOf } from "../../model/canonical-value.ts";
import type { Result } from "../../model/diagnostic.ts";
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

/** Metadata in one object, by its name, which is that of the member with `@` in front. */
type Annotations = Map<string, JsonValue>;

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
      this.#assembler.error({ code: "unqualified-node", message, place: parent, below: name }, cursor.nameMark());
      return undefined;
    }
    const found = parent.names.get(colon < 0 ? name : name.slice(colon + 1));
    if (found !== undefined) for (const schema of found) if (schema.module === module) return schema;
    this.#assembler.unknown(parent, name, cursor.nameMark());
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
    return { kind: "ok", value: { encoding: "json", content: formatJson(json, { layout: "compact" }) }, warnings: [] };
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
    const json = cursor.value();
    for (const each of json.kind === "array" ? json.items : [json]) {
      const edit = each.kind === "object" ? each.members.find((member) => editAnnotation.test(member.name)) : undefined;
      if (edit === undefined) continue;
      const message = `${name} holds ${edit.name}, which is for edits, and no edit is read here`;
      this.#assembler.error({ code: "edit-attribute", message, place: parent, below: name }, mark);
    }
    if (annotations.has(name)) {
      const message = `the metadata ${name} stands twice`;
      this.#assembler.error({ code: "duplicate-node", message, place: parent, below: name }, mark);
    }
    annotations.set(name, json);
  }

  #annotate(parent: OpenParent, annotations: Annotations): void {
    for (const [annotation, json] of annotations) {
      const name = annotation.slice(1);
      const colon = name.indexOf(":");
      const module = colon < 0 ? parent.schema?.module : name.slice(0, colon);
      const schema = parent.names.get(name.slice(colon + 1))?.find((each) => each.module === module);
      if (schema?.kind === "leaf") {
        const origin = this.#originIn(json);
        if (origin !== undefined) this.#assembler.setOrigin(parent, schema, origin);
      } else if (schema?.kind === "leaf-list" && json.kind === "array") {
        // The configuration does not hold a default of a leaf-list.
        const { items } = json;
        this.#assembler.dropEntries(parent, schema, (index) => isTaggedDefault(items[index]));
      }
    }
  }

  #originIn(json: JsonValue): LeafOrigin | undefined {
    const told = this.#dialect === "tenure" ? originFromJson(json) : undefined;
    return told ?? (isTaggedDefault(json) ? "default" : undefined);
  }

  #wrongType(cursor: JsonCursor, expected: string, place: DataPlace): void {
    const message = `${describeKind(cursor.kind())} cannot stand here`;
    this.#assembler.error({ code: "wrong-json-type", message, place, expected }, cursor.mark());
    cursor.value();
  }
}

/** What libyang and others name the attributes of RFC 6241 section 7.2 and RFC 7950 section 7.8.6 in JSON. */
const editAnnotation = /^(?:ietf-netconf|yang):/;

/** RFC 8040 section 4.8.9: the annotation `default` of module ietf-netconf-with-defaults. */
function isTaggedDefault(annotations: JsonValue | undefined): boolean {
  const tag = annotations?.kind === "object" ? memberOf(annotations, "ietf-netconf-with-defaults:default") : undefined;
  return tag?.kind === "boolean" && tag.value;
}
