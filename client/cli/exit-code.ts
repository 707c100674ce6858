/** What the command's exit code says. Scripts rely on it. */
export const ExitCode = {
  ok: 0,
  /** Refused or failed; standard error says why. */
  failed: 1,
  usage: 2,
  drift: 3,
  stale: 4,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
