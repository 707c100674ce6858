/**
 * Positions (indexes into `values`) of a longest strictly increasing subsequence, ascending. n log n.
 * The entries of a user-ordered list that may stay where they are form one; all others are moved, so it is the smallest set of moves.
 */
export function longestIncreasing(values: readonly number[]): readonly number[] {
  // ends[k]: position of the smallest value that ends an increasing run of length k + 1.
  const ends: number[] = [];
  const previous: number[] = new Array<number>(values.length).fill(-1);
  for (const [position, value] of values.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (valueAt(values, valueAt(ends, middle)) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[position] = valueAt(ends, low - 1);
    ends[low] = position;
  }
  const run: number[] = [];
  for (let position = ends.at(-1) ?? -1; position >= 0; position = valueAt(previous, position)) run.push(position);
  return run.reverse();
}

function valueAt(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`no value at ${String(index)}`);
  return value;
}
