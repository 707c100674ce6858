import { execFile } from "node:child_process";
import { join } from "node:path";
import type { z } from "zod";
import { packageRoot } from "../../runtime/package-root.ts";
import { BrokenStory } from "./fact.ts";

export const launcher = join(packageRoot, "bin", "tenure");

export interface TenureRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LIMIT_MS = 120_000;

/**
 * Runs `bin/tenure WORDS` in Tenure's own folder as a process, as a person would, and returns how it ended. Rejects with
 * a BrokenStory when it does not end in time, and when `signal` is aborted.
 */
export async function runTenure(words: readonly string[], signal: AbortSignal): Promise<TenureRun> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: packageRoot,
      signal,
      timeout: LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
      encoding: "utf8",
    } as const;
    execFile(process.execPath, [launcher, ...words], options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
      else if (signal.aborted) reject(new Error("the demo was interrupted", { cause: error }));
      else
        reject(new BrokenStory(`tenure ${words.join(" ")} did not end within ${String(LIMIT_MS / 1000)} s\n${stderr}`));
    });
  });
}

/** Reads what a command printed under `--json`. Throws a BrokenStory that names the command and what does not fit. */
export function readOutput<T>(words: readonly string[], text: string, shape: z.ZodType<T>): T {
  const command = `tenure ${words.join(" ")}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BrokenStory(`${command} printed no JSON: ${text.slice(0, 500)}`);
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues.slice(0, 3).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new BrokenStory(`${command} printed other JSON than expected (${first.join("; ")}): ${text.slice(0, 1500)}`);
}
