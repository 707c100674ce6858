/**
 * `tenure up`: Temporal (when none is configured), the worker and the API on this machine, until Ctrl-C. The worker is
 * a process of its own: when it dies it is started again, and everything that was under way goes on.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_ATTRIBUTES } from "../contract/task-queue.ts";
import { type TenureConfig, readConfig } from "./config.ts";
import { defaultDataFolder } from "../runtime/paths.ts";
import { type DevServer, startDevServer } from "../runtime/temporal/dev-server.ts";
import { resolveTemporal } from "../runtime/temporal/resolve-temporal.ts";

const dataFolder = defaultDataFolder();
const MAX_RESTARTS_A_MINUTE = 5;
/** Exit codes of worker/main.ts after which another start cannot help. */
const HOPELESS: ReadonlySet<number | null> = new Set([2, 3]);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Engine {
  readonly address: string;
  readonly ui: string | undefined;
  readonly server: DevServer | undefined;
}

async function startEngine(config: TenureConfig): Promise<Engine> {
  const configured = process.env["TEMPORAL_ADDRESS"] ?? config.temporal.address;
  const env = configured === undefined ? process.env : { ...process.env, TEMPORAL_ADDRESS: configured };
  const temporal = await resolveTemporal({ env });
  if (temporal.kind === "running") return { address: temporal.address, ui: undefined, server: undefined };
  const server = await startDevServer({
    program: temporal.path,
    storage: { kind: "file", path: join(dataFolder, "temporal", "temporal.db") },
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  return { address: server.address, ui: server.uiUrl, server };
}

function startWorker(engine: Engine): ChildProcess {
  return fork(
    join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "main.ts" : "main.js"),
    ["--role", "all"],
    {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: {
        ...process.env,
        TENURE_HOME: dataFolder,
        TENURE_TEMPORAL_ADDRESS: engine.address,
        ...(engine.ui === undefined ? {} : { TENURE_TEMPORAL_UI: engine.ui }),
      },
    },
  );
}

/** Shared with the signal handlers. */
const state: { stopping: boolean } = { stopping: false };
let worker: ChildProcess | undefined;

/** Keeps one worker running; resolves with the exit code when it ended for good. */
async function superviseWorker(engine: Engine): Promise<number> {
  const starts: number[] = [];
  for (;;) {
    const now = performance.now();
    starts.push(now);
    while ((starts[0] ?? now) < now - 60_000) starts.shift();
    if (starts.length > MAX_RESTARTS_A_MINUTE) {
      say("tenure: the worker ended too often; see its messages above");
      return 1;
    }
    if (isStopping()) return 0;
    const child = startWorker(engine);
    worker = child;
    child.on("message", (message) => {
      const api = typeof message === "object" && "api" in message ? String(message.api) : "";
      say(`tenure: ready; API ${api}, data folder ${dataFolder}`);
    });
    const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    if (isStopping()) return 0;
    if (HOPELESS.has(code)) return 1;
    say(`tenure: the worker ended (${code === null ? "killed" : `exit ${String(code)}`}); starting it again`);
  }
}

function isStopping(): boolean {
  return state.stopping;
}

function stop(): void {
  state.stopping = true;
  worker?.kill("SIGTERM");
}

function stopOn(signal: NodeJS.Signals): void {
  process.on(signal, () => {
    if (isStopping()) return;
    say("tenure: stopping");
    stop();
  });
}

try {
  stopOn("SIGINT");
  stopOn("SIGTERM");
  // Started by a program that is gone: nobody would stop us any more.
  if (process.send !== undefined) process.on("disconnect", stop);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const config = await readConfig(dataFolder);
  const engine = await startEngine(config);
  say(`tenure: Temporal at ${engine.address}${engine.ui === undefined ? "" : `, its web UI at ${engine.ui}`}`);
  if (config.approval.author === "may-approve") {
    say("tenure: approval policy author-may-approve, since there are no users yet (config.yaml: approval.author)");
  }
  void engine.server?.exited.then(() => {
    if (isStopping()) return;
    say("tenure: the Temporal server ended; stopping. Everything under way goes on at the next `tenure up`");
    stop();
  });
  const code = await superviseWorker(engine);
  state.stopping = true;
  await engine.server?.stop();
  process.exit(code);
} catch (error) {
  say(`tenure: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
