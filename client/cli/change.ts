/** What the verbs that change desired state share: their options, and how they follow what they started. */
import type { Option } from "commander";
import type { ChangeOptions, StartedSubmission } from "../../contract/api.ts";
import type { ProposalDocument } from "../../contract/documents.ts";
import { ExitCode } from "./exit-code.ts";
import { exitCodeOfState, openedText } from "./plan-text.ts";
import { followText, proposalText } from "./proposal-text.ts";
import type { Session } from "./session.ts";
import { choice, noWait, option } from "./verb.ts";
import { waitForSubmission } from "./wait.ts";

export interface ChangeFlags {
  readonly preview?: true;
  readonly record?: true;
  readonly policy?: "all-or-nothing" | "per-device";
  readonly includeDrift?: true;
  readonly allowUnrelated?: true;
  readonly wait: boolean;
}

export const changeFlags = (): readonly Option[] => [
  option("--preview", "show what would change, go and stay; commit nothing").conflicts("record"),
  option("--record", "change desired state at once; devices follow by a later plan"),
  choice("--policy <policy>", "what happens when one device fails (default all-or-nothing)", [
    "all-or-nothing",
    "per-device",
  ]),
  option("--include-drift", "undo drift on these devices too"),
  option("--allow-unrelated", "apply even if unrelated configuration changed since the plan"),
  noWait(),
];

export function changeOptions(flags: ChangeFlags): ChangeOptions {
  return {
    mode: flags.preview === true ? "preview" : flags.record === true ? "record" : "plan",
    ...(flags.policy === undefined ? {} : { policy: flags.policy }),
    includeDrift: flags.includeDrift === true ? "include" : "leave",
    unrelated: flags.allowUnrelated === true ? "allow" : "refuse",
  };
}

/** Prints the plan that a submission became, or what it was compiled to. */
export async function followChange(
  session: Session,
  started: StartedSubmission,
  flags: ChangeFlags,
): Promise<ExitCode> {
  if (!flags.wait) {
    session.result(
      started,
      () => `submission ${started.submission}, plan ${started.plan}; watch it: tenure plan watch ${started.plan}`,
    );
    return ExitCode.ok;
  }
  const view = await waitForSubmission(session, started.submission);
  if (view.kind === "planned") {
    session.result({ submission: view.submission, ...view.plan }, () => openedText(view.plan));
    return exitCodeOfState(view.plan.state);
  }
  const proposal = JSON.parse(await session.api.getText(`/documents/${view.proposal}`)) as ProposalDocument;
  const isDone = flags.preview !== true && view.revision === undefined;
  session.result(
    { submission: view.submission, proposal: view.proposal, revision: view.revision, content: proposal },
    () => {
      if (isDone) return `${nothingToDo(proposal)}\n`;
      const head = view.revision === undefined ? "nothing was recorded" : `recorded as revision ${view.revision}`;
      return `${proposalText(proposal)}${head}\n${view.revision === undefined ? "" : followText(proposal)}`;
    },
  );
  return ExitCode.ok;
}

/** What was compiled says nothing that desired state does not say. */
function nothingToDo({ to }: ProposalDocument): string {
  return to === undefined
    ? "desired state says all of this already; nothing was recorded"
    : `desired state is as at revision ${String(to)} already; there is nothing to do`;
}
