import { userInfo } from "node:os";
import { formatDiagnostic } from "../../model/diagnostic.ts";
import { defaultDataFolder } from "../../runtime/paths.ts";
import { type ApiClient, createApiClient } from "../api-client.ts";
import { CliError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import { type Progress, createProgress } from "./progress.ts";
import type { OutputForm, Terminal } from "./terminal.ts";

/** One run of one verb: the API it asks, and where its results and its remarks go. */
export interface Session {
  readonly api: ApiClient;
  readonly actor: string;
  readonly dataFolder: string;
  readonly form: OutputForm;
  readonly terminal: Terminal;
  readonly progress: Progress;
  /** The result, on standard output: the exact object under `--json`, else the text. */
  result(value: object, text: () => string): void;
  /** A remark for people, on standard error; nothing under `--json`. */
  remark(text: string): void;
}

export function createSession(terminal: Terminal, form: OutputForm): Session {
  const dataFolder = defaultDataFolder(terminal.environment);
  const named = terminal.environment["TENURE_ACTOR"]?.trim() ?? "";
  const actor = named === "" ? systemUser() : named;
  const progress = createProgress(terminal, form);
  return {
    api: createApiClient({ dataFolder, actor }),
    actor,
    dataFolder,
    form,
    terminal,
    progress,
    result: (value, text) => {
      progress.clear();
      terminal.out(form === "json" ? `${JSON.stringify(value)}\n` : withNewline(text()));
    },
    remark: (text) => {
      progress.clear();
      if (form === "text") terminal.err(withNewline(text));
    },
  };
}

/** A user id without an entry in the system's list (usual in containers) has no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? "unknown")}`;
  }
}

/** Says on standard error why the verb ended, one JSON object under `--json`, and gives the exit code for it. */
export function reportError(error: unknown, terminal: Terminal, form: OutputForm): ExitCode {
  const body =
    error instanceof CliError
      ? error.body
      : { code: "internal", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  if (form === "json") {
    terminal.err(`${JSON.stringify(body)}\n`);
  } else {
    const diagnostics = (body.diagnostics ?? []).map(formatDiagnostic);
    const isSaidBelow = body.diagnostics?.length === 1 && body.diagnostics[0]?.message === body.message;
    const lines = isSaidBelow ? [`error: ${diagnostics.join("\n")}`] : [`error: ${body.message}`, ...diagnostics];
    if (body.omitted !== undefined && body.omitted > 0) lines.push(`and ${body.omitted} more`);
    if (body.remedy !== undefined) lines.push(`try: ${body.remedy}`);
    terminal.err(`${lines.join("\n")}\n`);
  }
  return exitCodeOf(body.code);
}

function exitCodeOf(code: string): ExitCode {
  if (code === "usage") return ExitCode.usage;
  return code === "stale" || code === "Stale" || code === "stale-basis" ? ExitCode.stale : ExitCode.failed;
}

function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
