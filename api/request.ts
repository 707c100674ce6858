import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { ACTOR_HEADER, MAX_WAIT_SECONDS } from "../contract/api.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { badRequest } from "./api-error.ts";

/** A body or query as its schema has it. Error 400 with one diagnostic for each field that is wrong. */
export function readInput<T>(schema: z.ZodType<T>, value: unknown, what: "body" | "query"): T {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const diagnostics = parsed.error.issues.map((issue): Diagnostic => {
    const path = issue.path.map(String).join(".");
    return {
      code: "field",
      severity: "error",
      message: issue.message,
      places: [{ kind: "field", path: path === "" ? what : path }],
    };
  });
  throw badRequest(`the request's ${what} is not of the right form`, diagnostics);
}

/** A path parameter of the route. */
export function parameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Readonly<Record<string, string | undefined>>)[name];
  if (value === undefined || value === "") throw badRequest(`${name} is missing`);
  return value;
}

const CONTROL = /\p{Cc}/u;

/** Who acts. Error 400 without a usable name: nothing is ever done by nobody. */
export function actorOf(request: FastifyRequest): string {
  const header = request.headers[ACTOR_HEADER];
  let actor: string;
  try {
    actor = decodeURIComponent(typeof header === "string" ? header : "").trim();
  } catch {
    throw badRequest(`${ACTOR_HEADER} is not percent-encoded UTF-8`);
  }
  if (actor === "" || actor.length > 128 || CONTROL.test(actor)) {
    throw badRequest(`${ACTOR_HEADER} must name who acts: 1 to 128 characters without control characters`);
  }
  return actor;
}

export const waitSchema = z.object({ wait: z.coerce.number().min(0).max(MAX_WAIT_SECONDS).default(0) });

const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 500;

/** Asks again and again until the answer is `done`, the time is up or the signal fires; the newest answer in any case. */
export async function askUntil<T>(
  ask: () => Promise<T>,
  options: { readonly done: (answer: T) => boolean; readonly waitSeconds: number; readonly signal: AbortSignal },
): Promise<T> {
  const end = performance.now() + options.waitSeconds * 1000;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    const left = end - performance.now();
    if (options.done(answer) || left <= 0 || options.signal.aborted) return answer;
    await pauseFor(Math.min(pause, left), options.signal);
  }
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}
