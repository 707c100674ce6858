/**
 * Kills the worker of a world at one exact point of its work, as a power cut would: while a device works on the k-th
 * operation it received, or while the worker itself adds the k-th line to the journal or the lock table.
 */
import type { Simulator } from "../../simulator/simulator.ts";
import { eventually } from "./eventually.ts";
import type { CrashPoint } from "./pipeline-messages.ts";
import type { World } from "./pipeline-world.ts";

export type KillPoint =
  /** `before`: the device has the request and does not carry it out. `after`: carried out, the reply never arrives. */
  | { readonly kind: "rpc"; readonly device: string; readonly rpc: number; readonly when: "before" | "after" }
  | ({ readonly kind: "append" } & CrashPoint);

export interface Work {
  /** Asks for the work. Its answer may be lost together with the worker. */
  readonly start: () => Promise<unknown>;
  /** Whether the work has ended, asked while the worker lives. */
  readonly ended: () => Promise<boolean>;
}

/** Where a worker was killed, for messages; `not-reached`: the work ended before it came to the point. */
export type Struck = { readonly kind: "killed"; readonly at: string } | { readonly kind: "not-reached" };

const HOLD = "kill";
const REACH_LIMIT_MS = 60_000;
/** The API is asked less often than the device, which is in this process. */
const ASKS_BETWEEN = 20;

/** Does the work until the point, kills the worker there, and returns when it and its sessions are gone. */
export async function killDuring(world: World, point: KillPoint, work: Work): Promise<Struck> {
  switch (point.kind) {
    case "rpc":
      return killAtRpc(world, point, work);
    case "append":
      return killAtAppend(world, point, work);
  }
}

async function killAtRpc(world: World, point: Extract<KillPoint, { kind: "rpc" }>, work: Work): Promise<Struck> {
  const device = world.device(point.device);
  device.clearRpcs();
  device.setFaults([{ id: HOLD, operation: "*", occurrence: point.rpc, action: { kind: "hold", when: point.when } }]);
  try {
    const answer = work.start();
    answer.catch(() => undefined);
    const reached = await reachedOrEnded(() => device.heldBy(HOLD) > 0, answer, work);
    if (reached === "ended") return { kind: "not-reached" };
    const struck = device.rpcs().at(-1);
    await world.worker().kill();
    await sessionsGone(world.devices);
    return { kind: "killed", at: `${point.when} ${struck?.operation ?? "?"} ${struck?.datastore ?? ""}`.trimEnd() };
  } finally {
    // Only now, so that an operation held before it was carried out never is.
    device.setFaults([]);
  }
}

async function killAtAppend(world: World, point: Extract<KillPoint, { kind: "append" }>, work: Work): Promise<Struck> {
  const worker = world.worker();
  let gone = false;
  void worker.ended.then(() => {
    gone = true;
  });
  await worker.arm({ append: point.append, when: point.when });
  const answer = work.start();
  answer.catch(() => undefined);
  const reached = await reachedOrEnded(() => gone, answer, work);
  if (reached === "ended") {
    await worker.arm(undefined);
    return { kind: "not-reached" };
  }
  await sessionsGone(world.devices);
  return { kind: "killed", at: `${point.when} append ${String(point.append)}` };
}

async function reachedOrEnded(
  reached: () => boolean,
  answer: Promise<unknown>,
  work: Work,
): Promise<"reached" | "ended"> {
  let asked = 0;
  let answered = false;
  void answer.then(
    () => (answered = true),
    () => (answered = true),
  );
  return eventually(
    "the point of the kill, or the end of the work",
    async () => {
      if (reached()) return "reached" as const;
      asked += 1;
      if (!answered || asked % ASKS_BETWEEN !== 0) return undefined;
      const ended = await work.ended().catch(() => false);
      // The worker may have reached the point while the question was under way.
      if (reached()) return "reached" as const;
      return ended ? ("ended" as const) : undefined;
    },
    { limitMs: REACH_LIMIT_MS, pauseMs: 10 },
  );
}

/** A device notices the end of a killed client when its connection closes. */
async function sessionsGone(devices: readonly Simulator[]): Promise<void> {
  await eventually("the end of all sessions", () =>
    devices.every((each) => each.sessions().length === 0) ? true : undefined,
  );
}
