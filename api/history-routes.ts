import { isAbsolute } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { z } from "zod";
import type { BackupView, PruneView, RunView, StartedRun } from "../contract/api.ts";
import type { BackupReport } from "../graph/backup/write-backup.ts";
import { ApiError, badRequest, errorAnswer, notFound } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { newRunId } from "./new-id.ts";
import { actorOf, askUntil, parameter, readInput, waitSchema } from "./request.ts";
import { readInstant } from "./revision-query.ts";

const pruneSchema = z.strictObject({
  before: z.string(),
  mode: z.enum(["prune", "preview"]),
  /** Of this one wish: asked again under the same key, nothing more is dropped. */
  key: z.string().min(1).max(200),
});
const backupSchema = z.strictObject({ folder: z.string().min(1) });

/** Ended ones are kept for whoever still asks, up to so many. */
const MAX_RUNS = 100;

/**
 * Pruning and backups: work on the whole store, by this process and not by a workflow, since it is about the files that
 * this process owns. It may take minutes, so it is a run like any other, but one that is forgotten when the process
 * ends; a prune is then asked for again under its key.
 */
export function addHistoryRoutes(app: FastifyInstance, { store, closing }: ApiContext, logger: Logger): void {
  const runs = new Map<string, RunView<unknown>>();

  function start(work: () => Promise<unknown>): StartedRun {
    const id = newRunId("upkeep");
    const run = `upkeep/${id}`;
    runs.set(id, { kind: "running", run });
    for (const [other, view] of runs) {
      if (runs.size <= MAX_RUNS) break;
      if (view.kind !== "running") runs.delete(other);
    }
    void work().then(
      (result) => runs.set(id, { kind: "completed", run, result }),
      (error: unknown) => {
        const answer = errorAnswer(error);
        if (answer === undefined || answer.status >= 500) logger.error({ err: error, run }, "upkeep failed");
        const unforeseen = { code: "internal", message: "internal error; the log of the graph's owner says more" };
        runs.set(id, { kind: "failed", run, error: answer?.body ?? unforeseen });
      },
    );
    return { run };
  }

  app.post("/v1/history/prune", (request, reply): StartedRun => {
    const body = readInput(pruneSchema, request.body, "body");
    const before = readInstant(body.before);
    const actor = actorOf(request);
    reply.code(202);
    return start(
      (): Promise<PruneView> =>
        body.mode === "preview" ? store.previewPrune(before) : store.prune({ before, actor, key: body.key }),
    );
  });

  app.post("/v1/backups", (request, reply): StartedRun => {
    const { folder } = readInput(backupSchema, request.body, "body");
    if (!isAbsolute(folder)) throw badRequest("folder must be an absolute path on the machine of the graph's owner");
    reply.code(202);
    return start(async () => backupView(await store.backup(folder).catch(refuseFiles)));
  });

  app.get("/v1/runs/upkeep/:id", async (request): Promise<RunView<unknown>> => {
    const { wait } = readInput(waitSchema, request.query, "query");
    const id = parameter(request, "id");
    const view = () => {
      const found = runs.get(id);
      if (found !== undefined) return Promise.resolve(found);
      const message = `there is no run upkeep/${id}; it is forgotten when the graph's owner ends`;
      return Promise.reject(notFound("unknown-run", message, "ask for it again"));
    };
    return askUntil(view, { done: (one) => one.kind !== "running", waitSeconds: wait, signal: closing });
  });
}

function backupView({ folder, manifest }: BackupReport): BackupView {
  const { time, records, revision, secretKeys, documents } = manifest;
  return { folder, time, records, revision, secretKeys, documents: { count: documents.count, bytes: documents.bytes } };
}

/** What the operating system says of files is the operator's to mend, and no riddle for a log. */
function refuseFiles(error: unknown): never {
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  throw new ApiError(409, {
    code: "backup-failed",
    message: `there is no backup: ${error.message}`,
    remedy: "name an empty or new folder that the process which runs `tenure up` can write to",
  });
}
