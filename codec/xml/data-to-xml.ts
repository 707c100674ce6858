/** A data tree to NETCONF and RESTCONF XML (RFC 7950, the "XML Encoding Rules"). */
import { parseValue } from "../../model/canonical-value.ts";
import type { Result } from "../../model/diagnostic.ts";
import { type InstancePath, parseInstancePath } from "../../model/path.ts";
import {
  type LeafListSchema,
  type LeafSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
  isParentSchema,
} from "../../model/schema.ts";
import { type DataNode, type DataTree, type EntryNode, segmentOf } from "../../model/tree.ts";
import type { PlainValue, Value } from "../../model/value.ts";
import { DataFindings, type DataPlace, NodePlace } from "../data-findings.ts";
import { withDefaultsNamespace } from "./data-from-xml.ts";
import { parseOpaqueXml } from "./data-opaque.ts";
import { type XmlAttribute, type XmlElement, type XmlNode, type XmlScope, xmlElement, xmlText } from "./xml-element.ts";

export interface DataToXmlOptions {
  /**
   * Leafs of origin `default`: left out, written like any other, or written with the `default` attribute of RFC 6243
   * section 6. `omit` where left out: what is sent to a device is what desired state sets.
   */
  readonly defaults?: "omit" | "write" | "tag";
}

/**
 * The top-level elements. Guarantees: keys come first, in the order of the key statement; every prefix that a value uses
 * is declared on the element of that value, so that any element can be cut out and sent by itself.
 * Errors: `sealed-value` (a secret must be unsealed before it is written), `opaque-content` (anydata that came as JSON).
 */
export function dataToXml(tree: DataTree, options: DataToXmlOptions = {}): Result<XmlElement[]> {
  const writer = new XmlDataWriter(tree.schema, options);
  const elements = writer.elements(tree.roots.values(), undefined);
  return writer.findings.result(elements);
}

/** One node with all below it; the element that `dataToXml` gives for it. */
export function nodeToXml(schema: Schema, node: DataNode, options: DataToXmlOptions = {}): Result<XmlElement> {
  const writer = new XmlDataWriter(schema, { defaults: "write", ...options });
  return writer.findings.result(writer.node(node, undefined));
}

/** The key leafs of an entry, in order: what an edit of something below the entry has to carry. */
export function keysToXml(schema: Schema, entry: EntryNode): Result<XmlElement[]> {
  const writer = new XmlDataWriter(schema, {});
  return writer.findings.result(writer.keys(entry, undefined));
}

/** One value as an element, for edits by path where there is no node. */
export function valueToXml(schema: Schema, leaf: LeafSchema | LeafListSchema, value: PlainValue): XmlElement {
  const { text, scope } = xmlValue(schema, value);
  return xmlElement({ namespace: leaf.namespace, name: leaf.name, scope, children: textNodes(text) });
}

class XmlDataWriter {
  readonly findings = new DataFindings();
  readonly #schema: Schema;
  readonly #defaults: "omit" | "write" | "tag";

  constructor(schema: Schema, options: DataToXmlOptions) {
    this.#schema = schema;
    this.#defaults = options.defaults ?? "omit";
  }

