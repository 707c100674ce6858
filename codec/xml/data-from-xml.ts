/** NETCONF and RESTCONF XML to a data tree (RFC 7950, the "XML Encoding Rules" of sections 7.5 to 7.11 and 9). */
import { type ValueContext, parseValue } from "../../model/values/canonical-value.ts";
import type { Result, SourcePosition } from "../../model/diagnostic.ts";
import type { AnydataSchema, DataSchemaNode, LeafListSchema, LeafSchema, Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { namePlace } from "../data-findings.ts";
import { type OpenParent, type ReadDataOptions, TreeAssembler } from "../data-reading.ts";
import { formatOpaqueXml } from "./data-opaque.ts";
import { type XmlElementStart, type XmlHandler, XmlTreeBuilder } from "./read-xml.ts";
import type { XmlElement, XmlScope } from "./xml-element.ts";

/** Namespace of the attribute `default` (RFC 6243 section 6). */
export const withDefaultsNamespace = "urn:ietf:params:xml:ns:netconf:default:1.0";

/** Namespaces of attributes that make an element an edit (RFC 6241 section 7.2, RFC 7950 section 7.8.6). */
const editNamespaces: ReadonlySet<string> = new Set([
  "urn:ietf:params:xml:ns:netconf:base:1.0",
  "urn:ietf:params:xml:ns:yang:1",
]);

/**
 * Reads the children of a `<data>` or `<config>` element. Guarantees of a tree that is returned: every node is in the
 * schema, every value canonical, every entry has all its keys and none stands twice; keys may stand in any order in the
 * entry and entries of different lists may be interleaved. Identities and instance-identifiers are resolved by the
 * namespaces in scope of their own element. Text of strings is kept exactly; blanks around other values and between
 * elements are ignored. With `nodes: "all"`, entries of lists without keys and repeated values of state data stand in
 * the order of the text, each with its position.
 *
 * Any finding of severity error, all reported with instance paths, means no tree: a partial reading is never returned.
 * anydata and anyxml are kept as self-contained XML. Attributes are metadata (RFC 7952) and ignored, except the `default`
 * of RFC 6243 and those of an edit, which are an error, be it without its namespace: `operation="delete"` must never be
 * read as data. Other attributes without namespace are no metadata (RFC 7952 section 5.1): a warning. An entry of a
 * configured leaf-list that is tagged as default is left out, since it is not part of the configuration.
 * Whether the data is valid as a whole (mandatory, must, choices, ...) is not decided here.
 */
export function dataFromXml(
  schema: Schema,
  elements: readonly XmlElement[],
  options: ReadDataOptions,
): Result<DataTree> {
  const reader = new XmlDataReader(schema, options);
  for (const element of elements) replay(element, reader);
  return reader.result();
}

/** An element as the events that it was made of. */
function replay(element: XmlElement, handler: XmlHandler): void {
  handler.open(element, 0);
  for (const child of element.children) {
    if (child.kind === "element") replay(child, handler);
    else handler.text(child.value);
  }
  handler.close();
}

export interface XmlDataReaderOptions extends ReadDataOptions {
  /** Where the start tag stands whose end has that offset; without it findings have instance paths alone. */
  readonly locate?: (end: number) => SourcePosition;
}

/** A leaf or leaf-list entry that has started. */
interface OpenLeaf {
  readonly schema: LeafSchema | LeafListSchema;
  readonly start: XmlElementStart;
  readonly end: number;
  text: string;
  refused: boolean;
}

interface OpenOpaque {
  readonly schema: AnydataSchema;
  readonly builder: XmlTreeBuilder;
  readonly end: number;
}

/**
 * `dataFromXml` for a text that is read while it goes by: takes the events below `<data>`, and holds nothing of the
 * text but the tree. After an error of the XML itself the reader must be thrown away.
 */
export class XmlDataReader implements XmlHandler {
  readonly #schema: Schema;
  readonly #assembler: TreeAssembler;
  #parent: OpenParent;
  /** Parents whose text was found wrong already. */
  #wrongText: OpenParent | undefined;
  #leaf: OpenLeaf | undefined;
  #opaque: OpenOpaque | undefined;
  /** Depth within an element that is passed over. */
  #passedOver = 0;
  #namespace: string | undefined;
  #module: string | undefined;
  #scope: XmlScope | undefined;
  #context: ValueContext | undefined;

  constructor(schema: Schema, options: XmlDataReaderOptions) {
    const { locate } = options;
    this.#schema = schema;
    this.#assembler = new TreeAssembler(schema, options, (end) => locate?.(end));
    this.#parent = this.#assembler.root;
  }

  /** Is nothing open? */
  get isAtTop(): boolean {
    return (
      this.#parent === this.#assembler.root &&
      this.#leaf === undefined &&
      this.#opaque === undefined &&
      this.#passedOver === 0
    );
  }

  /** Needs every element closed. */
  result(): Result<DataTree> {
    return this.#assembler.result();
  }

  open(start: XmlElementStart, end: number): void {
    if (this.#passedOver > 0) {
      this.#passedOver += 1;
    } else if (this.#opaque !== undefined) {
      this.#opaque.builder.open(start);
    } else if (this.#leaf !== undefined) {
      this.#refuseElement(this.#leaf);
      this.#passedOver = 1;
    } else {
      const schema = this.#schemaOf(start);
      if (schema === undefined) {
        const { name, namespace } = start;
        const given = { name, qualifier: { kind: "namespace", uri: namespace } } as const;
        this.#assembler.unknown(this.#parent, this.#nameOf(start), given, end);
      }
      if (start.attributes.length > 0) this.#checkAttributes(start, end);
      if (schema === undefined || this.#assembler.isLeftOut(schema)) this.#passedOver = 1;
      else this.#openNode(schema, start, end);
    }
  }

  text(value: string): void {
    if (this.#passedOver > 0) return;
    if (this.#opaque !== undefined) {
      this.#opaque.builder.text(value);
    } else if (this.#leaf !== undefined) {
      this.#leaf.text = this.#leaf.text === "" ? value : this.#leaf.text + value;
    } else if (this.#wrongText !== this.#parent && !isBlank(value)) {
      const parent = this.#parent;
      this.#wrongText = parent;
      const what = parent.schema === undefined ? "the top" : `${parent.schema.kind} ${parent.schema.name}`;
      const message = `${what} holds text, where only elements can stand`;
      this.#assembler.error({ code: "unexpected-text", message, place: parent }, parent.mark);
    }
  }

  close(): void {
    if (this.#passedOver > 0) {
      this.#passedOver -= 1;
    } else if (this.#opaque !== undefined) {
      this.#opaque.builder.close();
      if (this.#opaque.builder.root !== undefined) this.#closeOpaque(this.#opaque, this.#opaque.builder.root);
    } else if (this.#leaf !== undefined) {
      this.#closeLeaf(this.#leaf);
    } else {
      const closed = this.#parent;
      this.#assembler.close(closed);
      this.#parent = closed.parent ?? closed;
    }
  }

  #schemaOf({ name, namespace }: XmlElementStart): DataSchemaNode | undefined {
    const named = this.#parent.names.get(name);
    if (named === undefined) return undefined;
    const module = this.#moduleOf(namespace);
    for (const schema of named) if (schema.module === module) return schema;
    return undefined;
  }

  /** Elements that stand together are mostly of one namespace. */
  #moduleOf(namespace: string): string | undefined {
    if (namespace !== this.#namespace) {
      this.#namespace = namespace;
      this.#module = this.#schema.namespaces.get(namespace);
    }
    return this.#module;
  }

  #nameOf({ name, namespace }: XmlElementStart): string {
    const module = this.#moduleOf(namespace);
    return module === undefined ? `{${namespace}}${name}` : `${module}:${name}`;
  }

  #openNode(schema: DataSchemaNode, start: XmlElementStart, end: number): void {
    switch (schema.kind) {
      case "container":
      case "list":
        this.#parent = this.#assembler.open(this.#parent, schema, end);
        return;
      case "leaf":
      case "leaf-list":
        this.#leaf = { schema, start, end, text: "", refused: false };
        return;
      case "anydata":
      case "anyxml":
        this.#opaque = { schema, builder: new XmlTreeBuilder(), end };
        this.#opaque.builder.open(start);
    }
  }

  #closeLeaf({ schema, start, end, text, refused }: OpenLeaf): void {
    this.#leaf = undefined;
    const parent = this.#parent;
    let value;
    if (!refused) {
      const result = parseValue(schema.type, text, this.#contextOf(start.scope));
      value =
        result.kind === "ok" && result.warnings.length === 0
          ? result.value
          : this.#assembler.valueOf(result, () => namePlace(parent, schema), end);
    }
    const tag = start.attributes.length > 0 && isTaggedDefault(start) ? "default" : "none";
    if (schema.kind === "leaf") {
      this.#assembler.leaf(parent, schema, value, this.#assembler.originOf(schema, value, tag), end);
    } else if (value !== undefined && !(tag === "default" && schema.config)) {
      this.#assembler.leafListEntry(parent, schema, value, end);
    }
  }

  #closeOpaque({ schema, end }: OpenOpaque, element: XmlElement): void {
    this.#opaque = undefined;
    const parent = this.#parent;
    if (schema.kind === "anydata" && element.children.some((child) => child.kind === "text" && !isBlank(child.value))) {
      // RFC 7950 section 7.10: what stands in an anydata is nodes; an anyxml may hold anything.
      const message = `anydata ${schema.name} holds text, where only elements can stand`;
      this.#assembler.error({ code: "unexpected-text", message, place: namePlace(parent, schema) }, end);
      return;
    }
    const content = this.#assembler.valueOf(formatOpaqueXml(element), () => namePlace(parent, schema), end);
    if (content !== undefined) this.#assembler.opaque(parent, schema, { encoding: "xml", content }, end);
  }

  /** Elements share their scopes, and so do the values in them. */
  #contextOf(scope: XmlScope): ValueContext {
    if (this.#context === undefined || this.#scope !== scope) {
      const schema = this.#schema;
      const moduleOf = (prefix: string): string | undefined => schema.namespaces.get(scope.get(prefix) ?? "");
      this.#scope = scope;
      this.#context = { schema, form: { kind: "xml", moduleOf } };
    }
    return this.#context;
  }

  #refuseElement(leaf: OpenLeaf): void {
    if (leaf.refused) return;
    leaf.refused = true;
    const { schema, end } = leaf;
    const message = `${schema.kind} ${schema.name} holds elements, where only a value can stand`;
    const place = namePlace(this.#parent, schema);
    this.#assembler.error({ code: "unexpected-element", message, place }, end);
  }

  #checkAttributes(start: XmlElementStart, end: number): void {
    const at = { place: this.#parent, below: this.#nameOf(start) };
    for (const { namespace, name } of start.attributes) {
      if (editNamespaces.has(namespace) || (namespace === "" && name === "operation")) {
        const message = `${start.name} has the attribute ${name} of an edit, and no edit is read here`;
        this.#assembler.error({ code: "edit-attribute", message, ...at }, end);
      } else if (namespace === "") {
        const message = `the attribute ${name} of ${start.name} has no namespace, so that nothing is known about it: it is left out`;
        this.#assembler.warn({ code: "attribute-ignored", message, ...at }, end);
      }
    }
  }
}

function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

function isTaggedDefault({ attributes }: XmlElementStart): boolean {
  return attributes.some(
    ({ namespace, name, value }) =>
      namespace === withDefaultsNamespace && name === "default" && (value === "true" || value === "1"),
  );
}
