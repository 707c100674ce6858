/**
 * Configuration of an earlier time, typed against the schema that the device has now: a module set may have come in
 * between in which a leaf is wider, a key is spelled otherwise, or a node is gone.
 */
import { treeFromItems } from "../codec/items.ts";
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import type { Item } from "../model/item.ts";
import { formatInstancePath, segmentKey } from "../model/path.ts";
import type { ResolvedPath } from "../model/paths/resolve-path.ts";
import type { DataSchemaNode, Schema, TypeSchema } from "../model/schema.ts";
import type { BuiltInType, Value } from "../model/value.ts";
import { parseCanonicalPath, parseValue } from "../model/values/canonical-value.ts";
import type { DesiredDevice, DesiredItem, Inconsistency, ServiceLink } from "./desired-state.ts";

export type RetypeDiagnosticCode = "retype-state" | "retype-link";

/**
 * The device with every path and value in the form that `schema` gives them; what is the same in both schemas stays the
 * very same text. Secrets are carried as they are. Errors, all of them, each with its path: an item that the schema has
 * no place for (`item-path`, `item-kind`), whose value is none of its type (`item-value`), whose list has another order
 * (`item-order`), that is state now (`retype-state`); a link to such a path (`retype-link`).
 */
export function retypeDevice(device: DesiredDevice, schema: Schema): Result<DesiredDevice> {
  const typing = new Typing(schema);
  const items = new Map<string, DesiredItem>();
  for (const each of device.items.values()) {
    const item = typing.item(each.item);
    items.set(item.path, { ...each, item });
  }
  const tree = treeFromItems(
    schema,
    [...items.values()].map((each) => each.item),
  );
  const links = device.links.map((link) => typing.link(link));
  const problems = [...(tree.kind === "error" ? tree.diagnostics : []), ...typing.problems];
  if (problems.length === 0) return ok({ ...device, items, links });
  return failure(problems.map((each) => ({ ...each, message: `${device.name}: ${each.message}` })));
}

/** One item in the form of the schema; as it is, and not fitting, where the schema has no place or no value for it. */
export function retypeItem(item: Item, schema: Schema): { readonly item: Item; readonly fits: boolean } {
  const typing = new Typing(schema);
  return { item: typing.item(item), fits: typing.fits(item) };
}

/** A link in the form of the schema; as it is where the schema has no such path. */
export function retypeLink(link: ServiceLink, schema: Schema): ServiceLink {
  return new Typing(schema).link(link);
}

/** The words of an inconsistency in the form of the schema, where they have one there. */
export function retypeWords(words: Inconsistency, schema: Schema): Inconsistency {
  const place = new Typing(schema).place(words.path);
  if (place === undefined) return words;
  return {
    ...words,
    path: formatInstancePath(place.path),
    required: retyped(schema, typeOf(place.schema), words.required),
    found: retyped(schema, typeOf(place.schema), words.found),
  };
}

class Typing {
  readonly problems: Diagnostic[] = [];
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  place(path: string): ResolvedPath | undefined {
    const parsed = parseCanonicalPath(this.#schema, path);
    return parsed.kind === "ok" ? parsed.value : undefined;
  }

  /** What has no place in the schema is left as it is: the tree that is made of the items tells why. */
  item(item: Item): Item {
    const place = this.place(item.path);
    if (place?.schema === undefined) return item;
    const { schema } = place;
    if (!schema.config) this.#problem("retype-state", "the schema has state here now, not configuration", item.path);
    const path = formatInstancePath(place.path);
    switch (item.kind) {
      case "container":
      case "anydata":
        return { ...item, path };
      case "leaf":
      case "leaf-list-entry":
        return { ...item, path, value: retyped(this.#schema, typeOf(schema), item.value) };
      case "entry":
        return { ...item, path, keyTypes: this.#keyTypes(item, place) };
      case "order":
        return { ...item, path, order: item.order.map((key) => this.#orderKey(item.path, key)) };
    }
  }

  /** Could the item stand in a tree of the schema, as far as itself goes? */
  fits(item: Item): boolean {
    const schema = this.place(item.path)?.schema;
    if (schema?.config !== true) return false;
    switch (item.kind) {
      case "container":
        return schema.kind === "container" && schema.presence;
      case "entry":
        return schema.kind === "list";
      case "anydata":
        return schema.kind === "anydata" || schema.kind === "anyxml";
      case "order":
        return (schema.kind === "list" || schema.kind === "leaf-list") && schema.orderedBy === "user";
      case "leaf":
      case "leaf-list-entry": {
        const kind = item.kind === "leaf" ? "leaf" : "leaf-list";
        if (schema.kind !== kind) return false;
        const context = { schema: this.#schema, form: { kind: "canonical" } } as const;
        return item.value.kind === "sealed" || parseValue(schema.type, item.value.text, context).kind === "ok";
      }
    }
  }

  link(link: ServiceLink): ServiceLink {
    const place = this.place(link.path);
    if (place?.schema === undefined) {
      this.#problem("retype-link", `service ${link.service} ${link.relation} what the schema no longer has`, link.path);
      return link;
    }
    const type = typeOf(place.schema);
    return {
      ...link,
      path: formatInstancePath(place.path),
      value: retyped(this.#schema, type, link.value),
      existedBefore: link.existedBefore && {
        ...link.existedBefore,
        value: retyped(this.#schema, type, link.existedBefore.value),
      },
    };
  }

  #keyTypes(item: Extract<Item, { readonly kind: "entry" }>, { schema, path }: ResolvedPath): readonly BuiltInType[] {
    const last = path.at(-1);
    if (schema?.kind !== "list" || last?.kind !== "entry") return item.keyTypes;
    return schema.keys.map((key, index) => {
      const was = item.keyTypes[index] ?? "string";
      const text = last.keys[index]?.value ?? "";
      return retyped(this.#schema, key.type, { kind: "plain", type: was, text }).type;
    });
  }

  #orderKey(list: string, key: string): string {
    const last = this.place(list + key.slice(key.indexOf("[")))?.path.at(-1);
    return last === undefined ? key : segmentKey(last);
  }

  #problem(code: RetypeDiagnosticCode, message: string, path: string): void {
    this.problems.push({ code, severity: "error", message, places: [{ kind: "instance", path }] });
  }
}

function typeOf(schema: DataSchemaNode | undefined): TypeSchema | undefined {
  return schema?.kind === "leaf" || schema?.kind === "leaf-list" ? schema.type : undefined;
}

/** The value as the type has it now; as it is where the type has no such value. */
function retyped<V extends Value | undefined>(schema: Schema, type: TypeSchema | undefined, value: V): V | Value {
  if (type === undefined || value?.kind !== "plain") return value;
  const context = { schema, form: { kind: "canonical" } } as const;
  // A union reads the text as the member it was of, where it still has that member.
  const same = parseValue(type, value.text, { ...context, as: value.type });
  const read = same.kind === "ok" ? same : parseValue(type, value.text, context);
  return read.kind === "ok" ? read.value : value;
}
