/**
 * Bench `model`: compiling modules, reading, checking and holding configuration, beside libyang (`yanglint`) and `pyang`.
 *
 * Both sides do the same work from the same files in a fresh process each. The peer's time is that of its whole process
 * (it starts in 3 ms). Ours leaves out Node's start and the loading of our own code, and has in it what happens once a
 * process: the JavaScript engine sees the code for the first time, modules are compiled, patterns translated. Figures
 * called `warm` are for the process that stays, as a worker does.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Bench,
  type BenchOptions,
  type Figure,
  type Sample,
  boundedFigure,
  comparedFigure,
  medianSample,
  missingFigure,
} from "./figure.ts";
import { inTurn, runProgram, runWork } from "./measure.ts";
import { type NetworkEncoding, generateNetwork } from "./model/generate.ts";
import { benchModules } from "./model/modules.ts";
import {
  type OpenConfigSet,
  loadableByYanglint,
  openConfigSet,
  pyangArguments,
  yanglintArguments,
} from "./model/openconfig.ts";

const WORK = "model/work.ts";
/** Repetitions in one process with a large document. Small ones are read more often, until as much has been read. */
const REPETITIONS = 6;
const WARM_LEAFS = 400_000;
const SIZES = [1000, 10_000, 100_000, 320_000, 1_000_000];

export const modelBench: Bench = {
  name: "model",
  about: "YANG modules compiled; configuration read, validated, held in memory; against yanglint and pyang",
  parts: {
    compile: compileFigures,
    parse: parseFigures,
    validate: validateFigures,
    growth: growthFigures,
    memory: memoryFigures,
  },
};

async function compileFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const { runs, openConfig, pyang, missing } = options;
  if (openConfig === undefined)
    return [missingFigure("compile OpenConfig", missing ?? "the modules are not here", "ratio at most 4")];
  const whole = openConfigSet(openConfig);
  const figures: Figure[] = [];

  if (await isInstalled("yanglint")) {
    const { set, refused } = await loadableByYanglint(whole);
    const facts = { nodes: 0 };
    const { ours, peer } = await inTurn(
      {
        ours: () =>
          cold("compile", [set.directory, ...set.modules], (report) => (facts.nodes = Number(report["nodes"]))),
        peer: () => program("yanglint", yanglintArguments(set)),
      },
      { runs },
    );
    const left = `${String(whole.modules.length)} modules; without ${refused.join(", ")}, which it refuses`;
    figures.push(
      comparedFigure({
        name: "compile OpenConfig, against yanglint",
        ours,
        peer,
        atMost: 4,
        note: `${String(set.modules.length)} of ${left}; ${String(facts.nodes)} data nodes`,
      }),
    );
  } else figures.push(missingFigure("compile OpenConfig, against yanglint", NO_YANGLINT, "ratio at most 4"));

  const name = "compile OpenConfig, against pyang";
  if (pyang === undefined) figures.push(missingFigure(name, missing ?? "pyang is not here", "ratio at most 0.2"));
  else {
    const { ours, peer } = await inTurn(
      {
        ours: () => cold("compile", [whole.directory, ...whole.modules]),
        peer: () => program(pyang, pyangArguments(whole)),
      },
      { runs },
    );
    const note = `all ${String(whole.modules.length)} modules`;
    figures.push(comparedFigure({ name, ours, peer, atMost: 0.2, note }));
  }
  const warm = await repeated("compile", [whole.directory, ...whole.modules]);
  figures.push(boundedFigure({ name: "compile OpenConfig, warm", unit: "s", ours: warm.cpu, wall: warm.wall }));
  return [...figures, ...(await cachedFigures(whole, runs))];
}

/** A schema that was compiled before. It builds its nodes when they are looked at, so both ends are measured. */
async function cachedFigures(set: OpenConfigSet, runs: number): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const file = join(folder, "schema");
    const { facts } = await runWork(WORK, ["write-schema", "1", file, set.directory, ...set.modules]);
    const figures: Figure[] = [];
    for (const [work, what] of [
      ["cached-schema", "to its top-level nodes"],
      ["cached-schema-whole", "every node looked at"],
    ] as const) {
      const samples: Sample[] = [];
      for (let turn = 0; turn < runs; turn += 1) samples.push(await cold(work, [file]));
      const { cpu, wall } = medianSample(samples);
      const name = `OpenConfig from a cached schema, ${what}`;
      const note = `all ${String(set.modules.length)} modules, a document of ${String(facts["characters"])} characters`;
      figures.push(boundedFigure({ name, unit: "s", ours: cpu, wall, atMost: 0.1, note }));
    }
    return figures;
  });
}

