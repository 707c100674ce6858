/**
 * Fills the small file system that it runs on, exactly when the store is in the middle of something, and says how the
 * store took it (`write`); and looks, in a process of its own, whether all that was acknowledged is there (`recover`).
 * It needs a folder on a file system of its own, and another elsewhere for what it must not forget. Tells one JSON value.
 */
import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { isStoreError } from "../../graph/store-error.ts";
import { createExpectation } from "./graph-expectation.ts";
import { type Op, perform } from "./graph-ops.ts";
import { type Phase, watchPhases } from "./graph-phases.ts";
import { OP_KINDS, type OpKind, type Wish, firstImport, randomFrom, randomOp } from "./graph-random-ops.ts";

export interface FullDiskReport {
  /** Codes of the refusals while the disk was full; empty when nothing was refused. */
  readonly refused: readonly string[];
  /** Whether desired state could be read after each refusal. */
  readonly reads: readonly string[];
  /** Who went on once there was space again. */
  readonly wentOn: "the same process" | "a restart";
  /** How a start on the full disk ended. */
  readonly start: string;
}

/** What `recover` finds. */
export interface RecoveryReport {
  /** What does not hold; none when nothing acknowledged was lost. */
  readonly wrong: readonly string[];
  readonly acknowledged: number;
}

const [, , mount, notes, phaseText, seedText, mode] = process.argv;
if (mount === undefined || notes === undefined || phaseText === undefined)
  throw new Error("usage: MOUNT NOTES PHASE SEED write|recover");
const phase = phaseText as Phase;
const random = randomFrom(Number(seedText));
const folder = join(mount, "data");
const ballast = join(mount, "ballast");
const refused: string[] = [];
const reads: string[] = [];

interface Note {
  readonly op: Op;
  readonly how: "acknowledged" | "refused";
}
function note(op: Op, how: Note["how"]): void {
  appendFileSync(join(notes ?? "", "ops"), `${JSON.stringify({ op, how } satisfies Note)}\n`);
}

let armed: Phase | undefined;
const watch = watchPhases(folder, {
  enter(next) {
    if (next === undefined || next !== armed) return;
    armed = undefined;
    fill();
  },
});

/** Until not a byte more goes in. */
function fill(): void {
  const file = openSync(ballast, "a");
  try {
    for (const size of [65_536, 4096, 512, 1]) {
      const block = Buffer.alloc(size, 7);
      try {
        for (;;) if (writeSync(file, block) === 0) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

function open(): Promise<GraphStore> {
  // No reserve: it would keep the store from ever meeting a full disk.
  return openStore({
    dataFolder: folder,
    files: watch.files,
    report: watch.report,
    reserveBytes: 0,
    checkpointBytes: 100_000,
    segmentBytes: 20_000,
  });
}

async function write(store: GraphStore, { op, content }: Wish): Promise<"acknowledged" | "refused"> {
  watch.begin("writing");
  try {
    await perform(store, op, content);
    note(op, "acknowledged");
    return "acknowledged";
  } catch (error) {
    refused.push(codeOf(error));
    note(op, "refused");
    return "refused";
  } finally {
    watch.end();
  }
}

function codeOf(error: unknown): string {
  if (isStoreError(error)) return error.code;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? String(error);
}

async function look(store: GraphStore): Promise<void> {
  try {
    const state = await store.desiredState({ devices: "all", services: "all" });
    reads.push(state.devices.size === 3 ? "told" : `told ${String(state.devices.size)} devices`);
  } catch (error) {
    reads.push(codeOf(error));
  }
}

const plain = (op: Op): Wish => ({ op, content: {} });
const kindFor = (wanted: Phase): OpKind => {
  if (wanted.startsWith("locks: ")) return "lock";
  // So many rows that the database's own log needs room as well.
  if (wanted.startsWith("checkpoint: ") || wanted === "graph: apply") return "medium import";
  // Without a document, which would fail first.
  if (wanted === "journal: append") return "decision";
  return "small import";
};

async function next(store: GraphStore, kind: OpKind, key: string): Promise<"acknowledged" | "refused"> {
  const wish = await randomOp(kind, key, store, random);
  return wish === undefined ? "acknowledged" : write(store, wish);
}

async function writeUntilFull(): Promise<FullDiskReport> {
  let store = await open();
  for (const id of ["d1", "d2", "d3"]) await write(store, plain({ kind: "device", id, port: 830, key: `first-${id}` }));
  await write(store, firstImport("first"));
  for (let step = 0; step < 12; step += 1)
    await next(store, OP_KINDS[random(OP_KINDS.length)] ?? "decision", `before${String(step)}`);
  if (refused.length > 0) throw new Error(`refused before the disk was full: ${refused.join(", ")}`);

  armed = phase;
  // A page that is begun still takes some bytes, so the first write after the last free page need not fail.
  for (let step = 0; step < 80 && refused.length < 3; step += 1) {
    if (phase.startsWith("rebuild: ")) {
      watch.begin("rebuilding");
      await store.rebuild().catch((error: unknown) => refused.push(codeOf(error)));
      watch.end();
    } else {
      await next(store, kindFor(phase), `full${String(step)}`);
    }
    if (refused.length > reads.length) await look(store);
  }

  const full = [...refused];
  rmSync(ballast, { force: true });
  let wentOn: FullDiskReport["wentOn"] = "the same process";
  const decide = (transaction: string) => write(store, plain({ kind: "decide", transaction, value: "confirm" }));
  if ((await decide("after")) === "refused") {
    wentOn = "a restart";
    await store.close().catch(() => undefined);
    store = await open();
    if ((await decide("after restart")) === "refused") throw new Error(`a restart refuses: ${refused.at(-1) ?? ""}`);
  }
  await store.close();

  fill();
  let start = "opened";
  try {
    store = await open();
    await look(store);
    await store.close();
  } catch (error) {
    start = codeOf(error);
  }
  return { refused: full, reads, wentOn, start };
}

async function recover(): Promise<RecoveryReport> {
  rmSync(ballast, { force: true });
  const expectation = createExpectation();
  for (const line of readFileSync(join(notes ?? "", "ops"), "utf8")
    .trimEnd()
    .split("\n")) {
    const { op, how } = JSON.parse(line) as Note;
    if (how === "acknowledged") expectation.acknowledged(op);
    else expectation.underWay(op);
  }
  const store = await open();
  const wrong = [
    ...(await expectation.compare(store, "all", random)),
    ...(await store.check()).map((finding) => `check finds ${JSON.stringify(finding)}`),
  ];
  await store.close();
  return { wrong, acknowledged: expectation.count };
}

writeSync(1, `${JSON.stringify(mode === "recover" ? await recover() : await writeUntilFull())}\n`);
