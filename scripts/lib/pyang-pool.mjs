// Asks several pyangs at once what they draw. Each is one process of pyang-trees.py that answers request after request.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./setup.mjs";

const program = join(root, "scripts", "lib", "pyang-trees.py");

/**
 * Answers of pyang to all `requests` (`{ path: [folders], files: [paths] }`), in their order; see pyang-trees.py for
 * what they hold. `onAnswer(count)` is told how many are there. Rejects when pyang cannot be started or ends early.
 */
export async function askPyang(requests, { processes, onAnswer = () => undefined }) {
  const answers = new Array(requests.length);
  let next = 0;
  let count = 0;
  const work = async () => {
    const worker = startWorker();
    try {
      while (next < requests.length) {
        const index = next;
        next += 1;
        answers[index] = await worker.ask(requests[index]);
        count += 1;
        onAnswer(count);
      }
    } finally {
      worker.stop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(processes, requests.length) }, work));
  return answers;
}

function startWorker() {
  const child = spawn(join(root, ".venv", "bin", "python"), [program], { stdio: ["pipe", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (piece) => (complaint = (complaint + piece).slice(-2000)));
  // A request to a process that has just ended; its end is what gets reported.
  child.stdin.on("error", () => undefined);
  const ended = new Promise((_, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`pyang ended (exit code ${code})\n${complaint}`)));
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const line = await Promise.race([lines.next(), ended]);
      if (line.done) return ended;
      return JSON.parse(line.value);
    },
    // It ends by itself when there is nothing more to read; a signal is for one that is still at work.
    stop: () => child.kill(),
  };
}
