/**
 * The `tenure` command. It owns the words a person types and the exit codes. A verb group is loaded when its word is
 * typed, so that `--help` stays fast.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { ExitCode } from "./exit-code.ts";
import { type Terminal, processTerminal } from "./terminal.ts";
import type { CliRun } from "./verb.ts";

interface VerbGroup {
  readonly words: Readonly<Record<string, string>>;
  readonly load: () => Promise<(program: Command, cli: CliRun) => void>;
}

/** In the order in which help lists them. */
const GROUPS: readonly VerbGroup[] = [
  {
    words: { up: "Temporal, worker and API on this machine" },
    load: async () => (await import("./programs.ts")).addUp,
  },
  {
    words: { status: "what runs, waits, is locked, is out of sync" },
    load: async () => (await import("./status.ts")).addStatus,
  },
  {
    words: { device: "add, change, list and remove devices" },
    load: async () => (await import("./device.ts")).addDevice,
  },
  {
    words: { import: "take a device's configuration as desired state", drift: "compare devices with desired state" },
    load: async () => (await import("./observe.ts")).addObserve,
  },
  {
    words: { service: "put, remove, compile and show network services" },
    load: async () => (await import("./service.ts")).addService,
  },
  {
    words: { definition: "list and show service definitions" },
    load: async () => (await import("./definition.ts")).addDefinition,
  },
  { words: { plan: "create, read, decide and watch plans" }, load: async () => (await import("./plan.ts")).addPlan },
  {
    words: { rollback: "return to an earlier revision" },
    load: async () => (await import("./rollback.ts")).addRollback,
  },
  {
    words: {
      show: "a device's desired configuration",
      history: "every version of one item",
      blame: "who set, owns and needs what",
      diff: "what changed between two revisions",
      check: "verify the graph's invariants",
    },
    load: async () => (await import("./read.ts")).addRead,
  },
  {
    words: { backup: "copy everything into a folder", restore: "put a backup into a new data folder" },
    load: async () => (await import("./history-verbs.ts")).addBackup,
  },
  {
    words: { worker: "run one worker", journal: "verify the journal", graph: "rebuild the graph" },
    load: async () => (await import("./programs.ts")).addPrograms,
  },
  {
    words: { yang: "check YANG modules and draw their trees" },
    load: async () => (await import("./offline/yang.ts")).addYang,
  },
  {
    words: { convert: "convert data between XML, JSON and goal files" },
    load: async () => (await import("./offline/convert.ts")).addConvert,
  },
  {
    words: { validate: "check a configuration against its YANG modules" },
    load: async () => (await import("./offline/validate.ts")).addValidate,
  },
  {
    words: { path: "write a path in the words of another protocol" },
    load: async () => (await import("./offline/path.ts")).addPath,
  },
];

/**
 * Runs one command line, `argv` without the program's own name, and returns its exit code. Never rejects for a wrong
 * command line: it says what is wrong on standard error and returns 2. Help and version go to standard output.
 */
export async function runCli(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code: number = ExitCode.ok;
  const json = argv.includes("--json");
  const cli: CliRun = {
    terminal,
    finish: (ended) => {
      code = ended;
    },
  };
  const program = new Command("tenure")
    .description("Keep a network's configuration as desired state; apply plans that a person approved by digest.")
    .version(readVersion())
    .showHelpAfterError("(--help lists what is possible)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => {
        if (!json) terminal.err(text);
      },
    })
    .addHelpText(
      "after",
      "\nResults go to standard output, everything else to standard error.\nExit codes: 0 ok, 1 refused or failed, 2 usage, 3 drift found, 4 stale.\n",
    );
  await addGroups(program, cli, firstWord(argv));
  try {
    if (argv.length === 0) program.help({ error: true });
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    // Commander reports help and version as errors too, with its own exit code 0.
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.ok;
    if (json) terminal.err(`${JSON.stringify({ code: "usage", message: error.message.replace(/^error: /, "") })}\n`);
    return ExitCode.usage;
  }
}

/** The typed group whole; of the others only what help says of them. */
async function addGroups(program: Command, cli: CliRun, word: string | undefined): Promise<void> {
  for (const group of GROUPS) {
    if (word !== undefined && Object.hasOwn(group.words, word)) (await group.load())(program, cli);
    else for (const [name, summary] of Object.entries(group.words)) program.command(name).description(summary);
  }
}

/** `tenure help WORD` is about that word. */
function firstWord(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((each) => !each.startsWith("-"));
  return first === "help" ? second : first;
}

function readVersion(): string {
  // This file runs as client/cli/main.ts and as dist/client/cli/main.js: package.json is two or three folders up.
  for (const up of ["../..", "../../.."]) {
    try {
      const { version } = JSON.parse(readFileSync(join(import.meta.dirname, up, "package.json"), "utf8")) as {
        version: string;
      };
      return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  throw new Error("package.json of tenure is missing: the installation is incomplete");
}
