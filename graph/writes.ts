import type { DecisionValue, RevisionCause } from "../contract/activities.ts";
import type { PlanState } from "../contract/plan-state.ts";
import type { DesiredState, RevisionBasis, RevisionBody } from "../services/desired-state.ts";
import { canonicalJson, canonicalJsonInTurns } from "./canonical-json.ts";
import { checkBody, servicesOf } from "./check-body.ts";
import type { DocumentStore } from "./documents/document-store.ts";
import { refuseWithoutSpace } from "./free-space.ts";
import type { Journal } from "./journal/journal.ts";
import type {
  ApprovalEntry,
  ConditionEntry,
  DeviceRecord,
  JournalEntry,
  JournalRecord,
  OutcomeEntry,
  PlanEntry,
  PlanRecord,
  RefusalEntry,
  RekeyEntry,
} from "./journal/record.ts";
import { type Mutex, createMutex } from "./mutex.ts";
import { mayFollow } from "./plan-transitions.ts";
import type { StoreReads } from "./reads.ts";
import type { GraphDatabase } from "./start/graph-database.ts";
import { META } from "./statements/reads.ts";
import { StoreError } from "./store-error.ts";

/** What has changed since a body was computed, in words; none: the basis still holds. */
export type CheckBasis = (state: DesiredState, basis: RevisionBasis) => readonly string[];

export interface Written {
  /** True: this was a repeat, and nothing was written now. */
  readonly alreadyThere: boolean;
}

export interface CommitRequest {
  readonly body: RevisionBody;
  readonly key: string;
  readonly actor: string;
  readonly cause: RevisionCause;
}

/**
 * Everything that can be written. Each call is one journal record (or none, for a repeat), on the disk and in the graph
 * when it returns; calls run one after the other in the order in which they came. Errors beside the named ones:
 * `no-space` before anything is written, `stopped`, `record-too-large`, `not-canonical`.
 */
export interface StoreWrites {
  /** Errors: `name-taken`. */
  putDevice(request: { readonly device: DeviceRecord; readonly actor: string; readonly key: string }): Promise<Written>;
  /** Errors: `unknown-device`, `name-taken`. */
  updateDevice(request: {
    readonly id: string;
    readonly set: Partial<Omit<DeviceRecord, "id">>;
    readonly actor: string;
    readonly key: string;
  }): Promise<Written>;
  /** Errors: `bad-body` and `stale-basis`, each with `reasons`; nothing is then written. */
  commitRevision(request: CommitRequest): Promise<Written & { readonly revision: number }>;
  /** Errors: `key-conflict` when the plan id stands with another digest. */
  putPlan(request: { readonly plan: PlanRecord; readonly state: PlanState }): Promise<Written>;
  /** Errors: `unknown-plan`, `wrong-state` when the state cannot follow the present one. The same state is a repeat. */
  recordPlanState(request: Omit<Extract<PlanEntry, { readonly event: "state" }>, "event">): Promise<Written>;
  /**
   * Single use: a plan is approved once, while it waits, by its own digest, before `expires`. It moves to `held` or
   * `applying` in the same record. Errors: `unknown-plan`, `wrong-digest`, `wrong-state`.
   */
  recordApproval(approval: ApprovalEntry): Promise<Written>;
  recordRefusal(refusal: RefusalEntry): Promise<Written>;
  /** Compare-and-set: the first value stands for ever and is what everyone is told. A confirm after its deadline is an abort. */
  decide(request: {
    readonly transaction: string;
    readonly value: DecisionValue;
    readonly deadline?: number | undefined;
  }): Promise<DecisionValue>;
  /** Errors: `unknown-plan`. */
  recordOutcome(outcome: OutcomeEntry): Promise<Written>;
  /** `alreadyThere` when nothing about it changed. */
  recordCondition(condition: ConditionEntry): Promise<Written>;
  /**
   * Says that configuration secrets are sealed by another key from here on. Every plan that may still be approved or
   * started becomes stale in the same record. Needs: the document `digests` is stored.
   */
  recordRekey(rekey: RekeyEntry): Promise<Written>;
}

export interface WritesOptions {
  readonly dataFolder: string;
  readonly journal: Journal;
  readonly graph: GraphDatabase;
  readonly documents: DocumentStore;
  readonly reads: StoreReads;
  readonly clock: () => Date;
  readonly checkBasis: CheckBasis | undefined;
  /** LadybugDB half-commits on a full disk, so writing stops while there still is room. */
  readonly reserveBytes: number;
}

const REPEAT: Written = { alreadyThere: true };
const NEW: Written = { alreadyThere: false };

