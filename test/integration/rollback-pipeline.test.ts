/** Back to an earlier revision, as its users see it: previewed, planned, approved by digest, applied; recorded; refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BlameLine, StartedSubmission, SubmissionView } from "../../contract/api.ts";
import type { ProposalDocument } from "../../contract/documents.ts";
import { type Site, failureOf, mtuOn, mtuPath, mtuService, startSite, writesTo } from "../support/pipeline-site.ts";

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());

const rollback = async (request: Readonly<Record<string, unknown>>): Promise<SubmissionView> =>
  site.submitted(await site.api.post<StartedSubmission>("/rollbacks", { mode: "plan", ...request }));

const proposalOf = async (view: SubmissionView): Promise<ProposalDocument> => {
  if (view.kind !== "compiled") throw new Error(`no proposal: ${JSON.stringify(view)}`);
  return JSON.parse(await site.api.getText(`/documents/${view.proposal}`)) as ProposalDocument;
};
const planned = (view: SubmissionView) => {
  if (view.kind !== "planned") throw new Error(`no plan: ${JSON.stringify(view)}`);
  return view.plan;
};

const currentRevision = async (): Promise<number> =>
  (await site.api.get<{ readonly revision: number }>("/health")).revision;

// One after the other: revisions are of the whole network, and a return to one takes along what others did meanwhile.
describe("a return to an earlier revision", () => {
  test("put, put, preview, plan, approve, apply: the device shows it, and every fact says so", async () => {
    const [r1] = await site.imported(["k1"]);
    const text = (mtu: number) => mtuService({ name: "ring", definition: "mtu-k", mtu, targets: ["k1"] });
    const first = await site.apply(await site.put(text(9000)));
    await site.apply(await site.put(text(4000)));
    await site.apply(
      await site.put(mtuService({ name: "spur", definition: "mtu-s", port: "eth1", mtu: 1600, targets: ["k1"] })),
    );
    expect([mtuOn(r1), mtuOn(r1, "eth1")]).toEqual(["4000", "1600"]);
    const to = first.revision ?? 0;
    const goal = await site.api.getText("/devices/k1/config", { revision: to });
    const before = await site.goal("k1");
    r1.clearRpcs();

    const preview = await proposalOf(await rollback({ to, mode: "preview" }));
    expect(preview).toMatchObject({
      kind: "rollback",
      to,
      services: [
        { name: "ring", effect: "put" },
        { name: "spur", effect: "removed" },
      ],
      definitions: [{ name: "mtu-s", effect: "removed" }],
    });
    expect(preview.explanations).toContainEqual(
      expect.objectContaining({
        kind: "restored",
        path: mtuPath(),
        revision: to,
        setBy: { kind: "service", service: "ring" },
      }),
    );
    expect(preview.explanations).toContainEqual(expect.objectContaining({ kind: "undone", path: mtuPath("eth1") }));
    expect([await site.goal("k1"), writesTo(r1)]).toEqual([before, []]);

    const plan = planned(await rollback({ to }));
    expect(plan).toMatchObject({ direction: "change", state: "waiting", operations: 2 });
    const section = await site.section(plan, "k1");
    expect(section.operations).toMatchObject(
      ["delete", "replace"].map((op) => ({ op, causes: [{ kind: "rollback", revision: to }] })),
    );
    expect(section.services).toMatchObject([
      { service: "ring", effect: "put" },
      { service: "spur", effect: "removed" },
    ]);
    expect([await site.goal("k1"), writesTo(r1)]).toEqual([before, []]);

    const applied = await site.apply(plan);
    expect(applied).toMatchObject({ state: "applied", outcomes: [{ kind: "applied" }] });
    expect([mtuOn(r1), mtuOn(r1, "eth1")]).toEqual(["9000", undefined]);
    expect(await site.goal("k1")).toBe(goal);
    expect((await site.show("k1")).sync).toMatchObject({ kind: "in-sync", revision: applied.revision });
    expect(await site.service("ring")).toMatchObject({ parameters: { mtu: 9000 }, status: { kind: "consistent" } });
    expect(await site.refusal(site.service("spur"))).toMatchObject({ code: "unknown-service" });
    expect(await site.refusal(site.api.get("/definitions/mtu-s"))).toMatchObject({ code: "unknown-definition" });
    const blame = await site.api.get<readonly BlameLine[]>("/devices/k1/blame", { path: mtuPath() });
    expect(blame).toMatchObject([
      { setBy: { kind: "rollback", revision: to }, since: applied.revision, owners: ["ring"] },
    ]);
    expect(await site.drift(["k1"])).toMatchObject([{ kind: "in-sync" }]);
  });

  test("to where one is: it ends at once, with no plan and no revision, whatever the mode", async () => {
    const revision = await currentRevision();
    for (const mode of ["plan", "record"]) {
      const view = await rollback({ to: revision, mode });
      expect(await proposalOf(view)).toMatchObject({ kind: "rollback", explanations: [], services: [] });
      expect(view).not.toHaveProperty("revision");
    }
    expect(await currentRevision()).toBe(revision);
    expect(await site.api.get("/plans", {})).not.toContainEqual(expect.objectContaining({ state: "waiting" }));
  });

  test("recorded at once, it leaves the device to a later plan; desired state that moved meanwhile is not trodden on", async () => {
    const [r1] = await site.imported(["l1"]);
    const imported = await currentRevision();
    const text = (mtu: number) => mtuService({ name: "edge", definition: "mtu-l", mtu, targets: ["l1"] });
    await site.apply(await site.put(text(9000)));
    const late = planned(await rollback({ to: imported, devices: ["l1"] }));
    const view = await rollback({ to: imported, devices: ["l1"], mode: "record" });
    const revision = await currentRevision();
    expect(view).toMatchObject({ kind: "compiled", revision });
    expect(mtuOn(r1)).toBe("9000");
    expect(await site.drift(["l1"])).toMatchObject([{ kind: "drift", operations: 1 }]);
    expect(await site.refusal(site.service("edge"))).toMatchObject({ code: "unknown-service" });
    // The plan was made from what stood before the record.
    expect(await site.apply(late)).toMatchObject({ state: "stale" });
    expect(mtuOn(r1)).toBe("9000");
    expect(await site.apply(await site.createPlan({ devices: ["l1"], direction: "enforce" }))).toMatchObject({
      state: "applied",
    });
    expect(mtuOn(r1)).toBeUndefined();
  });

  test("of one device only: an instance that reaches another is refused with what to add", async () => {
    const [r1, r2] = await site.imported(["m1", "m2"]);
    const imported = await currentRevision();
    await site.apply(
      await site.put(mtuService({ name: "pair", definition: "mtu-m", mtu: 9000, targets: ["m1", "m2"] })),
    );
    expect(failureOf(await rollback({ to: imported, devices: ["m1"] }))).toMatchObject({
      code: "Refused",
      diagnostics: [{ code: "rollback-outside", remedy: "add --device m2" }],
    });
    expect([mtuOn(r1), mtuOn(r2)]).toEqual(["9000", "9000"]);
    const plan = planned(await rollback({ to: imported, devices: ["m1", "m2"], policy: "per-device" }));
    expect(plan).toMatchObject({ policy: "per-device", operations: 2 });
    expect(await site.apply(plan)).toMatchObject({ state: "applied" });
    expect([mtuOn(r1), mtuOn(r2)]).toEqual([undefined, undefined]);
    // Instances come back as whole as they went.
    const back = planned(await rollback({ to: (await currentRevision()) - 1 }));
    expect(await site.apply(back)).toMatchObject({ state: "applied" });
    expect([mtuOn(r1), mtuOn(r2)]).toEqual(["9000", "9000"]);
    expect(await site.service("pair")).toMatchObject({ targets: ["m1", "m2"], status: { kind: "consistent" } });
  });
});
