/**
 * What a store must tell, kept by whoever watches the processes that write to it: every op that was acknowledged, and
 * those that were under way when their process ended, each of which is either whole there or not at all.
 */
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type { GraphStore } from "../../graph/store.ts";
import { isStoreError } from "../../graph/store-error.ts";
import type { RevisionBody } from "../../services/desired-state.ts";
import { planRecord } from "./graph-bodies.ts";
import { type GraphOracle, createOracle, textOfState } from "./graph-oracle.ts";
import type { Op } from "./graph-ops.ts";
import type { Random } from "./graph-random-ops.ts";

export interface ExpectedRevision {
  readonly key: string;
  readonly body: string;
  /** Digest of the whole desired state at this revision. */
  readonly state: string;
}

export interface GraphExpectation {
  readonly revisions: readonly ExpectedRevision[];
  /** Acknowledged ops so far. */
  readonly count: number;
  acknowledged(op: Op): void;
  /** What was asked for and never acknowledged: whether it is there shows once the store is open again. */
  underWay(op: Op): void;
  /**
   * Compares everything that is new since the last call, and a random part of what is older (`all`: everything).
   * Reasons, each naming what is wrong; none when all is there.
   */
  compare(store: GraphStore, which: "new" | "all", random: Random): Promise<readonly string[]>;
}

/** How much of the older facts each comparison takes. */
const OLDER = 20;

type Fact = (store: GraphStore) => Promise<string | undefined>;

export function createExpectation(): GraphExpectation {
  const oracle: GraphOracle = createOracle();
  const revisions: ExpectedRevision[] = [];
  /** By what it is about, so that a later fact about the same thing takes its place; the newest stand last. */
  const facts = new Map<string, Fact>();
  /** In the order of asking, since the last comparison. */
  const pending: { readonly op: Op; readonly certain: "acknowledged" | "under way" }[] = [];
  let count = 0;
  let comparedRevisions = 0;
  let fresh = new Set<string>();

  function set(about: string, fact: Fact): void {
    facts.delete(about);
    facts.set(about, fact);
    fresh.add(about);
  }

  async function learnPending(store: GraphStore): Promise<void> {
    for (const { op, certain } of pending.splice(0)) {
      if (certain === "under way" && !(await landed(store, op))) continue;
      for (const [about, fact] of factsOf(op)) set(about, fact);
      if (op.kind !== "revision") continue;
      // The body is read from the store, whose documents prove themselves.
      oracle.accept(JSON.parse(await store.documents.getText(op.body)) as RevisionBody);
      revisions.push({ key: op.key, body: op.body, state: oracle.digest() });
    }
  }

  async function compareRevision(store: GraphStore, number: number): Promise<string | undefined> {
    const expected = revisions[number - 1];
    const pruned = (await store.prunedAt())?.revision ?? 0;
    if (number < pruned) return stillToldAfterPrune(store, number);
    const view = await store.revision(number);
    if (expected === undefined) return `revision ${String(number)} was never asked for`;
    if (view?.body !== expected.body || view.key !== expected.key) {
      return `revision ${String(number)} should be ${expected.key}, is ${String(view?.key)}`;
    }
    if ((await store.answerTo("revision", expected.key)) !== String(number))
      return `the key of revision ${String(number)} does not answer`;
    const told = textOfState(await store.desiredState({ devices: "all", services: "all" }, { revision: number }));
    if (digestOf(told) === expected.state) return undefined;
    const detail = number === oracle.revision ? `: ${firstDifference(oracle.text(), told)}` : "";
    return `desired state at revision ${String(number)} is not what its bodies make${detail}`;
  }

  return {
    revisions,
    get count() {
      return count;
    },
    acknowledged(op) {
      count += 1;
      pending.push({ op, certain: "acknowledged" });
    },
    underWay(op) {
      pending.push({ op, certain: "under way" });
    },
    async compare(store, which, random) {
      await learnPending(store);
      const current = await store.currentRevision();
      if (current !== revisions.length)
        return [`the newest revision is ${String(current)}, not ${String(revisions.length)}`];

      const numbers = new Set<number>();
      const first = which === "all" ? 0 : comparedRevisions;
      for (let number = first + 1; number <= current; number += 1) numbers.add(number);
      for (let index = 0; index < OLDER / 4 && current > 0; index += 1) numbers.add(1 + random(current));
      const keys = new Set(which === "all" ? facts.keys() : fresh);
      const known = [...facts.keys()];
      for (let index = 0; index < OLDER && known.length > 0; index += 1) keys.add(known[random(known.length)] ?? "");

      const wrong: string[] = [];
      for (const number of numbers) wrong.push(...listed(await compareRevision(store, number)));
      for (const key of keys) wrong.push(...listed(await facts.get(key)?.(store)));
      comparedRevisions = current;
      fresh = new Set();
      return wrong;
    },
  };
}

