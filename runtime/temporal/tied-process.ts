import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";

/**
 * A child process that does not outlive us, however we end. Exit and signals are handled here in Node; for SIGKILL and
 * crashes, where no code of ours runs any more, the system closes the pipe that we hold to a small shell beside the
 * child, and that shell ends the child.
 */
export interface TiedProcess {
  readonly pid: number;
  /** Settles when the process has ended, by itself or by `stop`. */
  readonly exited: Promise<ProcessEnd>;
  /** The last lines that it wrote on stdout and stderr, for an error message. */
  lastOutput(): string;
  /** Asks it to end (SIGTERM), forces it after `graceMs` (default 10 s), and returns when it has ended. */
  stop(options?: { readonly graceMs?: number }): Promise<ProcessEnd>;
}

export type ProcessEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

export interface StartTiedProcessOptions {
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const keptOutput = 8192;

// The shell becomes the program by `exec`, so the child's pid is the program's own. Before, it leaves a watcher behind
// that reads our pipe: end of file means that we are gone; a line means that we end the program ourselves.
const watcher = 'exec 3<&0; (read -r line <&3 || kill -TERM $$) >/dev/null 2>&1 & exec 3<&-; exec "$@" </dev/null';

/**
 * Starts `program` with `args`. A program that is missing or ends at once is reported by `exited` (exit code 126 or
 * 127 when it cannot be run, the reason in `lastOutput`). Needs `/bin/sh`, rejects without it.
 *
 * The child has a process group of its own, so that Ctrl-C in a terminal reaches us first and we end it in our order.
 */
export async function startTiedProcess(
  program: string,
  args: readonly string[],
  { onOutput }: StartTiedProcessOptions = {},
): Promise<TiedProcess> {
  const child = spawn("/bin/sh", ["-c", watcher, "sh", program, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} was started without a process id`);

  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptOutput);
      onOutput?.(text);
    });
  }
  // Writing to a watcher that has already gone is no error.
  child.stdin.on("error", () => undefined);

  const release = endWithUs(child);
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      release();
      resolve(signal === null ? { kind: "exit", code: code ?? 0 } : { kind: "signal", signal });
    });
  });
  return {
    pid,
    exited,
    lastOutput: () => output.trim(),
    stop: async ({ graceMs = 10_000 } = {}) => {
      child.stdin.end("stop\n");
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(force);
      }
    },
  };
}

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The children that are running now. One listener serves them all, so that it can tell whether others listen too. */
const running = new Set<ChildProcess>();

function onExit(): void {
  for (const child of running) child.kill("SIGTERM");
}

function onSignal(signal: NodeJS.Signals): void {
  // Whoever else listens has an order of ending of its own and stops the children in it.
  if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
}

/** Ends `child` when this process ends by exit or by a signal that nobody else handles. Returns how to undo that. */
function endWithUs(child: ChildProcess): () => void {
  if (running.size === 0) {
    process.on("exit", onExit);
    for (const signal of endingSignals) process.on(signal, onSignal);
  }
  running.add(child);
  return () => {
    running.delete(child);
    if (running.size > 0) return;
    process.off("exit", onExit);
    for (const signal of endingSignals) process.off(signal, onSignal);
  };
}
