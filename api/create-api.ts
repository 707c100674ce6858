/**
 * The HTTP API of the process that owns the graph: the one door for the command line, the console and the device
 * workers. Reads are answered from the graph; changes start workflows and decisions become updates of them, so that
 * nothing depends on this process living on. It never writes desired state itself.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { ApiErrorBody } from "../contract/api.ts";
import { DEFAULT_TIMING, type TransactionTiming } from "../contract/workflows.ts";
import { SchemaCache } from "../graph/documents/typed-documents.ts";
import type { GraphStore } from "../graph/store.ts";
import { newApiToken, writeApiAccess } from "../runtime/api-access.ts";
import { packageRoot } from "../runtime/package-root.ts";
import type { TemporalPort } from "../runtime/temporal-port.ts";
import { errorAnswer } from "./api-error.ts";
import type { ActorPolicy, ApiContext } from "./context.ts";
import { addDesiredRoutes } from "./desired-routes.ts";
import { addDeviceRoutes } from "./device-routes.ts";
import { addHistoryRoutes } from "./history-routes.ts";
import { addInternalRoutes } from "./internal-routes.ts";
import { addPlanRoutes } from "./plan-routes.ts";
import { addRollbackRoutes } from "./rollback-routes.ts";
import { addRunRoutes } from "./run-routes.ts";
import { addServiceRoutes } from "./service-routes.ts";
import { addStatusRoutes } from "./status-routes.ts";

export interface ApiOptions {
  readonly store: GraphStore;
  readonly temporal: TemporalPort;
  /** Every request carries it: `Authorization: Bearer TOKEN`. */
  readonly token: string;
  readonly logger: Logger;
  readonly version: string;
  /** Default `author-may-approve`. */
  readonly actorPolicy?: ActorPolicy;
  /** Default `DEFAULT_TIMING`. */
  readonly timing?: TransactionTiming;
  /** Default 500 devices. */
  readonly transactionLimit?: number;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const TRANSACTION_LIMIT = 500;

/** The server, not yet listening. Closing it ends what waits; it closes neither the store nor the Temporal client. */
export function createApi(options: ApiOptions): FastifyInstance {
  const { store, temporal, logger, version } = options;
  const closing = new AbortController();
  const context: ApiContext = {
    store,
    temporal,
    version,
    schemas: new SchemaCache((digest) => store.documents.getText(digest)),
    actorPolicy: options.actorPolicy ?? "author-may-approve",
    timing: options.timing ?? DEFAULT_TIMING,
    transactionLimit: options.transactionLimit ?? TRANSACTION_LIMIT,
    closing: closing.signal,
  };
  // Transaction ids and fingerprints are path parameters, longer than the router's default of 100 characters.
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: "idle",
  });
  app.addHook("preClose", (done) => {
    closing.abort();
    done();
  });
  app.addHook("onRequest", async (request, reply) => {
    if (isAuthorized(request.headers.authorization, options.token)) return;
    const body: ApiErrorBody = { code: "unauthorized", message: "the request carries no valid token" };
    await reply.code(401).send(body);
  });
  // A connection that is answered while the server closes would otherwise be kept alive, and the server with it.
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing.signal.aborted) reply.header("connection", "close");
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    // The route's pattern and not the address: paths of configuration stay out of the log.
    logger.debug(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "request",
    );
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    const body: ApiErrorBody = {
      code: "unknown-route",
      message: `there is no ${request.method} ${request.url.split("?")[0] ?? ""}`,
    };
    return reply.code(404).send(body);
  });
  app.setErrorHandler((error, request, reply) => {
    const answer = errorAnswer(error);
    if (answer !== undefined && answer.status < 500) return reply.code(answer.status).send(answer.body);
    logger.error({ err: error, method: request.method, route: request.routeOptions.url }, "request failed");
    const body: ApiErrorBody = answer?.body ?? {
      code: "internal",
      message: "internal error; the log of the graph's owner says more",
    };
    return reply.code(answer?.status ?? 500).send(body);
  });
  addStatusRoutes(app, context);
  addDeviceRoutes(app, context);
  addRunRoutes(app, context);
  addServiceRoutes(app, context);
  addRollbackRoutes(app, context);
  addPlanRoutes(app, context);
  addDesiredRoutes(app, context);
  addHistoryRoutes(app, context, logger);
  addInternalRoutes(app, context);
  return app;
}

/** Digests first: comparing them takes the same time wherever the token is wrong, and whatever its length. */
function isAuthorized(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`));
}

export interface ServeOptions extends Omit<ApiOptions, "token" | "version"> {
  /** Default 0: a free port. Always on loopback. */
  readonly port?: number;
}

export interface ServedApi {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Listens on loopback with a fresh token and writes both where clients of this data folder look. Needs: the store is open. */
export async function serveApi(options: ServeOptions): Promise<ServedApi> {
  const token = newApiToken();
  const app = createApi({ ...options, token, version: await packageVersion() });
  const address = await app.listen({ host: "127.0.0.1", port: options.port ?? 0 });
  await writeApiAccess(options.store.paths.folder, { address, token });
  await options.store.announce(address);
  options.logger.info({ address }, "the API listens");
  return { address, close: () => app.close() };
}

async function packageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
