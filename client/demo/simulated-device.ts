/**
 * A simulated device of the demo: a process that speaks NETCONF on loopback, and the back door through which somebody
 * changes it without Tenure.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../../runtime/package-root.ts";
import { startTiedProcess } from "../../runtime/temporal/tied-process.ts";
import { BrokenStory } from "./fact.ts";
import { DEMO_USER, initialConfig, moduleFiles } from "./initial-config.ts";

export interface SimulatedDevice {
  readonly name: string;
  /** HOST:PORT of NETCONF over SSH. */
  readonly address: string;
  /** Somebody at the device changes its running configuration; `config` is the content of an edit-config. */
  changeByHand(config: string): Promise<void>;
  /** The operations that would have changed something, received since the last call. */
  takeWrites(): Promise<readonly string[]>;
  running(): Promise<string>;
  stop(): Promise<void>;
}

const readySchema = z.object({ host: z.string(), port: z.number(), control: z.string() });
const rpcsSchema = z.array(z.object({ operation: z.string() }));
const writingOperations: ReadonlySet<string> = new Set(["edit-config", "copy-config", "delete-config", "commit"]);
const READY_LIMIT_MS = 20_000;

/** Starts the device and returns when it listens. Its files go to `folder`. */
export async function startSimulatedDevice(name: string, folder: string): Promise<SimulatedDevice> {
  const configFile = join(folder, `${name}.json`);
  await writeFile(join(folder, `${name}.xml`), initialConfig(name));
  const config = { name, modules: moduleFiles, users: [DEMO_USER], initialConfigFile: `${name}.xml` };
  await writeFile(configFile, JSON.stringify(config), { mode: 0o600 });

  let output = "";
  let ready: (line: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => {
    ready = resolve;
  });
  const main = join(packageRoot, "dist", "simulator", "main.js");
  const child = await startTiedProcess(process.execPath, [main, configFile], {
    onOutput: (text) => {
      output += text;
      // Its one line of JSON; what it complains about on standard error is no JSON.
      const line = /^\{.*\}$/m.exec(output);
      if (line !== null && output.includes("\n", line.index)) ready(line[0]);
    },
  });
  const failed = Promise.race([child.exited, timeOut(READY_LIMIT_MS)]).then(() => {
    throw new BrokenStory(`the simulated device ${name} does not listen: ${child.lastOutput()}`);
  });
  try {
    const { host, port, control } = readySchema.parse(JSON.parse(await Promise.race([listening, failed])));
    return {
      name,
      address: `${host}:${String(port)}`,
      changeByHand: async (edit) => {
        await ask(name, `${control}/edit`, { method: "POST", body: edit });
      },
      takeWrites: async () => {
        const log = rpcsSchema.parse(JSON.parse(await ask(name, `${control}/rpcs`, { method: "GET" })));
        await ask(name, `${control}/rpcs`, { method: "DELETE" });
        return log.map(({ operation }) => operation).filter((operation) => writingOperations.has(operation));
      },
      running: () => ask(name, `${control}/running`, { method: "GET" }),
      stop: async () => {
        await child.stop();
      },
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function timeOut(limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, limitMs).unref();
  });
}

async function ask(
  name: string,
  address: string,
  init: { readonly method: string; readonly body?: string },
): Promise<string> {
  const response = await fetch(address, init);
  const text = await response.text();
  if (response.ok) return text;
  throw new BrokenStory(`the simulated device ${name} refused ${init.method} ${new URL(address).pathname}: ${text}`);
}
