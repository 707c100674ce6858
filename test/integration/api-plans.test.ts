import { describe, expect, test } from "vitest";
import type {
  DecisionAnswer,
  PlanDetail,
  RunView,
  StartedRun,
  StartedSubmission,
  SubmissionView,
  StatusView,
} from "../../contract/api.ts";
import { type PlanState, PlanState as States } from "../../contract/plan-state.ts";
import { TemporalUnavailableError, type UpdateRequest } from "../../runtime/temporal-port.ts";
import { importDevice, putPlan, sha256 } from "../support/api-lab.ts";
import { type TestApi, openTestApi } from "../support/api-server.ts";
import { planRecord } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
const PLAN = "p-bbbbbbbb";
const INSTANCE = "kind: service\nname: mtu\ndefinition: port-mtu\nparameters: {mtu: 9000}\ntargets: [r1]\n";

async function waitingPlan(api: TestApi): Promise<string> {
  const moduleSet = await importDevice(api.store, R1);
  return putPlan(api.store, { id: PLAN, device: R1, moduleSet, state: States.waiting });
}

function moveTo(api: TestApi, state: PlanState) {
  return api.store.recordPlanState({
    plan: PLAN,
    state,
    actor: undefined,
    comment: undefined,
    reason: undefined,
    revision: undefined,
  });
}

