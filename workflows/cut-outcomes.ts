/**
 * Outcomes travel in payloads, whose size is limited, whatever 500 devices may have to say. Each device keeps its place,
 * kind and evidence; words and differences share a budget. The whole of it is in the observations.
 */
import type { DeviceOutcome } from "../contract/plan-state.ts";

const MESSAGE_CHARACTERS = 40_000;
const DIFFERENCES = 100;
const PATH_CHARACTERS = 300;
const VALUE_CHARACTERS = 100;

/** Guarantee: at most about 200 KB of JSON for 500 outcomes. Cutting twice is cutting once. */
export function cutOutcomes(outcomes: readonly DeviceOutcome[]): readonly DeviceOutcome[] {
  const message = Math.min(2_000, Math.floor(MESSAGE_CHARACTERS / Math.max(1, outcomes.length)));
  const differences = Math.min(50, Math.ceil(DIFFERENCES / Math.max(1, outcomes.length)));
  let left = DIFFERENCES;
  return outcomes.map((outcome) => {
    const kept = outcome.differences.slice(0, Math.min(differences, left));
    left -= kept.length;
    return {
      ...outcome,
      message: outcome.message === undefined ? undefined : cutText(outcome.message, message),
      differences: kept.map((each) => ({
        path: cutText(each.path, PATH_CHARACTERS),
        expected: each.expected === undefined ? undefined : cutText(each.expected, VALUE_CHARACTERS),
        found: each.found === undefined ? undefined : cutText(each.found, VALUE_CHARACTERS),
      })),
    };
  });
}

export function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
