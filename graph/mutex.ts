/** One at a time, in the order of asking. */
export interface Mutex {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const mine = tail.then(work);
      tail = mine.catch(() => undefined);
      return mine;
    },
  };
}