describe("submissions", () => {
  test("a put stores the files and starts one change; its plan is found by the submission once it stands", async () => {
    const api = await openTestApi();
    const { status, body } = await api.post<StartedSubmission>("/v1/services", {
      files: [{ name: "mtu.yaml", text: INSTANCE }],
      mode: "plan",
      policy: "per-device",
    });
    expect(status).toBe(202);
    expect(body.submission.slice(2)).toBe(body.plan.slice(2));
    const [started] = api.temporal.started;
    expect(started).toMatchObject({
      workflow: "changeService",
      id: `change/${body.submission}`,
      reuse: "once",
      input: {
        ...{ submissionId: body.submission, plan: body.plan, actor: "tester", mode: "plan" },
        options: { policy: "per-device", includeDrift: "leave", unrelated: "refuse" },
      },
    });
    const view = async () => (await api.get<SubmissionView>(`/v1/submissions/${body.submission}`)).body;
    expect(await view()).toEqual({ kind: "running", ...{ submission: body.submission, plan: body.plan } });

    // Asked to wait, it answers as soon as the plan is open, not before and not at the end of the time.
    const start = performance.now();
    const waited = api.get<SubmissionView>(`/v1/submissions/${body.submission}?wait=20`);
    await api.store.putPlan({ plan: planRecord(body.plan), state: States.planning });
    expect((await view()).kind).toBe("running");
    await api.store.recordPlanState({
      plan: body.plan,
      state: States.waiting,
      actor: undefined,
      comment: undefined,
      reason: undefined,
      revision: undefined,
    });
    expect((await waited).body).toMatchObject({ kind: "planned", plan: { plan: body.plan, state: "waiting" } });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("what is wrong with the text itself is said at once with file:line:column; nothing is stored or started", async () => {
    const api = await openTestApi();
    const text = "kind: service\nname: mtu\nname: again\ndefinition: d\ntargets: [r1]\n";
    const answer = await api.post("/v1/services", {
      files: [
        { name: "good.yaml", text: INSTANCE },
        { name: "twice.yaml", text },
      ],
      mode: "plan",
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: "Refused",
        diagnostics: [
          {
            code: expect.stringContaining("duplicate") as unknown,
            places: [{ kind: "source", position: { source: "twice.yaml", line: 3, column: 1 } }],
          },
        ],
      },
    });
    expect(api.temporal.started).toEqual([]);
  });

  test("a failed compilation comes back with its code and diagnostics", async () => {
    const api = await openTestApi();
    const { body } = await api.post<StartedSubmission>("/v1/services", {
      files: [{ name: "mtu.yaml", text: INSTANCE }],
      mode: "plan",
    });
    const diagnostics = [
      {
        code: "unknown-path",
        severity: "error",
        message: "no such node",
        places: [{ kind: "source", position: { source: "mtu.yaml", line: 4, column: 3 } }],
      },
    ] as const;
    api.temporal.states.set(body.run, {
      kind: "failed",
      failure: { code: "Refused", message: "1 error", details: { diagnostics, omitted: 7 } },
    });
    expect((await api.get(`/v1/submissions/${body.submission}?wait=20`)).body).toEqual({
      kind: "failed",
      submission: body.submission,
      plan: body.plan,
      error: { code: "Refused", message: "1 error", diagnostics, omitted: 7 },
    });
  });

  test("a preview ends with its proposal", async () => {
    const api = await openTestApi();
    const { body } = await api.post<StartedSubmission>("/v1/services", {
      files: [{ name: "mtu.yaml", text: INSTANCE }],
      mode: "preview",
    });
    api.temporal.states.set(body.run, { kind: "completed", result: { proposal: "a".repeat(64) } });
    expect((await api.get(`/v1/submissions/${body.submission}?wait=20`)).body).toMatchObject({
      kind: "compiled",
      proposal: "a".repeat(64),
    });
  });

  test("a drift plan is for the named devices once each; unknown ones and unknown submissions are 404", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const { body } = await api.post<StartedSubmission>("/v1/plans", {
      devices: ["r1", R1.id],
      direction: "enforce",
      paths: ["/b", "/a"],
    });
    expect(api.temporal.started).toMatchObject([
      {
        workflow: "planAndApply",
        id: `plan/${body.plan}`,
        input: {
          source: { kind: "drift", direction: "enforce", devices: [R1.id], paths: ["/a", "/b"] },
          options: { policy: "per-device" },
        },
      },
    ]);
    expect((await api.get<SubmissionView>(`/v1/submissions/${body.submission}`)).body.kind).toBe("running");
    expect(await api.post("/v1/plans", { devices: ["r9"], direction: "enforce" })).toMatchObject({
      status: 404,
      body: { code: "unknown-device" },
    });
    expect(await api.get("/v1/submissions/s-zzzzzzzz")).toMatchObject({
      status: 404,
      body: { code: "unknown-submission" },
    });
  });

  test("one transaction is not larger than the limit", async () => {
    const api = await openTestApi({ transactionLimit: 1 });
    await importDevice(api.store, R1);
    await importDevice(api.store, { id: "d-bbbbbbbb", name: "r2" });
    expect(await api.post("/v1/plans", { direction: "enforce", policy: "all-or-nothing" })).toMatchObject({
      status: 400,
    });
    expect((await api.post("/v1/plans", { direction: "enforce", policy: "per-device" })).status).toBe(202);
  });

  test("imports and drift checks run under ids of their own and say how they stand", async () => {
    const api = await openTestApi();
    await importDevice(api.store, R1);
    const { body } = await api.post<StartedRun>("/v1/imports", { mode: "record", empty: "refuse" });
    expect(api.temporal.started).toMatchObject([
      { workflow: "importDevices", id: body.run, input: { devices: [R1.id], mode: "record", empty: "refuse" } },
    ]);
    const waited = api.get<RunView<unknown>>(`/v1/runs/${body.run}?wait=20`);
    api.temporal.states.set(body.run, { kind: "completed", result: { outcomes: [] } });
    expect((await waited).body).toEqual({ kind: "completed", run: body.run, result: { outcomes: [] } });
    expect((await api.get("/v1/runs/import/i-zzzzzzzz")).status).toBe(404);
    expect((await api.get("/v1/runs/plan/p-zzzzzzzz")).status).toBe(404);
  });
});

