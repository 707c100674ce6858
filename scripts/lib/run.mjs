// Running other programs from scripts: output where it belongs, and no child left behind when we are stopped.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** What runs now: how to signal it, and when it has ended with all its own children. */
const running = new Set();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, async () => {
    const ends = [...running].map(({ closed }) => closed);
    for (const { send } of running) send(signal);
    await Promise.race([Promise.all(ends), new Promise((resolve) => setTimeout(resolve, 15_000))]);
    for (const { send } of running) send("SIGKILL");
    process.exit(128 + constants.signals[signal]);
  });
}

/**
 * Runs a program to its end. `output: "show"` gives it our terminal, `"keep"` collects what it writes (stdout and stderr
 * mixed), `"both"` collects and shows it on stderr.
 *
 * Resolves with the exit code (128 + signal number after a signal, 127 when the program cannot be started) and the
 * collected text. Never rejects.
 */
export async function run(program, args, { output = "show", cwd, env = process.env } = {}) {
  const show = output === "show";
  // Programs such as npm may be wrappers that die of a signal without passing it on, so a group of its own is signalled
  // as a whole. What talks to the terminal must stay in the terminal's group.
  const child = spawn(program, args, {
    stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    detached: !show,
    cwd,
    env,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece) => {
      text += piece;
      if (output === "both") process.stderr.write(piece);
    });
  }
  const closed = new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 127, text: error.message }));
    // Not "exit": the pipes stay open as long as any process of the group lives.
    child.once("close", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal], text }));
  });
  const entry = { closed, send: (signal) => sendSignal(child, signal, { group: !show }) };
  running.add(entry);
  try {
    return await closed;
  } finally {
    running.delete(entry);
  }
}

function sendSignal(child, signal, { group }) {
  try {
    process.kill(group ? -child.pid : child.pid, signal);
  } catch {
    // It has ended meanwhile, or was never started.
  }
}
