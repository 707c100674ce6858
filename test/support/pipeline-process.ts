import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AppendedFile, CrashPoint, FromWorker, ToWorker } from "./pipeline-messages.ts";

/** One life of the worker process. */
export interface WorkerProcess {
  readonly pid: number;
  /** Settles when the process is gone, with its signal or exit code. */
  readonly ended: Promise<string>;
  /** Counts appends to journal and lock table from now on, and has the process end itself at that point. */
  arm(crash: CrashPoint | undefined): Promise<void>;
  /** What was appended to since `arm`, one entry a line. */
  appends(): Promise<readonly AppendedFile[]>;
  /** SIGKILL; returns when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL after ten seconds; returns how it ended. */
  shutDown(): Promise<string>;
  /** The last of what it wrote to standard error. */
  errors(): string;
}

const KEPT_OUTPUT = 4_000;
const SHUTDOWN_LIMIT_MS = 10_000;

/** Starts a worker and returns when it serves. Rejects with what it said when it ends before that. */
export async function startWorkerProcess(options: {
  readonly folder: string;
  readonly temporal: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<WorkerProcess> {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const program = fileURLToPath(new URL("pipeline-worker.ts", import.meta.url));
  const child = fork(program, ["--folder", options.folder, "--temporal", options.temporal], {
    execArgv: ["--import", loader],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, TENURE_LOG: "warn", ...options.env },
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-KEPT_OUTPUT);
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(signal ?? `exit ${String(code)}`);
    });
  });

  async function ask(message: ToWorker): Promise<readonly AppendedFile[]> {
    const answer = nextMessage(child, "appends");
    child.send(message);
    return (await orEnded(answer)).list;
  }

  function orEnded<T>(promise: Promise<T>): Promise<T> {
    const end = ended.then((how): never => {
      throw new Error(`the worker ended (${how}); it said:\n${errors}`);
    });
    return Promise.race([promise, end]);
  }

  await orEnded(nextMessage(child, "ready"));
  return {
    pid: child.pid ?? 0,
    ended,
    arm: async (crash) => {
      await ask({ kind: "arm", crash });
    },
    appends: () => ask({ kind: "count" }),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    shutDown: async () => {
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), SHUTDOWN_LIMIT_MS);
      const how = await ended;
      clearTimeout(limit);
      return how;
    },
    errors: () => errors,
  };
}

function nextMessage<Kind extends FromWorker["kind"]>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromWorker, { readonly kind: Kind }>> {
  return new Promise((resolve) => {
    const look = (message: FromWorker): void => {
      if (message.kind !== kind) return;
      child.off("message", look);
      resolve(message as Extract<FromWorker, { readonly kind: Kind }>);
    };
    child.on("message", look);
  });
}
