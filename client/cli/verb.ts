import { Command, InvalidArgumentError, Option } from "commander";
import { usageError } from "../cli-error.ts";
import type { ExitCode } from "./exit-code.ts";
import { type Session, createSession, reportError } from "./session.ts";
import type { OutputForm, Terminal } from "./terminal.ts";

/** The command line that is being run. `finish` takes the exit code of the verb that ran. */
export interface CliRun {
  readonly terminal: Terminal;
  finish(code: ExitCode): void;
}

export interface VerbCall<Options> {
  readonly session: Session;
  readonly args: readonly string[];
  readonly options: Options;
}

export interface VerbSpec<Options> {
  /** Name and arguments in commander's notation: `show <device> [path]`. */
  readonly usage: string;
  readonly summary: string;
  /** Whole command lines. */
  readonly examples: readonly string[];
  readonly options?: readonly Option[];
  readonly run: (call: VerbCall<Options>) => Promise<ExitCode>;
}

/** Adds a verb with `--json`, its examples, and errors that end as data. */
export function addVerb<Options extends object>(parent: Command, cli: CliRun, spec: VerbSpec<Options>): void {
  const command = parent.command(spec.usage).description(spec.summary).allowExcessArguments(false);
  for (const option of spec.options ?? []) command.addOption(option);
  command.option("--json", "print the result as one JSON object");
  command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join("")}`);
  command.action(async () => {
    const options = command.opts<Options & { readonly json?: true }>();
    const form: OutputForm = options.json === true ? "json" : "text";
    const session = createSession(cli.terminal, form);
    try {
      cli.finish(await spec.run({ session, args: command.args, options }));
    } catch (error) {
      session.progress.clear();
      cli.finish(reportError(error, cli.terminal, form));
    }
  });
}

/** An argument that commander has already made sure of. */
export function argument(args: readonly string[], index: number): string {
  const value = args[index];
  if (value === undefined) throw usageError(`argument ${index + 1} is missing`);
  return value;
}

export function option(flags: string, description: string): Option {
  return new Option(flags, description);
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

/** May be given again and again; the values in their order. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser<readonly string[]>(
    (value, previous: readonly string[] | undefined) => [...(previous ?? []), value],
  );
}

export const noWait = (): Option => new Option("--no-wait", "print the ids of what was started and return");

export const atRevision = (): readonly Option[] => [
  new Option("--revision <n>", "as desired state was at this revision").argParser(revisionNumber).conflicts("at"),
  new Option("--at <time>", "as it was at this time, with Z or an offset, e.g. 2030-01-31T14:00+02:00").argParser(time),
];

export interface AtRevisionOptions {
  readonly revision?: string;
  readonly at?: string;
}

function revisionNumber(text: string): string {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError("It is not a revision number.");
  return text;
}

/** Its form alone: whether the calendar has it, says the API. */
export function time(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}.+([Zz]|[+-]\d{2}(:?\d{2})?)$/.test(text.trim())) return text;
  throw new InvalidArgumentError(
    "It is not a time with an offset, like 2030-01-31T12:00:00Z or 2030-01-31T14:00+02:00.",
  );
}

/** `NAME..` or `--all`, never nothing by accident. */
export function deviceSelection(
  args: readonly string[],
  all: true | undefined,
): { readonly devices?: readonly string[] } {
  if (all === true && args.length > 0) throw usageError("give either device names or --all");
  if (all !== true && args.length === 0) throw usageError("name the devices, or give --all");
  return all === true ? {} : { devices: args };
}
