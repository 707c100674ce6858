/**
 * Paths in order, so that what lies below a path is one range, found in the logarithm of their number: all at once
 * (`SortedPaths`), or while more are added (`GrowingPaths`).
 */

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
    return this.startingWith(prefixBelow(path));
  }

  startingWith(prefix: string): string[] {
    return rangeOf(this.#sorted, prefix);
  }
}

const made = new WeakMap<ReadonlyMap<string, unknown>, SortedPaths>();

/** A set of paths that only grows. Adding costs the logarithm of their number, and so does asking, beside the answer. */
export class GrowingPaths {
  readonly #all = new Set<string>();
  /** Sorted runs, each longer than the next: few, and merged rarely. */
  readonly #runs: string[][] = [];

  add(path: string): void {
    if (this.#all.has(path)) return;
    this.#all.add(path);
    let run = [path];
    for (let last = this.#runs.at(-1); last !== undefined && last.length <= run.length; last = this.#runs.at(-1)) {
      this.#runs.pop();
      // Two sorted runs one after the other: the sort merges them in one pass.
      run = [...last, ...run].sort();
    }
    this.#runs.push(run);
  }

  startingWith(prefix: string): string[] {
    return this.#runs.flatMap((run) => rangeOf(run, prefix)).sort();
  }
}

/** What every path strictly below starts with. */
export function prefixBelow(path: string): string {
  return path === "/" ? "/" : `${path}/`;
}

function rangeOf(sorted: readonly string[], prefix: string): string[] {
  const found: string[] = [];
  for (let at = lowerBound(sorted, prefix); at < sorted.length; at += 1) {
    const candidate = sorted[at];
    if (candidate?.startsWith(prefix) !== true) break;
    found.push(candidate);
  }
  return found;
}

function lowerBound(sorted: readonly string[], value: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
