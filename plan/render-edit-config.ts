/**
 * Operations as `<edit-config>` content (RFC 6241, 7.2), each with its operation written out, so that a reviewer who knows NETCONF can read
 * what a plan sends, and nothing depends on the request's default operation but the making of non-presence containers on the way.
 */
import { keysToXml, nodeToXml, valueToXml } from "../codec/xml/data-to-xml.ts";
import { type XmlAttribute, type XmlElement, textOf, xmlElement } from "../codec/xml/xml-element.ts";
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, type KeyValue, type PathSegment, formatInstancePath, segmentKey } from "../model/path.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, ListSchema, Schema } from "../model/schema.ts";
import { type Children, type DataNode, type EntryNode, segmentOf } from "../model/tree.ts";
import { type PlainValue, type SealedValue, type Value, plainValue } from "../model/value.ts";
import { canonicalValue, keyValues } from "./key-values.ts";
import type { Insert, Operation } from "./operation.ts";
import { schemaAlong } from "./schema-along.ts";

const ncNamespace = "urn:ietf:params:xml:ns:netconf:base:1.0";
const yangNamespace = "urn:ietf:params:xml:ns:yang:1";

export interface RenderEditConfigOptions {
  /**
   * Gives the clear text of a secret. Called for each sealed value that is sent, at this moment only: the result holds clear text and must not
   * be stored or logged. Without it a sealed value is an error.
   */
  readonly reveal?: (sealed: SealedValue, path: InstancePath) => string;
}

/** What one `<edit-config>` carries: the children of its `<config>`. */
export type EditConfig = readonly XmlElement[];

/**
 * Renders the operations of one plan section, in plan order. Normally one edit-config: operations below one node share its element, all edits
 * of one list stand side by side, and entries of user-ordered lists stand in the order in which they have to be inserted. Another one is begun
 * only where an operation meets a node that the current one creates, replaces or removes whole.
 *
 * - create and replace are sent as `merge`: `create` fails where a server takes a default in use for existing data (RFC 6243, 2.1.2), and the
 *   base is proven under the lock anyway. Opaque content is sent as `replace`, since merging would mix two contents.
 * - delete is sent as `remove`, which does not fail where the node is gone already or its parent was pruned. Implied deletes are not sent.
 * - Every entry on the way carries all its keys; a new or moved entry of a user-ordered list carries `yang:insert` and `yang:key` or
 *   `yang:value` (RFC 7950, 7.7.9 and 7.8.6).
 *
 * To be sent with the default operation `merge`. Errors: `sealed-value` where nothing reveals a secret, `opaque-content` for anydata that came
 * as JSON, `anchor-not-expressible` for an anchor whose keys XPath 1.0
 * has no literals for (both kinds of quotes).
 * Throws RangeError on paths that are not of this schema or lack a key.
 */
export function renderEditConfig(
  schema: Schema,
  operations: readonly Operation[],
  options: RenderEditConfigOptions = {},
): Result<readonly EditConfig[]> {
  const renderer = new Renderer(schema, options);
  for (const operation of operations) renderer.add(operation);
  return renderer.result();
}

/** One element while edits are gathered below it. */
interface Draft {
  readonly schema: DataSchemaNode;
  /** The element itself: keys of an entry, or all of what an operation sends. */
  element: XmlElement;
  attributes: readonly XmlAttribute[];
  /** `whole`: an operation owns all below it. `placed`: only its place is given. */
  role: "way" | "placed" | "whole";
  readonly children: Map<string, Draft>;
}

class Renderer {
  readonly #schema: Schema;
  readonly #options: RenderEditConfigOptions;
  readonly #documents: Map<string, Draft>[] = [new Map<string, Draft>()];
  readonly #errors: Diagnostic[] = [];

