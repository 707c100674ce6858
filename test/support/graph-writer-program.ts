/**
 * Opens a store and writes random ops, rebuilds and reopens it, until it is killed: by whoever started it, or by itself
 * at the place that its task names. It says what it does before it does it.
 */
import { rmSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { type Op, type OpContent, perform } from "./graph-ops.ts";
import { type Phase, type PhaseListener, watchPhases } from "./graph-phases.ts";
import {
  OP_KINDS,
  type OpKind,
  type Random,
  firstImport,
  largeImport,
  randomFrom,
  randomOp,
} from "./graph-random-ops.ts";
import type { Aim, WriterLine, WriterTask } from "./graph-writer-task.ts";

/** An aimed phase comes within so many steps that lead to it, or it never comes. */
const AIMED_STEPS = 120;
const RANDOM_STEPS = 400;
const CHECKPOINT_BYTES = 150_000;
const SEGMENT_BYTES = 20_000;
const FORGOTTEN_MS = 60 * 86_400_000;

type Step = OpKind | "rebuild" | "reopen" | "prune" | "backup";

function say(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Nothing runs after this: the kernel ends the process before the call returns. */
function endNow(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Tells every phase, and ends the process in the one that is aimed at. */
function listenerFor(aim: Aim | undefined, random: Random): PhaseListener {
  let inside = false;
  let torn = false;
  return {
    enter(phase) {
      if (inside) endNow();
      say({ say: "phase", phase });
      if (phase === undefined || phase !== aim?.phase || !armed) return;
      if (aim.moment === "begin") endNow();
      inside = true;
      if (aim.moment === "middle") endWithin((random(1000) / 1000) * aim.delayMs);
    },
    take(phase, bytes) {
      if (phase !== aim?.phase || aim?.moment !== "middle" || !armed) return undefined;
      if (torn) endNow();
      torn = true;
      return 1 + random(bytes);
    },
  };
}

/** Finer than a timer, and not held up by work on other threads. */
function endWithin(milliseconds: number): void {
  const at = performance.now() + milliseconds;
  const look = () => {
    if (performance.now() >= at) endNow();
    setImmediate(look);
  };
  setImmediate(look);
}

/** Steps that lead to a phase. */
function stepsTo(phase: Phase): readonly Step[] {
  if (phase.startsWith("rebuild: ")) return ["rebuild"];
  if (phase.startsWith("prune: ")) return ["prune", "small import"];
  if (phase === "backup") return ["backup"];
  if (phase.startsWith("locks: ")) return ["lock"];
  if (phase.startsWith("document: ")) return ["small import", "document"];
  if (phase.startsWith("checkpoint: ")) return ["medium import"];
  if (phase === "close") return ["reopen"];
  return ["small import", "decision", "service put"];
}

/** A kill that is aimed at a large import waits for it. */
let armed = false;
const task = JSON.parse(process.argv[2] ?? "") as WriterTask;
armed = task.bulkItems === undefined;
const random = randomFrom(task.seed);
const backupFolder = join(task.folder, "..", "backup");
const watch = watchPhases(task.folder, listenerFor(task.aim, random));

function now(): Date {
  return new Date(Date.parse(task.time) + performance.now());
}

async function open(): Promise<GraphStore> {
  watch.begin("opening");
  const opened = await openStore({
    dataFolder: task.folder,
    clock: now,
    checkpointBytes: CHECKPOINT_BYTES,
    segmentBytes: SEGMENT_BYTES,
    files: watch.files,
    report: (event) => {
      watch.report(event);
      say({ say: "event", event: event.kind });
    },
  });
  watch.end();
  say({ say: "open" });
  return opened;
}

let store = await open();
let reopening = false;

async function write(op: Op, content: OpContent = {}): Promise<void> {
  say({ say: "doing", op });
  watch.begin("writing");
  await perform(store, op, content);
  watch.end();
  say({ say: "done", op });
}

async function take(step: Step, key: string): Promise<void> {
  switch (step) {
    case "rebuild":
      watch.begin("rebuilding");
      await store.rebuild();
      watch.end();
      return;
    case "prune":
      await putForgotten(key);
      watch.begin("pruning");
      await store.prune({ before: now(), actor: "tester", key });
      watch.end();
      return;
    case "backup":
      rmSync(backupFolder, { recursive: true, force: true });
      watch.begin("backing-up");
      await store.backup(backupFolder);
      watch.end();
      return;
    case "reopen":
      reopening = true;
      watch.begin("closing");
      await store.close();
      watch.end();
      store = await open();
      reopening = false;
      return;
    default: {
      const wish = await randomOp(step, key, store, random);
      if (wish !== undefined) await write(wish.op, wish.content);
    }
  }
}

/** A document that nothing names, and that nobody has put for long: pruning removes it. */
async function putForgotten(name: string): Promise<void> {
  const digest = await store.documents.put(`forgotten ${name}`);
  const longAgo = new Date(Date.parse(task.time) - FORGOTTEN_MS);
  utimesSync(join(store.paths.documents, digest.slice(0, 2), digest.slice(2)), longAgo, longAgo);
}

const key = (step: number | string) => `${task.name}.${String(step)}`;

async function readOnAndOn(): Promise<void> {
  for (;;) {
    try {
      const state = await store.desiredState({ devices: "all", services: "all" });
      const found = state.devices.get("d1")?.items.size ?? 0;
      if (task.bulkItems !== undefined && found > 0 && found < task.bulkItems) {
        writeSync(2, `a reader found ${String(found)} items of an import of ${String(task.bulkItems)}\n`);
        process.exit(4);
      }
    } catch (error) {
      // The store is being closed and opened again, which this program does by itself.
      if (!reopening) throw error;
    }
    await nextTurn();
  }
}

/** What every folder starts with. A repeat of it is no write, so a child killed in the middle of it goes on. */
for (const id of ["d1", "d2", "d3"]) {
  if ((await store.device(id)) === undefined) await write({ kind: "device", id, port: 830, key: `first-${id}` });
}
for (let reader = 0; reader < task.readers; reader += 1) void readOnAndOn();
if (task.bulkItems !== undefined) {
  const { op, content } = largeImport(key("bulk"), task.bulkItems);
  armed = true;
  await write(op, content);
}
if ((await store.currentRevision()) === 0) {
  const { op, content } = firstImport("first");
  await write(op, content);
}

const MIX: readonly Step[] = [
  ...OP_KINDS,
  ...OP_KINDS,
  ...OP_KINDS,
  "small import",
  "small import",
  "rebuild",
  "reopen",
  "prune",
  "backup",
];
const before = task.aim === undefined ? RANDOM_STEPS : random(5);
for (let step = 0; step < before; step += 1) await take(MIX[random(MIX.length)] ?? "small import", key(step));
if (task.aim !== undefined) {
  const steps = stepsTo(task.aim.phase);
  for (let step = 0; step < AIMED_STEPS; step += 1)
    await take(steps[step % steps.length] ?? "small import", key(`aimed${String(step)}`));
}
await store.close();
process.exit(3);
