import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface GraphChild {
  readonly process: ChildProcess;
  /** Complete lines of standard output so far. */
  readonly lines: string[];
  readonly errors: () => string;
  /** Resolves when a line for which `wanted` holds has come; rejects when the child ends without one. */
  line(wanted: (line: string) => boolean): Promise<string>;
  /** Resolves when it has ended. */
  readonly ended: Promise<string>;
}

/** Starts a program of `test/support/` in a process of its own. */
export function startGraphChild(program: string, args: readonly string[]): GraphChild {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ["--import", loader, file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = new Promise<string>((resolve) => {
    child.on("close", (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  return {
    process: child,
    lines,
    errors: () => errors,
    ended,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find(wanted);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then((how) => {
          reject(new Error(`the child ended (${how}) without the line; it said ${lines.join("|")} ${errors}`));
        });
        look();
      }),
  };
}
