import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { claimData, type DataClaim } from "./data-record.ts";
import { findFreePorts } from "./free-ports.ts";
import { probeTemporal } from "./probe-temporal.ts";
import { TemporalServerError } from "./temporal-server-error.ts";
import { startTiedProcess, type TiedProcess } from "./tied-process.ts";

/**
 * Temporal's own development server as a child of ours: real engine, real web UI, on loopback only. Used by `tenure up`
 * and the demo with a data file, by tests in memory.
 *
 * Life: it ends with us (see tied-process.ts), also after SIGKILL. With a data file, running workflows survive any
 * end and go on when a server starts on the same file; a server that has not ended yet is ended first.
 */

/** The types that Temporal knows for search attributes, as the server spells them. */
export type SearchAttributeTypeName = "Keyword" | "KeywordList" | "Text" | "Int" | "Double" | "Bool" | "Datetime";

export type DevServerStorage = { readonly kind: "memory" } | { readonly kind: "file"; readonly path: string };

export interface StartDevServerOptions {
  /** Path of the `temporal` program, see resolveTemporal. */
  readonly program: string;
  /** Where histories are kept; folders of a file are created. */
  readonly storage: DevServerStorage;
  /** Registered before anything can start: a workflow that sets an unregistered one hangs. */
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeTypeName>>;
  /** Fixed ports, for an address that stays; default: free ones. */
  readonly port?: number;
  readonly uiPort?: number;
  /** How long it may take to become healthy; default 30 s, normally under one. */
  readonly limitMs?: number;
  /** Receives the server's own log (warnings and errors). */
  readonly onOutput?: (text: string) => void;
}

export interface DevServer {
  /** HOST:PORT for clients and workers. */
  readonly address: string;
  readonly namespace: "default";
  /** `http://HOST:PORT` of the web UI. */
  readonly uiUrl: string;
  readonly pid: number;
  /** Settles when the server has ended, also by itself: its owner then has no engine any more. */
  readonly exited: Promise<unknown>;
  /** Ends the server and returns when it has ended, so that ports and data file are free. May be called again. */
  stop(): Promise<void>;
}

const host = "127.0.0.1";
const namespace = "default";

/**
 * Starts a server and returns when it answers, the namespace `default` exists and all search attributes are registered.
 *
 * Rejects with a TemporalServerError: `data-in-use`, or `start-failed` with what the server said last. Nothing is left
 * running then.
 */
export async function startDevServer(options: StartDevServerOptions): Promise<DevServer> {
  const { storage } = options;
  if (storage.kind === "memory") return startOnce(options, undefined);
  await mkdir(dirname(storage.path), { recursive: true, mode: 0o700 });
  const claim = await claimData(storage.path);
  try {
    return await startOnce(options, claim);
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** A free port may be taken before the server binds it; with free choice of ports that is no reason to fail. */
async function startOnce(options: StartDevServerOptions, claim: DataClaim | undefined): Promise<DevServer> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryStart(options, claim);
    if (outcome.kind === "started") return outcome.server;
    if (attempt < 3 && /address already in use/i.test(outcome.lastOutput)) continue;
    throw new TemporalServerError(
      "start-failed",
      `The Temporal server ${options.program} did not become healthy: ${outcome.reason}.` +
        (outcome.lastOutput === "" ? "" : ` It said:\n${outcome.lastOutput}`),
    );
  }
}

type Outcome =
  | { readonly kind: "started"; readonly server: DevServer }
  | { readonly kind: "failed"; readonly reason: string; readonly lastOutput: string };

async function tryStart(options: StartDevServerOptions, claim: DataClaim | undefined): Promise<Outcome> {
  const [grpc = 0, ui = 0, http = 0, metrics = 0] = await findFreePorts(4);
  const port = options.port ?? grpc;
  const uiPort = options.uiPort ?? ui;
  const attributes = Object.entries(options.searchAttributes ?? {});
  const args = [
    ...["server", "start-dev", "--ip", host, "--port", String(port), "--ui-port", String(uiPort)],
    ...["--http-port", String(http), "--metrics-port", String(metrics)],
    ...["--ui-disable-news-fetch", "--log-level", "warn", "--namespace", namespace],
    ...attributes.flatMap(([name, type]) => ["--search-attribute", `${name}=${type}`]),
    ...(options.storage.kind === "file" ? ["--db-filename", options.storage.path] : []),
  ];
  const child = await startTiedProcess(
    options.program,
    args,
    options.onOutput === undefined ? {} : { onOutput: options.onOutput },
  );
  await claim?.recordServer(child.pid);
  const address = `${host}:${port}`;
  const failure = await waitUntilHealthy(child, address, {
    limitMs: options.limitMs ?? 30_000,
    searchAttributes: attributes.map(([name]) => name),
  });
  if (failure !== undefined) {
    await child.stop();
    return { kind: "failed", reason: failure, lastOutput: child.lastOutput() };
  }
  const exited = child.exited.then(() => claim?.release());
  return {
    kind: "started",
    server: {
      address,
      namespace,
      uiUrl: `http://${host}:${uiPort}`,
      pid: child.pid,
      exited,
      stop: async () => {
        await child.stop();
        await exited;
      },
    },
  };
}

/** Returns why the server is not healthy in time, undefined when it is. */
async function waitUntilHealthy(
  child: TiedProcess,
  address: string,
  { limitMs, searchAttributes }: { readonly limitMs: number; readonly searchAttributes: readonly string[] },
): Promise<string | undefined> {
  const deadline = Date.now() + limitMs;
  let ended: string | undefined;
  void child.exited.then((end) => {
    ended = end.kind === "exit" ? `it ended with exit code ${end.code}` : `it was ended by ${end.signal}`;
  });
  let last = "no attempt was made";
  while (Date.now() < deadline) {
    try {
      await probeTemporal(address, { limitMs: 2000, namespace, searchAttributes });
      // The program says so itself when its port was taken; then another server answered us.
      return ended;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    if (ended !== undefined) return ended;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return `no answer within ${limitMs / 1000} s (${last})`;
}
