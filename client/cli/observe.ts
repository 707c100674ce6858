import type { Command } from "commander";
import type { DeviceView, ImportRequest, StartedRun } from "../../contract/api.ts";
import type { CheckDriftResult, DriftOutcome, ImportDevicesResult, ImportOutcome } from "../../contract/workflows.ts";
import type { PlanSection } from "../../plan/plan-document.ts";
import { operationLines } from "../../plan/summarise-plan.ts";
import type { ImportReport } from "../../services/import-report.ts";
import { ExitCode } from "./exit-code.ts";
import { importReportLines } from "./import-text.ts";
import type { Session } from "./session.ts";
import { table } from "./table.ts";
import { type CliRun, addVerb, deviceSelection, noWait, option } from "./verb.ts";
import { waitForRun } from "./wait.ts";

interface SelectionOptions {
  readonly all?: true;
  readonly wait: boolean;
}
interface ImportOptions extends SelectionOptions {
  readonly preview?: true;
  readonly allowEmpty?: true;
}

export function addObserve(program: Command, cli: CliRun): void {
  addVerb<ImportOptions>(program, cli, {
    usage: "import [names...]",
    summary: "Take the whole configuration of devices as desired state, one revision each.",
    examples: ["tenure import r1 r2", "tenure import --all", "tenure import r1 --preview"],
    options: [
      option("--all", "all devices"),
      option("--preview", "say what would change and record nothing"),
      option("--allow-empty", "an empty configuration is meant"),
      noWait(),
    ],
    run: async ({ session, args, options }) => {
      const request: ImportRequest = {
        ...deviceSelection(args, options.all),
        mode: options.preview === true ? "preview" : "record",
        empty: options.allowEmpty === true ? "allow" : "refuse",
      };
      const { run } = await session.api.post<StartedRun>("/imports", request);
      if (!options.wait) return started(session, run);
      const { outcomes } = await waitForRun<ImportDevicesResult>(session, run, "importing");
      const named = await withNames(session, outcomes);
      const details = await Promise.all(named.map((each) => importDetails(session, each, request.mode)));
      session.result({ run, outcomes: named }, () =>
        [
          table(
            ["device", "outcome", "detail"],
            named.map((each) => importRow(each, request.mode)),
            "no devices",
          ),
          ...details.flat(),
        ].join("\n"),
      );
      return outcomes.some((outcome) => outcome.kind === "failed") ? ExitCode.failed : ExitCode.ok;
    },
  });

  addVerb<SelectionOptions>(program, cli, {
    usage: "drift [names...]",
    summary: "Read devices and compare them with desired state. Exit code 3 when one differs.",
    examples: ["tenure drift r1", "tenure drift --all --json"],
    options: [option("--all", "all devices"), noWait()],
    run: async ({ session, args, options }) => {
      const { run } = await session.api.post<StartedRun>("/drift-checks", deviceSelection(args, options.all));
      if (!options.wait) return started(session, run);
      const { outcomes } = await waitForRun<CheckDriftResult>(session, run, "reading and comparing");
      const named = await withNames(session, outcomes);
      const details = await Promise.all(named.map((each) => driftDetails(session, each)));
      session.result({ run, outcomes: named }, () =>
        [table(["device", "outcome", "detail"], named.map(driftRow), "no devices"), ...details.flat()].join("\n"),
      );
      if (outcomes.some((outcome) => outcome.kind === "drift")) return ExitCode.drift;
      return outcomes.some((outcome) => outcome.kind === "failed") ? ExitCode.failed : ExitCode.ok;
    },
  });
}

const SHOWN_OPERATIONS = 20;

/** What would bring the device back, and how to go on; for people, under the table. */
async function driftDetails(
  session: Session,
  outcome: DriftOutcome & { readonly name: string },
): Promise<readonly string[]> {
  if (outcome.kind !== "drift") return [];
  const section = await session.api.getText(`/documents/${outcome.section}`).then(
    (text) => JSON.parse(text) as Pick<PlanSection, "operations">,
    // The details are a courtesy: an owner that restarted meanwhile does not take the finding away.
    () => undefined,
  );
  const operations = section?.operations ?? [];
  const lines = operations.slice(0, SHOWN_OPERATIONS).flatMap((operation) => operationLines(operation));
  const more = operations.length - SHOWN_OPERATIONS;
  return [
    ...(lines.length === 0 ? [] : [`${outcome.name} would be brought back by`, ...lines.map((line) => `  ${line}`)]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `next: tenure plan create --device ${outcome.name} --direction enforce (or accept)`,
  ];
}

function started(session: Session, run: string): ExitCode {
  session.result({ run }, () => `started ${run}`);
  return ExitCode.ok;
}

async function withNames<T extends { readonly device: string }>(
  session: Session,
  outcomes: readonly T[],
): Promise<readonly (T & { readonly name: string })[]> {
  const devices = await session.api.get<readonly DeviceView[]>("/devices");
  const names = new Map(devices.map((device) => [device.id, device.name]));
  return outcomes.map((outcome) => ({ ...outcome, name: names.get(outcome.device) ?? outcome.device }));
}

function importRow(outcome: ImportOutcome & { readonly name: string }, mode: ImportRequest["mode"]): readonly string[] {
  switch (outcome.kind) {
    case "imported": {
      const services = outcome.affectedServices.length === 0 ? "" : `; affects ${outcome.affectedServices.join(", ")}`;
      const retyped = outcome.retyped === 0 ? "" : `, ${outcome.retyped} of another type`;
      const counts = `${outcome.items} items, ${outcome.changed} changed, ${outcome.removed} removed${retyped}`;
      const recorded = mode === "preview" ? "not recorded" : `revision ${outcome.revision}`;
      return [outcome.name, recorded, `${counts}${services}`];
    }
    case "unchanged":
      return [outcome.name, "unchanged", `${outcome.items} items`];
    case "failed":
      return [outcome.name, "failed", `${outcome.message} [${outcome.code}]`];
  }
}

/**
 * What services require and the device lacks or contradicts, and what no longer fits; under `--preview` every change.
 * For people, under the table.
 */
async function importDetails(
  session: Session,
  outcome: ImportOutcome & { readonly name: string },
  mode: ImportRequest["mode"],
): Promise<readonly string[]> {
  if (outcome.kind !== "imported") return [];
  const isPreview = mode === "preview";
  if (!isPreview && outcome.evidence === 0 && outcome.unfit === 0) return [];
  const report = await session.api.getText(`/documents/${outcome.report}`).then(
    (text) => JSON.parse(text) as ImportReport,
    // The details are a courtesy: an owner that restarted meanwhile does not take the outcome away.
    () => undefined,
  );
  return report === undefined ? [] : importReportLines(outcome.name, report, isPreview ? "every-change" : "unfit");
}

function driftRow(outcome: DriftOutcome & { readonly name: string }): readonly string[] {
  switch (outcome.kind) {
    case "in-sync":
      return [outcome.name, "in sync", `with revision ${outcome.revision}`];
    case "drift":
      return [outcome.name, "drift", `${outcome.operations} operation(s) from revision ${outcome.revision}`];
    case "failed":
      return [outcome.name, "failed", `${outcome.message} [${outcome.code}]`];
  }
}
