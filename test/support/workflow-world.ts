/**
 * The world that workflows see in their tests: devices that keep one text as configuration, and an owner that keeps
 * plans, decisions and locks in memory. Both follow the contract by themselves; a test scripts single answers (refuse,
 * lose the reply, revert) and reads what happened from the log. Locks are the real table and the real activities.
 */
import { ApplicationFailure } from "@temporalio/common";
import { CompleteAsyncError } from "@temporalio/activity";
import { createLockActivities } from "../../activities/lock-activities.ts";
import type {
  CancelResult,
  ConfirmResult,
  DecisionValue,
  DeviceActivities,
  GraphActivities,
  LockActivities,
  PrepareResult,
  WriteTicket,
} from "../../contract/activities.ts";
import type { DeviceReference } from "../../contract/device-reference.ts";
import { FailureType } from "../../contract/failure.ts";
import type { PlanState } from "../../contract/plan-state.ts";
import {
  EMPTY_LOCKS,
  type LockEvent,
  type LockTable,
  applyLockEvent,
  findEntry,
  holdsKey,
} from "../../graph/lock-table.ts";
import { mayFollow } from "../../graph/plan-transitions.ts";
import type { PlanView } from "../../graph/reads.ts";
import type { GraphStore } from "../../graph/store.ts";

export type DeviceStep = "contact" | "observe" | "plan" | "drift" | "check" | "prepare" | "confirm" | "cancel";
type Script = (proceed: () => unknown) => unknown;

export class FakeDevice {
  readonly id: string;
  /** What `show running` would say. */
  running = "before";
  /** A provisional commit that has not been confirmed. */
  pending: { readonly persistId: string; readonly before: string } | undefined;
  readonly #scripts = new Map<DeviceStep, Script[]>();

  constructor(id: string) {
    this.id = id;
  }

  /** The next call of this step is answered by `script`, which may let the device do its work by `proceed`. */
  next(step: DeviceStep, script: Script): void {
    this.#scripts.set(step, [...(this.#scripts.get(step) ?? []), script]);
  }

  /** Its own timer, or a reboot. */
  revert(): void {
    if (this.pending === undefined) return;
    this.running = this.pending.before;
    this.pending = undefined;
  }

  async run<T>(step: DeviceStep, work: () => T): Promise<T> {
    const [script, ...rest] = this.#scripts.get(step) ?? [];
    if (script === undefined) return work();
    this.#scripts.set(step, rest);
    return (await script(work)) as T;
  }
}

/** Ends an attempt without an answer: the server notices only by its time-out. */
export function neverAnswer(): never {
  throw new CompleteAsyncError();
}

/** A reply that was lost after the session had begun to write. */
export function loseReply(): never {
  throw ApplicationFailure.nonRetryable("the session was lost", FailureType.outcomeUnknown);
}

export interface PlanRecord {
  readonly digest: string;
  readonly state: PlanState;
  readonly states: readonly PlanState[];
  readonly approvals: number;
  readonly refusals: readonly string[];
  readonly reason: string | undefined;
  readonly body: string | undefined;
}

export class World {
  readonly #devices = new Map<string, FakeDevice>();
  readonly #plans = new Map<string, PlanRecord>();
  readonly #decisions = new Map<string, DecisionValue>();
  #locks: LockTable = EMPTY_LOCKS;
  #revision = 0;
  /** `prepare alpha-r1`, `decide alpha confirm`, ...: in the order in which it happened. */
  readonly log: string[] = [];
  readonly staleBases = new Set<string>();
  /** What an approval is refused with, by plan. */
  readonly approvalRefusals = new Map<string, string>();
  /** What the record of an approval waits for, by plan. */
  readonly approvalGates = new Map<string, Promise<void>>();
  /** Is the workflow closed? The owner asks Temporal; set by the test environment. */
  isClosed: (workflowId: string) => Promise<boolean> = () => Promise.resolve(false);

  device(id: string): FakeDevice {
    const device = this.#devices.get(id) ?? new FakeDevice(id);
    this.#devices.set(id, device);
    return device;
  }

  plan(id: string): PlanRecord {
    const plan = this.#plans.get(id);
    if (plan === undefined) throw new Error(`no plan ${id}`);
    return plan;
  }

  hasPlan(id: string): boolean {
    return this.#plans.has(id);
  }

  decision(transaction: string): DecisionValue | undefined {
    return this.#decisions.get(transaction);
  }

