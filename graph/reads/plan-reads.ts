import type { PlanState } from "../../contract/plan-state.ts";
import { compareText } from "../../model/compare-text.ts";
import type {
  ApprovalEntry,
  DecisionEntry,
  OutcomeEntry,
  PlanEntry,
  PlanRecord,
  RefusalEntry,
} from "../journal/record.ts";
import type { ResultRow } from "../ladybug.ts";
import * as statements from "../statements/reads.ts";
import type { Reader, Recorded } from "./reader.ts";

export interface PlanView {
  readonly plan: PlanRecord;
  readonly state: PlanState;
  readonly opened: string;
  /** The newest transition: who, why, since when. */
  readonly latest: Extract<PlanEntry, { readonly event: "state" }> & Recorded;
}
export type ApprovalView =
  | ({ readonly kind: "approval" } & ApprovalEntry & Recorded)
  | ({ readonly kind: "refusal" } & RefusalEntry & Recorded);
export type DecisionView = DecisionEntry & Recorded;
export type OutcomeView = OutcomeEntry & Recorded;

/** What was planned, what was decided about it, and how it ended. */
export interface PlanReads {
  plans(): Promise<readonly PlanView[]>;
  plan(id: string): Promise<PlanView | undefined>;
  /** Approvals and refusals of a plan, oldest first. */
  approvals(plan: string): Promise<readonly ApprovalView[]>;
  /** The newest outcome of each device of a plan. */
  outcomes(plan: string): Promise<readonly OutcomeView[]>;
  decision(transaction: string): Promise<DecisionView | undefined>;
}

export function createPlanReads({ rows, parse, forms, firstForm }: Reader): PlanReads {
  async function view(row: ResultRow): Promise<PlanView> {
    return {
      plan: await parse<PlanRecord>(row["form"]),
      state: String(row["state"]) as PlanState,
      opened: String(row["opened"]),
      latest: await parse<PlanView["latest"]>(row["latest"]),
    };
  }

  return {
    plans: async () => Promise.all((await rows(statements.PLANS)).map(view)),
    async plan(id) {
      const [row] = await rows(statements.PLAN, { id });
      return row === undefined ? undefined : view(row);
    },
    async approvals(plan) {
      return Promise.all(
        (await rows(statements.APPROVALS, { plan })).map(
          async (row): Promise<ApprovalView> =>
            row["kind"] === "approval"
              ? { kind: "approval", ...(await parse<ApprovalEntry & Recorded>(row["form"])) }
              : { kind: "refusal", ...(await parse<RefusalEntry & Recorded>(row["form"])) },
        ),
      );
    },
    async outcomes(plan) {
      const newest = new Map<string, OutcomeView>();
      for (const outcome of await forms<OutcomeView>(statements.OUTCOMES, { plan }))
        newest.set(outcome.device, outcome);
      return [...newest.values()].sort((a, b) => compareText(a.device, b.device));
    },
    decision: (transaction) => firstForm<DecisionView>(statements.DECISION, { id: transaction }),
  };
}
