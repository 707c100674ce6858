import { type XmlElement, attributeValue, childElements, textOf, xmlnsNamespaceUri } from "../codec/xml/xml-element.ts";
import { type InstancePath, segmentKey } from "../model/path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type ListSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
} from "../model/schema.ts";
import type { PlainValue } from "../model/value.ts";
import { excludeEachOther } from "./choice.ts";
import { type EditNode, type EditOperation, type InsertPoint, editOperations, removes } from "./edit.ts";
import { parseKeyPredicates } from "./instance-identifier.ts";
import { readAnydata, readLeafValue } from "./leaf-value.ts";
import { baseNamespace, defaultTagNamespace, yangNamespace } from "./netconf-names.ts";
import { applicationError, type RpcError } from "./rpc-error.ts";

export interface ReadEditResult {
  readonly edits: readonly EditNode[];
  readonly errors: readonly RpcError[];
}

/**
 * Reads the children of a `<config>` element against the schema. Everything that can be wrong without looking at the datastore is found here,
 * all of it at once (RFC 7950, section 8.3.1): unknown nodes, bad values, missing keys, two cases of one choice, bad attributes. Where
 * there are errors the edits are incomplete and must not be carried out.
 */
export function readEdit(
  schema: Schema,
  config: readonly XmlElement[],
  defaultOperation: "merge" | "replace" | "none",
): ReadEditResult {
  const reader = new EditReader(schema);
  const edits = reader.children(config, undefined, [], defaultOperation);
  return { edits, errors: reader.errors };
}

class EditReader {
  readonly errors: RpcError[] = [];
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  children(
    elements: readonly XmlElement[],
    parent: ParentSchemaNode | undefined,
    path: InstancePath,
    inherited: EditOperation,
  ): readonly EditNode[] {
    const edits: EditNode[] = [];
    const seen = new Set<string>();
    const inCases: EditNode[] = [];
    for (const element of elements) {
      const node = this.#schemaOf(element, parent, path);
      const edit = node === undefined ? undefined : this.#node(element, node, path, inherited);
      if (edit === undefined) continue;
      const key = keyOf(edit.path);
      if (seen.has(key)) this.#error("bad-element", `${edit.schema.name} occurs twice`, edit.path, edit.schema.name);
      if (edit.schema.cases.length > 0 && stays(edit)) this.#checkCase(edit, inCases);
      seen.add(key);
      edits.push(edit);
    }
    return edits;
  }

