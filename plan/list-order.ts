/** Where in a list, by the keys of its entries. */
export type ListPlace =
  | { readonly where: "first" }
  | { readonly where: "last" }
  | { readonly where: "before"; readonly anchor: string }
  | { readonly where: "after"; readonly anchor: string };

// Stands for both ends of the list; segment keys are never empty.
const ENDS = "";

/** The order of a user-ordered list while it is edited: a linked list, so that an edit costs the same wherever it is. */
export class ListOrder {
  readonly #next = new Map<string, string>([[ENDS, ENDS]]);
  readonly #previous = new Map<string, string>([[ENDS, ENDS]]);

  constructor(keys: readonly string[]) {
    for (const key of keys) this.insert(key, { where: "last" });
  }

  /** Throws RangeError where the anchor is missing (RFC 7950, 7.8.6: missing-instance) or is the key itself. */
  insert(key: string, place: ListPlace): void {
    if (this.#next.has(key)) throw new RangeError(`${key} is in the list already`);
    const behind = this.#behind(place);
    const front = this.#follow(this.#next, behind);
    this.#link(behind, key);
    this.#link(key, front);
  }

  remove(key: string): void {
    const next = this.#next.get(key);
    const previous = this.#previous.get(key);
    if (next === undefined || previous === undefined) return;
    this.#next.delete(key);
    this.#previous.delete(key);
    this.#link(previous, next);
  }

  /** Named keys in this order; each key that is not named stays behind the one it stood behind, unknown ones are left out. */
  arrange(wanted: readonly string[]): void {
    const named = new Set(wanted.filter((key) => this.#next.has(key)));
    const followers = new Map<string, string[]>([[ENDS, []]]);
    let leader = ENDS;
    for (const key of [...this.keys()]) {
      if (named.has(key)) {
        leader = key;
        followers.set(leader, []);
      } else {
        followers.get(leader)?.push(key);
      }
    }
    for (const key of [...this.keys()]) this.remove(key);
    for (const key of [ENDS, ...named]) {
      if (key !== ENDS) this.insert(key, { where: "last" });
      for (const follower of followers.get(key) ?? []) this.insert(follower, { where: "last" });
    }
  }

  *keys(): Generator<string> {
    for (let key = this.#follow(this.#next, ENDS); key !== ENDS; key = this.#follow(this.#next, key)) yield key;
  }

  #behind(place: ListPlace): string {
    switch (place.where) {
      case "first":
        return ENDS;
      case "last":
        return this.#follow(this.#previous, ENDS);
      case "before":
        return this.#follow(this.#previous, place.anchor);
      case "after":
        this.#follow(this.#next, place.anchor);
        return place.anchor;
    }
  }

  #follow(links: ReadonlyMap<string, string>, key: string): string {
    const found = links.get(key);
    if (found === undefined) throw new RangeError(`the list has no entry ${key}`);
    return found;
  }

  #link(before: string, after: string): void {
    this.#next.set(before, after);
    this.#previous.set(after, before);
  }
}
