/**
 * An activity is delivered at least once: an attempt whose answer was lost comes again, perhaps while the first still
 * runs, perhaps in another process. Every activity that writes is then one record and one answer, by its business ids.
 */
import { MockActivityEnvironment } from "@temporalio/testing";
import { expect, onTestFinished, test } from "vitest";
import { createGraphActivities } from "../../activities/graph-activities.ts";
import type { GraphActivities } from "../../contract/activities.ts";
import type { ModuleSetDocument, ObservationDocument } from "../../contract/documents.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import { PLAN_DOCUMENTS, deviceRecord, importBody, planRecord, testFolder } from "../support/graph-bodies.ts";
import { journalRecords } from "../support/journal-records.ts";

const MODULE = `module test-net {
  yang-version 1.1;
  namespace "urn:test:net";
  prefix tn;
  container interfaces {
    list interface {
      key "name";
      leaf name { type string; }
      leaf mtu { type uint16; }
    }
  }
}`;

interface Redelivered {
  readonly prepare: (store: GraphStore) => Promise<unknown>;
  /** The request, made of documents that stand in the store; the same each time. */
  readonly run: (activities: GraphActivities, store: GraphStore) => Promise<unknown>;
  /** How many records one delivery makes. */
  readonly records: number;
}

const addDevice = (store: GraphStore) => store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add d1" });

async function waitingPlan(store: GraphStore): Promise<void> {
  await addDevice(store);
  await store.documents.putAll(PLAN_DOCUMENTS);
  await store.putPlan({ plan: planRecord("p1"), state: "waiting" });
}

async function startedPlan(store: GraphStore): Promise<void> {
  await waitingPlan(store);
  await store.recordApproval({
    plan: "p1",
    digest: planRecord("p1").digest,
    approver: "anna",
    comment: undefined,
    expires: undefined,
    hold: "start",
    key: "approve/p1",
  });
}

async function observation(store: GraphStore): Promise<string> {
  const moduleSet: ModuleSetDocument = {
    format: "tenure-module-set/1",
    modules: [{ name: "test-net", role: "implement", features: [], text: await store.documents.put(MODULE) }],
  };
  const content = '{"test-net:interfaces":{"interface":[{"name":"eth0","mtu":1500}]}}';
  const document: ObservationDocument = {
    format: "tenure-observation/1",
    device: "d1",
    moduleSet: await store.documents.put(canonicalJson(moduleSet)),
    profile: "generic",
    datastore: "running",
    defaultsMode: "explicit",
    basicMode: "explicit",
    content: await store.documents.put(content),
  };
  return store.documents.put(canonicalJson(document));
}