/** Of a revision that was pruned nothing is told, and least of all something else. */
async function stillToldAfterPrune(store: GraphStore, number: number): Promise<string | undefined> {
  try {
    await store.desiredState({ devices: "all", services: "all" }, { revision: number });
    return `revision ${String(number)} was pruned and is told all the same`;
  } catch (error) {
    return isStoreError(error, "pruned") ? undefined : `revision ${String(number)}: ${String(error)}`;
  }
}

function listed(reason: string | undefined): readonly string[] {
  return reason === undefined ? [] : [reason];
}

/** Is an op that was never acknowledged there all the same? Its facts then have to hold as a whole. */
async function landed(store: GraphStore, op: Op): Promise<boolean> {
  switch (op.kind) {
    case "revision":
      return (await store.answerTo("revision", op.key)) !== undefined;
    case "device":
      return (await store.answerTo("device", op.key)) !== undefined;
    case "approve":
      return (await store.answerTo("approval", op.key)) !== undefined;
    case "outcome":
      return (await store.answerTo("outcome", op.key)) !== undefined;
    case "plan":
      return (await store.plan(op.plan)) !== undefined;
    case "plan-state":
      return (await store.plan(op.plan))?.state === op.state;
    case "decide":
      return (await store.decision(op.transaction)) !== undefined;
    case "condition":
      return (await store.condition(op.subject, op.type))?.reason === op.reason;
    case "document":
      return store.documents.has(op.digest);
    case "lock":
      return lockRequests(store).includes(op.request);
    case "unlock":
      return !lockRequests(store).includes(op.request);
  }
}

function lockRequests(store: GraphStore): readonly string[] {
  const { holders, waiters } = store.locks.list();
  return [...holders, ...waiters].map((entry) => entry.request.request);
}

/** What must hold from then on, by what it is about. */
function factsOf(op: Op): readonly (readonly [string, Fact])[] {
  switch (op.kind) {
    case "revision":
      return [];
    case "device":
      return [
        [`device ${op.id}`, async (store) => differs(`port of ${op.id}`, (await store.device(op.id))?.port, op.port)],
      ];
    case "plan":
      return [planFact(op.plan, "waiting")];
    case "approve":
      return [
        planFact(op.plan, "applying"),
        [
          `approval ${op.plan}`,
          async (store) =>
            differs(
              `approval of ${op.plan}`,
              (await store.approvals(op.plan)).map((each) => ("comment" in each ? each.comment : each.kind)),
              [`approved as ${op.key}`],
            ),
        ],
      ];
    case "plan-state":
      return [planFact(op.plan, op.state)];
    case "outcome":
      return [
        [
          `outcome ${op.plan} ${op.device}`,
          async (store) =>
            differs(
              `outcome of ${op.plan} on ${op.device}`,
              (await store.outcomes(op.plan)).find((each) => each.device === op.device)?.outcome.message,
              op.key,
            ),
        ],
      ];
    case "decide":
      return [
        [
          `decision ${op.transaction}`,
          async (store) =>
            differs(`decision of ${op.transaction}`, (await store.decision(op.transaction))?.value, op.value),
        ],
      ];
    case "condition": {
      const about = `condition ${canonicalJson(op.subject)} ${op.type}`;
      return [
        [
          about,
          async (store) => {
            const { reason, message } = (await store.condition(op.subject, op.type)) ?? {};
            return differs(about, [reason, message], [op.reason, `because of ${op.reason}`]);
          },
        ],
      ];
    }
    case "document":
      // Reading proves the digest.
      return [
        [
          `document ${op.digest}`,
          async (store) => {
            await store.documents.get(op.digest);
            return undefined;
          },
        ],
      ];
    case "lock":
      return [
        [
          `lock ${op.request}`,
          (store) => Promise.resolve(differs(`lock ${op.request}`, lockRequests(store).includes(op.request), true)),
        ],
      ];
    case "unlock":
      return [
        [
          `lock ${op.request}`,
          (store) => Promise.resolve(differs(`lock ${op.request}`, lockRequests(store).includes(op.request), false)),
        ],
      ];
  }
}

function planFact(plan: string, state: string): readonly [string, Fact] {
  return [
    `plan ${plan}`,
    async (store) => {
      const view = await store.plan(plan);
      return differs(`plan ${plan}`, [view?.state, view?.plan.digest], [state, planRecord(plan).digest]);
    },
  ];
}

function differs(what: string, found: unknown, expected: unknown): string | undefined {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  return a === b ? undefined : `${what} is ${a}, not ${b}`;
}

function firstDifference(expected: string, found: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const from = Math.max(0, at - 80);
  return `expected ..${expected.slice(from, at + 80)}.., found ..${found.slice(from, at + 80)}..`;
}
