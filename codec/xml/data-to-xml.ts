/** A data tree to NETCONF and RESTCONF XML (RFC 7950, the "XML Encoding Rules"). */
import type { Result } from "../../model/diagnostic.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import type { LeafListSchema, LeafSchema, Schema } from "../../model/schema.ts";
import { type DataNode, type DataTree, type EntryNode, segmentOf } from "../../model/tree.ts";
import type { PlainValue, Value } from "../../model/value.ts";
import { DataFindings, type DataPlace, NodePlace } from "../data-findings.ts";
import { formatInstanceIdentifier } from "../path/instance-identifier.ts";
import { schemaPrefixes } from "../path/prefix-table.ts";
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
          const remedy = "write JSON, or leave the node out: what is opaque stays in the encoding that it came in";
          this.findings.error({ code: "opaque-content", message, remedy, ...where() });
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

/** Remembers what the names in one value are declared as. */
class ValuePrefixes {
  readonly scope = new Map<string, string>();
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  identity(id: string): string {
    const colon = id.indexOf(":");
    const prefix = this.#prefixOf(id.slice(0, colon));
    if (prefix === undefined) throw new RangeError(`no identity of this schema: ${id}`);
    return `${prefix}:${id.slice(colon + 1)}`;
  }

  instanceIdentifier(canonical: string): string {
    const resolved = parseInstancePath(this.#schema, canonical);
    const names = { kind: "prefixes", prefixOf: (module: string) => this.#prefixOf(module) } as const;
    const text = resolved.kind === "ok" ? formatInstanceIdentifier(this.#schema, resolved.value.path, names) : resolved;
    if (text.kind === "error") throw new RangeError(`no instance-identifier of this schema: ${canonical}`);
    return text.value;
  }

  #prefixOf(module: string): string | undefined {
    const prefix = schemaPrefixes(this.#schema).prefixOf(module);
    const namespace = this.#schema.modules.get(module)?.namespace;
    if (prefix !== undefined && namespace !== undefined) this.scope.set(prefix, namespace);
    return prefix;
  }
}
