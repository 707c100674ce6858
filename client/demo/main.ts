/**
 * The demo: simulated devices, `tenure up`, and a story that is played by `tenure` commands (story.ts). Run by
 * `npm run demo`. Exit code 0 only if every fact of the story held; everything that it started has ended then, also
 * after Ctrl-C.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BrokenStory } from "./fact.ts";
import { credentialVariables } from "./initial-config.ts";
import { type Approver, createNarrator } from "./narrator.ts";
import { type SimulatedDevice, startSimulatedDevice } from "./simulated-device.ts";
import { createStage, play } from "./stage.ts";
import { deviceNames, story } from "./story.ts";
import { startTenure } from "./tenure-up.ts";

const help = `npm run demo [-- --yes] [-- --keep]
  --yes    approve every plan without asking
  --keep   leave the data folder for a look
`;

/** Things to put away, newest first. */
type Closer = () => Promise<void> | void;

async function runDemo(
  options: { readonly approver: Approver; readonly folder: string; readonly signal: AbortSignal },
  closers: Closer[],
): Promise<void> {
  const { approver, folder, signal } = options;
  const narrator = createNarrator(approver, signal);
  closers.push(() => {
    narrator.close();
  });
  narrator.say("Two simulated devices and Tenure are being started.");
  const devices: SimulatedDevice[] = [];
  for (const name of deviceNames) {
    const device = await startSimulatedDevice(name, folder);
    closers.push(() => device.stop());
    devices.push(device);
  }
  const tenure = await startTenure({ logFile: join(folder, "tenure-up.log"), signal });
  closers.push(() => tenure.stop());
  narrator.say(`Temporal's web UI shows each step while the demo runs: ${tenure.ui}`);
  narrator.say("Each command runs with --json as well; what is told after it comes from that output alone.");
  await play(story, createStage({ narrator, devices, signal }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { yes: { type: "boolean" }, keep: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const interrupt = new AbortController();
  let interruptedBy: NodeJS.Signals | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      interruptedBy ??= signal;
      interrupt.abort();
    });
  }
  const started = performance.now();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenure-demo-")));
  prepareEnvironment(join(folder, "data"));
  const closers: Closer[] = [];
  let code = 1;
  try {
    await runDemo({ approver: values.yes === true ? "yes" : "person", folder, signal: interrupt.signal }, closers);
    process.stdout.write(`\nThe demo is complete (${seconds(started)} s).\n`);
    code = 0;
  } catch (error) {
    if (interruptedBy !== undefined) code = 128 + constants.signals[interruptedBy];
    else process.stderr.write(`\nThe demo failed: ${error instanceof BrokenStory ? error.message : describe(error)}\n`);
  } finally {
    for (const close of closers.reverse()) await close();
    if (values.keep === true)
      process.stdout.write(
        `Kept for a look: TENURE_HOME=${join(folder, "data")}, log ${join(folder, "tenure-up.log")}\n`,
      );
    else await rm(folder, { recursive: true, force: true });
  }
  return code;
}

/** What every process of the demo sees: a data folder of its own, the devices' login, no Temporal server but its own. */
function prepareEnvironment(dataFolder: string): void {
  Object.assign(process.env, { TENURE_HOME: dataFolder, ...credentialVariables });
  delete process.env["TEMPORAL_ADDRESS"];
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.exitCode = await main();
