/** The thread in which one target runs, so that a text that takes too long or too much can be stopped from outside. */
import { parentPort, workerData } from "node:worker_threads";
import { type TargetName, fuzzTarget } from "./targets.ts";

export interface FuzzWork {
  readonly target: TargetName;
  readonly seed: number;
  readonly first: number;
  /** Iterations, or as many as the time allows. */
  readonly count: number;
  readonly milliseconds: number;
  /** Two numbers that the main thread looks at: the iteration that runs, and how many have passed. */
  readonly progress: SharedArrayBuffer;
}

/** Sent once, at the end, or when an iteration fails. */
export type FuzzMessage =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly iteration: number; readonly reason: string };

const work = workerData as FuzzWork;
const progress = new Int32Array(work.progress);
const target = fuzzTarget(work.target, work.seed);
parentPort?.postMessage(runAll());

function runAll(): FuzzMessage {
  const end = performance.now() + work.milliseconds;
  for (let iteration = work.first; iteration < work.first + work.count && performance.now() < end; iteration += 1) {
    Atomics.store(progress, 0, iteration);
    try {
      target.check(target.textOf(iteration), iteration);
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { kind: "failed", iteration, reason };
    }
    Atomics.add(progress, 1, 1);
  }
  return { kind: "done" };
}
