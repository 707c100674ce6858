import type { StorePlanRequest } from "../contract/activities.ts";
import type { PlanSection } from "../plan/plan-document.ts";
import type { GraphContext } from "./graph-context.ts";

/**
 * Which devices are wanted otherwise than these sections of an enforcing plan say. Such a plan has no body whose basis
 * could be judged: the goal itself is what was approved, and an import or another plan may have made it an earlier one.
 */
export async function movedGoals(
  context: GraphContext,
  sections: readonly StorePlanRequest["sections"][number][],
): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const { device, section } of sections) {
    const record = await context.device(device);
    const { goalAfter } = JSON.parse(await context.read(section)) as Pick<PlanSection, "goalAfter">;
    const desired = await context.store.desiredDevice(device);
    const goal =
      desired === undefined
        ? undefined
        : await context.goalOf(
            desired.moduleSet,
            [...desired.items.values()].map((each) => each.item),
          );
    if (goal !== goalAfter) reasons.push(`what is wanted of ${record.name} has changed since the plan was made`);
  }
  return reasons;
}
