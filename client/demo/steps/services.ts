/** Steps around network services: they are put and removed, and how they stand is checked. */
import { z } from "zod";
import { checkFact } from "../fact.ts";
import type { Step } from "../stage.ts";
import { planSummarySchema, takeNewPlan } from "./plans.ts";

/** `service put FILE`: becomes a plan; nothing is written before somebody approves it. */
export function putService(...files: readonly string[]): Step {
  return async (stage) => {
    takeNewPlan(stage, await stage.tenure(["service", "put", ...files], planSummarySchema), "change");
  };
}

export function removeService(name: string): Step {
  return async (stage) => {
    takeNewPlan(stage, await stage.tenure(["service", "remove", name], planSummarySchema), "change");
  };
}

const valueSchema = z.object({ text: z.string() });
const inconsistencySchema = z.object({
  reason: z.string(),
  path: z.string(),
  required: valueSchema.optional(),
  found: valueSchema.optional(),
  by: z.string().optional(),
  revision: z.number(),
});
const serviceSchema = z.object({
  name: z.string(),
  targets: z.array(z.string()),
  status: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("consistent") }),
    z.object({ kind: z.literal("inconsistent"), because: z.array(inconsistencySchema) }),
  ]),
});

export function consistent(name: string): Step {
  return async (stage) => {
    const service = await stage.tenure(["service", "show", name], serviceSchema);
    checkFact(`how service ${name} stands`, { expected: { kind: "consistent" }, found: service.status });
    stage.narrator.say(`Service ${service.name} (${service.targets.join(", ")}) is ${service.status.kind}.`);
  };
}

export interface Overridden {
  readonly by: string;
  readonly path: string;
  readonly required: string;
  readonly found: string;
  readonly revision: number;
}

/** The service stays as it was declared, marked with what it requires, what is there, and who did that in which revision. */
export function overridden(name: string, expected: Overridden): Step {
  return async (stage) => {
    const service = await stage.tenure(["service", "show", name], serviceSchema);
    const because = service.status.kind === "inconsistent" ? service.status.because : [];
    const found = because.map(({ required, found: present, ...rest }) => ({
      ...rest,
      required: required?.text,
      found: present?.text,
    }));
    checkFact(`why service ${name} is inconsistent`, { expected: [{ reason: "overridden", ...expected }], found });
    for (const each of found) {
      stage.narrator.say(
        `Service ${service.name} is inconsistent, ${each.reason} by ${each.by ?? "?"} in revision ${String(each.revision)}: it requires ${each.required ?? "?"}, desired state has ${each.found ?? "?"}.`,
      );
    }
  };
}
