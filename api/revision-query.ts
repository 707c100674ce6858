import { z } from "zod";
import type { GraphStore } from "../graph/store.ts";
import { badRequest, notFound } from "./api-error.ts";

/** `revision=N`, or `at=TIME` for the newest revision at or before an instant; neither: the newest of all. */
export const revisionQuery = z.object({
  revision: z.coerce.number().int().min(0).optional(),
  at: z.string().optional(),
});

/**
 * The revision that was asked for; 0 for a time before the first one. Errors: 404 `unknown-revision` for a number that
 * does not exist yet, 410 `pruned` for a time of which nothing can be told any more, 400 for a time that is none.
 */
export async function revisionOf(store: GraphStore, query: z.infer<typeof revisionQuery>): Promise<number> {
  const current = await store.currentRevision();
  if (query.revision !== undefined) {
    if (query.revision <= current) return query.revision;
    throw notFound(
      "unknown-revision",
      `there is no revision ${query.revision}; the newest is ${current}`,
      "tenure history shows them",
    );
  }
  return query.at === undefined ? current : store.revisionAt(readInstant(query.at));
}

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * RFC 3339, with a little more that people write: a space for the T, no seconds, an offset without colon or minutes.
 * Without an offset it would be anybody's local time, so that is refused.
 */
export function readInstant(text: string): Date {
  const [, year, month, day, hour, minute, second = "00", fraction = "0", zone = ""] = INSTANT.exec(text.trim()) ?? [];
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const asUtc = new Date(`${local}Z`);
  // The calendar's word: the 30th of February would become a day of March.
  const isReal = !Number.isNaN(asUtc.getTime()) && asUtc.toISOString().slice(0, 23) === local;
  const offset = /^[Zz]$/.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.replace(":", "").slice(3, 5).padEnd(2, "0")}`;
  const time = isReal ? new Date(local + offset) : asUtc;
  if (year !== undefined && isReal && !Number.isNaN(time.getTime())) return time;
  throw badRequest(
    `${text} is not a time with an offset; write it like 2030-01-31T12:00:00Z or 2030-01-31 14:00+02:00`,
  );
}
