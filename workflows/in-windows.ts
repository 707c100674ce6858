/** Results in the order of the items; at most `window` of them are worked on at once, in their order. */
export async function inWindows<T, R>(
  items: readonly T[],
  window: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(window, items.length) }, worker));
  return results;
}

/** Devices that one workflow works on at once; Temporal allows 2,000 pending activities or children. */
export const DEVICE_WINDOW = 50;
