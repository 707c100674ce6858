import type { Children, DataNode } from "../tree.ts";

/**
 * Children with some of them taken away or replaced, without a copy: a `when` is evaluated on a tentatively altered
 * tree (RFC 7950 section 7.21.5), once for each parent, and parents can have many children.
 */
export class AlteredChildren implements ReadonlyMap<string, DataNode> {
  readonly #base: Children;
  readonly #alter: (node: DataNode) => DataNode | undefined;

  constructor(base: Children, alter: (node: DataNode) => DataNode | undefined) {
    this.#base = base;
    this.#alter = alter;
  }

  get size(): number {
    let size = 0;
    for (const node of this.#base.values()) size += this.#alter(node) === undefined ? 0 : 1;
    return size;
  }

  get(key: string): DataNode | undefined {
    const node = this.#base.get(key);
    return node && this.#alter(node);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  forEach(each: (value: DataNode, key: string, map: ReadonlyMap<string, DataNode>) => void): void {
    for (const [key, node] of this.entries()) each(node, key, this);
  }

  *entries(): MapIterator<[string, DataNode]> {
    for (const [key, node] of this.#base) {
      const altered = this.#alter(node);
      if (altered !== undefined) yield [key, altered];
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<DataNode> {
    for (const [, node] of this.entries()) yield node;
  }

  [Symbol.iterator](): MapIterator<[string, DataNode]> {
    return this.entries();
  }
}