  constructor(schema: Schema, options: RenderEditConfigOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  add(operation: Operation): void {
    const document = this.#documents.at(-1);
    if (document === undefined || !this.#fits(document, operation)) this.#documents.push(new Map());
    const schemas = schemaAlong(this.#schema, operation.path);
    let siblings = this.#documents.at(-1) ?? new Map<string, Draft>();
    for (const [index, segment] of operation.path.entries()) {
      const schema = schemas[index];
      if (schema === undefined) return;
      const key = segmentKey(segment);
      let draft = siblings.get(key);
      if (draft === undefined) {
        const element = this.#wayElement(schema, segment);
        draft = { schema, element, attributes: [], role: "way", children: new Map() };
        siblings.set(key, draft);
      }
      if (index === operation.path.length - 1) this.#write(operation, draft, siblings, key);
      siblings = draft.children;
    }
  }

  result(): Result<readonly EditConfig[]> {
    if (this.#errors.length > 0) return failure(this.#errors);
    const documents = this.#documents.filter((document) => document.size > 0);
    return ok(documents.map((document) => [...document.values()].map((draft) => declareNc(finish(draft)))));
  }

  #fits(document: ReadonlyMap<string, Draft>, operation: Operation): boolean {
    let siblings: ReadonlyMap<string, Draft> | undefined = document;
    for (const [index, segment] of operation.path.entries()) {
      const draft: Draft | undefined = siblings.get(segmentKey(segment));
      if (draft === undefined) return true;
      if (draft.role === "whole") return false;
      if (index === operation.path.length - 1) return operation.op === "move" && draft.role === "way";
      siblings = draft.children;
    }
    return true;
  }

  #write(operation: Operation, draft: Draft, siblings: Map<string, Draft>, key: string): void {
    const attributes = [operationAttribute(operation)];
    if (operation.op === "create" || operation.op === "replace")
      draft.element = this.#content(operation.after, operation.path);
    else if (operation.op === "delete") draft.element = this.#removal(operation.before, operation.path);
    if ((operation.op === "create" || operation.op === "move") && operation.insert !== undefined) {
      const scope = new Map(draft.element.scope);
      attributes.push(...this.#insert(operation.insert, draft.schema, scope));
      draft.element = { ...draft.element, scope };
      // A server carries out insertions in document order: this one comes after those before it in the plan.
      siblings.delete(key);
      siblings.set(key, draft);
    }
    draft.attributes = attributes;
    draft.role = operation.op === "move" ? "placed" : "whole";
  }

  #wayElement(schema: DataSchemaNode, segment: PathSegment): XmlElement {
    const { namespace, name } = schema;
    if (schema.kind === "leaf-list" && segment.kind === "leaf-list-entry") {
      return valueToXml(this.#schema, schema, canonicalValue(this.#schema, schema, segment.value));
    }
    if (schema.kind !== "list") return xmlElement({ namespace, name });
    if (segment.kind !== "entry")
      throw new RangeError(`an edit of list ${schema.schemaPath} needs the keys of an entry`);
    const keys = keyValues(this.#schema, schema, segment.keys);
    return this.#entryElement({ kind: "entry", schema, keys, children: new Map() });
  }

  #entryElement(entry: EntryNode): XmlElement {
    const { namespace, name } = entry.schema;
    return xmlElement({ namespace, name, children: this.#take(keysToXml(this.#schema, entry)) ?? [] });
  }

  #content(node: DataNode, path: InstancePath): XmlElement {
    const { namespace, name } = node.schema;
    return (
      this.#take(nodeToXml(this.#schema, this.#revealed(node, path), { defaults: "omit" })) ??
      xmlElement({ namespace, name })
    );
  }

  /** Keys or the value that say which; nothing else. */
  #removal(node: DataNode, path: InstancePath): XmlElement {
    const { namespace, name } = node.schema;
    if (node.kind === "entry") return this.#entryElement({ ...node, children: new Map() });
    return node.kind === "leaf-list-entry" ? this.#content(node, path) : xmlElement({ namespace, name });
  }

  #revealed(node: DataNode, path: InstancePath): DataNode {
    switch (node.kind) {
      case "leaf":
      case "leaf-list-entry": {
        const value = this.#clear(node.value, path);
        return node.kind === "leaf" ? { ...node, value } : { ...node, value };
      }
      case "container":
        return { ...node, children: this.#revealedChildren(node.children, path) };
      case "entry":
        return { ...node, children: this.#revealedChildren(node.children, path) };
      case "anydata":
        return node;
    }
  }

  #revealedChildren(children: Children, path: InstancePath): Children {
    const revealed = new Map<string, DataNode>();
    for (const [key, child] of children) {
      revealed.set(key, this.#revealed(child, [...path, segmentOf(child)]));
    }
    return revealed;
  }

  #clear(value: Value, path: InstancePath): PlainValue | SealedValue {
    if (value.kind === "plain" || this.#options.reveal === undefined) return value;
    return plainValue(value.type, this.#options.reveal(value, path));
  }

  /** The attributes that say where; prefixes that their values need are declared in `scope`. */
  #insert(insert: Insert, schema: DataSchemaNode, scope: Map<string, string>): readonly XmlAttribute[] {
    const where = yangAttribute("insert", insert.where);
    if (insert.where === "first" || insert.where === "last") return [where];
    const anchor = insert.anchor.at(-1);
    let text: string | undefined;
    if (schema.kind === "leaf-list" && anchor?.kind === "leaf-list-entry") {
      text = this.#valueText(schema, canonicalValue(this.#schema, schema, anchor.value), scope);
    } else if (schema.kind === "list" && anchor?.kind === "entry") {
      text = this.#keyPredicates(schema, anchor.keys, scope);
    } else {
      throw new RangeError(`an anchor in ${schema.schemaPath} is an entry of it`);
    }
    if (text !== undefined) return [where, yangAttribute(schema.kind === "list" ? "key" : "value", text)];
    this.#errors.push({
      code: "anchor-not-expressible",
      severity: "error",
      message:
        "the anchor has no form as XPath literals: both kinds of quotes in a key, or prefixes that exclude each other",
      places: [{ kind: "instance", path: formatInstancePath(insert.anchor) }],
    });
    return [where];
  }

  /** The key predicates of an instance-identifier (RFC 7950, 7.8.6 and 9.13). */
  #keyPredicates(list: ListSchema, keys: readonly KeyValue[], scope: Map<string, string>): string | undefined {
    let text = "";
    for (const [index, value] of keyValues(this.#schema, list, keys).entries()) {
      const key = list.keys[index];
      const valueText = key === undefined ? undefined : this.#valueText(key, value, scope);
      const literal = valueText === undefined ? undefined : xpathLiteral(valueText);
      if (key === undefined || literal === undefined) return undefined;
      text += `[${this.#prefix(key.module, scope)}:${key.name}=${literal}]`;
    }
    return text;
  }

  #valueText(leaf: LeafSchema | LeafListSchema, value: PlainValue, scope: Map<string, string>): string | undefined {
    if (value.type === "identityref") {
      const colon = value.text.indexOf(":");
      return `${this.#prefix(value.text.slice(0, colon), scope)}:${value.text.slice(colon + 1)}`;
    }
    const element = valueToXml(this.#schema, leaf, value);
    for (const [prefix, namespace] of element.scope) {
      if ((scope.get(prefix) ?? namespace) !== namespace) return undefined;
      scope.set(prefix, namespace);
    }
    return textOf(element);
  }

  /** A prefix that means the module in `scope`, declared there if need be. */
  #prefix(moduleName: string, scope: Map<string, string>): string {
    const module = this.#schema.modules.get(moduleName);
    if (module === undefined) throw new RangeError(`module ${moduleName} is not in the schema`);
    for (const [prefix, bound] of scope) if (prefix !== "" && bound === module.namespace) return prefix;
    // XML keeps prefixes that begin so for itself.
    const wanted = /^xml/iu.test(module.prefix) ? `m-${module.prefix}` : module.prefix;
    let prefix = wanted;
    for (let count = 2; scope.has(prefix); count += 1) prefix = `${wanted}-${String(count)}`;
    scope.set(prefix, module.namespace);
    return prefix;
  }

  #take<T>(result: Result<T>): T | undefined {
    if (result.kind === "ok") return result.value;
    this.#errors.push(...result.diagnostics);
    return undefined;
  }
}

function operationAttribute(operation: Operation): XmlAttribute {
  const isOpaque = (operation.op === "create" || operation.op === "replace") && operation.after.kind === "anydata";
  const value = operation.op === "delete" ? "remove" : isOpaque ? "replace" : "merge";
  return { namespace: ncNamespace, prefix: "nc", name: "operation", value };
}

function yangAttribute(name: "insert" | "key" | "value", value: string): XmlAttribute {
  return { namespace: yangNamespace, prefix: "yang", name, value };
}

function xpathLiteral(text: string): string | undefined {
  if (!text.includes("'")) return `'${text}'`;
  return text.includes('"') ? undefined : `"${text}"`;
}

/** Declares the prefix once for all below, unless values of the element give it another meaning. */
function declareNc(element: XmlElement): XmlElement {
  return element.scope.has("nc") ? element : { ...element, scope: new Map([...element.scope, ["nc", ncNamespace]]) };
}

function finish(draft: Draft): XmlElement {
  const children = [...draft.element.children, ...[...draft.children.values()].map(finish)];
  return { ...draft.element, attributes: [...draft.element.attributes, ...draft.attributes], children };
}