  elements(nodes: Iterable<DataNode>, place: DataPlace | undefined): XmlElement[] {
    const elements: XmlElement[] = [];
    for (const node of nodes) {
      if (node.kind === "leaf" && node.origin === "default" && this.#defaults === "omit") continue;
      const element = this.node(node, place);
      // A container whose only content is left-out defaults does not exist without them.
      if (node.kind === "container" && !node.schema.presence && element.children.length === 0) continue;
      elements.push(element);
    }
    return elements;
  }

  node(node: DataNode, parent: DataPlace | undefined): XmlElement {
    const { namespace, name } = node.schema;
    switch (node.kind) {
      case "container": {
        const place = new NodePlace(parent, node);
        return xmlElement({ namespace, name, children: this.elements(node.children.values(), place) });
      }
      case "entry": {
        const place = new NodePlace(parent, node);
        const children = this.keys(node, place);
        for (const child of this.elements(node.children.values(), place)) children.push(child);
        return xmlElement({ namespace, name, children });
      }
      case "leaf": {
        const element = this.#value(node.schema, node.value, parent, node);
        const isTagged = node.origin === "default" && this.#defaults === "tag";
        return isTagged ? { ...element, attributes: [DEFAULT_TAG] } : element;
      }
      case "leaf-list-entry":
        return this.#value(node.schema, node.value, parent, node);
      case "anydata": {
        const where = (): { readonly place: DataPlace } => ({ place: { parent, segment: segmentOf(node) } });
        if (node.encoding === "xml") {
          const element = this.findings.valueOf(parseOpaqueXml(node.content), where);
          if (element !== undefined) return element;
        } else {
          const message = `${node.schema.kind} ${name} came as JSON and has no XML form`;
          this.findings.error({ code: "opaque-content", message, ...where() });
        }
        return xmlElement({ namespace, name });
      }
    }
  }

  keys(entry: EntryNode, place: DataPlace | undefined): XmlElement[] {
    return entry.schema.keys.map((key, index) => {
      const value = entry.keys[index];
      if (value === undefined) throw new RangeError(`entry of ${entry.schema.schemaPath} lacks key ${key.name}`);
      return this.#value(key, value, place, undefined);
    });
  }

  /** `node` is undefined for a key, whose place is its entry. */
  #value(
    leaf: LeafSchema | LeafListSchema,
    value: Value,
    parent: DataPlace | undefined,
    node: DataNode | undefined,
  ): XmlElement {
    if (value.kind === "plain") return valueToXml(this.#schema, leaf, value);
    const message = `the secret ${leaf.name} is sealed and cannot be written`;
    const place = node === undefined ? parent : { parent, segment: segmentOf(node) };
    this.findings.error({ code: "sealed-value", message, place });
    return xmlElement({ namespace: leaf.namespace, name: leaf.name });
  }
}

const noScope: XmlScope = new Map();

const DEFAULT_TAG: XmlAttribute = { namespace: withDefaultsNamespace, name: "default", prefix: "wd", value: "true" };

function textNodes(text: string): readonly XmlNode[] {
  return text === "" ? [] : [xmlText(text)];
}

/** The text of a value with the prefixes it uses: only identities and instance-identifiers use any. */
function xmlValue(schema: Schema, value: PlainValue): { readonly text: string; readonly scope: XmlScope } {
  if (value.type !== "identityref" && value.type !== "instance-identifier") return { text: value.text, scope: noScope };
  const prefixes = new ValuePrefixes(schema);
  const text = value.type === "identityref" ? prefixes.identity(value.text) : prefixes.instanceIdentifier(value.text);
  return { text, scope: prefixes.scope };
}

class ValuePrefixes {
  readonly scope = new Map<string, string>();
  readonly #schema: Schema;
  readonly #byModule = new Map<string, string>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  identity(id: string): string {
    const colon = id.indexOf(":");
    return `${this.#prefixOf(id.slice(0, colon))}:${id.slice(colon + 1)}`;
  }

  /** Every name is qualified (RFC 7950 section 9.13.2); identities and paths in predicates take prefixes too. */
  instanceIdentifier(canonical: string): string {
    const resolved = parseInstancePath(this.#schema, canonical);
    if (resolved.kind === "error") throw new RangeError(`not an instance path of this schema: ${canonical}`);
    return this.#path(resolved.value.path);
  }

  #path(path: InstancePath): string {
    let parent: ParentSchemaNode | undefined;
    let text = "";
    for (const segment of path) {
      const node = childSchemas(this.#schema, parent).get(`${segment.module}:${segment.name}`);
      const prefix = this.#prefixOf(segment.module);
      text += `/${prefix}:${segment.name}`;
      if (segment.kind === "entry" && node?.kind === "list") {
        for (const [index, key] of segment.keys.entries()) {
          text += `[${prefix}:${key.name}=${this.#literal(node.keys[index], key.value)}]`;
        }
      } else if (segment.kind === "leaf-list-entry" && node?.kind === "leaf-list") {
        text += `[.=${this.#literal(node, segment.value)}]`;
      }
      parent = node !== undefined && isParentSchema(node) ? node : undefined;
    }
    return text;
  }

  #literal(leaf: LeafSchema | LeafListSchema | undefined, canonical: string): string {
    const value = leaf && parseValue(leaf.type, canonical, { schema: this.#schema, form: { kind: "canonical" } });
    const type = value?.kind === "ok" ? value.value.type : undefined;
    const text =
      type === "identityref"
        ? this.identity(canonical)
        : type === "instance-identifier"
          ? this.instanceIdentifier(canonical)
          : canonical;
    return text.includes("'") ? `"${text}"` : `'${text}'`;
  }

  /** The module's own prefix where it is free and XML allows it, else one made from it. */
  #prefixOf(moduleName: string): string {
    const known = this.#byModule.get(moduleName);
    if (known !== undefined) return known;
    const module = this.#schema.modules.get(moduleName);
    if (module === undefined) throw new RangeError(`module ${moduleName} is not in the schema`);
    const wanted = /^xml/i.test(module.prefix) ? `m-${module.prefix}` : module.prefix;
    let prefix = wanted;
    for (let count = 2; this.scope.has(prefix); count += 1) prefix = `${wanted}-${String(count)}`;
    this.#byModule.set(moduleName, prefix);
    this.scope.set(prefix, module.namespace);
    return prefix;
  }
}
