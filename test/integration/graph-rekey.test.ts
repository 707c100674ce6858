import { expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../graph/canonical-json.ts";
import { openStore } from "../../graph/store.ts";
import { PLAN_DOCUMENTS, planRecord, testFolder } from "../support/graph-bodies.ts";

test("a rekey makes every plan stale that may still be approved or started, in one record, once; a rebuild says the same", async () => {
  const folder = testFolder();
  let store = await openStore({ dataFolder: folder });
  onTestFinished(() => store.close());
  await store.documents.putAll(PLAN_DOCUMENTS);
  const end = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };
  for (const state of ["planning", "waiting", "held", "applying", "partial", "rejected"] as const) {
    await store.putPlan({ plan: planRecord(`p-${state}`), state: state === "planning" ? "planning" : "waiting" });
    if (state === "partial") await store.recordPlanState({ plan: "p-partial", state: "applying", ...end });
    if (state !== "planning" && state !== "waiting") await store.recordPlanState({ plan: `p-${state}`, state, ...end });
  }
  const digests = await store.documents.put('{"documents":[]}');
  const rekey = { from: "key-1", to: "key-2", digests, actor: "ann", key: "rotate 1" };
  await expect(store.recordRekey({ ...rekey, digests: digestOf("absent"), key: "k" })).rejects.toMatchObject({
    code: "document-missing",
  });
  expect(await store.recordRekey(rekey)).toEqual({ alreadyThere: false });
  expect(await store.recordRekey(rekey)).toEqual({ alreadyThere: true });

  const states = async () => Object.fromEntries((await store.plans()).map(({ plan, state }) => [plan.plan, state]));
  const expected = {
    "p-planning": "stale",
    "p-waiting": "stale",
    "p-held": "stale",
    "p-applying": "applying",
    "p-partial": "partial",
    "p-rejected": "rejected",
  };
  expect(await states()).toEqual(expected);
  const latest = (await store.plan("p-held"))?.latest;
  expect(latest).toMatchObject({ state: "stale", actor: "ann", reason: expect.stringContaining("key-2") as unknown });
  await expect(
    store.recordApproval({
      plan: "p-waiting",
      digest: planRecord("p-waiting").digest,
      approver: "bob",
      comment: undefined,
      expires: undefined,
      hold: "start",
      key: "late",
    }),
  ).rejects.toMatchObject({ code: "wrong-state" });

  await store.rebuild();
  expect(await states()).toEqual(expected);
  expect((await store.plan("p-held"))?.latest).toEqual(latest);
  // A plan that is made afterwards is not touched.
  await store.putPlan({ plan: planRecord("p-new"), state: "waiting" });
  await store.close();
  store = await openStore({ dataFolder: folder });
  expect(await states()).toEqual({ ...expected, "p-new": "waiting" });
  expect(await store.check()).toEqual([]);
});
