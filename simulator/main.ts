/**
 * A simulated device as a process: `main CONFIG.json`. Prints one line of JSON on standard output when it listens, with `name`, `host`, `port`,
 * `fingerprint`, `hostPublicKey` and the `control` address; problems go to standard error, exit code 1. It ends at SIGTERM and SIGINT, and
 * when its standard input is a pipe that ends, so that it never outlives whoever holds the other end.
 */
import { fstatSync } from "node:fs";
import { startControlServer } from "./control-server.ts";
import { startSimulator } from "./simulator.ts";
import { readSimulatorConfig } from "./simulator-config.ts";

async function main(file: string | undefined): Promise<void> {
  if (file === undefined) throw new Error("usage: main CONFIG.json");
  const simulator = await startSimulator(await readSimulatorConfig(file));
  const control = await startControlServer(simulator);
  const stopped = new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
    const input = fstatSync(0);
    if (!input.isFIFO() && !input.isSocket()) return;
    process.stdin.once("end", resolve);
    process.stdin.once("error", resolve);
    process.stdin.resume();
  });
  const { name, host, port, fingerprint, hostPublicKey } = simulator;
  const ready = { name, host, port, fingerprint, hostPublicKey, control: control.url };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  await stopped;
  process.stdin.destroy();
  await control.stop();
  await simulator.stop();
}

try {
  await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
