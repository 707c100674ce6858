import { createWriteStream } from "node:fs";
import { z } from "zod";
import { type TiedProcess, startTiedProcess } from "../../runtime/temporal/tied-process.ts";
import { BrokenStory } from "./fact.ts";
import { launcher, runTenure } from "./run-tenure.ts";

export interface RunningTenure {
  /** Of Temporal's web UI. */
  readonly ui: string;
  readonly dataFolder: string;
  stop(): Promise<void>;
}

const statusSchema = z.object({
  health: z.object({
    dataFolder: z.string(),
    revision: z.literal(0),
    temporal: z.object({ address: z.string(), ui: z.string() }),
  }),
});
const READY_LIMIT_MS = 60_000;
const PAUSE_MS = 200;
/** `tenure up` ends its worker and then Temporal; being forced would leave them behind. */
const STOP_GRACE_MS = 40_000;

export interface StartTenureOptions {
  /** Takes what `tenure up` says, for whoever wants to know why something failed. */
  readonly logFile: string;
  readonly signal: AbortSignal;
}

/**
 * Starts `tenure up` on the data folder that this process's TENURE_HOME names, and returns when it answers. Needs: no
 * Tenure runs there, and TEMPORAL_ADDRESS is not set, so that it brings a Temporal server of its own.
 */
export async function startTenure({ logFile, signal }: StartTenureOptions): Promise<RunningTenure> {
  const log = createWriteStream(logFile);
  const up = await startTiedProcess(process.execPath, [launcher, "up"], { onOutput: (text) => log.write(text) });
  void up.exited.then(() => log.end());
  try {
    const { health } = await firstStatus(up, signal);
    return {
      ui: health.temporal.ui,
      dataFolder: health.dataFolder,
      stop: async () => {
        await up.stop({ graceMs: STOP_GRACE_MS });
      },
    };
  } catch (error) {
    await up.stop({ graceMs: STOP_GRACE_MS });
    throw error;
  }
}

async function firstStatus(up: TiedProcess, signal: AbortSignal): Promise<z.infer<typeof statusSchema>> {
  const deadline = performance.now() + READY_LIMIT_MS;
  const life = { ended: false };
  void up.exited.then(() => {
    life.ended = true;
  });
  for (;;) {
    const { code, stdout, stderr } = await runTenure(["status", "--json"], signal);
    if (code === 0) return statusSchema.parse(JSON.parse(stdout));
    if (life.ended) throw new BrokenStory(`tenure up ended at once:\n${up.lastOutput()}`);
    if (performance.now() > deadline) throw new BrokenStory(`tenure up does not answer: ${stderr}\n${up.lastOutput()}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
