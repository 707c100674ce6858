import { runCli } from "../../client/cli/main.ts";

export interface CliOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One `tenure` command line in this process; neither stream is a terminal. */
export async function runInProcess(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CliOutcome> {
  let out = "";
  let err = "";
  const code = await runCli(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    environment,
    outIsTerminal: false,
    errIsTerminal: false,
  });
  return { code, out, err };
}
