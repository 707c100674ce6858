/** Steps that ask what desired state says, who set it, and what it said before. */
import { z } from "zod";
import { checkFact } from "../fact.ts";
import type { Step } from "../stage.ts";

const setterSchema = z.union([
  z.object({ kind: z.literal("service"), service: z.string() }),
  z.object({ kind: z.enum(["import", "accept", "adopted"]) }),
]);
type Setter = z.infer<typeof setterSchema>;
const itemSchema = z.object({ value: z.object({ text: z.string() }).optional() });

const blameSchema = z.array(
  z.object({ path: z.string(), item: itemSchema, setBy: setterSchema, since: z.number(), owners: z.array(z.string()) }),
);

export interface ItemFacts {
  readonly value: string;
  readonly setBy: string;
  readonly since: number;
  readonly owners: readonly string[];
}

/** `blame`: value, who set it and in which revision, who owns it. */
export function itemIs(device: string, path: string, expected: ItemFacts): Step {
  return async (stage) => {
    const lines = await stage.tenure(["blame", device, path], blameSchema);
    const found = lines.map(({ item, setBy, since, owners }) => ({
      value: item.value?.text,
      setBy: setterText(setBy),
      since,
      owners: [...owners].sort(),
    }));
    checkFact(`${path} of ${device}`, { expected: [{ ...expected, owners: [...expected.owners].sort() }], found });
    for (const each of found) {
      const owned = each.owners.length === 0 ? "owned by nobody" : `owned by ${each.owners.join(" and ")}`;
      stage.narrator.say(
        `${device}: ${each.value ?? "?"}, set by ${each.setBy} in revision ${String(each.since)}, ${owned}.`,
      );
    }
  };
}

const historySchema = z.array(
  z.object({
    from: z.number(),
    item: itemSchema.optional(),
    setBy: setterSchema.optional(),
    actor: z.string().optional(),
  }),
);

export interface HistoryFact {
  readonly revision: number;
  /** Undefined: deleted. */
  readonly value: string | undefined;
  readonly setBy: string | undefined;
}

/** `history`: every value the item has had, newest first, with the revision and whose doing it was. */
export function historyIs(device: string, path: string, expected: readonly HistoryFact[]): Step {
  return async (stage) => {
    const lines = await stage.tenure(["history", device, path], historySchema);
    const found = lines
      .map(({ from, item, setBy }) => ({ revision: from, value: item?.value?.text, setBy: setBy && setterText(setBy) }))
      .sort((a, b) => a.revision - b.revision);
    checkFact(`the history of ${path} of ${device}`, { expected, found });
    for (const each of found) {
      const what = each.value === undefined ? "deleted" : `${each.value}, set by ${each.setBy ?? "?"}`;
      stage.narrator.say(`revision ${String(each.revision)}: ${what}`);
    }
  };
}

function setterText(setter: Setter): string {
  return setter.kind === "service" ? `service ${setter.service}` : setter.kind;
}
