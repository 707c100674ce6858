/**
 * Heartbeats while an activity works: a worker that dies is noticed within the heartbeat time-out, and a long piece of
 * work is not taken for a dead one.
 */
import { Context } from "@temporalio/activity";

const HEARTBEAT_MS = 2_000;

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Every activity of an interface, with heartbeats. */
export function beating<T extends object>(activities: T): T {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      (...args: unknown[]): Promise<unknown> => withHeartbeat(() => activity(...args)),
    ]),
  ) as T;
}
