import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * One process of this machine for as long as the machine runs. A process id alone is not enough: the system gives it to
 * another program after the first one ends, and we must never signal that one.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the system's own notation: compared for equality, never interpreted. */
  readonly started: string;
}

/** The identity of a running process, or undefined when there is no process `pid` (a zombie counts as none). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** True while exactly the process that `identity` was taken from is running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // proc(5): the command name in parentheses may hold anything, so fields are counted from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  return state === "Z" || state === "X" ? undefined : fields[19];
}

function startFromPs(pid: number): string | undefined {
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
