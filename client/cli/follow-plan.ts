import { type PlanDetail, type PlanProgressView } from "../../contract/api.ts";
import { FINAL_PLAN_STATES, PlanState } from "../../contract/plan-state.ts";
import { exitCodeOfState, planStateText } from "./plan-text.ts";
import { ExitCode } from "./exit-code.ts";
import type { Session } from "./session.ts";
import { patiently } from "./wait.ts";

const WAIT_SECONDS = 20;
/** While it is applied the phases of its devices are shown, so it is looked at more often. */
const APPLYING_WAIT_SECONDS = 1;

/** Watches a plan until nothing can change it any more, prints how each device came out, and says it by the exit code. */
export async function followPlan(session: Session, plan: string): Promise<ExitCode> {
  const path = `/plans/${encodeURIComponent(plan)}`;
  let detail = await patiently(session, () => session.api.get<PlanDetail>(path));
  while (!FINAL_PLAN_STATES.has(detail.state)) {
    await showProgress(session, path, detail);
    const { state } = detail;
    const wait = state === PlanState.applying && session.form === "text" ? APPLYING_WAIT_SECONDS : WAIT_SECONDS;
    detail = await patiently(session, () => session.api.get<PlanDetail>(path, { after: state, wait }));
  }
  const ended = detail;
  session.result(ended, () => planStateText(ended));
  return ended.state === PlanState.applied ? ExitCode.ok : exitCodeOfState(ended.state);
}

async function showProgress(session: Session, path: string, { plan, state }: PlanDetail): Promise<void> {
  if (session.form === "json") return;
  const progress = await patiently(session, () => session.api.get<PlanProgressView>(`${path}/progress`));
  const devices = progress.devices.map((device) => `${device.name} ${device.phase}`).join(", ");
  const waiting = progress.waitingFor === undefined ? "" : `, waits for ${progress.waitingFor}`;
  session.progress.show(`plan ${plan} is ${state}${devices === "" ? waiting : `: ${devices}`}`);
}
