/** The record of an approval under both policies, with the real store: who may say yes to what. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGraphActivities } from "../../activities/graph-activities.ts";
import type { ApprovalVerdict } from "../../contract/activities.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { ProviderRegistry } from "../../providers/registry.ts";

const DIGEST = "a".repeat(64);

describe("approval of a plan", () => {
  let folder = "";
  let store: GraphStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tenure-approval-"));
    store = await openStore({ dataFolder: folder });
    await store.putPlan({
      plan: {
        plan: "p-1",
        digest: DIGEST,
        direction: "change",
        policy: "all-or-nothing",
        author: "ada",
        proposal: undefined,
        body: undefined,
        contents: "b".repeat(64),
        operations: 1,
        follows: undefined,
      },
      state: "waiting",
    });
  });

  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  function approve(
    author: "may-approve" | "may-not-approve",
    approver: string,
    digest = DIGEST,
  ): Promise<ApprovalVerdict> {
    const activities = createGraphActivities({ store, registry: new ProviderRegistry(), approval: { author } });
    const request = { plan: "p-1", approve: { digest, approver, comment: undefined, hold: "start" as const } };
    return new MockActivityEnvironment().run(() => activities.journalApproval(request));
  }

  it("takes the author's own approval where the policy lets it", async () => {
    expect(await approve("may-approve", "ada")).toEqual({ kind: "approved" });
    expect((await store.plan("p-1"))?.state).toBe("applying");
  });

  it("refuses the author where another person has to approve, records that, and goes on waiting for one", async () => {
    expect(await approve("may-not-approve", "ada")).toMatchObject({ kind: "refused", code: "author" });
    expect((await store.plan("p-1"))?.state).toBe("waiting");
    expect(await store.approvals("p-1")).toMatchObject([{ kind: "refusal", actor: "ada", code: "author" }]);
    expect(await approve("may-not-approve", "grace")).toEqual({ kind: "approved" });
  });

  it.each(["may-approve", "may-not-approve"] as const)("binds the digest under the policy %s", async (policy) => {
    expect(await approve(policy, "grace", "c".repeat(64))).toMatchObject({ kind: "refused", code: "wrong-digest" });
    expect((await store.plan("p-1"))?.state).toBe("waiting");
  });
});
