/** 1 s, 2 s, 4 s .. 30 s: between attempts that a deadline ends. */
export function backoffMs(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 30_000);
}

/** 1 s, 2 s, 4 s .. 5 min: between questions to a device that does not answer. */
export function settleBackoffMs(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 300_000);
}
