/** One write of the crash tests: plain data, so that it can be told to whoever watches, with all that must then be there. */
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type { Subject } from "../../graph/journal/record.ts";
import type { GraphStore } from "../../graph/store.ts";
import type { PlanState } from "../../contract/plan-state.ts";
import type { RevisionBody } from "../../services/desired-state.ts";
import { PLAN_DOCUMENTS, commit, deviceRecord, planRecord } from "./graph-bodies.ts";

export type Op =
  | { readonly kind: "device"; readonly id: string; readonly port: number; readonly key: string }
  /** `body` is the digest of the revision body, which stands among the documents once this is acknowledged. */
  | { readonly kind: "revision"; readonly key: string; readonly body: string }
  | { readonly kind: "plan"; readonly plan: string }
  | { readonly kind: "approve"; readonly plan: string; readonly key: string }
  | { readonly kind: "plan-state"; readonly plan: string; readonly state: PlanState }
  | { readonly kind: "outcome"; readonly plan: string; readonly device: string; readonly key: string }
  | { readonly kind: "decide"; readonly transaction: string; readonly value: "confirm" | "abort" }
  | { readonly kind: "condition"; readonly subject: Subject; readonly type: string; readonly reason: string }
  | { readonly kind: "document"; readonly digest: string }
  | { readonly kind: "lock"; readonly request: string; readonly keys: readonly string[] }
  | { readonly kind: "unlock"; readonly request: string };

/** What is written beside the op itself. */
export interface OpContent {
  readonly body?: RevisionBody;
  readonly text?: string;
}

/** Asks the store for it; returns once it is acknowledged. A repeat of the same op is no further one. */
export async function perform(store: GraphStore, op: Op, content: OpContent = {}): Promise<void> {
  switch (op.kind) {
    case "device": {
      const known = await store.device(op.id);
      await (known === undefined
        ? store.putDevice({ device: deviceRecord(op.id, { port: op.port }), actor: "tester", key: op.key })
        : store.updateDevice({ id: op.id, set: { port: op.port }, actor: "tester", key: op.key }));
      return;
    }
    case "revision":
      if (content.body === undefined) throw new Error("a revision without its body");
      await store.commitRevision(commit(content.body, op.key));
      return;
    case "plan":
      await store.documents.putAll(PLAN_DOCUMENTS);
      await store.putPlan({ plan: planRecord(op.plan), state: "waiting" });
      return;
    case "approve":
      await store.recordApproval({
        plan: op.plan,
        digest: planRecord(op.plan).digest,
        approver: "somebody",
        comment: `approved as ${op.key}`,
        expires: undefined,
        hold: "start",
        key: op.key,
      });
      return;
    case "plan-state":
      await store.recordPlanState({
        plan: op.plan,
        state: op.state,
        actor: undefined,
        comment: undefined,
        reason: "a test",
        revision: undefined,
      });
      return;
    case "outcome":
      await store.recordOutcome({
        plan: op.plan,
        transaction: op.plan,
        device: op.device,
        outcome: { kind: "applied", message: op.key, observation: undefined, differences: [] },
        key: op.key,
      });
      return;
    case "decide":
      await store.decide({ transaction: op.transaction, value: op.value });
      return;
    case "condition":
      await store.recordCondition({
        subject: op.subject,
        type: op.type,
        status: "true",
        reason: op.reason,
        message: `because of ${op.reason}`,
        path: undefined,
        revision: undefined,
        observation: undefined,
      });
      return;
    case "document": {
      const digest = await store.documents.put(content.text ?? "");
      if (digest !== op.digest) throw new Error("a document has another digest than its content");
      return;
    }
    case "lock":
      await store.locks.request({
        request: op.request,
        keys: op.keys,
        workflowId: `workflow/${op.request}`,
        transaction: undefined,
      });
      return;
    case "unlock":
      await store.locks.release({ request: op.request });
      return;
  }
}

export function revisionOp(key: string, body: RevisionBody): Op {
  return { kind: "revision", key, body: digestOf(canonicalJson(body)) };
}
