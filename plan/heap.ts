/** A binary heap: `pop` gives the smallest value by `compare`. */
export class Heap<T> {
  readonly #values: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  push(value: T): void {
    const values = this.#values;
    let at = values.push(value) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) break;
      this.#swap(at, above);
      at = above;
    }
  }

  pop(): T | undefined {
    const values = this.#values;
    const top = values[0];
    const last = values.pop();
    if (values.length === 0 || last === undefined) return top;
    values[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < values.length && this.#isBefore(below, least)) least = below;
      if (least === at) return top;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    return this.#compare(this.#values[a] as T, this.#values[b] as T) < 0;
  }

  #swap(a: number, b: number): void {
    const value = this.#values[a] as T;
    this.#values[a] = this.#values[b] as T;
    this.#values[b] = value;
  }
}
