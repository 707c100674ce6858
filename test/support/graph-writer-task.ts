/** What a writing child is told to do, and what it tells: one JSON value a line, written before anything else happens. */
import type { Op } from "./graph-ops.ts";
import type { Phase } from "./graph-phases.ts";

/** Where in a phase it ends: before anything is done, some time after that, or when all is done and nothing follows yet. */
export type Moment = "begin" | "middle" | "end";

export interface Aim {
  readonly phase: Phase;
  readonly moment: Moment;
  /** For `middle`: at most so long after the beginning. */
  readonly delayMs: number;
}

export interface WriterTask {
  readonly folder: string;
  readonly seed: number;
  /** When it starts, by its own clock: ISO 8601. Days come faster there than elsewhere, and segments end with them. */
  readonly time: string;
  /** Stands in all its keys: never the same for two children of one folder. */
  readonly name: string;
  /** The child ends itself there; without it, somebody else ends it. */
  readonly aim: Aim | undefined;
  /** Starts with an import so large that the graph is loaded in bulk. */
  readonly bulkItems: number | undefined;
  /** So many ask for all desired state, again and again, while it writes. */
  readonly readers: number;
}

export type WriterLine =
  /** Undefined: what was under way has been acknowledged. */
  | { readonly say: "phase"; readonly phase: Phase | undefined }
  | { readonly say: "open" }
  | { readonly say: "doing"; readonly op: Op }
  | { readonly say: "done"; readonly op: Op }
  | { readonly say: "event"; readonly event: string };
