/**
 * Temporal's own cancel cannot be refused, and it tears whatever is awaited. A body that has to end tidily runs here:
 * the cancel arrives as one call of `onCancel`, and the body decides where it still has a meaning.
 */
import { allHandlersFinished, CancellationScope, condition } from "@temporalio/workflow";

/** Ends, by result or by error, only after the last handler has: nobody is left without an answer. */
export async function uncancellable<T>(body: () => Promise<T>, onCancel: () => void): Promise<T> {
  void CancellationScope.current().cancelRequested.catch(onCancel);
  return CancellationScope.nonCancellable(async () => {
    try {
      return await body();
    } finally {
      await condition(allHandlersFinished);
    }
  });
}

/** For message handlers: they run in the workflow's root scope, which a cancel has torn before they begin. */
export function answering<T>(handle: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(handle);
}
