/**
 * The work of ours that bench `graph` measures, one kind a process. Prints one JSON object, a `WorkReport`.
 *
 * Usage (by bench/graph.ts): node --import tsx bench/graph/work.ts WORK FOLDER ARG..
 * Everything goes through the store as the activities use it: desired state is read, the rules of services/ make the
 * revision body, its basis is checked at the commit. What a device answers is not parsed here, nor is a plan made.
 */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { compilePut, stateFor } from "../../activities/compile-submission.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import type { CommitRequest } from "../../graph/writes.ts";
import type { Item } from "../../model/item.ts";
import type { Schema } from "../../model/schema.ts";
import { checkBasis } from "../../services/basis.ts";
import type { DesiredDevice } from "../../services/desired-state.ts";
import { observeChange } from "../../services/observe-change.ts";
import type { Sample } from "../figure.ts";
import type { WorkReport } from "../measure.ts";
import {
  MODULE_SET,
  OBSERVATION,
  benchSchema,
  descriptionPath,
  deviceItems,
  deviceRecord,
  serviceSubmission,
} from "./network.ts";

type Facts = WorkReport["facts"];
type Work = (folder: string, args: readonly number[]) => Promise<WorkReport>;

const schema: Schema = benchSchema();
/** What each device's service sets when the folder is made. */
const SERVICE_MTU = 2000;

const works: Readonly<Record<string, Work>> = {
  /** ITEMS: one device into an empty graph. */
  "first-import": async (folder, [items = 0]) => {
    const store = await open(folder);
    const observed = deviceItems(items);
    await addDevice(store, 1);
    const watch = watchLoop();
    const sample = await timed(() => importDevice(store, 1, observed));
    const stall = watch();
    await store.close();
    return { samples: [sample], facts: { ...sizes(folder), ...memory(), stall } };
  },

  /** DEVICES ITEMS: one import after the other, then a service on each device. Leaves the folder for other works. */
  "many-devices": async (folder, [devices = 0, items = 0]) => {
    const store = await open(folder);
    const observed = deviceItems(items);
    const samples: Sample[] = [];
    const watch = watchLoop();
    for (let device = 1; device <= devices; device += 1) {
      await addDevice(store, device);
      samples.push(await timed(() => importDevice(store, device, observed)));
    }
    const stall = watch();
    for (let device = 1; device <= devices; device += 1) await putService(store, device, SERVICE_MTU);
    await store.close();
    return { samples, facts: { ...sizes(folder), ...memory(), stall } };
  },

  /** DEVICE ITEMS TIMES: an import that finds ten other values. */
  "re-import": async (folder, [device = 0, items = 0, times = 0]) => {
    const store = await open(folder);
    const samples: Sample[] = [];
    for (let variant = 1; variant <= times; variant += 1) {
      const observed = deviceItems(items, { variant, mtu: SERVICE_MTU });
      samples.push(await timed(() => importDevice(store, device, observed)));
      const newest = await store.currentRevision();
      const changes = await store.changesOf(newest);
      if (changes.length !== 10) throw new Error(`a re-import changed ${String(changes.length)} items`);
    }
    await store.close();
    return { samples, facts: memory() };
  },

  /** DEVICE TIMES: the instance on a device is put again with another value for its ten items. */
  "service-change": async (folder, [device = 0, times = 0]) => {
    const store = await open(folder);
    const samples: Sample[] = [];
    for (let turn = 1; turn <= times; turn += 1) {
      samples.push(await timed(() => putService(store, device, 3000 + turn)));
      const changes = await store.changesOf(await store.currentRevision());
      if (changes.length !== 10) throw new Error(`a service change changed ${String(changes.length)} items`);
    }
    await store.close();
    return { samples, facts: memory() };
  },

  /** DEVICES TIMES: who is behind an item. */
  blame: (folder, [devices = 0, times = 0]) =>
    reading(folder, times, async (store, turn) => {
      const { item, owners } = await store.blame(someDevice(devices, turn), descriptionPath(turn));
      if (item === undefined || owners.length > 0) throw new Error("blame found something else");
    }),

  /** DEVICES TIMES: what an item was. */
  history: (folder, [devices = 0, times = 0]) =>
    reading(folder, times, async (store, turn) => {
      const versions = await store.history(someDevice(devices, turn), descriptionPath(turn));
      if (versions.length === 0) throw new Error("history found nothing");
    }),

  /** DEVICES TIMES ITEMS: a device as its import left it, another one each time, so that nothing is read twice. */
  "device-at-revision": (folder, [devices = 0, times = 0, items = 0]) =>
    reading(folder, Math.min(times, devices), async (store, turn) => {
      const device = someDevice(devices, turn);
      const revision = Number(device.replace("device-", ""));
      const found = await store.desiredDevice(device, { revision });
      if (found?.items.size !== items) throw new Error(`${device} has ${String(found?.items.size)} items`);
    }),

  /** The graph anew from the journal. */
  rebuild: async (folder) => {
    const store = await open(folder);
    const watch = watchLoop();
    const sample = await timed(() => store.rebuild());
    const stall = watch();
    await store.close();
    return { samples: [sample], facts: { ...sizes(folder), ...memory(), stall } };
  },
};

