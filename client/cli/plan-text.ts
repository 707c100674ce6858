import type { PlanDetail, PlanOutcome, PlanSummary } from "../../contract/api.ts";
import { PlanState } from "../../contract/plan-state.ts";
import { ExitCode } from "./exit-code.ts";
import { table } from "./table.ts";
import { timeText } from "./words.ts";

export function planTable(plans: readonly PlanSummary[], empty: string): string {
  const rows = plans.map((plan) => [
    plan.plan,
    plan.state,
    plan.direction,
    plan.policy,
    String(plan.operations),
    plan.author,
    timeText(plan.since),
  ]);
  return table(["plan", "state", "direction", "policy", "operations", "author", "since"], rows, empty);
}

/** What a fresh plan asks of its reader. */
export function openedText(plan: PlanSummary): string {
  const what =
    plan.direction === "accept" ? "desired state takes what the device has" : `${plan.operations} operation(s)`;
  const head = `plan ${plan.plan}: ${what}, ${plan.state}\ndigest ${plan.digest}\n`;
  if (plan.state === PlanState.applied) return `${head}there is nothing to do\n`;
  if (plan.state !== PlanState.waiting) return `${head}${plan.reason ?? ""}\n`;
  return `${head}read it:    tenure plan show ${plan.plan}\napprove it: tenure plan approve ${plan.plan} --digest ${plan.digest}\n`;
}

/** State, people and outcomes of a plan: what stands outside the digest. */
export function planStateText(plan: PlanDetail): string {
  const reason = plan.reason === undefined ? "" : `: ${plan.reason}`;
  const lines = [
    `plan ${plan.plan} is ${plan.state} since ${timeText(plan.since)}${reason}`,
    `made by ${plan.author} at ${timeText(plan.opened)}`,
    `digest ${plan.digest}`,
    ...(plan.follows === undefined ? [] : [`follows plan ${plan.follows}`]),
    ...(plan.revision === undefined ? [] : [`revision ${plan.revision}`]),
    ...plan.approvals.map(
      (each) =>
        `${each.kind} (${each.what}) by ${each.actor} at ${timeText(each.time)}${each.message === undefined ? "" : `: ${each.message}`}`,
    ),
  ];
  return `${lines.join("\n")}\n${plan.outcomes.length === 0 ? "" : outcomeText(plan.outcomes)}`;
}

export function outcomeText(outcomes: readonly PlanOutcome[]): string {
  const lines = outcomes.flatMap((each) => [
    `device ${each.name}: ${each.kind}${each.message === undefined ? "" : `, ${each.message}`}`,
    ...each.differences.map(
      ({ path, expected, found }) => `  ${path}: expected ${expected ?? "nothing"}, found ${found ?? "nothing"}`,
    ),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

const BAD: ReadonlySet<PlanState> = new Set([
  PlanState.failed,
  PlanState.aborted,
  PlanState.partial,
  PlanState.rejected,
  PlanState.withdrawn,
  PlanState.expired,
  PlanState.cancelled,
]);

/** For whoever wanted the plan made: open or applied is well. */
export function exitCodeOfState(state: PlanState): ExitCode {
  if (state === PlanState.stale) return ExitCode.stale;
  return BAD.has(state) ? ExitCode.failed : ExitCode.ok;
}
