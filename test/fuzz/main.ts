/** Runs the fuzz targets for a bounded time; see scripts/fuzz.mjs for the options. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { FuzzMessage, FuzzWork } from "./fuzz-worker.ts";
import { TARGET_NAMES, type TargetName, fuzzTarget } from "./targets.ts";

/** One text may take this long; honest ones take milliseconds, on a busy machine tenths of a second. */
const TEXT_SECONDS = 10;
/** The heap of a target; generated texts and what they become need a few dozen. */
const HEAP_MEGABYTES = 512;
/** After as many findings a target has told enough. */
const MAX_FINDINGS = 5;

interface Options {
  readonly targets: readonly TargetName[];
  readonly seconds: number;
  readonly seed: number;
  readonly iteration: number | undefined;
  readonly findings: string;
}

interface Finding {
  readonly iteration: number;
  readonly reason: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  let passed = 0;
  let failed = 0;
  for (const name of options.targets) {
    const outcome = await fuzz(name, options);
    passed += outcome.passed;
    failed += outcome.findings.length;
    const { length } = outcome.findings;
    console.log(`${name}: ${String(outcome.passed)} texts, ${String(length)} findings (seed ${String(options.seed)})`);
  }
  console.log(`${String(passed)} passed, ${String(failed)} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

async function fuzz(
  name: TargetName,
  { seed, seconds, iteration, targets, findings: folder }: Options,
): Promise<{ readonly passed: number; readonly findings: readonly Finding[] }> {
  const end = performance.now() + (seconds * 1000) / targets.length;
  const findings: Finding[] = [];
  let passedTexts = 0;
  let first = iteration ?? 0;
  while (performance.now() < end && findings.length < MAX_FINDINGS) {
    const progress = new SharedArrayBuffer(8);
    const count = iteration === undefined ? Number.MAX_SAFE_INTEGER : 1;
    const finding = await runWorker({
      target: name,
      seed,
      first,
      count,
      milliseconds: end - performance.now(),
      progress,
    });
    passedTexts += Atomics.load(new Int32Array(progress), 1);
    if (finding !== undefined) {
      findings.push(finding);
      await save(name, finding, seed, folder);
      first = finding.iteration + 1;
    }
    if (iteration !== undefined) break;
  }
  return { passed: passedTexts, findings };
}

/** Resolves with what the worker found, if anything. */
async function runWorker(work: FuzzWork): Promise<Finding | undefined> {
  const progress = new Int32Array(work.progress);
  const worker = new Worker(new URL("./start-worker.mjs", import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  let last = -1;
  let since = performance.now();
  let watch: NodeJS.Timeout | undefined;
  const finding = await new Promise<Finding | undefined>((resolve) => {
    worker.on("message", (message: FuzzMessage) => {
      resolve(message.kind === "failed" ? message : undefined);
    });
    worker.on("error", (error) => {
      resolve({ iteration: Atomics.load(progress, 0), reason: `the reader ended: ${error.message}` });
    });
    watch = setInterval(() => {
      const passed = Atomics.load(progress, 1);
      if (passed !== last) {
        last = passed;
        since = performance.now();
      } else if (performance.now() - since > TEXT_SECONDS * 1000 && passed + Atomics.load(progress, 0) > 0) {
        const reason = `one text takes more than ${String(TEXT_SECONDS)} s`;
        resolve({ iteration: Atomics.load(progress, 0), reason });
      }
    }, 250);
  });
  clearInterval(watch);
  await worker.terminate();
  return finding;
}

async function save(name: TargetName, { iteration, reason }: Finding, seed: number, folder: string): Promise<void> {
  const file = join(folder, `${name}-${String(seed)}-${String(iteration)}`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.input`, fuzzTarget(name, seed).textOf(iteration));
  await writeFile(`${file}.txt`, `${reason}\n`);
  const again = `npm run fuzz -- --target ${name} --seed ${String(seed)} --iteration ${String(iteration)}`;
  console.error(`${name}: ${reason.split("\n")[0] ?? ""}\n  text: ${file}.input\n  again: ${again}`);
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      seed: { type: "string" },
      target: { type: "string", multiple: true, default: [...TARGET_NAMES] },
      iteration: { type: "string" },
      findings: { type: "string" },
    },
  });
  const number = (name: string, text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw new RangeError(`--${name} takes a whole number, not ${text}`);
    return Number(text);
  };
  const targets = TARGET_NAMES.filter((name) => values.target.includes(name));
  if (targets.length < new Set(values.target).size)
    throw new RangeError(`--target is one of ${TARGET_NAMES.join(", ")}`);
  if (values.findings === undefined) throw new RangeError("--findings says where findings go");
  return {
    targets,
    seconds: number("seconds", values.seconds),
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e9) : number("seed", values.seed),
    iteration: values.iteration === undefined ? undefined : number("iteration", values.iteration),
    findings: values.findings,
  };
}
