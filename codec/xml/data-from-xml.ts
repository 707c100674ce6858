/** NETCONF and RESTCONF XML to a data tree (RFC 7950, the "XML Encoding Rules" of sections 7.5 to 7.11 and 9). */
import { parseValue } from "../../model/canonical-value.ts";
import type { Result } from "../../model/diagnostic.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ListSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
} from "../../model/schema.ts";
import type { Children, DataNode, DataTree } from "../../model/tree.ts";
import type { PlainValue } from "../../model/value.ts";
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
import { formatOpaqueXml } from "./data-opaque.ts";
import { type XmlElement, attributeValue, childElements, textOf } from "./xml-element.ts";

/** Namespace of the attribute `default` (RFC 6243 section 6). */
export const withDefaultsNamespace = "urn:ietf:params:xml:ns:netconf:default:1.0";

/**
 * Reads the children of a `<data>` or `<config>` element. Guarantees of a tree that is returned: every node is in the
 * schema, every value canonical, every entry has all its keys and none stands twice; keys may stand in any order in the
 * entry and entries of different lists may be interleaved. Identities and instance-identifiers are resolved by the
 * namespaces in scope of their own element. Text of strings is kept exactly; blanks around other values and between
 * elements are ignored.
 *
 * Any finding of severity error, all reported with instance paths, means no tree: a partial reading is never returned.
 * anydata and anyxml are kept as self-contained XML. Attributes other than the `default` of RFC 6243 are ignored; a
 * leaf-list entry that is tagged as default is left out, since it is not part of the configuration.
 * Whether the data is valid as a whole (mandatory, must, choices, ...) is not decided here.
 */
export function dataFromXml(
  schema: Schema,
  elements: readonly XmlElement[],
  options: ReadDataOptions,
): Result<DataTree> {
  const reader = new XmlDataReader(schema, options);
  const roots = reader.children(elements, undefined, undefined);
  return reader.findings.result({ schema, roots });
}

class XmlDataReader {
  readonly findings = new DataFindings();
  readonly #schema: Schema;
  readonly #options: ReadDataOptions;

  constructor(schema: Schema, options: ReadDataOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  /** `keys` are left out: they have been read as part of their entry. */
  children(
    elements: readonly XmlElement[],
    parent: ParentSchemaNode | undefined,
    place: DataPlace | undefined,
  ): Children {
    const schemas = childSchemas(this.#schema, parent);
    const into = new ChildrenReader(this.findings, place);
    for (const element of elements) {
      const id = this.#idOf(element);
      const schema = id === undefined ? undefined : schemas.get(id);
      if (schema === undefined) {
        const name = id ?? `{${element.namespace}}${element.name}`;
        this.findings.unknown(this.#options, {
          code: "unknown-node",
          message: `no node ${name} in the schema`,
          places: [instancePlace(place, name)],
          expected: expectedNames(schemas),
        });
        continue;
      }
      if (this.#options.nodes === "config" && !schema.config) continue;
      if (schema.kind === "leaf" && schema.isKey) continue;
      const node = this.#node(element, schema, place);
      if (node !== undefined) into.add(node);
    }
    return into.children;
  }

  #idOf(element: XmlElement): string | undefined {
    const module = this.#schema.namespaces.get(element.namespace);
    return module === undefined ? undefined : `${module}:${element.name}`;
  }

  #node(element: XmlElement, schema: DataSchemaNode, parent: DataPlace | undefined): DataNode | undefined {
    switch (schema.kind) {
      case "container": {
        const place = namePlace(parent, schema);
        return { kind: "container", schema, children: this.#contentOf(element, schema, place) };
      }
      case "list": {
        const keys = this.#keys(element, schema, namePlace(parent, schema));
        if (keys === undefined) return undefined;
        return {
          kind: "entry",
          schema,
          keys,
          children: this.#contentOf(element, schema, entryPlace(parent, schema, keys)),
        };
      }
      case "leaf": {
        const value = this.#value(element, schema, namePlace(parent, schema));
        if (value === undefined) return undefined;
        const origin = originOf(schema, value, { mode: this.#options.defaultsMode, tagged: isTaggedDefault(element) });
        return { kind: "leaf", schema, value, origin };
      }
      case "leaf-list": {
        const value = this.#value(element, schema, namePlace(parent, schema));
        return value === undefined || isTaggedDefault(element) ? undefined : { kind: "leaf-list-entry", schema, value };
      }
      case "anydata":
      case "anyxml": {
        const content = this.findings.valueOf(formatOpaqueXml(element), [instancePlace(namePlace(parent, schema))]);
        return content === undefined ? undefined : { kind: "anydata", schema, encoding: "xml", content };
      }
    }
  }

  #contentOf(element: XmlElement, schema: ParentSchemaNode, place: DataPlace): Children {
    if (/[^ \t\n\r]/.test(textOf(element))) {
      const message = `${schema.kind} ${schema.name} holds text, where only elements can stand`;
      this.findings.error({ code: "unexpected-text", message, places: [instancePlace(place)] });
    }
    return this.children(childElements(element), schema, place);
  }

  #keys(entry: XmlElement, schema: ListSchema, place: DataPlace): readonly PlainValue[] | undefined {
    if (schema.keys.length === 0) {
      this.findings.error(keylessList(schema, [instancePlace(place)]));
      return undefined;
    }
    const elements = childElements(entry);
    const values: PlainValue[] = [];
    for (const key of schema.keys) {
      const found = elements.filter((element) => element.name === key.name && element.namespace === key.namespace);
      const [first] = found;
      if (first === undefined) {
        const message = `an entry of list ${schema.name} lacks its key ${key.name}`;
        this.findings.error({ code: "missing-key", message, places: [instancePlace(place)] });
        continue;
      }
      if (found.length > 1) this.findings.error(duplicate(key, [instancePlace(namePlace(place, key))]));
      const value = this.#value(first, key, namePlace(place, key));
      if (value !== undefined) values.push(value);
    }
    return values.length === schema.keys.length ? values : undefined;
  }

  #value(element: XmlElement, schema: LeafSchema | LeafListSchema, place: DataPlace): PlainValue | undefined {
    if (element.children.some((child) => child.kind === "element")) {
      const message = `${schema.kind} ${schema.name} holds elements, where only a value can stand`;
      this.findings.error({ code: "unexpected-element", message, places: [instancePlace(place)] });
      return undefined;
    }
    const moduleOf = (prefix: string): string | undefined =>
      this.#schema.namespaces.get(element.scope.get(prefix) ?? "");
    const result = parseValue(schema.type, textOf(element), { schema: this.#schema, form: { kind: "xml", moduleOf } });
    if (result.kind === "ok" && result.warnings.length === 0) return result.value;
    return this.findings.valueOf(result, [instancePlace(place)]);
  }
}

function isTaggedDefault(element: XmlElement): boolean {
  if (element.attributes.length === 0) return false;
  const tag = attributeValue(element, withDefaultsNamespace, "default");
  return tag === "true" || tag === "1";
}
