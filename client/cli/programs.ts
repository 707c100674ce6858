/** Verbs that are programs of their own: they are started by path and share this terminal. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { packageRoot } from "../../runtime/package-root.ts";
import { dataPaths } from "../../runtime/paths.ts";
import { CliError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import type { Session } from "./session.ts";
import { type CliRun, addVerb, choice } from "./verb.ts";

export function addUp(program: Command, cli: CliRun): void {
  addVerb(program, cli, {
    usage: "up",
    summary: "Run Temporal (if none is configured), the workers and the API on this machine. Ctrl-C ends all.",
    examples: ["tenure up", "TENURE_HOME=/srv/tenure tenure up", "TEMPORAL_ADDRESS=127.0.0.1:7233 tenure up"],
    run: () => runProgram("up", []),
  });
}

export function addPrograms(program: Command, cli: CliRun): void {
  addVerb<{ readonly role: string }>(program, cli, {
    usage: "worker",
    summary: "Run one worker against a Temporal server that runs elsewhere.",
    examples: ["tenure worker --role devices", "tenure worker --role all"],
    options: [
      choice("--role <role>", "which task queues it serves", [
        "graph",
        "devices",
        "workflows",
        "all",
      ]).makeOptionMandatory(),
    ],
    run: ({ options }) => runProgram("main", ["--role", options.role]),
  });

  const journal = program.command("journal").description("verify the journal");
  addVerb<{ readonly json?: true }>(journal, cli, {
    usage: "verify",
    summary:
      "Prove every record of the journal and the snapshot that stands for pruned ones, and compare the graph with it. Only while nobody owns the data folder.",
    examples: ["tenure journal verify"],
    run: ({ session, options }) => runOnJournal(session, "verify-journal", jsonFlag(options)),
  });

  const graph = program.command("graph").description("rebuild the graph");
  addVerb<{ readonly json?: true }>(graph, cli, {
    usage: "rebuild",
    summary: "Throw the graph database away and build it from the journal. Only while nobody owns the data folder.",
    examples: ["tenure graph rebuild"],
    run: ({ session, options }) => runOnJournal(session, "rebuild-graph", jsonFlag(options)),
  });
}

/** The flag that a program takes as the verb was given it. */
export function jsonFlag(options: { readonly json?: true }): readonly string[] {
  return options.json === true ? ["--json"] : [];
}

/** A data folder that is not there, most likely a wrong `TENURE_HOME`, is said so and not made. */
export async function runOnJournal({ dataFolder }: Session, name: string, args: readonly string[]): Promise<ExitCode> {
  if (!existsSync(dataPaths(dataFolder).journal)) {
    throw new CliError({
      code: "not-found",
      message: `there is no journal in data folder ${dataFolder}`,
      remedy: "set TENURE_HOME to a data folder",
    });
  }
  return runProgram(name, args);
}

/** Runs `worker/<name>` of the build and ends as it ends. Signals from the terminal reach it by themselves. */
export async function runProgram(name: string, args: readonly string[]): Promise<ExitCode> {
  const file = join(packageRoot, "dist", "worker", `${name}.js`);
  if (!existsSync(file)) {
    throw new CliError({ code: "not-built", message: `${file} is missing`, remedy: "build it: npm run build" });
  }
  // The channel carries nothing; that it closes tells the program that this process is gone, however it ended.
  const child = spawn(process.execPath, [file, ...args], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // Ctrl-C reaches both, a signal to this process alone only this one: it is passed on either way, and this one waits
  // until the other has put everything away.
  const forward = () => child.kill("SIGTERM");
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => {
        resolve(code === ExitCode.ok || code === ExitCode.usage ? code : ExitCode.failed);
      });
    });
  } finally {
    process.off("SIGINT", forward);
    process.off("SIGTERM", forward);
  }
}
