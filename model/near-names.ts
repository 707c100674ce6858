/** "Did you mean": names that differ from a misspelt one by a slip or two of the keyboard. */

// Bounds on time, since a hostile module can ask for hundreds of these.
const MAX_LENGTH = 40;
const MAX_CANDIDATES = 1000;
const MAX_SHOWN = 3;

/** The candidates at the smallest distance of at most a third of the name's length, three at most, in their order. */
export function nearNames(name: string, candidates: Iterable<string>): readonly string[] {
  if (name.length > MAX_LENGTH) return [];
  let nearest = Math.min(3, Math.ceil(name.length / 3));
  let found: string[] = [];
  let looked = 0;
  for (const candidate of candidates) {
    looked += 1;
    if (looked > MAX_CANDIDATES) break;
    const distance = editDistance(name, candidate, nearest);
    if (distance > nearest) continue;
    if (distance < nearest) found = [];
    nearest = distance;
    found.push(candidate);
  }
  return found.slice(0, MAX_SHOWN);
}

/** Insertions, deletions, exchanges and swaps of neighbours; a number above `limit` when there are more than that. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit + 1;
}
