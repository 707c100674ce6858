/**
 * The strongly connected components of a graph given as successors of each node: nodes in one component reach each other. Members ascend.
 * Tarjan's algorithm without recursion, since a chain of references can be longer than the stack. Linear in nodes and edges.
 */
export function stronglyConnected(successors: readonly ReadonlySet<number>[]): readonly (readonly number[])[] {
  const count = successors.length;
  const index = new Array<number>(count).fill(-1);
  const low = new Array<number>(count).fill(0);
  const onStack = new Array<boolean>(count).fill(false);
  const stack: number[] = [];
  const components: number[][] = [];
  let next = 0;

  const enter = (node: number): Frame => {
    index[node] = next;
    low[node] = next;
    next += 1;
    stack.push(node);
    onStack[node] = true;
    return { node, rest: (successors[node] ?? new Set<number>()).values() };
  };
  const lower = (node: number, value: number): void => {
    low[node] = Math.min(low[node] ?? 0, value);
  };

  for (let root = 0; root < count; root += 1) {
    if (index[root] !== -1) continue;
    const frames: Frame[] = [enter(root)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { node } = frame;
      const step = frame.rest.next();
      if (step.done !== true) {
        if (index[step.value] === -1) frames.push(enter(step.value));
        else if (onStack[step.value] === true) lower(node, index[step.value] ?? 0);
        continue;
      }
      frames.pop();
      const above = frames.at(-1);
      if (above !== undefined) lower(above.node, low[node] ?? 0);
      if (low[node] !== index[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack[member] = false;
      components.push(component.sort((a, b) => a - b));
    }
  }
  return components;
}

interface Frame {
  readonly node: number;
  readonly rest: IterableIterator<number>;
}
