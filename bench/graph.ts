/**
 * Bench `graph`: how fast desired state is written, read at any time and rebuilt, and whether that follows the change or
 * the graph. A large graph is made once and the parts look at it; a small one holds one of its devices alone, so that
 * each figure of growth has its other side in the same run.
 *
 * The peer of the bulk figures is the database alone with the same rows (bench/graph/peer.ts). Each work runs in a
 * process of its own, so that its memory and its first, cold reads are its own; opening the store does not count.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, type BenchOptions, type Figure, type Sample, median, medianSample } from "./figure.ts";
import { type WorkReport, runWork } from "./measure.ts";

const WORK = "graph/work.ts";
const PEER = "graph/peer.ts";
const DEVICES = 100;
/** Repetitions of what takes milliseconds. */
const TIMES = 15;
const MEGABYTE = 1e6;

export const graphBench: Bench = {
  name: "graph",
  about: "imports, changes, reads at any revision and rebuild of the graph; growth with what is there already",
  parts: {
    "first-import": firstImportFigures,
    "many-devices": manyDevicesFigures,
    change: changeFigures,
    reads: readFigures,
    rebuild: rebuildFigures,
  },
};

async function firstImportFigures({ items, runs }: BenchOptions): Promise<readonly Figure[]> {
  const size = Math.max(1, Math.round(items / 10));
  return withFolder(async (folder) => {
    const reports: WorkReport[] = [];
    const peers: Sample[] = [];
    for (let run = 0; run < Math.min(runs, 3); run += 1) {
      reports.push(await work("first-import", join(folder, "ours"), size));
      peers.push(onlySample(await runWork(PEER, ["create", join(folder, `peer-${String(run)}`), String(size)])));
    }
    const ours = medianSample(reports.map(onlySample));
    const peer = medianSample(peers);
    return [
      {
        name: `first import of ${count(size)} items`,
        unit: "s",
        ours: ours.cpu,
        oursWall: ours.wall,
        peer: peer.cpu,
        peerWall: peer.wall,
        ratio: ours.cpu / peer.cpu,
        goal: "at most 15 s",
        met: ours.cpu <= 15,
        note: "from items to the acknowledged revision, in the graph: rules, body, fsync, rows, checkpoint; without the device's answer being parsed. Peer: CREATE of the same rows and a checkpoint",
      },
      info("longest stall of the event loop in it", "s", median(reports.map((report) => fact(report, "stall")))),
      info("memory of that process", "MB", median(reports.map((report) => fact(report, "memory"))) / MEGABYTE),
      info("rows a second in it", "rows/s", (3 * size) / ours.cpu, "an item is three rows: item, version, edge"),
    ];
  });
}

async function manyDevicesFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const { report, size } = await bigGraph(options);
  const cpu = report.samples.map((sample) => sample.cpu);
  const quarter = Math.round(DEVICES / 4);
  const early = mean(cpu.slice(0, quarter));
  const late = mean(cpu.slice(-quarter));
  const near = (device: number) => median(cpu.slice(Math.max(0, device - 5), device + 5)).toFixed(2);
  const total = report.samples.reduce((sum, sample) => sum + sample.wall, 0);
  return [
    {
      name: `import of ${count(size)} items, last ${String(quarter)} of ${String(DEVICES)} devices against the first`,
      unit: "s",
      ours: late,
      peer: early,
      ratio: late / early,
      goal: "ratio at most 1.5",
      met: late / early <= 1.5,
      note: `means with the checkpoints that fell due; medians around the 10th and the last device: ${near(10)} and ${near(DEVICES - 5)} s; all in ${total.toFixed(0)} s on the wall`,
    },
    info("rows a second over all of them", "rows/s", (3 * size * DEVICES) / (mean(cpu) * DEVICES)),
    info("longest stall of the event loop", "s", fact(report, "stall")),
    info("memory of that process", "MB", fact(report, "memory") / MEGABYTE),
    info("the graph file as it grew", "bytes/item", fact(report, "bytes") / (size * DEVICES)),
  ];
}

