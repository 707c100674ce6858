import type { XmlScope } from "./xml-element.ts";

/**
 * One scope for all that declare the same within the same: many documents repeat their declarations on every list
 * entry, and a scope holds all bindings around it.
 */
export class ScopeCache {
  readonly #inner = new Map<XmlScope, Map<string, XmlScope>>();
  #bindings = 0;

  /** Of all the scopes that were made. */
  get bindings(): number {
    return this.#bindings;
  }

  /** The scope of an element that stands in `outer`; `outer` itself where it declares nothing new. */
  declare(outer: XmlScope, declared: ReadonlyMap<string, string>): XmlScope {
    let key = "";
    for (const [prefix, namespace] of declared) {
      // NUL stands in no XML, so different declarations give different keys.
      if (outer.get(prefix) !== namespace) key += `${prefix}=${namespace}\u0000`;
    }
    if (key === "") return outer;
    let inner = this.#inner.get(outer);
    if (inner === undefined) {
      inner = new Map();
      this.#inner.set(outer, inner);
    }
    let scope = inner.get(key);
    if (scope === undefined) {
      scope = new Map([...outer, ...declared]);
      this.#bindings += scope.size;
      inner.set(key, scope);
    }
    return scope;
  }
}
