/**
 * Random histories in a real store: whatever was shown at a revision can be shown again, by digest, after restarts,
 * rebuilds, rollbacks and prunes; what was pruned says so. `TENURE_HISTORY_RUNS` asks for more histories than the quick
 * run has, `TENURE_HISTORY_SEED` for one that was printed.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isStoreError } from "../../graph/store-error.ts";
import { GraphHistory, type Outcome, timeless } from "../support/graph-histories.ts";
import { at } from "../support/ownership-network.ts";
import { type HistoryStep, historySteps } from "../support/random-histories.ts";

const DEVICES = ["r1", "r2"];
const RUNS = Number(process.env["TENURE_HISTORY_RUNS"] ?? 20);
const SEED = Number(process.env["TENURE_HISTORY_SEED"] ?? Date.now() % 2 ** 31);

type Devices = readonly string[] | "all";
type Step =
  | { readonly kind: "change"; readonly change: HistoryStep; readonly hours: number }
  | { readonly kind: "rollback"; readonly back: number; readonly devices: Devices }
  | { readonly kind: "prune"; readonly days: number }
  | { readonly kind: "restart" }
  | { readonly kind: "rebuild" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      change: historySteps(DEVICES),
      hours: fc.constantFrom(0, 0, 1, 30),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("rollback" as const),
      back: fc.integer({ min: 0, max: 12 }),
      devices: fc.constantFrom<Devices>("all", ["r1"], ["r2"]),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("prune" as const), days: fc.constantFrom(0, 1, 3) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "restart" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "rebuild" }) },
);

/** Two services that meet on one device, and a way back that one of them forbids, as it reaches further. */
const OPENING: readonly Step[] = [
  put("a", "9000", DEVICES),
  put("b", "1500", ["r1"]),
  { kind: "rollback", back: 2, devices: ["r1"] },
];

function put(service: string, value: string, targets: readonly string[]): Step {
  return {
    kind: "change",
    hours: 1,
    change: { kind: "put", service, rules: [{ path: at.mtu("e1"), value }], targets },
  };
}

const MIX = ["put", "override", "remove", "import", "rollback", "refused", "prune", "restart", "rebuild"] as const;
const seen = new Map<string, number>();
const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

async function take(history: GraphHistory, each: Step): Promise<Outcome | "restart" | "rebuild"> {
  switch (each.kind) {
    case "change":
      history.pass(each.hours);
      return history.take(each.change);
    case "rollback":
      return rollBack(history, each);
    case "prune":
      return history.prune(new Date(history.now.getTime() - each.days * 86_400_000));
    case "restart":
      await history.restart();
      return "restart";
    case "rebuild":
      await history.store.rebuild();
      return "rebuild";
  }
}

/** To one of the revisions that were shown, be it pruned by now. */
async function rollBack(history: GraphHistory, { back, devices }: Extract<Step, { readonly kind: "rollback" }>) {
  const revisions = [...history.shown.keys()];
  const to = revisions[Math.max(0, revisions.length - 1 - back)] ?? 1;
  const pruned = await history.store.prunedAt();
  if (pruned !== undefined && to < pruned.revision) {
    await expectPruned(history.rollback(to, devices), pruned.revision);
    count("rollback to a pruned revision");
    return "nothing";
  }
  const outcome = await history.rollback(to, devices);
  if (devices === "all" && outcome !== "refused") {
    const [now, then] = [await history.show(await history.store.currentRevision()), history.shown.get(to)];
    // Both devices have configuration from revision 2 on.
    if (then !== undefined && to >= DEVICES.length) expect(timeless(now)).toEqual(timeless(then));
  }
  return outcome;
}

async function expectPruned(call: Promise<unknown>, revision: number): Promise<void> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isStoreError(error, "pruned") ? error.details["revision"] : error).toBe(revision);
}

async function checkAll(history: GraphHistory): Promise<void> {
  const pruned = await history.store.prunedAt();
  for (const [revision, then] of history.shown) {
    if (pruned !== undefined && revision < pruned.revision) {
      await expectPruned(history.show(revision), pruned.revision);
      count("revision that was pruned");
    } else {
      expect({ revision, ...(await history.show(revision)) }).toEqual({ revision, ...then });
      count("revision shown again");
    }
  }
}

test("whatever was shown can be shown again, or says that it was pruned", {
  timeout: 120_000 + RUNS * 15_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const history = await GraphHistory.open(mkdtempSync(join(tmpdir(), "tenure-history-")), DEVICES);
      try {
        // Each ends with a way back to its beginning, which pruning may have taken.
        const ending: Step = { kind: "rollback", back: steps.length * 2, devices: "all" };
        for (const each of [...OPENING, ...steps, ending]) count(await take(history, each));
        await checkAll(history);
        await history.store.rebuild();
        await checkAll(history);
        expect(await history.store.check()).toEqual([]);
      } finally {
        await history.end();
      }
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
  const told = [...new Set([...MIX, ...seen.keys()])].map((what) => `${what} ${String(seen.get(what) ?? 0)}`);
  process.stdout.write(`${String(RUNS)} histories, seed ${String(SEED)}: ${told.join(", ")}\n`);
  // So few histories as somebody may ask for need not have everything.
  const expected = [...MIX, "rollback to a pruned revision", "revision that was pruned", "revision shown again"];
  for (const what of RUNS < 20 ? [] : expected) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
});
