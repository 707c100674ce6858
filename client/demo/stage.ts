/**
 * What a step of the story acts with: the command line, the devices, a voice, and the plan that the story is about at
 * the moment. A step tells only what a command has just answered, and checks it first.
 */
import type { z } from "zod";
import { BrokenStory } from "./fact.ts";
import type { Narrator } from "./narrator.ts";
import { readOutput, runTenure } from "./run-tenure.ts";
import type { SimulatedDevice } from "./simulated-device.ts";

export interface Chapter {
  readonly title: string;
  readonly steps: readonly Step[];
}
export type Step = (stage: Stage) => Promise<void>;

export interface CommandOptions {
  /** Exit code that the story wants; default 0. */
  readonly exit?: number;
}

export interface PlanInHand {
  readonly plan: string;
  readonly digest: string;
}

export interface Stage {
  readonly narrator: Narrator;
  device(name: string): SimulatedDevice;
  /** Shows the command, runs it with `--json`, checks its exit code, and reads what it printed on standard output. */
  tenure<T>(words: readonly string[], shape: z.ZodType<T>, options?: CommandOptions): Promise<T>;
  takePlan(plan: PlanInHand): void;
  planInHand(): PlanInHand;
}

export interface StageOptions {
  readonly narrator: Narrator;
  readonly devices: readonly SimulatedDevice[];
  readonly signal: AbortSignal;
}

export function createStage({ narrator, devices, signal }: StageOptions): Stage {
  let inHand: PlanInHand | undefined;
  return {
    narrator,
    device: (name) => {
      const device = devices.find((each) => each.name === name);
      if (device === undefined) throw new RangeError(`the demo has no device ${name}`);
      return device;
    },
    tenure: async (words, shape, { exit = 0 } = {}) => {
      narrator.command(words);
      const run = await runTenure([...words, "--json"], signal);
      if (run.code !== exit) {
        const said = `${run.stdout}${run.stderr}`.trim();
        throw new BrokenStory(
          `tenure ${words.join(" ")} ended with exit code ${String(run.code)}, expected ${String(exit)}\n${said}`,
        );
      }
      return readOutput(words, run.stdout, shape);
    },
    takePlan: (plan) => {
      inHand = plan;
    },
    planInHand: () => {
      if (inHand === undefined) throw new RangeError("the story has made no plan yet");
      return inHand;
    },
  };
}

/** Plays the chapters in order; the first fact that is not as it should be ends the story. */
export async function play(chapters: readonly Chapter[], stage: Stage): Promise<void> {
  for (const { title, steps } of chapters) {
    stage.narrator.chapter(title);
    for (const step of steps) await step(stage);
  }
}