const ACTIVITIES: Partial<Record<keyof GraphActivities, Redelivered>> = {
  recordDevice: {
    prepare: () => Promise.resolve(),
    run: (activities) => {
      const { state: _state, chosenProfile: _chosen, providerConfig: _config, ...rest } = deviceRecord("d1");
      const { givenModules: _modules, tls: _tls, ...device } = rest;
      const request = {
        submission: "s1",
        modules: undefined,
        device,
        actor: "t",
        named: undefined,
        profile: "generic",
      };
      return activities.recordDevice(request);
    },
    records: 1,
  },
  importObservation: {
    prepare: addDevice,
    run: async (activities, store) =>
      activities.importObservation({
        submission: "s1",
        device: "d1",
        observation: await observation(store),
        actor: "t",
        mode: "record",
        empty: "refuse",
      }),
    // The revision, and the conditions `InSync`, `Imported` and `Seen`.
    records: 4,
  },
  storePlan: {
    prepare: addDevice,
    run: async (activities, store) =>
      activities.storePlan({
        plan: "p1",
        actor: "t",
        direction: "change",
        options: { policy: "all-or-nothing", includeDrift: "leave", unrelated: "refuse" },
        proposal: undefined,
        body: undefined,
        paths: [],
        sections: [{ device: "d1", section: await store.documents.put("{}"), operations: 1 }],
        unreachable: [],
      }),
    records: 1,
  },
  journalApproval: {
    prepare: waitingPlan,
    run: (activities) => {
      const { digest } = planRecord("p1");
      return activities.journalApproval({
        plan: "p1",
        approve: { digest, approver: "anna", comment: undefined, hold: "start" },
      });
    },
    records: 1,
  },
  journalRefusal: {
    prepare: waitingPlan,
    run: (activities) =>
      activities.journalRefusal({ plan: "p1", actor: "bob", what: "approve", code: "author", message: "not you" }),
    records: 1,
  },
  recordPlanState: {
    prepare: startedPlan,
    run: (activities) =>
      activities.recordPlanState({
        plan: "p1",
        state: "applied",
        decision: undefined,
        revision: undefined,
        outcomes: [{ device: "d1", kind: "unknown", message: "lost", observation: undefined, differences: [] }],
        reason: undefined,
      }),
    // The outcome, the condition `InSync`, the state.
    records: 3,
  },
  recordSettledPlan: {
    prepare: startedPlan,
    run: (activities) =>
      activities.recordSettledPlan({ plan: "p1", state: "aborted", revision: undefined, reason: "its workflow died" }),
    records: 1,
  },
  commitRevision: {
    prepare: addDevice,
    run: async (activities, store) =>
      activities.commitRevision({
        body: await store.documents.put(canonicalJson(importBody("d1", { eth0: "1500" }))),
        key: "change/p1",
        actor: "t",
        cause: { kind: "change", plan: "p1" },
      }),
    records: 1,
  },
  recordFailedImport: {
    prepare: addDevice,
    run: (activities) => activities.recordFailedImport({ device: "d1", message: "refused" }),
    records: 1,
  },
  recordReach: {
    prepare: addDevice,
    run: (activities) =>
      activities.recordReach({ device: "d1", failure: { code: "Unreachable", message: "no answer" } }),
    records: 1,
  },
  recordSyncState: {
    prepare: addDevice,
    run: (activities) => activities.recordSyncState({ device: "d1", inSync: "no", revision: 0 }),
    records: 1,
  },
};

/** One attempt, as a worker of its own would make it. */
function attempt(store: GraphStore, run: Redelivered["run"], number: number): Promise<unknown> {
  const activities = createGraphActivities({
    store,
    registry: new ProviderRegistry(),
    approval: { author: "may-approve" },
  });
  return new MockActivityEnvironment({ attempt: number, activityId: "7" }).run(() => run(activities, store));
}

test.each(Object.entries(ACTIVITIES))(
  "%s, by three attempts of two processes",
  async (_name, { prepare, run, records }) => {
    const dataFolder = testFolder();
    const first = await openStore({ dataFolder });
    await prepare(first);
    const before = journalRecords(dataFolder).length;
    const answers = await Promise.all([attempt(first, run, 1), attempt(first, run, 2)]);
    await first.close();
    const second = await openStore({ dataFolder });
    onTestFinished(() => second.close());
    answers.push(await attempt(second, run, 3));
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    const written = journalRecords(dataFolder).slice(before);
    expect(written.map((record) => record.kind)).toHaveLength(records);
    expect(written.filter((record) => record.kind === "revision").length).toBeLessThanOrEqual(1);
    expect(await second.check()).toEqual([]);
  },
);

test("no activity that writes is left out", () => {
  const readsOnly = ["deviceReference", "planTarget", "checkBase"];
  const documentsOnly = ["compileProposal", "compileAccept"];
  // In the lock table, whose events have tests of their own.
  const locksOnly = ["recordPrepared"];
  const activities = createGraphActivities({
    // Never asked.
    store: Object.create(null) as GraphStore,
    registry: new ProviderRegistry(),
    approval: { author: "may-approve" },
  });
  expect(Object.keys(activities).sort()).toEqual(
    [...Object.keys(ACTIVITIES), ...readsOnly, ...documentsOnly, ...locksOnly].sort(),
  );
});
