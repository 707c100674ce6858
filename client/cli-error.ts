import type { ApiErrorBody } from "../contract/api.ts";

/** Why a command ends without its result: data first, prose at the end of the command line. */
export class CliError extends Error {
  readonly body: ApiErrorBody;

  constructor(body: ApiErrorBody, cause?: unknown) {
    super(body.message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.body = body;
  }
}

/** The command line itself is wrong. */
export function usageError(message: string): CliError {
  return new CliError({ code: "usage", message });
}
