/**
 * Processes of this machine by pid and start time, so that a reused pid is never taken for the process it once named.
 * Linux only (procfs).
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 20;

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since the machine booted, as procfs prints them. */
  readonly startTime: string;
}

/** The process that has this pid now, or undefined when there is none (or only a zombie). */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name is in parentheses and may hold any character, blanks and parentheses included.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const startTime = fields[19];
  if (startTime === undefined || state === "Z") return undefined;
  return { pid, startTime };
}

/** Children of a process, their children and so on, as of now. */
export function descendantsOf(pid: number): readonly ProcessIdentity[] {
  const children = (readProcFile(`/proc/${pid}/task/${pid}/children`) ?? "")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => {
    const identity = identify(child);
    return identity === undefined ? [] : [identity, ...descendantsOf(child)];
  });
}

/**
 * Asks each process to end (SIGTERM), and kills those that still run after half the limit.
 * Rejects, naming the pids, when some survive the limit.
 */
export async function endProcesses(
  processes: readonly ProcessIdentity[],
  { limitMs }: { readonly limitMs: number },
): Promise<void> {
  const begin = Date.now();
  for (const { signal, until } of [
    { signal: "SIGTERM", until: begin + limitMs / 2 },
    { signal: "SIGKILL", until: begin + limitMs },
  ] as const) {
    for (const process of processes) send(process, signal);
    while (processes.some(isRunning) && Date.now() < until) await delay(POLL_MS);
  }
  const left = processes.filter(isRunning);
  if (left.length > 0) throw new Error(`still running: ${left.map(({ pid }) => pid).join(", ")}`);
}

function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

function send(target: ProcessIdentity, signal: "SIGTERM" | "SIGKILL"): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    // It ended between the look and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
