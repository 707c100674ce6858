import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isLockedElsewhere } from "../ladybug.ts";
import { StoreError } from "../store-error.ts";

/** What the graph file says it holds: its model version and its last journal record. */
export interface GraphMeta {
  readonly model: number;
  readonly record: number;
  readonly digest: string;
  /** The record whose snapshot the file was built from; 0 for none, and in files of a model before snapshots. */
  readonly base: number;
}

export type Probe =
  | { readonly kind: "usable"; readonly meta: GraphMeta }
  /** It cannot be opened, or it ends whoever opens it; `how` in the child's own words. */
  | { readonly kind: "damaged"; readonly how: string };

const TIME_LIMIT_MS = 120_000;

const LOCK_TRIES = 50;
const LOCK_PAUSE_MS = 200;

/**
 * Opens the file in a child process and reports; never throws for what is wrong with the file. A file that another
 * process has open is not damaged: that process (the probe of an owner that was killed, at most) is given ten seconds to
 * end, and then the error is `already-open`.
 */
export async function probeDatabase(file: string): Promise<Probe> {
  for (let tries = 1; ; tries += 1) {
    const probe = await probeOnce(file);
    if (probe.kind === "usable" || !isLockedElsewhere(probe.how)) return probe;
    if (tries === LOCK_TRIES) throw new StoreError("already-open", `another program has ${file} open`);
    await delay(LOCK_PAUSE_MS);
  }
}

async function probeOnce(file: string): Promise<Probe> {
  const child = spawn(process.execPath, [...programArguments("probe-database"), file], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIME_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const end = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve(signal ?? `exit ${String(code)}`);
    });
  });
  const meta = parseMeta(output);
  return meta === undefined
    ? { kind: "damaged", how: `${end} ${errors.trim().split("\n").slice(0, 6).join(" ").slice(0, 500)}`.trim() }
    : { kind: "usable", meta };
}

/** From a build the program is JavaScript; from a clone it is TypeScript and needs the loader. */
function programArguments(name: string): readonly string[] {
  if (import.meta.filename.endsWith(".js")) return [join(import.meta.dirname, `${name}.js`)];
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return ["--import", loader, join(import.meta.dirname, `${name}.ts`)];
}

function parseMeta(output: string): GraphMeta | undefined {
  try {
    const { model, record, digest, base = 0 } = JSON.parse(output) as Partial<GraphMeta>;
    if (typeof model !== "number" || typeof record !== "number" || typeof digest !== "string") return undefined;
    return { model, record, digest, base };
  } catch {
    return undefined;
  }
}