  /** Two cases of one choice in one request (RFC 7950, section 8.3.1). `before`: those that stand in cases, up to here. */
  #checkCase(edit: EditNode, before: EditNode[]): void {
    const other = before.find((each) => excludeEachOther(each.schema, edit.schema));
    if (other === undefined) {
      before.push(edit);
      return;
    }
    const message = `${edit.schema.name} and ${other.schema.name} stand in different cases of one choice`;
    this.#error("bad-element", message, edit.path, edit.schema.name);
  }

  #schemaOf(element: XmlElement, parent: ParentSchemaNode | undefined, path: InstancePath): DataSchemaNode | undefined {
    const moduleName = this.#schema.namespaces.get(element.namespace);
    if (moduleName === undefined) {
      this.errors.push(
        applicationError("unknown-namespace", `no module has the namespace ${JSON.stringify(element.namespace)}`, {
          path,
          info: [
            { name: "bad-element", text: element.name },
            { name: "bad-namespace", text: element.namespace },
          ],
        }),
      );
      return undefined;
    }
    const node = childSchemas(this.#schema, parent).get(`${moduleName}:${element.name}`);
    if (node === undefined) {
      const where = parent === undefined ? "at the top" : `below ${parent.schemaPath}`;
      this.#error("unknown-element", `there is no ${moduleName}:${element.name} ${where}`, path, element.name);
    } else if (!node.config) {
      this.#error("unknown-element", `${node.schemaPath} is state, not configuration`, path, element.name);
      return undefined;
    }
    return node;
  }

  #node(
    element: XmlElement,
    schema: DataSchemaNode,
    above: InstancePath,
    inherited: EditOperation,
  ): EditNode | undefined {
    const own: InstancePath = [...above, { kind: "node", module: schema.module, name: schema.name }];
    const operation = this.#operation(element, own) ?? inherited;
    this.#attributes(element, schema, own);
    switch (schema.kind) {
      case "container": {
        const children = removes(operation) ? [] : this.#below(element, schema, own, operation);
        return { kind: "container", schema, path: own, operation, children };
      }
      case "list":
        return this.#entry(element, schema, above, operation);
      case "leaf": {
        // A leaf that goes needs no value, and one it may carry says nothing.
        if (removes(operation)) return { kind: "leaf", schema, path: own, operation, value: undefined };
        const value = this.#value(element, schema, own);
        return value === undefined ? undefined : { kind: "leaf", schema, path: own, operation, value };
      }
      case "leaf-list": {
        const value = this.#value(element, schema, own);
        if (value === undefined) return undefined;
        const segment = {
          kind: "leaf-list-entry",
          module: schema.module,
          name: schema.name,
          value: value.text,
        } as const;
        const insert = this.#insert(element, schema, own);
        return { kind: "leaf-list-entry", schema, path: [...above, segment], operation, value, insert };
      }
      case "anydata":
      case "anyxml": {
        const data = removes(operation) ? undefined : readAnydata(schema, withoutProtocolAttributes(element));
        return { kind: "anydata", schema, path: own, operation, data };
      }
    }
  }

  #below(
    element: XmlElement,
    schema: ParentSchemaNode,
    path: InstancePath,
    operation: EditOperation,
    keys: readonly XmlElement[] = [],
  ): readonly EditNode[] {
    if (textOf(element).trim() !== "")
      this.#error("bad-element", "text where only elements belong", path, element.name);
    const elements = childElements(element).filter((child) => !keys.includes(child));
    return this.children(elements, schema, path, operation);
  }

  #entry(element: XmlElement, schema: ListSchema, above: InstancePath, operation: EditOperation): EditNode | undefined {
    const list: InstancePath = [...above, { kind: "node", module: schema.module, name: schema.name }];
    const keys: PlainValue[] = [];
    const keyElements: XmlElement[] = [];
    for (const key of schema.keys) {
      const found = childElements(element).filter(
        (child) => child.name === key.name && child.namespace === key.namespace,
      );
      const [first] = found;
      if (first === undefined) this.#error("missing-element", `key ${key.name} is missing`, list, key.name);
      if (found.length > 1) this.#error("bad-element", `key ${key.name} occurs twice`, list, key.name);
      if (first === undefined) continue;
      keyElements.push(...found);
      const changed = this.#operation(first, list);
      if (changed !== undefined && removes(changed)) {
        this.#error("bad-element", `key ${key.name} cannot be removed from its entry`, list, key.name);
      }
      const value = this.#value(first, key, list);
      if (value !== undefined) keys.push(value);
    }
    const insert = this.#insert(element, schema, list);
    if (keys.length < schema.keys.length) return undefined;
    const named = schema.keys.map((key, index) => ({ name: key.name, value: keys[index]?.text ?? "" }));
    const path: InstancePath = [...above, { kind: "entry", module: schema.module, name: schema.name, keys: named }];
    const children = removes(operation) ? [] : this.#below(element, schema, path, operation, keyElements);
    return { kind: "entry", schema, path, operation, keys, insert, children };
  }

  #value(
    element: XmlElement,
    schema: Extract<DataSchemaNode, { kind: "leaf" | "leaf-list" }>,
    path: InstancePath,
  ): PlainValue | undefined {
    const [child] = childElements(element);
    if (child !== undefined) {
      this.#error("bad-element", `${schema.name} has no elements below it`, path, child.name);
      return undefined;
    }
    const read = readLeafValue(this.#schema, schema.type, element);
    if (read.kind === "ok") return read.value;
    this.#error("invalid-value", read.message, path, schema.name);
    return undefined;
  }

  #operation(element: XmlElement, path: InstancePath): EditOperation | undefined {
    const text = attributeValue(element, baseNamespace, "operation");
    if (text === undefined) return undefined;
    const operation = editOperations.find((each) => each === text && each !== "none");
    if (operation === undefined) {
      this.#attributeError("bad-attribute", "operation", `${JSON.stringify(text)} is no edit operation`, element, path);
    }
    return operation;
  }

  /** An attribute that has no meaning here is refused: an `operation` in no namespace would otherwise turn a delete into a merge. */
  #attributes(element: XmlElement, schema: DataSchemaNode, path: InstancePath): void {
    const ordered = (schema.kind === "list" || schema.kind === "leaf-list") && schema.orderedBy === "user";
    for (const { namespace, name } of element.attributes) {
      const known =
        (namespace === baseNamespace && name === "operation") ||
        (namespace === yangNamespace && ordered && (name === "insert" || name === orderAttribute(schema.kind))) ||
        (namespace === defaultTagNamespace && name === "default") ||
        namespace === xmlnsNamespaceUri;
      if (!known) {
        this.#attributeError("unknown-attribute", name, `the attribute ${name} has no meaning here`, element, path);
      }
    }
  }

  #insert(element: XmlElement, schema: ListSchema | LeafListSchema, path: InstancePath): InsertPoint | undefined {
    const where = attributeValue(element, yangNamespace, "insert");
    const name = orderAttribute(schema.kind);
    const anchorText = attributeValue(element, yangNamespace, name);
    switch (where) {
      case undefined:
        return undefined;
      case "first":
      case "last":
        return { kind: where };
      case "before":
      case "after": {
        if (anchorText === undefined) {
          this.#attributeError(
            "missing-attribute",
            name,
            `insert="${where}" needs the attribute ${name}`,
            element,
            path,
          );
          return undefined;
        }
        const anchor = this.#anchor(element, schema, anchorText);
        if (anchor === undefined) {
          this.#attributeError("bad-attribute", name, `${JSON.stringify(anchorText)} names no entry`, element, path);
          return undefined;
        }
        return { kind: where, anchor };
      }
      default:
        this.#attributeError("bad-attribute", "insert", `${JSON.stringify(where)} is no place`, element, path);
        return undefined;
    }
  }

  /** The segment key of the entry that `key` or `value` names; values in it are read like those of elements in its place. */
  #anchor(element: XmlElement, schema: ListSchema | LeafListSchema, text: string): string | undefined {
    const { module: moduleName, name } = schema;
    if (schema.kind === "leaf-list") {
      const value = readLeafValue(this.#schema, schema.type, withText(element, text));
      if (value.kind === "error") return undefined;
      return segmentKey({ kind: "leaf-list-entry", module: moduleName, name, value: value.value.text });
    }
    const predicates = parseKeyPredicates(text);
    if (predicates?.length !== schema.keys.length) return undefined;
    const keys: { name: string; value: string }[] = [];
    for (const key of schema.keys) {
      const predicate = predicates.find(
        (each) => each.name === key.name && (each.prefix === "" || element.scope.get(each.prefix) === key.namespace),
      );
      if (predicate === undefined) return undefined;
      const value = readLeafValue(this.#schema, key.type, withText(element, predicate.value));
      if (value.kind === "error") return undefined;
      keys.push({ name: key.name, value: value.value.text });
    }
    return segmentKey({ kind: "entry", module: moduleName, name, keys });
  }

  #error(
    tag: "bad-element" | "unknown-element" | "missing-element" | "invalid-value",
    message: string,
    path: InstancePath,
    element: string,
  ): void {
    this.errors.push(applicationError(tag, message, { path, info: [{ name: "bad-element", text: element }] }));
  }

  #attributeError(
    tag: "bad-attribute" | "unknown-attribute" | "missing-attribute",
    attribute: string,
    message: string,
    element: XmlElement,
    path: InstancePath,
  ): void {
    const info = [
      { name: "bad-attribute", text: attribute },
      { name: "bad-element", text: element.name },
    ];
    this.errors.push(applicationError(tag, message, { path, info }));
  }
}

function orderAttribute(kind: DataSchemaNode["kind"]): "key" | "value" {
  return kind === "list" ? "key" : "value";
}

/** Does an edit leave its node in the configuration? */
function stays(edit: EditNode): boolean {
  return edit.operation === "merge" || edit.operation === "replace" || edit.operation === "create";
}

function withText(element: XmlElement, text: string): XmlElement {
  return { ...element, children: text === "" ? [] : [{ kind: "text", value: text }] };
}

function withoutProtocolAttributes(element: XmlElement): XmlElement {
  const attributes = element.attributes.filter((each) => each.namespace !== baseNamespace);
  return { ...element, attributes };
}

function keyOf(path: InstancePath): string {
  const last = path.at(-1);
  return last === undefined ? "" : segmentKey(last);
}
