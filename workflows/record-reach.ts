/** The condition `Reachable`: who looks at a device's record sees why the newest read of it failed, and what to do. */
import { graph } from "./activity-proxies.ts";
import { cutText } from "./cut-outcomes.ts";
import { type FailureWords, failureWords } from "./failure-words.ts";

const MAX_MESSAGE = 300;

export async function recordAnswered(device: string): Promise<void> {
  await graph.recordReach({ device, failure: undefined });
}

/** Returns the words of the failure, cut to what a result carries. */
export async function recordSilent(device: string, error: unknown): Promise<FailureWords> {
  const words = failureWords(error);
  const cut = { ...words, message: cutText(words.message, MAX_MESSAGE) };
  await graph.recordReach({ device, failure: { code: cut.type, message: cut.message } });
  return cut;
}
