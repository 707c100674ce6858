/** Measuring: whole programs from outside, and work in a process of its own that reports on itself. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Sample, medianSample } from "./figure.ts";

export interface ProgramRun extends Sample {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longest time for one program; a bench that waits longer is of no use to anybody. */
const TIME_LIMIT_MS = 10 * 60_000;

/**
 * Runs a program to its end and takes its wall and processor time, children included. Needs bash, whose `time` asks the
 * kernel for what the finished process used. Rejects only when bash cannot be started.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<ProgramRun> {
  const script = 'exec 3>&2; TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3';
  const child = spawn("bash", ["-c", script, "bash", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIME_LIMIT_MS,
    ...options,
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (piece: string) => (output[name] += piece));
  }
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve(status ?? (signal === null ? 1 : 128)));
  });
  const lines = output.stderr.trimEnd().split("\n");
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (lines.pop() ?? "").split(" ").map(Number);
  return { code, stdout: output.stdout, stderr: lines.join("\n"), wall, cpu: user + system };
}

/** What the bench of ours reports from its own process, see `work.ts` of a bench. */
export interface WorkReport {
  /** Each repetition, the first one cold: nothing was compiled by the JavaScript engine before. */
  readonly samples: readonly Sample[];
  /** What the work found, to make sure that both sides did the same. */
  readonly facts: Readonly<Record<string, number | string>>;
}

/**
 * Runs work of ours in a fresh process: a TypeScript program that prints one JSON object (`WorkReport`) as its last line.
 * Node's own start and the loading of the sources are not in the samples.
 */
export async function runWork(
  program: string,
  args: readonly string[],
  options: { readonly nodeOptions?: readonly string[] } = {},
): Promise<WorkReport> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const nodeArgs = [...(options.nodeOptions ?? []), "--max-old-space-size=3072", "--import", "tsx", file, ...args];
  const run = await runProgram(process.execPath, nodeArgs);
  if (run.code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${String(run.code)}: ${run.stderr}`);
  return JSON.parse(run.stdout.trimEnd().split("\n").at(-1) ?? "") as WorkReport;
}

/**
 * Measures two sides in turn, `runs` times each, so that a busy machine slows both. The first turn of each is thrown
 * away (files are read from the disk then) unless `warmUp` is "none".
 */
export async function inTurn(
  sides: { readonly ours: () => Promise<Sample>; readonly peer: () => Promise<Sample> },
  options: { readonly runs: number; readonly warmUp?: "one" | "none" },
): Promise<{ readonly ours: Sample; readonly peer: Sample }> {
  const ours: Sample[] = [];
  const peer: Sample[] = [];
  for (let turn = options.warmUp === "none" ? 1 : 0; turn <= options.runs; turn += 1) {
    const samples = { ours: await sides.ours(), peer: await sides.peer() };
    if (turn === 0) continue;
    ours.push(samples.ours);
    peer.push(samples.peer);
  }
  return { ours: medianSample(ours), peer: medianSample(peer) };
}