async function changeFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const { folder, size } = await bigGraph(options);
  return withFolder(async (temporary) => {
    const big = join(temporary, "big");
    const small = join(temporary, "small");
    cpSync(folder, big, { recursive: true });
    await runWork(WORK, ["many-devices", small, "1", String(size)]);
    const device = Math.round(DEVICES / 2);
    const against = async (name: string, what: string, args: readonly number[], note: string): Promise<Figure> => {
      const ours = medianSample((await work(name, big, device, ...args)).samples);
      const peer = medianSample((await work(name, small, 1, ...args)).samples);
      return {
        name: what,
        unit: "s",
        ours: ours.cpu,
        oursWall: ours.wall,
        peer: peer.cpu,
        peerWall: peer.wall,
        ratio: ours.cpu / peer.cpu,
        goal: "ratio at most 2",
        met: ours.cpu / peer.cpu <= 2,
        note,
      };
    };
    const of = `${count(size * DEVICES)} items against one with ${count(size)}`;
    return [
      await against(
        "re-import",
        "re-import with 10 changes",
        [size, TIMES],
        `in a graph of ${of}: device read, compared with all its items, body, basis, commit`,
      ),
      await against(
        "service-change",
        "service change of 10 items",
        [TIMES],
        `in the same: submission read and compiled, device read, rules, body, basis checked, commit; no plan`,
      ),
    ];
  });
}

async function readFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const { folder, size } = await bigGraph(options);
  const figure = async (name: string, what: string, args: readonly number[], note: string): Promise<Figure> => {
    const { samples } = await work(name, folder, DEVICES, ...args);
    const { cpu, wall } = medianSample(samples);
    const slowest = Math.max(...samples.map((sample) => sample.cpu));
    return {
      ...info(what, "s", cpu, `${note}; the slowest of ${String(samples.length)}: ${slowest.toFixed(3)} s`),
      oursWall: wall,
      goal: "at most 0.1 s",
      met: cpu <= 0.1,
    };
  };
  const of = `of ${count(size * DEVICES)} items`;
  return [
    await figure("blame", "blame", [TIMES], `another device each time, in a graph ${of}`),
    await figure("history", "history", [TIMES], "the same"),
    await figure(
      "device-at-revision",
      `a device of ${count(size)} items at a revision`,
      [TIMES, size],
      "the same; nothing is read twice",
    ),
  ];
}

async function rebuildFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const { folder, size } = await bigGraph(options);
  const items = size * DEVICES;
  return withFolder(async (temporary) => {
    const tenth = Math.round(items / 10);
    const peer = onlySample(await runWork(PEER, ["copy", temporary, String(tenth)]));
    const report = await work("rebuild", folder);
    const ours = onlySample(report);
    return [
      {
        name: `rebuild of ${count(items)} items`,
        unit: "s",
        ours: ours.cpu,
        oursWall: ours.wall,
        peer: peer.cpu * 10,
        peerWall: peer.wall * 10,
        ratio: ours.cpu / (peer.cpu * 10),
        goal: "at most 60 s",
        met: ours.cpu <= 60,
        note: `journal proved, bodies parsed, rows made and loaded, checkpoint. Peer: COPY of ${count(tenth)} items' rows and a checkpoint, times ten`,
      },
      info("rows a second in it", "rows/s", (3 * items) / ours.cpu),
      info("longest stall of the event loop in it", "s", fact(report, "stall")),
      {
        ...info("memory of that process", "MB", fact(report, "memory") / MEGABYTE),
        goal: "at most 2500 MB",
        met: fact(report, "memory") <= 2500 * MEGABYTE,
      },
      info("the graph file after it", "bytes/item", fact(report, "bytes") / items),
    ];
  });
}

/* ---- the large graph ---- */

interface BigGraph {
  readonly folder: string;
  /** Items a device. */
  readonly size: number;
  readonly report: WorkReport;
}

let made: Promise<BigGraph> | undefined;

/** Made once for all parts, and taken away when the bench ends. Parts leave it as it is. */
function bigGraph({ items }: BenchOptions): Promise<BigGraph> {
  made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenure-bench-graph-"));
    process.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
    });
    const size = Math.max(20, Math.round(items / DEVICES));
    return { folder, size, report: await work("many-devices", folder, DEVICES, size) };
  })();
  return made;
}

/* ---- small things ---- */

function work(name: string, folder: string, ...args: readonly number[]): Promise<WorkReport> {
  return runWork(WORK, [name, folder, ...args.map(String)]);
}

function onlySample({ samples }: WorkReport): Sample {
  const [sample] = samples;
  if (sample === undefined) throw new Error("a work reported nothing");
  return sample;
}

function fact({ facts }: WorkReport, name: string): number {
  return Number(facts[name]);
}

function info(name: string, unit: Figure["unit"], ours: number, note?: string): Figure {
  const figure = { name, unit, ours, peer: null, ratio: null, goal: null, met: null };
  return note === undefined ? figure : { ...figure, note };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function count(items: number): string {
  return items.toLocaleString("en-US");
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenure-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