async function parseFigures(options: BenchOptions): Promise<readonly Figure[]> {
  return withNetworks(async (fileOf) => {
    const figures: Figure[] = [];
    for (const encoding of ["json", "xml"] as const) {
      const file = fileOf(options.leafs, encoding);
      const name = `parse ${encoding.toUpperCase()}`;
      const note = `${sizeOf(options.leafs, encoding)}, values canonical; yanglint -t getconfig (types, no validation)`;
      figures.push(
        ...(await againstYanglint({ name, work: "parse", type: "getconfig", file, atMost: 2, note }, options)),
      );
    }
    const saxes = await cold("saxes", [fileOf(options.leafs, "xml")]);
    const note = "the XML parser below ours alone, nothing kept";
    figures.push(boundedFigure({ name: "saxes alone", unit: "s", ours: saxes.cpu, wall: saxes.wall, note }));
    return figures;
  });
}

async function validateFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const small = Math.round(options.leafs / 10);
  return withNetworks(async (fileOf) => {
    const file = fileOf(options.leafs, "json");
    await requireRefusal(fileOf(small, "json"));
    const note = `${sizeOf(options.leafs, "json")}, read and validated; yanglint -t config`;
    // The peer takes so long that its noise does not matter.
    const few = { ...options, runs: Math.min(options.runs, 2) };
    const name = "read and validate JSON";
    const figures = [
      ...(await againstYanglint({ name, work: "validate", type: "config", file, atMost: 1, note }, few)),
    ];
    const alone = await repeatedReport("validate-only", [file]);
    const [first] = alone.samples;
    if (first === undefined) throw new Error("validate-only reported nothing");
    const warm = warmOf(alone.samples);
    figures.push(
      boundedFigure({ name: "validate alone, fresh process", unit: "s", ours: first.cpu, wall: first.wall }),
      boundedFigure({ name: "validate alone, warm", unit: "s", ours: warm.cpu, wall: warm.wall }),
    );
    const [large] = figures;
    if (typeof large?.ours === "number" && typeof large.peer === "number") {
      const ours = large.ours / (await cold("validate", [fileOf(small, "json")])).cpu;
      const peer = large.peer / (await program("yanglint", yanglintData("config", fileOf(small, "json")))).cpu;
      const name = "time for ten times the data";
      const goal = "at most 12 times";
      figures.push({ name, unit: "times", ours, peer, ratio: ours / peer, goal, met: ours <= 12 });
    }
    return figures;
  });
}

/** A validation that finds nothing wrong anywhere would be the fastest: one reference is made to lead nowhere. */
async function requireRefusal(file: string): Promise<void> {
  const broken = file.replace(".json", ".broken.json");
  const text = readFileSync(file, "utf8").replace(/("update-source-interface":)"[^"]+"/, '$1"eth999/9"');
  writeFileSync(broken, text);
  const { facts } = await runWork(WORK, ["validate", "1", broken]);
  if (facts["findings"] !== 2) throw new Error(`a reference to nothing made ${String(facts["findings"])} findings`);
}

/** Cost a leaf by size: work that is linear has a flat one, or a falling one while what is done once is spread. */
async function growthFigures(options: BenchOptions): Promise<readonly Figure[]> {
  const sizes = [...new Set([...SIZES, options.leafs])].sort((a, b) => a - b);
  const works = [
    { work: "parse-only", encoding: "json" },
    { work: "parse-only", encoding: "xml" },
    { work: "validate-only", encoding: "json" },
  ] as const;
  return withNetworks(async (fileOf) => {
    const figures: Figure[] = [];
    for (const { work, encoding } of works) {
      const costs: number[] = [];
      for (const size of sizes) {
        const { samples, facts } = await repeatedReport(work, [fileOf(size, encoding)], size);
        costs.push((warmOf(samples).cpu * 1e6) / Number(facts["leafs"]));
      }
      const each = sizes.map((size, index) => `${String(size)}: ${costs[index]!.toFixed(2)}`).join(", ");
      figures.push(
        boundedFigure({
          name: `growth of ${work} ${encoding.toUpperCase()}`,
          unit: "times",
          ours: greatestRise(costs),
          atMost: 2,
          note: `how much a leaf costs more in a larger document than in any smaller one; us a leaf: ${each}`,
        }),
      );
    }
    return figures;
  });
}

