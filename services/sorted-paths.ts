/** Paths in order, so that what lies below a path is one range, found in the logarithm of their number. */
export class SortedPaths {
  readonly #sorted: readonly string[];

  private constructor(paths: Iterable<string>) {
    this.#sorted = [...paths].sort();
  }

  /** Of the keys of a map that does not change any more; made once for each map. */
  static of(map: ReadonlyMap<string, unknown>): SortedPaths {
    const known = made.get(map);
    if (known !== undefined) return known;
    const paths = new SortedPaths(map.keys());
    made.set(map, paths);
    return paths;
  }

  /** The paths strictly below; the cost follows their number. */
  below(path: string): string[] {
    const prefix = path === "/" ? "/" : `${path}/`;
    const found: string[] = [];
    for (let at = this.#lowerBound(prefix); at < this.#sorted.length; at += 1) {
      const candidate = this.#sorted[at];
      if (candidate?.startsWith(prefix) !== true) break;
      found.push(candidate);
    }
    return found;
  }

  #lowerBound(value: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? "") < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const made = new WeakMap<ReadonlyMap<string, unknown>, SortedPaths>();
