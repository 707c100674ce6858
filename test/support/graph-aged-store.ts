/**
 * A store whose days pass as a test says: history of several days with everything in it that a prune must keep or may
 * drop, and what such a store tells from a revision on.
 */
import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../graph/canonical-json.ts";
import type { FileOperations } from "../../graph/files.ts";
import type { GraphEvent } from "../../graph/start/graph-database.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import type { Evidence } from "../../services/desired-state.ts";
import {
  MODULE_SET,
  PLAN_DOCUMENTS,
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  planRecord,
  writesOf,
} from "./graph-bodies.ts";

/** Midnight of day 0, long past: files that are written now are younger than any of these days. */
const START = Date.UTC(2020, 0, 1);
export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

export function dayStart(day: number): Date {
  return new Date(START + day * DAY_MS);
}

/** The time that a store sees. Each look is a second later, so that no two records are of one instant. */
export interface TestClock {
  readonly now: () => Date;
  to(day: number): void;
}

export function testClock(): TestClock {
  let time = START;
  return {
    now: () => new Date((time += 1000)),
    to(day) {
      time = Math.max(time, START + day * DAY_MS + HOUR_MS);
    },
  };
}

export async function openAged(
  folder: string,
  clock: TestClock,
  more: { readonly files?: FileOperations; readonly report?: (event: GraphEvent) => void } = {},
): Promise<GraphStore> {
  return openStore({ dataFolder: folder, clock: clock.now, ...more });
}

/** Longer than a property may be. */
const LONG = "x".repeat(5000);

const contradicted: Evidence = {
  device: "d1",
  path: mtuPath("eth2"),
  kind: "disappeared",
  expected: { kind: "plain", type: "uint16", text: "4000" },
  found: undefined,
  observation: MODULE_SET,
  services: ["wan"],
};

/**
 * Days 0 to 3, revisions 1 to 8. On day 0 two devices are imported, service `wan` owns eth0 and eth2 of d1, plans are
 * made. On day 1 eth0 is overridden, eth2 disappears (and stays linked), eth9 disappears (and nobody cares). On day 2
 * service `lan` comes and goes, and things are decided; on day 3 there is one more import.
 */
export async function fillAged(store: GraphStore, clock: TestClock): Promise<void> {
  await store.documents.putAll([...PLAN_DOCUMENTS, "module set"]);
  clock.to(0);
  for (const id of ["d1", "d2"]) await store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  await store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "1500", eth2: "1500", eth9: "9" }), "r1"));
  await store.commitRevision(commit(importBody("d2", { eth0: "1500" }), "r2"));
  await store.commitRevision(
    commit(
      body({
        devices: [
          writesOf("d1", {
            put: [
              mtu("eth0", "9000", { kind: "service", service: "wan" }),
              mtu("eth2", "4000", { kind: "service", service: "wan" }),
            ],
            putLinks: [
              link("wan", "d1", "eth0", "9000", {
                existedBefore: { since: 1, value: { kind: "plain", type: "uint16", text: "1500" } },
              }),
              link("wan", "d1", "eth2", "4000"),
              link("wan", "d1", "eth7", "1", { relation: "depends", onRemove: "keep" }),
            ],
          }),
        ],
        services: [
          {
            kind: "put",
            name: "wan",
            definition: { name: "mtu", version: "1", document: MODULE_SET },
            parameters: `{"note":"${LONG}"}`,
            targets: ["d1", "d2"],
          },
        ],
        definitions: [{ name: "mtu", version: "1", document: MODULE_SET }],
      }),
      "r3",
    ),
  );
  for (const plan of ["p-waits", "p-held", "p-rejected", "p-partial"])
    await store.putPlan({ plan: planRecord(plan), state: "waiting" });
  const approve = (plan: string, hold: "hold" | "start") =>
    store.recordApproval({
      plan,
      digest: planRecord(plan).digest,
      approver: "ann",
      comment: LONG,
      expires: undefined,
      hold,
      key: `approve ${plan}`,
    });
  await approve("p-held", "hold");
  await approve("p-partial", "start");
  await store.decide({ transaction: "p-partial/d1", value: "confirm" });
  await store.decide({ transaction: "p-rejected", value: "abort" });
  await store.recordOutcome({
    plan: "p-partial",
    transaction: "p-partial/d1",
    device: "d1",
    outcome: { kind: "applied", message: undefined, observation: undefined, differences: [] },
    key: "outcome p-partial d1",
  });
  const end = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };
  await store.recordPlanState({ plan: "p-partial", state: "partial", ...end });
  await store.recordPlanState({ plan: "p-rejected", state: "rejected", ...end });
  await store.recordRefusal({
    plan: "p-waits",
    what: "approve",
    actor: "bob",
    code: "wrong-digest",
    message: "no",
    key: "refusal 1",
  });
  await store.recordCondition({
    subject: { kind: "service", name: "wan" },
    type: "Paused",
    status: "true",
    reason: "AskedFor",
    message: LONG,
    path: undefined,
    revision: 3,
    observation: undefined,
  });

  clock.to(1);
  await store.commitRevision(
    commit(
      body({
        devices: [writesOf("d1", { put: [mtu("eth0", "1400")], remove: [mtuPath("eth2"), mtuPath("eth9")] })],
        statuses: [
          {
            service: "wan",
            status: {
              kind: "inconsistent",
              because: [
                {
                  reason: "overridden",
                  device: "d1",
                  path: mtuPath("eth0"),
                  required: undefined,
                  found: undefined,
                  by: undefined,
                  revision: 0,
                },
              ],
            },
          },
        ],
        evidence: [{ ...contradicted, path: mtuPath("eth9"), services: [] }, contradicted],
      }),
      "r4",
    ),
  );

  clock.to(2);
  const lan = { name: "mtu", version: "1", document: MODULE_SET };
  await store.commitRevision(
    commit(
      body({
        devices: [
          writesOf("d2", {
            put: [mtu("eth0", "2000", { kind: "service", service: "lan" })],
            putLinks: [link("lan", "d2", "eth0", "2000")],
          }),
        ],
        services: [{ kind: "put", name: "lan", definition: lan, parameters: "{}", targets: ["d2"] }],
      }),
      "r5",
    ),
  );
  await store.commitRevision(
    commit(
      body({
        devices: [writesOf("d2", { removeLinks: [{ service: "lan", path: mtuPath("eth0"), relation: "owns" }] })],
        services: [{ kind: "remove", name: "lan" }],
      }),
      "r6",
    ),
  );
  await store.recordPlanState({ plan: "p-waits", state: "held", ...end, actor: "cat" });
  await store.commitRevision(commit(importBody("d1", { eth1: "1600", eth9: "10" }), "r7"));

  clock.to(3);
  await store.commitRevision(commit(importBody("d2", { eth5: "5" }), "r8"));
}

