import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { StartedSubmission } from "../contract/api.ts";
import type { ApiContext } from "./context.ts";
import { findDevices } from "./find-device.ts";
import { actorOf, readInput } from "./request.ts";
import { revisionOf } from "./revision-query.ts";
import { changeOptionsShape, startChange } from "./start-change.ts";

const rollbackSchema = z.strictObject({
  to: z.number().int().min(1, "a revision, from 1 on"),
  devices: z.array(z.string().min(1)).min(1).optional(),
  ...changeOptionsShape,
});

/** Back to a revision: a change like a put. What cannot be told any more, or is no revision, is refused at once. */
export function addRollbackRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.post("/v1/rollbacks", async (request, reply): Promise<StartedSubmission> => {
    const actor = actorOf(request);
    const { to, devices: names, ...change } = readInput(rollbackSchema, request.body, "body");
    const revision = await revisionOf(store, { revision: to });
    // Asked of the store too: only it knows what was pruned.
    await store.services({ revision });
    const devices = names === undefined ? "all" : (await findDevices(store, names)).map((device) => device.id);
    reply.code(202);
    return startChange(context, { kind: "rollback", to: revision, devices }, { change, actor });
  });
}
