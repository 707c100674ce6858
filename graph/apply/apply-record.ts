/**
 * Turns one journal record into the rows that it writes: a pure function of the record, the document it names and the
 * part of the graph it meets, so that every replay gives the same graph. It cannot refuse: whatever could be wrong was
 * checked before the record was appended.
 */
import type { RevisionBody } from "../../services/desired-state.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { JournalRecord } from "../journal/record.ts";
import { type Overflow, storedText } from "../stored-text.ts";
import type { Change, UpdateRow } from "./change.ts";
import { applyRevision } from "./apply-revision.ts";
import { conditionId, idempotencyIdOf, subjectKey } from "./forms.ts";
import type { Prior } from "./prior.ts";

export interface AppliedRecord {
  readonly changes: readonly Change[];
  /** Texts too long for a property: to be stored as documents before the changes run. */
  readonly overflow: Overflow;
}

export async function applyRecord(
  record: JournalRecord,
  body: RevisionBody | undefined,
  prior: Prior,
): Promise<AppliedRecord> {
  const overflow: Overflow = new Map();
  const changes: Change[] = [...(await changesOf(record, body, prior, overflow))];
  const key = idempotencyIdOf(record);
  if (key !== undefined) {
    changes.push({ kind: "create", node: "Key", rows: [{ id: key, record: record.n, answer: answerOf(record) }] });
  }
  changes.push({ kind: "update", node: "Meta", rows: [{ id: "graph", record: record.n, digest: record.digest }] });
  return { changes, overflow };
}

function changesOf(
  record: JournalRecord,
  body: RevisionBody | undefined,
  prior: Prior,
  overflow: Overflow,
): readonly Change[] | Promise<readonly Change[]> {
  const form = (value: object) => storedText(canonicalJson(value), overflow);
  switch (record.kind) {
    case "revision": {
      if (body === undefined) throw new Error(`the body of revision ${String(record.body.revision)} was not loaded`);
      return applyRevision({ record, entry: record.body, body, prior, overflow });
    }
    case "device": {
      const { device } = record.body;
      const row: UpdateRow<"Device"> = { id: device.id, name: device.name, state: device.state, form: form(device) };
      return prior.devices.has(device.id)
        ? [{ kind: "update", node: "Device", rows: [row] }]
        : [{ kind: "create", node: "Device", rows: [{ ...row, revision: 0 }] }];
    }
    case "plan": {
      const entry = record.body;
      if (entry.event === "state") {
        const latest = form({ ...entry, time: record.time });
        return [{ kind: "update", node: "Plan", rows: [{ id: entry.plan, state: entry.state, latest }] }];
      }
      const { plan } = entry;
      const latest = form({ event: "state", plan: plan.plan, state: entry.state, time: record.time });
      const row = {
        id: plan.plan,
        digest: plan.digest,
        state: entry.state,
        opened: record.time,
        form: form(plan),
        latest,
      };
      return [{ kind: "create", node: "Plan", rows: [row] }];
    }
    case "approval": {
      const { plan, approver, comment, hold } = record.body;
      const state = hold === "hold" ? "held" : "applying";
      const latest = form({ event: "state", plan, state, actor: approver, comment, time: record.time });
      return [
        {
          kind: "create",
          node: "Approval",
          rows: [{ id: record.n, plan, kind: "approval", form: form({ ...record.body, time: record.time }) }],
        },
        { kind: "update", node: "Plan", rows: [{ id: plan, state, latest }] },
      ];
    }
    case "refusal": {
      const row = {
        id: record.n,
        plan: record.body.plan,
        kind: "refusal",
        form: form({ ...record.body, time: record.time }),
      };
      return [{ kind: "create", node: "Approval", rows: [row] }];
    }
    case "decision":
      return [
        {
          kind: "create",
          node: "Decision",
          rows: [{ id: record.body.transaction, form: form({ ...record.body, time: record.time }) }],
        },
      ];
    case "outcome": {
      const row = { id: record.n, plan: record.body.plan, form: form({ ...record.body, time: record.time }) };
      return [{ kind: "create", node: "Outcome", rows: [row] }];
    }
    case "condition": {
      const id = conditionId(record.body.subject, record.body.type);
      const text = form({ ...record.body, time: record.time });
      return prior.conditions.has(id)
        ? [{ kind: "update", node: "Condition", rows: [{ id, form: text }] }]
        : [{ kind: "create", node: "Condition", rows: [{ id, subject: subjectKey(record.body.subject), form: text }] }];
    }
    case "rekey": {
      const { to, actor } = record.body;
      const reason = `its secrets are sealed by a key that key ${to} replaced`;
      const rows = prior.openPlans.map((plan) => ({
        id: plan,
        state: "stale",
        latest: form({ event: "state", plan, state: "stale", actor, reason, time: record.time }),
      }));
      return [{ kind: "update", node: "Plan", rows }];
    }
    // What they say is how the graph is built at the next start, not what is in it.
    case "snapshot":
    case "prune":
      return [];
  }
}

/** What a repeat of the same delivery is told; `-` where there is nothing to tell beyond "it is there". */
function answerOf(record: JournalRecord): string {
  return record.kind === "revision" ? String(record.body.revision) : "-";
}
