import { type InstancePath, segmentKey } from "../model/path.ts";

/** Values kept at instance paths, found by path, below a path, and above a path: each in the time of the path's length and the answer. */
export class PathIndex<T> {
  readonly #root: Branch<T> = { values: [], branches: new Map() };

  add(path: InstancePath, value: T): void {
    let at = this.#root;
    for (const segment of path) {
      const key = segmentKey(segment);
      let next = at.branches.get(key);
      if (next === undefined) {
        next = { values: [], branches: new Map() };
        at.branches.set(key, next);
      }
      at = next;
    }
    at.values.push(value);
  }

  /** At the path itself. */
  at(path: InstancePath): readonly T[] {
    return this.#branch(path)?.values ?? [];
  }

  /** At the path and above it, outermost first. */
  atOrAbove(path: InstancePath): readonly T[] {
    const found = [...this.#root.values];
    let at: Branch<T> | undefined = this.#root;
    for (const segment of path) {
      at = at.branches.get(segmentKey(segment));
      if (at === undefined) break;
      found.push(...at.values);
    }
    return found;
  }

  /** Strictly below the path. */
  below(path: InstancePath): readonly T[] {
    const found: T[] = [];
    const rest = [...(this.#branch(path)?.branches.values() ?? [])];
    for (let branch = rest.pop(); branch !== undefined; branch = rest.pop()) {
      found.push(...branch.values);
      rest.push(...branch.branches.values());
    }
    return found;
  }

  #branch(path: InstancePath): Branch<T> | undefined {
    let at: Branch<T> | undefined = this.#root;
    for (const segment of path) at = at?.branches.get(segmentKey(segment));
    return at;
  }
}

interface Branch<T> {
  readonly values: T[];
  readonly branches: Map<string, Branch<T>>;
}
