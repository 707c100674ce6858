import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 50;

/**
 * Asks again and again until there is an answer (anything but undefined) and returns it. A question that throws is one
 * without answer yet. Rejects when the limit has passed, naming `what` and the last error.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  { limitMs = 30_000, pauseMs = PAUSE_MS }: { readonly limitMs?: number; readonly pauseMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      const why = last instanceof Error ? `: ${last.message}` : "";
      throw new Error(`${what}: not within ${String(limitMs)} ms${why}`, { cause: last });
    }
    await delay(pauseMs);
  }
}
