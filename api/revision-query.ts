import { z } from "zod";
import type { GraphStore } from "../graph/store.ts";
import { badRequest, notFound } from "./api-error.ts";

/** `revision=N`, or `at=TIME` for the newest revision at or before an instant; neither: the newest of all. */
export const revisionQuery = z.object({
  revision: z.coerce.number().int().min(0).optional(),
  at: z.string().optional(),
});

/** Errors: 404 `unknown-revision` for a number that does not exist yet, 400 for a time that is none. */
export async function revisionOf(store: GraphStore, query: z.infer<typeof revisionQuery>): Promise<number> {
  const current = await store.currentRevision();
  if (query.revision !== undefined) {
    if (query.revision <= current) return query.revision;
    throw notFound("unknown-revision", `there is no revision ${query.revision}; the newest is ${current}`);
  }
  if (query.at === undefined) return current;
  const time = new Date(query.at);
  if (Number.isNaN(time.getTime())) throw badRequest(`${query.at} is not a time; write it like 2030-01-31T12:00:00Z`);
  return store.revisionAt(time);
}
