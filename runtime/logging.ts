/** Structured logs of the long-running processes: one JSON object a line, always on standard error. */
import { type Logger, destination, pino } from "pino";

export interface LoggerOptions {
  /** Name of the part that logs: `api`, `worker`. */
  readonly name: string;
  /** Default: `TENURE_LOG`, else `info`. */
  readonly level?: string;
  /** Where lines go; default standard error, since standard output belongs to results. */
  readonly write?: (line: string) => void;
}

/** Needs: callers log ids, digests and counts; never credentials, secrets or configuration. */
export function createLogger(options: LoggerOptions): Logger {
  const { name, level = process.env["TENURE_LOG"] ?? "info", write } = options;
  const settings = { name, level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return write === undefined ? pino(settings, destination(2)) : pino(settings, { write });
}
