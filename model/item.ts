/**
 * Items: the flat form in which desired state lives in the graph. One item for each data node that exists by itself,
 * plus one `order` item for each user-ordered list instance, since order is one versioned value of the parent.
 */
import type { BuiltInType, Value } from "./value.ts";

export type ItemKind = "container" | "entry" | "leaf" | "leaf-list-entry" | "anydata" | "order";

/**
 * `path` is the text of `formatInstancePath`; for `order` it is the list's path without predicate.
 * - leaf, leaf-list-entry: `value` set; `origin` only on leafs.
 * - anydata: `content` and `encoding`.
 * - order: `order` holds the segment keys of the entries, first to last.
 */
export type Item =
  | { readonly kind: "container"; readonly path: string }
  | { readonly kind: "entry"; readonly path: string; readonly keyTypes: readonly BuiltInType[] }
  | {
      readonly kind: "leaf";
      readonly path: string;
      readonly value: Value;
      readonly origin: "set" | "default" | "unknown";
    }
  | { readonly kind: "leaf-list-entry"; readonly path: string; readonly value: Value }
  | { readonly kind: "anydata"; readonly path: string; readonly encoding: "xml" | "json"; readonly content: string }
  | { readonly kind: "order"; readonly path: string; readonly order: readonly string[] };

/** Do two items of one path say the same? Origin counts: explicitness is kept. */
export function itemsEqual(a: Item, b: Item): boolean {
  return JSON.stringify(normal(a)) === JSON.stringify(normal(b));
}

/** The same but for the built-in types of values and keys: a module set may type a node otherwise and mean the same text. */
export function itemsEqualButTypes(a: Item, b: Item): boolean {
  return itemsEqual(withoutTypes(a), withoutTypes(b));
}

function withoutTypes(item: Item): Item {
  switch (item.kind) {
    case "leaf":
    case "leaf-list-entry":
      return { ...item, value: { ...item.value, type: "string" } };
    case "entry":
      return { ...item, keyTypes: [] };
    case "container":
    case "anydata":
    case "order":
      return item;
  }
}

function normal(item: Item): unknown {
  switch (item.kind) {
    case "container":
      return [item.kind, item.path];
    case "entry":
      return [item.kind, item.path, item.keyTypes];
    case "leaf":
      return [item.kind, item.path, valueForm(item.value), item.origin];
    case "leaf-list-entry":
      return [item.kind, item.path, valueForm(item.value)];
    case "anydata":
      return [item.kind, item.path, item.encoding, item.content];
    case "order":
      return [item.kind, item.path, item.order];
  }
}

function valueForm(value: Value): unknown {
  return value.kind === "plain" ? ["plain", value.type, value.text] : ["sealed", value.type, value.keyId, value.hmac];
}