describe("decisions", () => {
  const accept = (state: PlanState) => () => ({ kind: "answered", answer: { kind: "accepted", state } }) as const;
  const ids = (updates: readonly UpdateRequest[]) => updates.map((update) => update.updateId);

  test("an approval goes to the plan's workflow with digest and approver, and says which policy holds", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    api.temporal.answer = accept(States.applying);
    const answer = await api.post<DecisionAnswer>(`/v1/plans/${PLAN}/approve`, { digest, comment: "fine" }, "bob");
    expect(answer).toMatchObject({
      status: 200,
      body: { plan: PLAN, state: "applying", notice: expect.stringContaining("author-may-approve") as unknown },
    });
    expect(api.temporal.updates).toMatchObject([
      { id: `plan/${PLAN}`, name: "approve", args: { digest, approver: "bob", comment: "fine", hold: "start" } },
    ]);
    const strict = await openTestApi({ actorPolicy: "author-may-not-approve" });
    const other = await waitingPlan(strict);
    strict.temporal.answer = accept(States.applying);
    expect((await strict.post<DecisionAnswer>(`/v1/plans/${PLAN}/approve`, { digest: other })).body).not.toHaveProperty(
      "notice",
    );
  });

  test("a repeat is the same update; another decision, or one after a refusal, is another", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    api.temporal.answer = () => ({ kind: "unanswered" });
    const approve = (comment?: string) => api.post(`/v1/plans/${PLAN}/approve`, { digest, comment });
    expect(await approve()).toMatchObject({ status: 503, body: { code: "unanswered" } });
    await approve();
    await approve("now really");
    const [first, second, third] = ids(api.temporal.updates);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(await api.store.approvals(PLAN)).toEqual([]);
    api.temporal.answer = () => ({ kind: "rejected", code: "wrong-state", message: "no" });
    await approve();
    await approve();
    const [fourth, fifth] = ids(api.temporal.updates.slice(3));
    expect(fourth).toBe(first);
    expect(fifth).not.toBe(first);
  });

  test("the validator's no is 409 with its words, and a refusal record that names who asked", async () => {
    const api = await openTestApi();
    await waitingPlan(api);
    api.temporal.answer = () => ({ kind: "rejected", code: "wrong-digest", message: "another digest" });
    expect(await api.post(`/v1/plans/${PLAN}/approve`, { digest: sha256("x") }, "mallory")).toMatchObject({
      status: 409,
      body: {
        code: "wrong-digest",
        message: "another digest",
        remedy: expect.stringContaining(`plan show ${PLAN}`) as unknown,
      },
    });
    expect(await api.store.approvals(PLAN)).toMatchObject([
      { kind: "refusal", what: "approve", actor: "mallory", code: "wrong-digest", message: "another digest" },
    ]);
    const { body } = await api.get<PlanDetail>(`/v1/plans/${PLAN}`);
    expect(body.approvals).toMatchObject([{ kind: "refusal", actor: "mallory", message: "another digest" }]);
  });

  test.each(["reject", "withdraw", "apply", "cancel"] as const)(
    "%s: accepted, refused by the handler, and on a plan that ended",
    async (verb) => {
      const api = await openTestApi();
      await waitingPlan(api);
      const decide = () => api.post(`/v1/plans/${PLAN}/${verb}`, { comment: "because" });
      api.temporal.answer = accept(States.rejected);
      expect(await decide()).toMatchObject({ status: 200, body: { state: "rejected" } });
      expect(api.temporal.updates).toMatchObject([{ name: verb, args: { actor: "tester", comment: "because" } }]);
      api.temporal.answer = () => ({
        kind: "answered",
        answer: { kind: "refused", code: "wrong-state", message: "not now" },
      });
      expect(await decide()).toMatchObject({ status: 409, body: { code: "wrong-state", message: "not now" } });
      await moveTo(api, States.applying);
      api.temporal.answer = () => ({ kind: "closed" });
      expect(await decide()).toMatchObject({ status: 409, body: { code: "wrong-state" } });
      await moveTo(api, States.cancelled);
      const asked = api.temporal.updates.length;
      expect(await decide()).toMatchObject({
        status: 409,
        body: { code: "wrong-state", message: `plan ${PLAN} is cancelled` },
      });
      expect(api.temporal.updates).toHaveLength(asked);
      expect(await api.store.approvals(PLAN)).toHaveLength(3);
    },
  );

  test("a waiting plan whose workflow is gone can be withdrawn or rejected all the same, and an approval says so", async () => {
    for (const [verb, state] of [
      ["withdraw", "withdrawn"],
      ["reject", "rejected"],
    ] as const) {
      const api = await openTestApi();
      const digest = await waitingPlan(api);
      api.temporal.answer = () => ({ kind: "closed" });
      const approval = await api.post(`/v1/plans/${PLAN}/approve`, { digest });
      expect(approval).toMatchObject({ status: 409, body: { code: "wrong-state" } });
      expect((approval.body as { message: string }).message).toContain(`tenure plan withdraw ${PLAN}`);
      expect(await api.post(`/v1/plans/${PLAN}/${verb}`, { comment: "of another time" }, "carol")).toMatchObject({
        status: 200,
        body: { plan: PLAN, state },
      });
      const { body } = await api.get<PlanDetail>(`/v1/plans/${PLAN}`);
      expect(body).toMatchObject({ state, reason: "of another time" });
      expect((await api.get<StatusView>("/v1/status")).body.openPlans).toEqual([]);
    }
  });

  test("a stale plan says so by its code; a malformed digest and a rejection without words are refused before anything", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    expect((await api.post(`/v1/plans/${PLAN}/approve`, { digest: "abc" })).status).toBe(400);
    expect((await api.post(`/v1/plans/${PLAN}/reject`, { comment: " " })).status).toBe(400);
    await moveTo(api, States.stale);
    expect(await api.post(`/v1/plans/${PLAN}/approve`, { digest })).toMatchObject({
      status: 409,
      body: { code: "stale" },
    });
    expect(await api.post("/v1/plans/p-zzzzzzzz/approve", { digest })).toMatchObject({
      status: 404,
      body: { code: "unknown-plan" },
    });
    expect(api.temporal.updates).toEqual([]);
  });

  test("an engine that cannot be reached is 503 and no refusal", async () => {
    const api = await openTestApi();
    const digest = await waitingPlan(api);
    api.temporal.answer = () => Promise.reject(new TemporalUnavailableError("127.0.0.1:7233", undefined));
    expect(await api.post(`/v1/plans/${PLAN}/approve`, { digest })).toMatchObject({
      status: 503,
      body: { code: "temporal-unavailable" },
    });
    expect(await api.store.approvals(PLAN)).toEqual([]);
  });
});

