import type { PlanView } from "../graph/reads.ts";
import type { GraphStore } from "../graph/store.ts";
import { notFound } from "./api-error.ts";

/** Error 404 `unknown-plan`. */
export async function findPlan(store: GraphStore, id: string): Promise<PlanView> {
  const plan = await store.plan(id);
  if (plan === undefined) throw notFound("unknown-plan", `there is no plan ${id}`, "tenure plan list shows the plans");
  return plan;
}
