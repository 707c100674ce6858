/**
 * What the store is in the middle of, told from the outside: by its file operations, by what it reports, and by what it
 * was asked for. So a test can stop it, or fill its disk, in each phase without a hook in the code under test.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileOperations } from "../../graph/files.ts";
import type { GraphEvent } from "../../graph/start/graph-database.ts";
import { type DataPaths, dataPaths } from "../../runtime/paths.ts";
import { type FileWatcher, type WatchedStep, watchedFiles } from "./graph-watched-files.ts";

/** What the program asked the store for. */
export type Work = "opening" | "writing" | "rebuilding" | "pruning" | "backing-up" | "closing";

export const PHASES = [
  "document: write",
  "document: fsync",
  "document: rename",
  "document: folder fsync",
  "journal: append",
  "journal: fsync",
  "journal: new segment",
  "graph: apply",
  "checkpoint: copy",
  "checkpoint: fold",
  "checkpoint: drop",
  "locks: append",
  "rebuild: replay",
  "rebuild: copy",
  "rebuild: rename",
  "close",
  "prune: snapshot",
  "prune: records",
  "prune: segments",
  "prune: documents",
  "prune: rebuild",
  "backup",
  "start: journal",
  "start: locks",
  "start: probe",
  "start: restore",
  "start: catch-up",
  "start: rebuild replay",
  "start: rebuild copy",
  "start: rebuild rename",
  "start: finish prune",
] as const;
export type Phase = (typeof PHASES)[number];

export interface PhaseWatch {
  readonly files: FileOperations;
  readonly report: (event: GraphEvent) => void;
  /** What follows belongs to this work. */
  begin(work: Work): void;
  /** The work was acknowledged. */
  end(): void;
}

export interface PhaseListener {
  /** Called in the step that begins the phase, before anything of it is done. `undefined`: nothing is under way. */
  enter(phase: Phase | undefined): void;
  /** How many bytes of a journal append reach the file before the rest is tried. */
  readonly take?: (phase: Phase | undefined, bytes: number) => number | undefined;
}

export function watchPhases(dataFolder: string, listener: PhaseListener): PhaseWatch {
  const paths = dataPaths(dataFolder);
  let work: Work | undefined;
  let phase: Phase | undefined;

  function enter(next: Phase | undefined): void {
    if (next === phase) return;
    phase = next;
    listener.enter(next);
  }
  const watcher: FileWatcher = {
    before(step) {
      const next = phaseAt(step, "before", { work, phase, paths });
      if (next !== undefined) enter(next);
    },
    after(step) {
      const next = phaseAt(step, "after", { work, phase, paths });
      if (next !== undefined) enter(next);
    },
    take: (_step, bytes) => listener.take?.(phase, bytes),
  };
  return {
    files: watchedFiles(watcher),
    report(event) {
      if (event.kind === "checkpoint") enter("checkpoint: copy");
    },
    begin(next) {
      work = next;
      if (next === "closing") enter("close");
      if (next === "rebuilding") enter("rebuild: replay");
      if (next === "backing-up") enter("backup");
    },
    end() {
      work = undefined;
      enter(undefined);
    },
  };
}

interface Now {
  readonly work: Work | undefined;
  readonly phase: Phase | undefined;
  readonly paths: DataPaths;
}

/** The phase that this step begins; undefined: it belongs to the present one. */
function phaseAt(step: WatchedStep, when: "before" | "after", now: Now): Phase | undefined {
  const { path } = step;
  const { paths } = now;
  if (now.work === "backing-up" || now.work === "closing") return undefined;
  if (isBelow(path, paths.documents)) return documentPhase(step, when, now);
  if (isBelow(path, paths.journal)) return journalPhase(step, when, now);
  if (isBelow(path, paths.locks)) {
    if (now.work === "opening") return "start: locks";
    return step.what === "write" ? "locks: append" : undefined;
  }
  if (isBelow(path, paths.graph)) return graphPhase(step, when, now);
  return undefined;
}

function documentPhase(step: WatchedStep, when: "before" | "after", { work }: Now): Phase | undefined {
  if (when === "after" || step.what === "read") return undefined;
  if (work === "pruning") return step.what === "remove" ? "prune: documents" : "prune: snapshot";
  if (work !== "writing") return undefined;
  switch (step.what) {
    case "write":
      return "document: write";
    case "sync":
      return "document: fsync";
    case "rename":
      return "document: rename";
    case "sync-folder":
      return "document: folder fsync";
    default:
      return undefined;
  }
}

function journalPhase(step: WatchedStep, when: "before" | "after", { work, phase, paths }: Now): Phase | undefined {
  const { what } = step;
  if (work === "opening") {
    if (what === "remove" && when === "before") return "start: finish prune";
    if (phase === "start: probe" && what === "read") {
      return existsSync(join(paths.graph, "graph.lbug")) ? "start: catch-up" : "start: rebuild replay";
    }
    return phase === undefined && when === "before" ? "start: journal" : undefined;
  }
  if (work === "pruning") {
    if (when === "after") return undefined;
    if (what === "write") return "prune: records";
    if (what === "remove") return "prune: segments";
    // The state is computed from the journal first; later reads belong to the rebuild.
    if (what === "read" && phase === undefined) return "prune: snapshot";
    return undefined;
  }
  if (work !== "writing") return undefined;
  if (what === "open" && when === "before") return "journal: new segment";
  if (what === "write" && when === "before") return "journal: append";
  if (what === "sync" && phase === "journal: append" && when === "before") return "journal: fsync";
  if (what === "sync" && phase === "journal: fsync" && when === "after") return "graph: apply";
  return undefined;
}

function graphPhase(step: WatchedStep, when: "before" | "after", now: Now): Phase | undefined {
  const { what, path } = step;
  const { work, phase, paths } = now;
  const file = join(paths.graph, "graph.lbug");
  const fresh = join(paths.graph, "rebuild");
  const kept = `${file}.before`;
  if (what === "make-folder" && path === paths.graph) return when === "after" ? "start: probe" : undefined;
  if (path === fresh && what === "make-folder" && when === "after") return inside(work, "copy");
  if (path === file && what === "remove" && when === "before" && isCopying(phase)) return inside(work, "rename");
  if (path === file && what === "rename" && when === "before" && phase === "start: probe") return "start: restore";
  if (path === kept && what === "rename" && when === "before") return "checkpoint: copy";
  // The folder is forced once before, when an older copy was taken away.
  if (path === paths.graph && what === "sync-folder" && when === "after" && phase === "checkpoint: copy")
    return existsSync(kept) ? "checkpoint: fold" : undefined;
  if (path === kept && what === "remove" && when === "before" && phase === "checkpoint: fold")
    return "checkpoint: drop";
  return undefined;
}

function inside(work: Work | undefined, step: "copy" | "rename"): Phase {
  if (work === "opening") return `start: rebuild ${step}`;
  return work === "pruning" ? "prune: rebuild" : `rebuild: ${step}`;
}

function isCopying(phase: Phase | undefined): boolean {
  return phase === "rebuild: copy" || phase === "start: rebuild copy" || phase === "prune: rebuild";
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
