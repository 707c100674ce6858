/**
 * The workflow's clock: the time at which Temporal started the present task, the same at every replay. It is the only
 * clock a workflow may read; deadlines that others must keep are decided by the graph's owner on its own clock.
 */
export function workflowNow(): number {
  // eslint-disable-next-line no-restricted-properties -- the sandbox replaces Date.now by the replayed clock.
  return Date.now();
}
