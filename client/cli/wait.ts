import type { ApiErrorBody, RunView, SubmissionView } from "../../contract/api.ts";
import { CliError } from "../cli-error.ts";
import type { Session } from "./session.ts";

const WAIT_SECONDS = 20;
/** How long the graph's owner may be away while something runs: a restart takes seconds, and the work goes on by itself. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/** Waits for a run to end. Rejects with its failure. `run` is the id that starting it gave (`import/i-..`). */
export async function waitForRun<T>(session: Session, run: string, what: string): Promise<T> {
  session.progress.show(what);
  for (;;) {
    const view = await patiently(session, () => session.api.get<RunView<T>>(`/runs/${run}`, { wait: WAIT_SECONDS }));
    if (view.kind === "failed") throw new CliError(view.error);
    if (view.kind === "completed") return view.result;
  }
}

/** Waits until a submission has become a plan or a proposal. Rejects with its failure. */
export async function waitForSubmission(
  session: Session,
  submission: string,
): Promise<Extract<SubmissionView, { readonly kind: "planned" | "compiled" }>> {
  session.progress.show("planning");
  for (;;) {
    const view = await patiently(session, () =>
      session.api.get<SubmissionView>(`/submissions/${submission}`, { wait: WAIT_SECONDS }),
    );
    if (view.kind === "failed") throw new CliError(view.error);
    if (view.kind !== "running") return view;
  }
}

const PASSING: ReadonlySet<ApiErrorBody["code"]> = new Set(["not-running", "temporal-unavailable", "unauthorized"]);

/** Repeats a read while nobody answers, for a while: whoever owns the graph may be starting again. */
export async function patiently<T>(session: Session, ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CliError) || !PASSING.has(error.body.code) || performance.now() > end) throw error;
      session.progress.show("waiting for Tenure to answer again");
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