/** The greatest quotient of a later cost by an earlier one; 1 when they only fall. */
function greatestRise(costs: readonly number[]): number {
  let lowest = Number.POSITIVE_INFINITY;
  let rise = 1;
  for (const cost of costs) {
    rise = Math.max(rise, cost / lowest);
    lowest = Math.min(lowest, cost);
  }
  return rise;
}

async function memoryFigures(options: BenchOptions): Promise<readonly Figure[]> {
  return withNetworks(async (fileOf) => {
    const figures: Figure[] = [];
    for (const encoding of ["json", "xml"] as const) {
      const args = ["memory", "1", fileOf(options.leafs, encoding)];
      const { facts } = await runWork(WORK, args, { nodeOptions: ["--expose-gc"] });
      figures.push(
        boundedFigure({
          name: `memory of a tree read from ${encoding.toUpperCase()}`,
          unit: "bytes/leaf",
          ours: Number(facts["bytesPerLeaf"]),
          atMost: 600,
          note: "heap in use after a full collection, less what was in use before; the text is not kept",
        }),
      );
    }
    return figures;
  });
}

const NO_YANGLINT = "yanglint is not installed (Debian and Ubuntu: libyang2-tools)";

interface YanglintComparison {
  readonly name: string;
  readonly work: string;
  readonly type: "getconfig" | "config";
  readonly file: string;
  readonly atMost: number;
  readonly note: string;
}

async function againstYanglint(asked: YanglintComparison, options: BenchOptions): Promise<readonly Figure[]> {
  const { name, work, type, file, atMost, note } = asked;
  const warm = await repeated(work, [file]);
  const warmFigure = (): Figure => boundedFigure({ name: `${name}, warm`, unit: "s", ours: warm.cpu, wall: warm.wall });
  if (!(await isInstalled("yanglint"))) {
    return [missingFigure(name, NO_YANGLINT, `ratio at most ${String(atMost)}`), warmFigure()];
  }
  const { ours, peer } = await inTurn(
    {
      ours: () => cold(work, [file]),
      peer: () => program("yanglint", yanglintData(type, file)),
    },
    { runs: options.runs },
  );
  return [
    comparedFigure({ name, ours, peer, atMost, note }),
    comparedFigure({ name: `${name}, warm`, ours: warm, peer }),
  ];
}

/** One run in a fresh process. */
async function cold(work: string, args: readonly string[], onFacts?: (facts: Facts) => void): Promise<Sample> {
  const { samples, facts } = await runWork(WORK, [work, "1", ...args]);
  const [sample] = samples;
  if (sample === undefined) throw new Error(`${work} reported nothing`);
  // A peer that accepts what we refuse, or the reverse, would not be doing the same work.
  if (Number(facts["findings"] ?? 0) > 0) throw new Error(`${work} found the generated document invalid`);
  onFacts?.(facts);
  return sample;
}

type Facts = Readonly<Record<string, number | string>>;

async function repeated(work: string, args: readonly string[]): Promise<Sample> {
  return warmOf((await repeatedReport(work, args)).samples);
}

function repeatedReport(work: string, args: readonly string[], leafs = WARM_LEAFS): ReturnType<typeof runWork> {
  const repetitions = REPETITIONS + Math.min(300, Math.round(WARM_LEAFS / leafs));
  return runWork(WORK, [work, String(repetitions), ...args]);
}

/** The median of the second half: what the engine compiled while it ran the first is in use. */
function warmOf(samples: readonly Sample[]): Sample {
  return medianSample(samples.slice(samples.length >> 1));
}

function yanglintData(type: YanglintComparison["type"], file: string): readonly string[] {
  return ["-t", type, ...benchModules, file];
}

async function program(name: string, args: readonly string[]): Promise<Sample> {
  const { code, wall, cpu, stderr } = await runProgram(name, args);
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${stderr.slice(-500)}`);
  return { wall, cpu };
}

async function isInstalled(name: string): Promise<boolean> {
  return (await runProgram(name, ["--version"])).code === 0;
}

function sizeOf(leafs: number, encoding: NetworkEncoding): string {
  return `${String(leafs)} leafs as ${encoding.toUpperCase()}`;
}

/** Documents of these sizes in a temporary folder, made when they are asked for. */
async function withNetworks<T>(
  use: (fileOf: (leafs: number, encoding: NetworkEncoding) => string) => Promise<T>,
): Promise<T> {
  return withFolder((folder) => {
    const made = new Set<string>();
    return use((leafs, encoding) => {
      const file = join(folder, `${String(leafs)}.${encoding}`);
      if (!made.has(file)) writeFileSync(file, generateNetwork({ leafs, encoding }).text);
      made.add(file);
      return file;
    });
  });
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tenure-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
