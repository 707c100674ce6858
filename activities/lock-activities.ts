/** Locks and decisions: short questions to the owner's store, and one long wait that heartbeats. */
import { Context } from "@temporalio/activity";
import type { InheritedPlan, LockActivities, LockGrant } from "../contract/activities.ts";
import type { GraphStore } from "../graph/store.ts";
import { translated } from "./to-application-failure.ts";

export interface LockActivityOptions {
  readonly store: GraphStore;
  /** Is the workflow closed (or unknown)? Only then may its lock be taken away. */
  readonly isClosed: (workflowId: string) => Promise<boolean>;
  /** How often a waiter looks whether those before it still live; 60 s unless a test says otherwise. */
  readonly reapEveryMs?: number;
}

const POLL_MS = 200;
const REAP_EVERY_MS = 60_000;

export function createLockActivities(options: LockActivityOptions): LockActivities {
  const { store, isClosed } = options;
  const reapEveryMs = options.reapEveryMs ?? REAP_EVERY_MS;
  return translated<LockActivities>({
    async acquireLocks(request): Promise<LockGrant> {
      const context = Context.current();
      let nextReap = performance.now() + reapEveryMs;
      for (;;) {
        const answer = await store.locks.request(request);
        if (answer.kind === "granted") {
          const inherited = [];
          for (const each of answer.inherited) {
            const stood = await store.decision(each.transaction);
            // The first value stands: what its own workflow decided, or else abort.
            const decision = await store.decide({ transaction: each.transaction, value: "abort" });
            // Where nothing was sent and nothing decided there is nothing to tell of its plan.
            const isUntouched = stood === undefined && each.devices.length === 0;
            const plan = isUntouched ? undefined : await inheritedPlan(store, each.transaction);
            inherited.push({ transaction: each.transaction, decision, devices: each.devices, plan });
          }
          return { token: answer.token, inherited };
        }
        if (performance.now() >= nextReap) {
          nextReap = performance.now() + reapEveryMs;
          for (const before of answer.behind) {
            if (await isClosed(before.request.workflowId)) await store.locks.reap(before.request.request);
          }
        }
        context.heartbeat({ waitingBehind: answer.behind.map((each) => each.request.request).slice(0, 5) });
        await context.sleep(POLL_MS);
      }
    },

    async releaseLocks({ request, token }) {
      // A wait was given up. Should it have been granted meanwhile, then what it inherited is not settled yet.
      if (token === 0) await store.locks.reap(request);
      else await store.locks.release({ request, token });
    },

    async decide({ transaction, value, deadline }) {
      return store.decide({ transaction, value, deadline });
    },
  });
}

/** An all-or-nothing transaction has its plan's id; a per-device one committed its revision at the approval. */
async function inheritedPlan(store: GraphStore, transaction: string): Promise<InheritedPlan | undefined> {
  const view = await store.plan(transaction);
  if (view === undefined) return undefined;
  const { plan, body, author, direction } = view.plan;
  return { plan, body, author, cause: direction === "accept" ? "accept" : "change" };
}