export interface Writes {
  readonly writes: StoreWrites;
  /** Runs something that must not meet a write; returns after the writes that were asked for before. */
  readonly exclusive: Mutex["run"];
  /** The same for what writes: the graph holds every record before it begins. Errors: `stopped`, `no-space`. */
  readonly writing: Mutex["run"];
  /** Throws the graph file away and builds it from the journal. Needs: called inside `exclusive`. Error: `stopped`. */
  readonly rebuild: (why: string) => Promise<void>;
  /** Appends one record and brings it into the graph. Needs: called inside `writing`. */
  readonly record: (entry: JournalEntry) => Promise<JournalRecord>;
}

export function createWrites(options: WritesOptions): Writes {
  const { journal, graph, documents, reads, clock } = options;
  const mutex = createMutex();
  /** Why the graph lacks records of the journal; when (monotonic milliseconds) it may be rebuilt again. */
  let behind: { readonly why: unknown; readonly again: number } | undefined;

  async function rebuild(why: string): Promise<void> {
    const started = performance.now();
    try {
      await graph.rebuild(why);
      behind = undefined;
    } catch (error) {
      // Where the old file goes on to be asked and lacks nothing, so do the writes.
      if (!(await holdsNewest())) fallBehind(error, started);
      throw error;
    }
  }

  async function holdsNewest(): Promise<boolean> {
    const [meta] = await graph.read(META).catch(() => []);
    return meta?.["record"] === journal.last.n;
  }

  /** What fails is tried for a fifth of the time at most: each try reads the whole journal. */
  function fallBehind(why: unknown, started: number): void {
    const now = performance.now();
    behind = { why, again: now + 4 * (now - started) };
  }

  /** A graph that lacks a record does not know it again when it is repeated: nothing may be asked of it for a write. */
  async function catchUp(): Promise<void> {
    if (behind === undefined) return;
    if (performance.now() < behind.again)
      throw new StoreError("stopped", "the graph could not follow the journal; it is tried again", {}, behind.why);
    await refuseWithoutSpace(options.dataFolder, options.reserveBytes);
    await rebuild("it could not follow the journal");
  }

  const writing: Mutex["run"] = (work) =>
    mutex.run(async () => {
      await catchUp();
      return work();
    });

  async function journalAndApply(entry: JournalEntry): Promise<JournalRecord> {
    await refuseWithoutSpace(options.dataFolder, options.reserveBytes);
    const record = await journal.append(entry);
    const started = performance.now();
    try {
      await graph.apply(record);
    } catch (error) {
      fallBehind(error, started);
      throw error;
    }
    return record;
  }

  /** One write: a repeat is answered, else `prepare` checks and says what to record. */
  function once(
    key: { readonly kind: JournalEntry["kind"]; readonly key: string } | undefined,
    prepare: () => Promise<JournalEntry | undefined>,
  ): Promise<Written> {
    return writing(async () => {
      if (key !== undefined && (await reads.answerTo(key.kind, key.key)) !== undefined) return REPEAT;
      const entry = await prepare();
      if (entry === undefined) return REPEAT;
      await journalAndApply(entry);
      return NEW;
    });
  }

  async function refuseTakenName(device: DeviceRecord): Promise<void> {
    if (device.state === "removed") return;
    const taken = (await reads.devices()).find((other) => other.name === device.name && other.id !== device.id);
    if (taken !== undefined) {
      throw new StoreError("name-taken", `the name ${device.name} belongs to device ${taken.id}`, {
        name: device.name,
        device: taken.id,
      });
    }
  }

  async function planOrRefuse(id: string) {
    const plan = await reads.plan(id);
    if (plan === undefined) throw new StoreError("unknown-plan", `there is no plan ${id}`, { plan: id });
    return plan;
  }

  async function refuseBadBody(body: RevisionBody): Promise<void> {
    const deviceIds = new Set((await reads.devices()).map((device) => device.id));
    const state = await reads.desiredState({ devices: [], services: servicesOf(body) });
    const reasons = checkBody(body, deviceIds, state);
    if (reasons.length > 0)
      throw new StoreError("bad-body", `the revision body cannot be applied: ${reasons.join("; ")}`, { reasons });
  }

  async function refuseStaleBasis(basis: RevisionBasis): Promise<void> {
    const empty = basis.devices.length === 0 && basis.services.length === 0 && basis.definitions.length === 0;
    if (empty || options.checkBasis === undefined) return;
    const state = await reads.desiredState({
      devices: basis.devices.map((device) => device.device),
      services: basis.services.map((service) => service.name),
    });
    const reasons = options.checkBasis(state, basis);
    if (reasons.length > 0) {
      throw new StoreError("stale-basis", `desired state has moved since this was computed: ${reasons.join("; ")}`, {
        reasons,
      });
    }
  }

  const writes: StoreWrites = {
    putDevice: ({ device, actor, key }) =>
      once({ kind: "device", key }, async () => {
        await refuseTakenName(device);
        return { kind: "device", body: { device, actor, key } };
      }),

    updateDevice: ({ id, set, actor, key }) =>
      once({ kind: "device", key }, async () => {
        const present = await reads.device(id);
        if (present?.id !== id) throw new StoreError("unknown-device", `there is no device ${id}`, { device: id });
        const device: DeviceRecord = withFormerNames({ ...present, ...set, id }, present);
        await refuseTakenName(device);
        return { kind: "device", body: { device, actor, key } };
      }),

    commitRevision: async ({ body, key, actor, cause }) => {
      // Stored while earlier writes still run; the place in the queue is that of the call.
      const stored = canonicalJsonInTurns(body).then(async (text) => {
        await refuseWithoutSpace(options.dataFolder, options.reserveBytes);
        return documents.put(text);
      });
      stored.catch(() => undefined);
      return writing(async () => {
        const answered = await reads.answerTo("revision", key);
        if (answered !== undefined) return { revision: Number(answered), alreadyThere: true };
        await refuseBadBody(body);
        await refuseStaleBasis(body.basis);
        const digest = await stored;
        const revision = (await reads.currentRevision()) + 1;
        const devices = body.devices.map((writes) => writes.device).sort();
        await journalAndApply({ kind: "revision", body: { revision, actor, cause, key, body: digest, devices } });
        return { revision, alreadyThere: false };
      });
    },

    putPlan: ({ plan, state }) =>
      once(undefined, async () => {
        const present = await reads.plan(plan.plan);
        if (present === undefined) return { kind: "plan", body: { event: "created", plan, state } };
        if (present.plan.digest === plan.digest) return undefined;
        throw new StoreError("key-conflict", `plan ${plan.plan} stands with another digest`, { plan: plan.plan });
      }),

    recordPlanState: (entry) =>
      once(undefined, async () => {
        const present = await planOrRefuse(entry.plan);
        if (present.state === entry.state) return undefined;
        refuseState(entry.plan, present.state, entry.state);
        return { kind: "plan", body: { event: "state", ...entry } };
      }),

    recordApproval: (approval) =>
      once({ kind: "approval", key: approval.key }, async () => {
        const { plan, state } = await planOrRefuse(approval.plan);
        if (plan.digest !== approval.digest) {
          throw new StoreError("wrong-digest", `plan ${plan.plan} has another digest than the approval`, {
            plan: plan.plan,
          });
        }
        if (state !== "waiting")
          throw new StoreError("wrong-state", `plan ${plan.plan} is ${state}, not waiting`, { plan: plan.plan, state });
        if (approval.expires !== undefined && approval.expires <= clock().getTime()) {
          throw new StoreError("wrong-state", `the approval of plan ${plan.plan} has expired`, {
            plan: plan.plan,
            state: "expired",
          });
        }
        return { kind: "approval", body: approval };
      }),

    recordRefusal: (refusal) =>
      once({ kind: "refusal", key: refusal.key }, () => Promise.resolve({ kind: "refusal", body: refusal })),

    decide: ({ transaction, value, deadline }) =>
      writing(async () => {
        const stands = await reads.decision(transaction);
        if (stands !== undefined) return stands.value;
        const late = value === "confirm" && deadline !== undefined && clock().getTime() > deadline;
        const decided: DecisionValue = late ? "abort" : value;
        await journalAndApply({ kind: "decision", body: { transaction, value: decided, asked: value, deadline } });
        return decided;
      }),

    recordOutcome: (outcome) =>
      once({ kind: "outcome", key: outcome.key }, async () => {
        await planOrRefuse(outcome.plan);
        return { kind: "outcome", body: outcome };
      }),

    recordCondition: (condition) =>
      once(undefined, async () => {
        const present = await reads.condition(condition.subject, condition.type);
        if (present !== undefined) {
          const { time: _time, describes: _describes, ...stored } = present;
          if (canonicalJson(stored) === canonicalJson(condition)) return undefined;
        }
        return { kind: "condition", body: condition };
      }),

    recordRekey: (rekey) =>
      once({ kind: "rekey", key: rekey.key }, async () => {
        await documents.get(rekey.digests);
        return { kind: "rekey", body: rekey };
      }),
  };
  return { writes, exclusive: (work) => mutex.run(work), writing, rebuild, record: journalAndApply };
}

function withFormerNames(device: DeviceRecord, before: DeviceRecord): DeviceRecord {
  if (device.name === before.name) return device;
  return { ...device, formerNames: [...new Set([...(before.formerNames ?? []), before.name])] };
}

function refuseState(plan: string, from: PlanState, to: PlanState): void {
  if (mayFollow(from, to)) return;
  throw new StoreError("wrong-state", `plan ${plan} is ${from}; it cannot become ${to}`, { plan, state: from });
}