  /** Entries of the log about one scenario, without its name. */
  logOf(scenario: string): readonly string[] {
    return this.log.filter((line) => line.includes(scenario)).map((line) => line.replaceAll(`${scenario}-`, ""));
  }

  /** As if a transaction had prepared these devices and its holder had vanished. */
  leaveBehind(transaction: string, devices: readonly string[]): void {
    const time = "2026-01-01T00:00:00Z";
    const keys = devices.map((device) => `device/${device}`);
    this.#lockEvent({
      kind: "request",
      request: { request: transaction, keys, workflowId: "gone", transaction },
      time,
    });
    for (const id of devices) {
      const persistId = `${transaction}/${id}/1`;
      this.#lockEvent({
        kind: "prepared",
        transaction,
        prepared: { device: id, section: "before->after", persistId },
        time,
      });
      this.device(id).pending = { persistId, before: this.device(id).running };
      this.device(id).running = "after";
    }
    this.#lockEvent({ kind: "reap", request: transaction, time });
  }

  locked(): readonly string[] {
    return this.#locks.entries.map(
      (entry) => `${entry.request.request} ${entry.token === undefined ? "waits" : "holds"}`,
    );
  }

  #lockEvent(event: LockEvent): void {
    this.#locks = applyLockEvent(this.#locks, event);
  }

  #store(): Pick<GraphStore, "decide" | "decision" | "plan"> & {
    readonly locks: Pick<GraphStore["locks"], "request" | "release" | "reap">;
  } {
    const time = "2026-01-01T00:00:00Z";
    return {
      plan: (plan) => {
        const record = this.#plans.get(plan);
        if (record === undefined) return Promise.resolve(undefined);
        const { digest, body, state } = record;
        const view = { plan: { plan, digest, body, author: "ada", direction: "change" as const }, state };
        return Promise.resolve(view as unknown as PlanView);
      },
      decision: (transaction) => {
        const value = this.#decisions.get(transaction);
        const view = value === undefined ? undefined : { transaction, value };
        return Promise.resolve(view as unknown as Awaited<ReturnType<GraphStore["decision"]>>);
      },
      decide: ({ transaction, value, deadline }) => {
        const stands = this.#decisions.get(transaction);
        if (stands !== undefined) return Promise.resolve(stands);
        const decided = value === "confirm" && deadline !== undefined && Date.now() > deadline ? "abort" : value;
        this.#decisions.set(transaction, decided);
        this.log.push(`decide ${transaction} ${decided}`);
        return Promise.resolve(decided);
      },
      locks: {
        request: (request) => {
          this.#lockEvent({ kind: "request", request, time });
          const entry = findEntry(this.#locks, request.request);
          if (entry?.token !== undefined) {
            this.log.push(`grant ${request.request}`);
            return Promise.resolve({ kind: "granted", token: entry.token, inherited: entry.inherited });
          }
          const { entries } = this.#locks;
          const earlier = entries.slice(
            0,
            entries.findIndex((other) => other.request.request === request.request),
          );
          const behind = earlier.filter((other) => other.request.keys.some((key) => request.keys.includes(key)));
          return Promise.resolve({ kind: "waiting", behind });
        },
        release: ({ request }) => {
          this.log.push(`release ${request}`);
          this.#lockEvent({ kind: "release", request, time });
          return Promise.resolve();
        },
        reap: (request) => {
          this.log.push(`reap ${request}`);
          this.#lockEvent({ kind: "reap", request, time });
          return Promise.resolve();
        },
      },
    };
  }

  lockActivities(): LockActivities {
    return createLockActivities({
      store: this.#store() as GraphStore,
      isClosed: (workflowId) => this.isClosed(workflowId),
      reapEveryMs: 300,
    });
  }

  graphActivities(): GraphActivities {
    return {
      recordDevice: ({ device }) => Promise.resolve(void this.log.push(`record ${device.id}`)),
      deviceReference: ({ device }) => Promise.resolve(referenceTo(device)),
      // A submission names its devices: `alpha-r1,alpha-r2`.
      compileProposal: ({ submissionId, submission }) => {
        if (submission.kind !== "put")
          throw ApplicationFailure.nonRetryable(`nothing to ${submission.kind}`, FailureType.refused);
        const devices = submission.document.split(",");
        return Promise.resolve({
          proposal: `proposal-${submissionId}`,
          body: `body-${submissionId}`,
          devices,
          services: [`service-${submissionId}`],
          definitions: [],
          empty: false,
        });
      },
      planTarget: ({ device, proposal }) =>
        Promise.resolve({
          device: referenceTo(device),
          goalBefore: "goal",
          goalAfter: proposal === undefined ? "goal" : "goal-after",
          wish: proposal,
          proposal,
          revision: this.#revision,
        }),
      importObservation: ({ device, observation }) => {
        this.log.push(`import ${device} ${observation}`);
        return Promise.resolve({
          kind: "imported",
          device,
          revision: ++this.#revision,
          items: 1,
          changed: 1,
          removed: 0,
          retyped: 0,
          unfit: 0,
          affectedServices: [],
          evidence: 0,
          report: "report",
        });
      },
      compileAccept: ({ plan, observations }) =>
        Promise.resolve({
          proposal: `proposal-${plan}`,
          body: `body-${plan}`,
          devices: observations.map((each) => each.device),
          services: [],
          definitions: [],
          empty: false,
        }),
      storePlan: ({ plan, sections, body, unreachable }) => {
        const digest = `digest-${plan}`;
        const operations = sections.reduce((sum, each) => sum + each.operations, 0);
        const nothingToDo = operations === 0 && body === undefined;
        const state = nothingToDo ? "applied" : "waiting";
        this.#plans.set(plan, { digest, state, states: [state], approvals: 0, refusals: [], reason: undefined, body });
        return Promise.resolve({ digest, operations, nothingToDo, unreachable: unreachable.length });
      },
      journalApproval: async ({ plan, approve }) => {
        await this.approvalGates.get(plan);
        const record = this.plan(plan);
        const refusal = this.approvalRefusals.get(plan);
        if (refusal !== undefined) {
          this.#plans.set(plan, { ...record, refusals: [...record.refusals, refusal] });
          return { kind: "refused", code: refusal, message: refusal };
        }
        this.#plans.set(plan, { ...record, approvals: record.approvals + 1 });
        this.#enter(plan, approve.hold === "hold" ? "held" : "applying", undefined);
        return { kind: "approved" };
      },
      journalRefusal: ({ plan, code }) => {
        const record = this.plan(plan);
        this.#plans.set(plan, { ...record, refusals: [...record.refusals, code] });
        return Promise.resolve();
      },
      recordPlanState: ({ plan, state, reason }) => {
        this.#enter(plan, state, reason);
        return Promise.resolve();
      },
      recordSettledPlan: ({ plan, state, reason }) => {
        if (this.plan(plan).state === "applying") this.#enter(plan, state, reason);
        return Promise.resolve();
      },
      checkBase: ({ plan }) =>
        Promise.resolve(
          this.staleBases.has(plan) ? { kind: "stale", reasons: ["a value below changed"] } : { kind: "valid" },
        ),
      commitRevision: ({ body }) => {
        this.log.push(`commit ${body}`);
        return Promise.resolve({ kind: "committed", revision: ++this.#revision });
      },
      recordPrepared: ({ transaction, prepared }) => {
        this.#lockEvent({ kind: "prepared", transaction, prepared, time: "2026-01-01T00:00:00Z" });
        return Promise.resolve();
      },
      recordFailedImport: ({ device }) => Promise.resolve(void this.log.push(`import of ${device} failed`)),
      recordReach: ({ device, failure }) =>
        Promise.resolve(void this.log.push(`reach ${device} ${failure?.code ?? "yes"}`)),
      recordSyncState: ({ device, inSync }) => Promise.resolve(void this.log.push(`sync ${device} ${inSync}`)),
    };
  }

  #enter(plan: string, state: PlanState, reason: string | undefined): void {
    const record = this.#plans.get(plan);
    if (record === undefined || record.state === state) return;
    if (!mayFollow(record.state, state))
      throw ApplicationFailure.nonRetryable(`${record.state} -> ${state}`, FailureType.internal);
    this.#plans.set(plan, { ...record, state, states: [...record.states, state], reason });
  }

  deviceActivities(): DeviceActivities {
    const on = <T>(step: DeviceStep, id: string, work: (device: FakeDevice) => T): Promise<T> => {
      const device = this.device(id);
      this.log.push(`${step} ${id}`);
      return device.run(step, () => work(device));
    };
    return {
      contactDevice: ({ device }) =>
        on("contact", device.id, () => ({
          device: { ...device, moduleSet: "modules" },
          profile: "default",
          modules: 3,
        })),
      observeDevice: ({ device }) =>
        on("observe", device.id, ({ running }) => ({ observation: `seen-${running}`, content: running })),
      planDevice: ({ target, direction }) =>
        on("plan", target.device.id, ({ running }) => {
          const wanted = direction === "accept" ? running : "after";
          return {
            section: sectionOf(running, wanted),
            operations: running === wanted ? 0 : 1,
            observation: `seen-${running}`,
          };
        }),
      checkDriftOf: ({ target }) =>
        on("drift", target.device.id, ({ running, id }) =>
          running === "before"
            ? { kind: "in-sync", device: id, revision: target.revision }
            : {
                kind: "drift",
                device: id,
                revision: target.revision,
                operations: 1,
                section: sectionOf(running, "before"),
              },
        ),
      checkDevice: ({ device, section }) =>
        on("check", device.id, ({ running }) =>
          running === partsOf(section).base ? { kind: "fresh" } : { kind: "stale", reasons: [`found ${running}`] },
        ),
      prepareDevice: ({ device, ticket }) =>
        on("prepare", device.id, (fake): PrepareResult => this.#prepare(fake, ticket)),
      confirmDevice: ({ device, ticket }) =>
        on("confirm", device.id, (fake): ConfirmResult => this.#confirm(fake, ticket)),
      cancelDevice: ({ device, ticket }) => on("cancel", device.id, (fake): CancelResult => this.#cancel(fake, ticket)),
    };
  }

  #prepare(device: FakeDevice, ticket: WriteTicket): PrepareResult {
    const decision = this.#decisions.get(ticket.transaction);
    const mayWrite =
      holdsKey(this.#locks, ticket.token, `device/${device.id}`) &&
      decision === (ticket.phase === "first" ? undefined : "confirm");
    if (!mayWrite) return { kind: "refused", code: FailureType.fenced, message: "nothing was sent", retry: "never" };
    // As a device does it: no running lock while a confirmed commit is pending.
    if (device.pending !== undefined)
      return { kind: "refused", code: "LockDenied", message: "a commit is pending", retry: "later" };
    const { base, wanted } = partsOf(ticket.section);
    if (device.running !== base) return { kind: "stale", reasons: [`found ${device.running}`] };
    device.pending = { persistId: ticket.persistId, before: device.running };
    device.running = wanted;
    return { kind: "prepared", readBack: `seen-${wanted}` };
  }

  #confirm(device: FakeDevice, ticket: WriteTicket): ConfirmResult {
    if (this.#decisions.get(ticket.transaction) !== "confirm")
      throw ApplicationFailure.nonRetryable("not decided confirm", FailureType.fenced);
    if (device.pending?.persistId === ticket.persistId) device.pending = undefined;
    const observation = `seen-${device.running}`;
    const { base, wanted } = partsOf(ticket.section);
    if (device.running === wanted) return { kind: "confirmed", observation, foreign: [] };
    if (device.running === base) return { kind: "reverted", observation };
    return {
      kind: "unsettled",
      observation,
      differences: [{ path: "/text", expected: wanted, found: device.running }],
    };
  }

  #cancel(device: FakeDevice, ticket: WriteTicket): CancelResult {
    if (this.#decisions.get(ticket.transaction) === "confirm")
      throw ApplicationFailure.nonRetryable("decided confirm", FailureType.fenced);
    if (device.pending?.persistId === ticket.persistId) device.revert();
    const observation = `seen-${device.running}`;
    const { base } = partsOf(ticket.section);
    if (device.running === base) return { kind: "clean", observation };
    return { kind: "unsettled", observation, differences: [{ path: "/text", expected: base, found: device.running }] };
  }
}

function sectionOf(base: string, wanted: string): string {
  return `${base}->${wanted}`;
}

function partsOf(section: string): { readonly base: string; readonly wanted: string } {
  const [base = "", wanted = ""] = section.split("->");
  return { base, wanted };
}

function referenceTo(id: string): DeviceReference {
  return {
    id,
    name: id,
    provider: "fake",
    host: "127.0.0.1",
    port: 830,
    credentials: "env:NONE",
    hostKey: { kind: "unknown" },
    profile: undefined,
    moduleSet: "modules",
    announcement: undefined,
  };
}
