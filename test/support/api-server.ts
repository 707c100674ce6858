/** The API over a real store in a temporary folder, with a Temporal that the test plays. */
import { rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import { type ServeOptions, serveApi } from "../../api/create-api.ts";
import { ACTOR_HEADER } from "../../contract/api.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { readApiAccess } from "../../runtime/api-access.ts";
import { createLogger } from "../../runtime/logging.ts";
import type { RunState, StartRequest, TemporalPort, UpdateAnswer, UpdateRequest } from "../../runtime/temporal-port.ts";
import { testFolder } from "./graph-bodies.ts";
import { type CliOutcome, runInProcess } from "./run-cli.ts";

/** Remembers what it was asked; the test says how workflows stand and what updates are answered. */
export class PlayedTemporal implements TemporalPort {
  readonly address = "127.0.0.1:7233";
  readonly namespace = "default";
  readonly ui = "http://127.0.0.1:8233";
  readonly started: StartRequest[] = [];
  readonly updates: UpdateRequest[] = [];
  readonly states = new Map<string, RunState>();
  readonly queries = new Map<string, unknown>();
  answer: (request: UpdateRequest) => UpdateAnswer | Promise<UpdateAnswer> = () => ({ kind: "closed" });

  start(request: StartRequest): Promise<{ readonly kind: "started" | "already-started" }> {
    if (this.states.get(request.id)?.kind === "running") return Promise.resolve({ kind: "already-started" });
    this.started.push(request);
    this.states.set(request.id, { kind: "running" });
    return Promise.resolve({ kind: "started" });
  }
  state(id: string): Promise<RunState | undefined> {
    return Promise.resolve(this.states.get(id));
  }
  async update(request: UpdateRequest): Promise<UpdateAnswer> {
    this.updates.push(request);
    return this.answer(request);
  }
  query({ id }: { readonly id: string }): Promise<unknown> {
    return Promise.resolve(this.queries.get(id));
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
}

export interface TestApi {
  readonly folder: string;
  readonly store: GraphStore;
  readonly temporal: PlayedTemporal;
  readonly address: string;
  readonly token: string;
  /** Lines that the API logged. */
  readonly log: readonly string[];
  get<T = unknown>(path: string): Promise<Answer<T>>;
  post<T = unknown>(path: string, body?: object, actor?: string): Promise<Answer<T>>;
  delete<T = unknown>(path: string): Promise<Answer<T>>;
  /** Closes the server, not the store. */
  close(): Promise<void>;
  /** Runs `tenure` in this process against this API. */
  cli(...argv: readonly string[]): Promise<CliOutcome>;
}

export async function openTestApi(options: Partial<ServeOptions> = {}): Promise<TestApi> {
  const folder = testFolder();
  const store = await openStore({ dataFolder: folder, reserveBytes: 0 });
  const temporal = new PlayedTemporal();
  const log: string[] = [];
  const logger = createLogger({ name: "api", level: "debug", write: (line) => log.push(line) });
  const served = await serveApi({ store, temporal, logger, ...options });
  onTestFinished(async () => {
    await served.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const access = await readApiAccess(folder);
  if (access === undefined) throw new Error("no access file");
  const { address, token } = access;

  async function call<T>(
    method: string,
    path: string,
    more: { readonly body?: object | undefined; readonly actor?: string } = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        [ACTOR_HEADER]: encodeURIComponent(more.actor ?? "tester"),
        ...(more.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, text, body: (isJson ? JSON.parse(text) : text) as T };
  }

  return {
    folder,
    store,
    temporal,
    address,
    token,
    log,
    get: (path) => call("GET", path),
    post: (path, body, actor) => call("POST", path, { body, ...(actor === undefined ? {} : { actor }) }),
    delete: (path) => call("DELETE", path),
    close: () => served.close(),
    cli: (...argv) => runInProcess(argv, { TENURE_HOME: folder, TENURE_ACTOR: "tester" }),
  };
}
