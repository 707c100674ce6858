/** A world in which one change after the other is planned, its worker is killed, and what came of it is judged. */
import { parseXml } from "../../codec/xml/read-xml.ts";
import { type XmlElement, childElements, textOf } from "../../codec/xml/xml-element.ts";
import { Client, Connection } from "@temporalio/client";
import { expect } from "vitest";
import type {
  CheckView,
  PlanDetail,
  PlanSummary,
  RevisionLine,
  StartedSubmission,
  SubmissionView,
} from "../../contract/api.ts";
import { workflowId } from "../../contract/workflows.ts";
import { openStore } from "../../graph/store.ts";
import { eventually } from "./eventually.ts";
import { wholeState } from "./graph-bodies.ts";
import { leftOn } from "./pipeline-device-probe.ts";
import { type World, startWorld } from "./pipeline-world.ts";

/** A planned change, with the whole running configuration of each device before it and with it. */
export interface PlannedChange {
  readonly plan: PlanSummary;
  readonly submission: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface NextChange {
  submit(): Promise<StartedSubmission>;
  /** Whether a plan of it waits. Needs: `submit` was called. */
  isPlanned(): Promise<boolean>;
  /** The same with its plan. */
  plannedAs(plan: PlanSummary): PlannedChange;
}

export interface CrashWorld extends World {
  /** Plans another value for two leafs of every device; nothing is approved yet. */
  newChange(): Promise<PlannedChange>;
  /** Another value, not submitted yet. */
  nextChange(): NextChange;
  /** Whether the import, drift check or first contact of that run id has ended. */
  runEnded(run: string): Promise<boolean>;
  plan(plan: string): Promise<PlanDetail>;
  /** Everything that must hold when a change has ended, whatever killed the worker on the way. */
  expectSettled(change: PlannedChange, ended: PlanDetail): Promise<void>;
  /** Makes the world usable for the next point after a failure: a living worker, no faults, no open plan. */
  recover(): Promise<void>;
  /** Ends the worker; opens journal and graph; compares the graph with one rebuilt from the journal. */
  proveJournal(): Promise<{ readonly findings: readonly unknown[]; readonly rebuilt: "the same" | "something else" }>;
}

function serviceOf(devices: readonly string[], value: number): string {
  return `kind: definition
name: port
version: "1"
parameters:
  type: object
  properties: {interface: {type: string}, mtu: {type: integer}, words: {type: string}}
  required: [interface, mtu, words]
rules:
  - path: /tenure-demo-interfaces:interfaces/interface[name='\${params.interface}']/mtu
    value: \${params.mtu}
  - path: /tenure-demo-interfaces:interfaces/interface[name='\${params.interface}']/description
    value: \${params.words}
---
kind: service
name: uplink
definition: port
parameters: {interface: eth0, mtu: ${String(value)}, words: "uplink of ${String(value)}"}
targets: [${devices.join(", ")}]
`;
}

/** Above the default (1500), which devices do not show. */
const FIRST_VALUE = 1600;

/** Several at once; when one does not start, the others are ended too. */
export async function openCrashWorlds(count: number, devices: readonly string[]): Promise<readonly CrashWorld[]> {
  const opened = await Promise.allSettled(Array.from({ length: count }, () => openCrashWorld(devices)));
  const worlds = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = opened.find((each) => each.status === "rejected");
  if (failed === undefined) return worlds;
  await Promise.all(worlds.map((world) => world.stop()));
  throw failed.reason;
}

/** Starts a world with imported devices and one applied change, so that every later change is of the same shape. */
async function openCrashWorld(devices: readonly string[]): Promise<CrashWorld> {
  const world = await startWorld({ devices, transaction: { confirmWindow: 120, reserve: 20 } });
  try {
    const connection = await Connection.connect({ address: world.temporal.address });
    const client = new Client({ connection });
    const made = crashWorld(world, client, devices);
    await world.addDevices();
    await world.importDevices();
    const first = await world.apply(await world.put(serviceOf(devices, FIRST_VALUE)));
    expect(first.state).toBe("applied");
    return {
      ...made,
      stop: async () => {
        await connection.close();
        await world.stop();
      },
    };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

/** Whole configurations are compared, so that half a change is neither. */
function stateShown(
  xml: string,
  { before = "", after = "" }: { readonly before: string | undefined; readonly after: string | undefined },
): string {
  const shown = sortedXml(xml);
  if (shown === sortedXml(after)) return "planned";
  return shown === sortedXml(before) ? "earlier" : xml;
}

/** The order of siblings says nothing here: no list of this configuration is ordered by the user. */
function sortedXml(text: string): string {
  const root = parseXml(text);
  if (root.kind === "failed") return text;
  const sorted = (element: XmlElement): string =>
    `${element.name}(${childElements(element).length === 0 ? textOf(element) : childElements(element).map(sorted).sort().join(",")})`;
  return sorted(root.value);
}

function crashWorld(world: World, client: Client, names: readonly string[]): CrashWorld {
  let value = FIRST_VALUE;

  const running = (): readonly string[] => world.devices.map((device) => device.configXml("running"));
  /** A device that kept its earlier state shows an older value than the last one planned. */
  const planned = (xml: string): string =>
    xml
      .replace(/<mtu>\d+<\/mtu>/, `<mtu>${String(value)}</mtu>`)
      .replace(/uplink of \d+/, `uplink of ${String(value)}`);

  async function workflowsOf({ plan: { plan: id }, submission }: PlannedChange): Promise<readonly string[]> {
    const ids = [workflowId.changeService(submission), workflowId.planAndApply(id), workflowId.applyTransaction(id)];
    const states = await Promise.all(
      ids.map(async (each) => (await client.workflow.getHandle(each).describe()).status.name),
    );
    return states.every((each) => each !== "RUNNING") ? states : Promise.reject(new Error(states.join(", ")));
  }

  async function revisionsOf(id: string): Promise<number> {
    const lines = await world.api.get<readonly RevisionLine[]>("/revisions", { limit: 1000 });
    return lines.filter((line) => "plan" in line.cause && line.cause.plan === id).length;
  }

  async function desiredXml(name: string): Promise<string> {
    return (await world.api.getText(`/devices/${name}/config`, { as: "xml" })).replace(/>\s+</g, "><");
  }

  const nextChange = (): NextChange => {
    value += 1;
    const text = serviceOf(names, value);
    const before = running();
    const after = before.map(planned);
    let submission: string | undefined;
    return {
      submit: async () => {
        const started = await world.startPut(text);
        submission = started.submission;
        return started;
      },
      isPlanned: async () =>
        submission !== undefined &&
        (await world.api.get<SubmissionView>(`/submissions/${submission}`)).kind === "planned",
      // A submission and its plan share their random part, so that this is known without the submission's answer.
      plannedAs: (plan) => ({ plan, submission: plan.plan.replace(/^p-/, "s-"), before, after }),
    };
  };

  return {
    ...world,
    plan: (id) => world.api.get<PlanDetail>(`/plans/${id}`),
    nextChange,
    runEnded: async (run) => (await client.workflow.getHandle(run).describe()).status.name !== "RUNNING",
    newChange: async () => {
      const change = nextChange();
      return change.plannedAs(await world.planOf(await change.submit()));
    },

    expectSettled: async (change, ended) => {
      const applied = ended.state === "applied";
      const status = await world.status();
      const facts = {
        state: ended.state,
        outcomes: ended.outcomes.map(({ name, kind }) => ({ name, kind })).sort((a, b) => a.name.localeCompare(b.name)),
        running: running().map((xml, index) =>
          stateShown(xml, { before: change.before[index], after: change.after[index] }),
        ),
        left: await Promise.all(world.devices.map(leftOn)),
        revisions: await revisionsOf(change.plan.plan),
        holders: status.holders.map((each) => each.request.request),
        waiters: status.waiters.map((each) => each.request.request),
        openPlans: status.openPlans.map((each) => each.plan),
        findings: (await world.api.get<CheckView>("/check")).findings,
        workflows: await eventually("the end of the workflows", () => workflowsOf(change), { limitMs: 20_000 }),
      };
      const outcome = applied ? ["applied"] : ["rolled-back", "not-applied"];
      expect(facts).toEqual({
        state: expect.stringMatching(/^(applied|aborted)$/) as unknown,
        outcomes: [...names]
          .sort()
          .map((name) => ({ name, kind: expect.stringMatching(new RegExp(`^(${outcome.join("|")})$`)) as unknown })),
        running: names.map(() => (applied ? "planned" : "earlier")),
        left: names.map(() => "nothing"),
        revisions: applied ? 1 : 0,
        holders: [],
        waiters: [],
        openPlans: [],
        findings: [],
        workflows: ["COMPLETED", "COMPLETED", "COMPLETED"],
      });
      const wanted = /<mtu>\d+<\/mtu>/.exec(running()[0] ?? "")?.[0];
      for (const name of names) expect(await desiredXml(name), `desired state of ${name}`).toContain(wanted);
      const drift = await world.drift();
      expect(drift.map((each) => each.kind)).toEqual(names.map(() => "in-sync"));
    },

    recover: async () => {
      for (const device of world.devices) device.setFaults([]);
      await world.worker().kill();
      await world.restart();
      for (const { plan: id } of (await world.status()).openPlans)
        await world.api.post(`/plans/${id}/cancel`, {}).catch(() => undefined);
    },

    proveJournal: async () => {
      await world.worker().shutDown();
      const store = await openStore({ dataFolder: world.folder });
      try {
        const before = await wholeState(store);
        await store.rebuild();
        return {
          findings: await store.check(),
          rebuilt: (await wholeState(store)) === before ? "the same" : "something else",
        };
      } finally {
        await store.close();
      }
    },
  };
}
