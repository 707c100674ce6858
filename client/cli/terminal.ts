/** For programs or for people. */
export type OutputForm = "json" | "text";

/** What a command reads and writes, so that tests can run one inside their own process. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Is somebody looking at standard output, at standard error? */
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    environment: process.env,
    outIsTerminal: process.stdout.isTTY,
    errIsTerminal: process.stderr.isTTY,
  };
}
