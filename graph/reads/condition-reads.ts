import { conditionId, subjectKey } from "../apply/forms.ts";
import type { ConditionEntry, Subject } from "../journal/record.ts";
import * as statements from "../statements/reads.ts";
import type { Reader, Recorded } from "./reader.ts";

/**
 * Whether a condition speaks of its subject as it is now. `{ revision }`: it was found on that revision, the subject
 * was written since, and what it says is history. A condition that names no revision (paused, reachable) is about the
 * subject whatever its content, and is current.
 */
export type Describes = "current" | { readonly revision: number };

export type ConditionView = ConditionEntry & Recorded & { readonly describes: Describes };

/** What is the matter: conditions as last found, each with whether it still speaks of the present. */
export interface ConditionReads {
  conditions(subject?: Subject): Promise<readonly ConditionView[]>;
  condition(subject: Subject, type: string): Promise<ConditionView | undefined>;
  /** Newest revision that wrote each device; a device that none wrote, and so none was imported of, is left out. */
  newestRevisions(): Promise<ReadonlyMap<string, number>>;
  /** Newest revision that wrote this one; 0 where none did. */
  newestRevision(subject: Subject): Promise<number>;
}

/** Type of the condition by which a service instance is paused. */
export const PAUSED = "Paused";

export function saysPaused(condition: ConditionEntry): boolean {
  return condition.type === PAUSED && condition.status === "true";
}

type StoredCondition = ConditionEntry & Recorded;

export function createConditionReads({ rows, forms, firstForm }: Reader): ConditionReads {
  async function newestRevisions(): Promise<ReadonlyMap<string, number>> {
    const written = (await rows(statements.DEVICE_REVISIONS)).map(
      (row) => [String(row["id"]), Number(row["revision"])] as const,
    );
    return new Map(written.filter(([, revision]) => revision > 0));
  }

  async function newestRevision(subject: Subject): Promise<number> {
    const [row] =
      subject.kind === "device"
        ? await rows(statements.DEVICE_REVISION, { id: subject.id })
        : await rows(statements.SERVICE_REVISION, { service: subject.name });
    return Number(row?.["revision"] ?? 0);
  }

  return {
    newestRevisions,
    newestRevision,
    async conditions(subject) {
      if (subject !== undefined) {
        const stored = await forms<StoredCondition>(statements.CONDITIONS_OF, { subject: subjectKey(subject) });
        const newest = await newestRevision(subject);
        return stored.map((condition) => withDescribes(condition, newest));
      }
      const stored = await forms<StoredCondition>(statements.CONDITIONS);
      const devices = await newestRevisions();
      const services = new Map<string, number>();
      for (const { subject: each } of stored) {
        if (each.kind === "service" && !services.has(each.name)) services.set(each.name, await newestRevision(each));
      }
      return stored.map((condition) => {
        const { subject: each } = condition;
        const newest = each.kind === "device" ? devices.get(each.id) : services.get(each.name);
        return withDescribes(condition, newest ?? 0);
      });
    },
    async condition(subject, type) {
      const stored = await firstForm<StoredCondition>(statements.CONDITION, { id: conditionId(subject, type) });
      return stored === undefined ? undefined : withDescribes(stored, await newestRevision(subject));
    },
  };
}

function withDescribes(condition: StoredCondition, newest: number): ConditionView {
  const { revision } = condition;
  return { ...condition, describes: revision === undefined || revision >= newest ? "current" : { revision } };
}