async function open(folder: string): Promise<GraphStore> {
  return openStore({ dataFolder: folder, checkBasis });
}

async function addDevice(store: GraphStore, device: number): Promise<void> {
  await store.putDevice({ device: deviceRecord(device), actor: "bench", key: `add ${String(device)}` });
}

async function importDevice(store: GraphStore, number: number, items: readonly Item[]): Promise<void> {
  const { id, name } = deviceRecord(number);
  const state = await stateFor(store, [id], []);
  const empty: DesiredDevice = { device: id, name, moduleSet: "", items: new Map(), links: [] };
  const devices = new Map([[id, state.devices.get(id) ?? empty]]);
  const observed = { device: id, items, observation: OBSERVATION, moduleSet: MODULE_SET };
  const body = observeChange({ ...state, devices }, new Map([[id, schema]]), [observed], {
    setBy: { kind: "import" },
    paths: [],
  });
  const key = `import ${String(number)} after ${String(state.revision)}`;
  const cause = { kind: "import", submission: key, observation: OBSERVATION } as const;
  await commit(store, { body, key, actor: "bench", cause });
}

/** A repeat would be the quickest write of all. */
async function commit(store: GraphStore, request: CommitRequest): Promise<void> {
  const { alreadyThere } = await store.commitRevision(request);
  if (alreadyThere) throw new Error(`${request.key} was there already`);
}

async function putService(store: GraphStore, device: number, mtu: number): Promise<void> {
  const context = { store, schemaOf: () => Promise.resolve(schema), isSecret: () => false };
  const { state, proposal } = await compilePut(context, serviceSubmission(device, mtu));
  const key = `put on ${String(device)} after ${String(state.revision)}`;
  const cause = { kind: "import", submission: key, observation: OBSERVATION } as const;
  await commit(store, { body: proposal.body, key, actor: "bench", cause });
}

/** Devices far from each other, each turn another one while there are others. */
function someDevice(devices: number, turn: number): string {
  return `device-${String(1 + ((turn * 37) % devices))}`;
}

async function reading(
  folder: string,
  times: number,
  read: (store: GraphStore, turn: number) => Promise<void>,
): Promise<WorkReport> {
  const store = await open(folder);
  const samples: Sample[] = [];
  for (let turn = 1; turn <= times; turn += 1) samples.push(await timed(() => read(store, turn)));
  await store.close();
  return { samples, facts: memory() };
}

async function timed(work: () => Promise<void>): Promise<Sample> {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const used = process.cpuUsage(cpu);
  return { wall: (performance.now() - wall) / 1000, cpu: (used.user + used.system) / 1e6 };
}

/** Begins to watch for the longest time that nothing else could run; the answer is in seconds. */
function watchLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  return () => {
    delays.disable();
    return delays.max / 1e9;
  };
}

function sizes(folder: string): Facts {
  const bytesOf = (name: string) => statSync(join(folder, "graph", name), { throwIfNoEntry: false })?.size ?? 0;
  return { bytes: bytesOf("graph.lbug") + bytesOf("graph.lbug.wal") };
}

/** The most that the process ever held, in bytes. */
function memory(): Facts {
  return { memory: process.resourceUsage().maxRSS * 1024 };
}

const [name = "", folder = "", ...rest] = process.argv.slice(2);
const work = works[name];
if (work === undefined || folder === "") throw new Error(`usage: work.ts ${Object.keys(works).join("|")} FOLDER ARG..`);
if (name === "first-import") rmSync(folder, { recursive: true, force: true });
const report = await work(folder, rest.map(Number));
process.stdout.write(`${JSON.stringify(report)}\n`);
