// Compares tree diagrams, ours and pyang's, and judges differences by a list of exceptions.

/**
 * Where two diagrams part: undefined when they are equal, else `{ line, ours, theirs }` with a 1-based line number and
 * "" for a line that one of them lacks.
 */
export function firstDifference(ours, theirs) {
  if (ours === theirs) return undefined;
  const [left, right] = [ours.split("\n"), theirs.split("\n")];
  const index = left.findIndex((line, at) => line !== right[at]);
  const at = index < 0 ? left.length : index;
  return { line: at + 1, ours: left[at] ?? "", theirs: right[at] ?? "" };
}

/**
 * One word for a module, with what there is to say about it.
 *
 * `ours` is `{ tree }` or `{ errors }`, `theirs` an answer of pyang-trees.py, `exception` the entry for the module.
 * - equal: line by line the same. `remark`: pyang drew it with complaints.
 * - excepted: they differ, and the exception says why ours is right.
 * - refused: pyang draws nothing; its reason.
 * - differs, stale: failures. A stale exception is for a module that does not differ.
 */
export function judgeModule({ ours, theirs, exception }) {
  const complaint = theirs.crash ?? theirs.errors?.[0];
  if (theirs.crash !== undefined || theirs.tree === null) return { verdict: "refused", detail: complaint };
  if (ours.tree === undefined) {
    // Neither accepts it; pyang draws what it could read.
    if (complaint !== undefined) return { verdict: "refused", detail: `${complaint}; ours: ${ours.errors[0]}` };
    return exception === undefined ? { verdict: "differs", detail: ours.errors[0] } : excepted(exception);
  }
  const difference = firstDifference(ours.tree, theirs.tree);
  if (difference === undefined) {
    if (exception !== undefined) return { verdict: "stale", detail: "an exception is listed, but nothing differs" };
    return complaint === undefined ? { verdict: "equal" } : { verdict: "equal", remark: complaint };
  }
  if (exception !== undefined) return excepted(exception);
  const { line, ours: left, theirs: right } = difference;
  return { verdict: "differs", detail: `line ${line}: ours "${left}", pyang "${right}"` };
}

function excepted({ section, reason }) {
  return { verdict: "excepted", detail: `${section}: ${reason}` };
}

/** What is wrong with a list of exceptions by itself, one text each: an entry must say which RFC section decides. */
export function faultyExceptions(exceptions) {
  return exceptions.flatMap(({ set, module, section, reason }, index) => {
    const name = `exception ${index + 1} (${set ?? "?"}/${module ?? "?"})`;
    const faults = [];
    if (!set || !module) faults.push(`${name} names no set and module`);
    if (!/^RFC \d{4} section \d+(\.\d+)*$/.test(section ?? "")) faults.push(`${name} names no RFC section`);
    if (!reason) faults.push(`${name} gives no reason`);
    if (exceptions.findIndex((each) => each.set === set && each.module === module) < index)
      faults.push(`${name} stands twice`);
    return faults;
  });
}

/** Lines of a diagram that are nodes: `+--`, `x--`, `o--` after the margin. */
export function countNodes(tree) {
  return tree.match(/^[ |]*[+xo]--/gm)?.length ?? 0;
}
