/** What is done to the whole store while it runs: dropping old history, and copying everything into a backup. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupView, PruneView, StartedRun } from "../../contract/api.ts";
import { CliError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import { jsonFlag, runOnJournal, runProgram } from "./programs.ts";
import { type CliRun, addVerb, argument, option, time } from "./verb.ts";
import { waitForRun } from "./wait.ts";
import { timeText } from "./words.ts";

interface PruneOptions {
  readonly before: string;
  readonly preview?: true;
  readonly key?: string;
}

/** Adds `prune` below `history`, which is a verb of its own. Needs: `history` was added. */
export function addHistoryPrune(program: Command, cli: CliRun): void {
  const history = program.commands.find((command) => command.name() === "history");
  if (history === undefined) throw new Error("`history` is added before `history prune`");
  // Both take --json: what stands behind `prune` is for `prune`.
  program.enablePositionalOptions();
  history.enablePositionalOptions();
  addVerb<PruneOptions>(history, cli, {
    usage: "prune",
    summary:
      "Drop history older than a time, by whole days of the journal. What stands now, open plans and the documents they name stay; older revisions can no longer be shown or returned to.",
    examples: [
      "tenure history prune --before 2030-01-31T00:00:00Z --preview",
      "tenure history prune --before 2030-01-31T00:00:00Z",
    ],
    options: [
      option("--before <time>", "what is older goes, e.g. 2030-01-31T12:00:00Z").argParser(time).makeOptionMandatory(),
      option("--preview", "say what would go, and drop nothing"),
      option("--key <key>", "of this one wish: asked again under it, nothing more is dropped"),
    ],
    run: async ({ session, options }) => {
      const mode = options.preview === true ? "preview" : "prune";
      const { run } = await session.api.post<StartedRun>("/history/prune", {
        before: options.before,
        mode,
        key: options.key ?? randomUUID(),
      });
      const report = await waitForRun<PruneView>(session, run, mode === "preview" ? "looking" : "pruning history");
      session.result(report, () => pruneText(report, mode));
      return ExitCode.ok;
    },
  });
}

function pruneText({ alreadyThere, dropped, prunedAt, oldestKept, documents }: PruneView, mode: "prune" | "preview") {
  const lines: string[] = [];
  const verb = mode === "preview" ? "would go" : "went";
  if (alreadyThere) lines.push("this was asked for and done before");
  if (dropped === undefined) {
    lines.push("no part of the journal is old enough");
  } else {
    const { first, last, revisions, bytes } = dropped;
    lines.push(`records ${first} to ${last} ${verb}: ${revisions} revisions, ${bytes} bytes`);
  }
  if (oldestKept !== undefined) lines.push(`the oldest part that stays ends ${timeText(oldestKept)}`);
  lines.push(`${documents.count} documents that nothing names, ${documents.bytes} bytes, ${verb}`);
  if (prunedAt !== undefined)
    lines.push(`history begins with revision ${prunedAt.revision} (${timeText(prunedAt.time)})`);
  return lines.join("\n");
}

export function addBackup(program: Command, cli: CliRun): void {
  addVerb<{ readonly json?: true }>(program, cli, {
    usage: "backup <dir>",
    summary:
      "Copy journal, documents and sealed secrets into an empty folder, while writes go on. The keys of secrets are not in it.",
    examples: ["tenure backup /backups/2030-01-31"],
    run: async ({ session, args, options }) => {
      const folder = resolve(argument(args, 0));
      let run: string;
      try {
        ({ run } = await session.api.post<StartedRun>("/backups", { folder }));
      } catch (error) {
        // Nobody owns the folder, so a program may for as long as the copy takes.
        if (!(error instanceof CliError) || error.body.code !== "not-running") throw error;
        return runOnJournal(session, "write-backup", [folder, ...jsonFlag(options)]);
      }
      const view = await waitForRun<BackupView>(session, run, "copying");
      session.result(view, () => backupText(view));
      return ExitCode.ok;
    },
  });

  addVerb<{ readonly json?: true }>(program, cli, {
    usage: "restore <dir>",
    summary:
      "Prove a backup and put it into a data folder that has no journal, then build the graph. Only while nobody owns the data folder.",
    examples: ["TENURE_HOME=/srv/tenure tenure restore /backups/2030-01-31"],
    run: ({ args, options }) => runProgram("restore-backup", [resolve(argument(args, 0)), ...jsonFlag(options)]),
  });
}

function backupText({ folder, records, revision, documents, secretKeys }: BackupView): string {
  const lines = [
    `${folder} holds records ${records.first} to ${records.last}, up to revision ${revision}, and ${documents.count} documents`,
  ];
  if (secretKeys.length > 0)
    lines.push(`its secrets need the key ${secretKeys.join(", ")}, which is not in it: keep it elsewhere`);
  return lines.join("\n");
}