/** All that a store tells about the revisions from `from` on (to `to`) and about what has no revision, as one text. */
export async function tellsFrom(store: GraphStore, from: number, to?: number): Promise<string> {
  const revisions = [];
  for (let revision = from; revision <= (to ?? (await store.currentRevision())); revision += 1) {
    const state = await store.desiredState({ devices: "all", services: "all" }, { revision });
    const links = [];
    for (const name of state.services.keys()) links.push(await store.linksOf(name, { revision }));
    const devices = [];
    for (const device of state.devices.values()) {
      const blames = [];
      for (const path of device.items.keys()) blames.push(await store.blame(device.device, path, { revision }));
      devices.push({ ...device, items: [...device.items.values()], blames });
    }
    revisions.push({
      view: await store.revision(revision),
      // What the first one changed is part of what is gone.
      changes: revision === from ? [] : await store.changesOf(revision),
      links,
      devices,
      services: [...state.services.values()],
      definitions: [...state.definitions.values()],
    });
  }
  return canonicalJson({ devices: await store.devices(), revisions, conditions: await store.conditions() });
}

/** What a store tells about a plan. */
export async function tellsOfPlan(store: GraphStore, plan: string): Promise<string> {
  return canonicalJson({
    plan: await store.plan(plan),
    approvals: await store.approvals(plan),
    outcomes: await store.outcomes(plan),
    decisions: [await store.decision(plan), await store.decision(`${plan}/d1`)].filter((one) => one !== undefined),
  });
}

/** Segments of the journal in a data folder, oldest first. */
export function segmentsOf(folder: string): readonly string[] {
  return readdirSync(join(folder, "journal"))
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
}

/** Digests of the stored documents. */
export function documentsOf(folder: string): readonly string[] {
  return filesOf(folder).map((path) => path.split("/").slice(-2).join(""));
}

/** Makes every stored document as old as the day says. */
export function ageDocuments(folder: string, day: number): void {
  for (const path of filesOf(folder)) utimesSync(path, dayStart(day), dayStart(day));
}

function filesOf(folder: string): readonly string[] {
  const documents = join(folder, "documents");
  return readdirSync(documents, { recursive: true, encoding: "utf8" })
    .map((name) => join(documents, name))
    .filter((path) => !path.includes(`${documents}/tmp/`) && statSync(path).isFile());
}
