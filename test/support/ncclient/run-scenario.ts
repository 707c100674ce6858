/** Puts a server through a scenario and says, step by step, what was expected and what came, in comparable form. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OWN_MODULE_FOLDERS } from "../netconfd.ts";
import type { Ncclient } from "./client.ts";
import { dataShape } from "./data-shape.ts";
import {
  interfacesConfig,
  labConfig,
  type Expectation,
  type KnownServer,
  type Scenario,
  type Step,
} from "./scenario.ts";
import type { ErrorReport, Outcome, Request } from "./step.ts";

export interface Comparison {
  /** Position in the scenario, session, operation, and the deviation that counts as expected. */
  readonly step: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * Runs a scenario on a server that holds nothing of ours in candidate and running, and leaves it so again.
 * `known` selects the deviations that count as expected; without it only the right answers do.
 * Rejects when the server cannot be brought back to nothing.
 */
export async function runScenario(
  client: Ncclient,
  { scenario, known }: { readonly scenario: Scenario; readonly known?: KnownServer },
): Promise<readonly Comparison[]> {
  const sessionIds = new Map<string, string>();
  const run = async (session: string, request: Request): Promise<Outcome> => {
    const outcome = await client.run(session, request);
    if (outcome.kind === "hello") sessionIds.set(session, outcome.sessionId);
    if (outcome.kind === "closed") sessionIds.delete(session);
    return outcome;
  };
  try {
    for (const session of ["a", "b"]) await run(session, { op: "open" });
    const comparisons: Comparison[] = [];
    for (const [index, step] of scenario.steps.entries()) {
      const owners = new Map(sessionIds);
      const outcome = await run(step.session, step.request);
      comparisons.push(compare({ index, step, outcome, owners, ...(known === undefined ? {} : { known }) }));
    }
    return comparisons;
  } finally {
    // A session that ends takes its locks and its unconfirmed commit with it; only then can the rest be removed.
    for (const session of sessionIds.keys()) await client.run(session, { op: "close" });
    await empty(client);
  }
}

/** Removes what a scenario left in candidate and running. */
async function empty(client: Ncclient): Promise<void> {
  const session = "cleaner";
  const opened = await client.run(session, { op: "open" });
  if (opened.kind !== "hello") throw new Error(`no session to clean up: ${JSON.stringify(opened)}`);
  await client.run(session, { op: "discard-changes" });
  const configs = [labConfig(""), ...(offersInterfaces(opened) ? [interfacesConfig("")] : [])].map(removal);
  for (const request of [
    ...configs.map((config) => ({ op: "edit-config", target: "candidate", config }) as const),
    { op: "commit" } as const,
  ]) {
    const outcome = await client.run(session, request);
    if (outcome.kind !== "ok") throw new Error(`cannot clean up: ${JSON.stringify(outcome)}`);
  }
  await client.run(session, { op: "close" });
}

function removal(config: string): string {
  return config.replace(/<(lab|interfaces) /u, '<$1 nc:operation="remove" ');
}

function offersInterfaces(hello: Extract<Outcome, { readonly kind: "hello" }>): boolean {
  return hello.capabilities.some((capability) => capability.includes("module=ietf-interfaces&"));
}

interface Answer {
  readonly index: number;
  readonly step: Step;
  readonly outcome: Outcome;
  readonly owners: ReadonlyMap<string, string>;
  readonly known?: KnownServer;
}

function compare({ index, step, outcome, owners, known }: Answer): Comparison {
  const deviation = known !== undefined && step.deviation?.server === known ? step.deviation : undefined;
  const expectation = deviation?.answers ?? step.right;
  return {
    step: `${index + 1} ${step.session} ${step.request.op}${deviation === undefined ? "" : `, known to deviate: ${deviation.note}`}`,
    expected: wanted(expectation),
    actual: met(expectation, outcome, owners),
  };
}

/** An expectation in the form in which `met` gives an outcome that meets it. */
function wanted(expectation: Expectation): unknown {
  switch (expectation.kind) {
    case "lab":
      return { kind: "data", data: dataShape(withDefaultsBound(labConfig(expectation.xml))) };
    case "interfaces":
      return { kind: "data", data: dataShape(interfacesConfig(expectation.xml)) };
    case "schema":
      return { kind: "schema", text: moduleText(expectation.module) };
    case "error":
    case "hello":
    case "ok":
    case "closed":
      return expectation;
  }
}

/** The expectation itself where the outcome meets it, else what came instead. */
function met(expectation: Expectation, outcome: Outcome, owners: ReadonlyMap<string, string>): unknown {
  switch (expectation.kind) {
    case "ok":
    case "closed":
      return outcome.kind === expectation.kind ? expectation : outcome;
    case "hello": {
      if (outcome.kind !== "hello") return outcome;
      const announced = new Set(outcome.capabilities.map((capability) => capability.split("?")[0]));
      return { kind: "hello", capabilities: expectation.capabilities.filter((name) => announced.has(name)) };
    }
    case "lab":
    case "interfaces":
      return outcome.kind === "data" ? { kind: "data", data: dataShape(outcome.xml) } : outcome;
    case "schema":
      return outcome.kind === "data" ? { kind: "schema", text: textOf(outcome.xml) } : outcome;
    case "error":
      return outcome.kind === "error" && outcome.errors.some((report) => fits(report, expectation, owners))
        ? expectation
        : outcome;
  }
}

function fits(
  report: ErrorReport,
  { tags, appTag, owner }: Extract<Expectation, { readonly kind: "error" }>,
  owners: ReadonlyMap<string, string>,
): boolean {
  if (report.tag === null || !tags.includes(report.tag) || report.severity !== "error") return false;
  if (appTag !== undefined && report.appTag !== appTag) return false;
  return owner === undefined || /session-id[^>]*>([^<]*)</u.exec(report.info ?? "")?.[1] === owners.get(owner);
}

function withDefaultsBound(config: string): string {
  return config.replace("<lab ", '<lab xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" ');
}

function textOf(xml: string): string {
  const [start, end] = [xml.indexOf(">") + 1, xml.lastIndexOf("</")];
  return xml.slice(start, end).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

function moduleText(name: string): string {
  for (const folder of OWN_MODULE_FOLDERS) {
    try {
      return readFileSync(join(folder, `${name}.yang`), "utf8").trim();
    } catch {
      continue;
    }
  }
  throw new Error(`no module ${name} in this repository`);
}
