/**
 * One request of each kind that the store takes, as it may be delivered more than once: what has to be there first, and
 * the delivery itself.
 */
import { digestOf } from "../../graph/canonical-json.ts";
import type { GraphStore } from "../../graph/store.ts";
import type { StoreWrites } from "../../graph/writes.ts";
import { PLAN_DOCUMENTS, commit, deviceRecord, importBody, planRecord } from "./graph-bodies.ts";

export interface Delivery {
  readonly prepare: (store: GraphStore) => Promise<unknown>;
  readonly deliver: (store: GraphStore) => Promise<unknown>;
}

const device = (store: GraphStore) => store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add d1" });
const plan = async (store: GraphStore) => {
  await store.documents.putAll(PLAN_DOCUMENTS);
  await store.putPlan({ plan: planRecord("p1"), state: "waiting" });
};
const nothing = () => Promise.resolve();

/** Every write has its entry: the compiler sees to it. */
export const DELIVERIES: Readonly<Record<keyof StoreWrites, Delivery>> = {
  putDevice: {
    prepare: nothing,
    deliver: (store) => store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add d1" }),
  },
  updateDevice: {
    prepare: device,
    deliver: (store) => store.updateDevice({ id: "d1", set: { state: "paused" }, actor: "t", key: "pause d1" }),
  },
  commitRevision: {
    prepare: device,
    deliver: (store) => store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "import/7/d1")),
  },
  putPlan: {
    prepare: (store) => store.documents.putAll(PLAN_DOCUMENTS),
    deliver: (store) => store.putPlan({ plan: planRecord("p1"), state: "waiting" }),
  },
  recordPlanState: {
    prepare: plan,
    deliver: (store) =>
      store.recordPlanState({
        plan: "p1",
        state: "rejected",
        actor: "anna",
        comment: "no",
        reason: undefined,
        revision: undefined,
      }),
  },
  recordApproval: {
    prepare: plan,
    deliver: (store) =>
      store.recordApproval({
        plan: "p1",
        digest: planRecord("p1").digest,
        approver: "anna",
        comment: undefined,
        expires: undefined,
        hold: "start",
        key: "approve/p1",
      }),
  },
  recordRefusal: {
    prepare: plan,
    deliver: (store) =>
      store.recordRefusal({
        plan: "p1",
        what: "approve",
        actor: "bob",
        code: "author",
        message: "another person has to",
        key: "refuse/p1/3",
      }),
  },
  decide: {
    prepare: nothing,
    deliver: (store) => store.decide({ transaction: "t1", value: "confirm" }),
  },
  recordOutcome: {
    prepare: plan,
    deliver: (store) =>
      store.recordOutcome({
        plan: "p1",
        transaction: "t1",
        device: "d1",
        outcome: { kind: "applied", message: undefined, observation: undefined, differences: [] },
        key: "p1/d1/applied",
      }),
  },
  recordCondition: {
    prepare: device,
    deliver: (store) =>
      store.recordCondition({
        subject: { kind: "device", id: "d1" },
        type: "InSync",
        status: "true",
        reason: "NoDrift",
        message: "",
        path: undefined,
        revision: 1,
        observation: undefined,
      }),
  },
  recordRekey: {
    prepare: async (store) => {
      await plan(store);
      await store.documents.put("digests");
    },
    deliver: (store) =>
      store.recordRekey({ from: "k1", to: "k2", digests: digestOf("digests"), actor: "t", key: "rekey/k2" }),
  },
};

export type DeliveryName = keyof typeof DELIVERIES;

export function isDeliveryName(name: string | undefined): name is DeliveryName {
  return name !== undefined && Object.hasOwn(DELIVERIES, name);
}
