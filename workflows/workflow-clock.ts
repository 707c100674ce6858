/** Milliseconds since the epoch as the history tells them: the same at every replay. */
export function now(): number {
  // eslint-disable-next-line no-restricted-properties -- Temporal's sandbox replaces it by the time of the workflow task
  return Date.now();
}
