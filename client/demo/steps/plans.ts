/** Steps around plans: they are made, read, approved by digest, and end. */
import { z } from "zod";
import { checkFact } from "../fact.ts";
import type { Stage, Step } from "../stage.ts";

export const planSummarySchema = z.object({
  plan: z.string(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  direction: z.string(),
  state: z.string(),
  operations: z.number(),
});

/** Takes a plan that was just made; it must wait for approval. */
export function takeNewPlan(
  stage: Stage,
  plan: z.infer<typeof planSummarySchema>,
  direction: "change" | "enforce" | "accept",
): void {
  checkFact("direction of the new plan", { expected: direction, found: plan.direction });
  checkFact("state of the new plan", { expected: "waiting", found: plan.state });
  stage.takePlan(plan);
}

const operationSchema = z.object({
  op: z.string(),
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  causes: z.array(z.object({ kind: z.string(), service: z.string().optional() })),
});
const lineSchema = z.object({
  kind: z.string(),
  path: z.string(),
  value: z.unknown().optional(),
  keptBy: z.array(z.object({ service: z.string(), relation: z.string() })).optional(),
  setBy: z.string().optional(),
  overridden: z.string().optional(),
});
const sectionSchema = z.object({
  name: z.string(),
  operations: z.array(operationSchema),
  services: z.array(z.object({ service: z.string(), effect: z.string(), lines: z.array(lineSchema) })),
  findings: z.array(
    z.object({
      kind: z.string(),
      scope: z.string().optional(),
      path: z.string().optional(),
      expected: z.unknown().optional(),
      found: z.unknown().optional(),
    }),
  ),
});
const planShowSchema = z.object({ plan: z.string(), digest: z.string(), sectionDocuments: z.array(sectionSchema) });
type Section = z.infer<typeof sectionSchema>;

/** One fact of a plan in a line of its own: `~ PATH 9000 -> 1500 (service b)`, `stays PATH at 1500 (a owns it, ..)`. */
export type PlanLines = Readonly<Record<string, readonly string[]>>;

/** `plan show`: exactly these lines for each device, told as they stand. Paths below `prefix` are written without it. */
export function planSays(expected: PlanLines): Step {
  return async (stage) => {
    const inHand = stage.planInHand();
    const shown = await stage.tenure(["plan", "show", inHand.plan], planShowSchema);
    checkFact("digest of the plan that is shown", { expected: inHand.digest, found: shown.digest });
    const found = Object.fromEntries(shown.sectionDocuments.map((section) => [section.name, sectionLines(section)]));
    checkFact("what the plan says", { expected, found });
    for (const [device, lines] of Object.entries(found)) {
      stage.narrator.say(`${device}:`);
      for (const line of lines.length === 0 ? ["no operation"] : lines) stage.narrator.say(`  ${line}`);
    }
    stage.narrator.say(`digest ${shown.digest}`);
  };
}

function sectionLines(section: Section): readonly string[] {
  const operations = section.operations.map(({ op, path, before, after, causes }) => {
    const why = causes.map(causeWords).join(", ");
    return `${op} ${short(path)}: ${show(before)} -> ${show(after)} (${why})`;
  });
  const lines = section.services.flatMap(({ service, lines: of }) =>
    of.map((line) => {
      switch (line.kind) {
        case "kept": {
          const keepers = (line.keptBy ?? []).map((each) => `${each.service} ${each.relation} it`);
          return `stays ${short(line.path)} at ${show(line.value)}, set by ${line.setBy ?? "?"}: ${keepers.join(", ")}`;
        }
        case "overrides":
          return `${service} overrides ${line.overridden ?? "?"}`;
        case "removed":
          return `goes ${short(line.path)}`;
        default:
          return `${line.kind} ${short(line.path)}`;
      }
    }),
  );
  const findings = section.findings.map(({ kind, scope, path, expected, found }) => {
    const what = [kind, scope].filter((word) => word !== undefined).join(" ");
    return `${what} ${short(path ?? "")}: expected ${show(expected)}, found ${show(found)}`;
  });
  return [...operations, ...lines, ...findings];
}

function causeWords({ kind, service = "?" }: { readonly kind: string; readonly service?: string | undefined }): string {
  switch (kind) {
    case "service-put":
      return `for service ${service}`;
    case "service-remove":
      return `service ${service} goes`;
    case "drift":
      return "against drift";
    default:
      return `${kind} ${service}`;
  }
}

/** `/module:a/b[name='x']/c` without the module, as people say it. */
function short(path: string): string {
  return path.replaceAll(/\/[\w.-]+:/g, "/");
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const planDetailSchema = planSummarySchema.extend({
  revision: z.number().optional(),
  reason: z.string().optional(),
  approvals: z.array(z.object({ kind: z.string(), actor: z.string() })),
  outcomes: z.array(z.object({ name: z.string(), kind: z.string() })),
});

export interface Ending {
  /** Outcome of each device. */
  readonly devices: Readonly<Record<string, string>>;
  /** Revision that desired state became; undefined where it stays as it is. */
  readonly revision: number | undefined;
}

/** The person (or `--yes`) approves the digest; `plan approve` waits for the end. */
export function approve(expected: Ending): Step {
  return async (stage) => {
    const detail = await decide(stage, 0);
    checkFact("how the plan ended", { expected: "applied", found: detail.state });
    checkEnding(detail, expected);
    const devices = detail.outcomes.map(({ name, kind }) => `${name} ${kind}`).sort();
    const revision =
      detail.revision === undefined ? "desired state stays as it was" : `revision ${String(detail.revision)}`;
    stage.narrator.say(
      `Approved by ${detail.approvals.map(({ actor }) => actor).join(", ")}: ${detail.state} (${devices.join(", ")}); ${revision}.`,
    );
  };
}

const STALE_EXIT = 4;

/** The same approval, but a device has moved since the plan was made: nothing is written, and the exit code is 4. */
export function approveStale(expected: Ending): Step {
  return async (stage) => {
    const detail = await decide(stage, STALE_EXIT);
    checkFact("how the plan ended", { expected: "stale", found: detail.state });
    checkEnding(detail, expected);
    stage.narrator.say(
      `Refused, the plan is ${detail.state} (exit code ${String(STALE_EXIT)}): ${detail.reason ?? "?"}`,
    );
  };
}

async function decide(stage: Stage, exit: number): Promise<z.infer<typeof planDetailSchema>> {
  const { plan, digest } = stage.planInHand();
  await stage.narrator.ask(`Approve plan ${plan} with digest ${digest.slice(0, 12)}..?`);
  return stage.tenure(["plan", "approve", plan, "--digest", digest], planDetailSchema, { exit });
}

function checkEnding(detail: z.infer<typeof planDetailSchema>, expected: Ending): void {
  const found = {
    devices: Object.fromEntries(detail.outcomes.map(({ name, kind }) => [name, kind])),
    revision: detail.revision,
  };
  checkFact("outcomes and revision of the plan", {
    expected: { devices: expected.devices, revision: expected.revision },
    found,
  });
}