describe("reading", () => {
  test("watching answers when the plan has left the state, and outcomes carry names", async () => {
    const api = await openTestApi();
    await waitingPlan(api);
    const start = performance.now();
    const left = api.get<PlanDetail>(`/v1/plans/${PLAN}?after=waiting&wait=20`);
    const outcome = {
      kind: "not-applied",
      message: "the device refused",
      observation: undefined,
      differences: [{ path: "/x", expected: "1", found: "2" }],
    } as const;
    await api.store.recordOutcome({ plan: PLAN, transaction: undefined, device: R1.id, outcome, key: "o" });
    await moveTo(api, States.failed);
    const { body } = await left;
    expect(body).toMatchObject({
      state: "failed",
      sections: { r1: expect.any(String) as unknown },
      outcomes: [{ name: "r1", kind: "not-applied", differences: outcome.differences }],
    });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("closing the server answers whoever waits, and does not wait for kept-alive connections", async () => {
    const api = await openTestApi();
    await waitingPlan(api);
    const asked = api.temporal.state.bind(api.temporal);
    let reached = (): void => undefined;
    const isWaiting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    api.temporal.states.set("import/i-aaaaaaaa", { kind: "running" });
    api.temporal.state = (id) => {
      reached();
      return asked(id);
    };
    const waiter = api.get<RunView<unknown>>("/v1/runs/import/i-aaaaaaaa?wait=25");
    await isWaiting;
    const start = performance.now();
    await api.close();
    expect((await waiter).body.kind).toBe("running");
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test("progress names the devices of the running transactions, and is empty when nobody answers", async () => {
    const api = await openTestApi();
    await waitingPlan(api);
    await moveTo(api, States.applying);
    const progress = async () => (await api.get(`/v1/plans/${PLAN}/progress`)).body;
    expect(await progress()).toEqual({ plan: PLAN, state: "applying", devices: [] });
    api.temporal.queries.set(`plan/${PLAN}`, {
      plan: PLAN,
      state: "applying",
      waitingFor: "1 transaction(s)",
      devices: [],
    });
    api.temporal.queries.set(`apply/${PLAN}/${R1.id}`, {
      transaction: PLAN,
      devices: [{ device: R1.id, phase: "preparing" }],
    });
    expect(await progress()).toMatchObject({
      waitingFor: "1 transaction(s)",
      devices: [{ device: R1.id, name: "r1", phase: "preparing" }],
    });
  });

  test("what is sent, and what was seen", async () => {
    const api = await openTestApi();
    await waitingPlan(api);
    const { body } = await api.get<readonly { readonly name: string; readonly edits: readonly string[] }[]>(
      `/v1/plans/${PLAN}/netconf`,
    );
    expect(body).toHaveLength(1);
    expect(body[0]?.edits).toHaveLength(1);
    expect(body[0]?.edits[0]).toMatch(/<mtu [^>]*operation="merge">9000<\/mtu>/);
    expect(body[0]?.edits[0]).toMatch(/operation="remove"[^>]*><name>b<\/name>/);
    const seen = await api.get<{ readonly "lab:ports": unknown }>(`/v1/plans/${PLAN}/observations/r1`);
    expect(seen.body["lab:ports"]).toMatchObject({
      port: [{ name: "a/1", mtu: 1500, speed: "18446744073709551615" }, { name: "b" }],
    });
    expect((await api.get(`/v1/plans/${PLAN}/observations/r9`)).status).toBe(404);
  });
});
