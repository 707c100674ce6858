/**
 * The real files, and beside them what a disk would still hold if the power went now: content only up to the last
 * fsync of a file, names only up to the last fsync of their folder. SIGKILL cannot show that, since the system's own
 * memory survives it.
 *
 * After a cut any part of what was not forced to the disk may be there all the same. Of a file that is a beginning of
 * its later changes, the last of them perhaps in part, or its length without its bytes (zeros); of a folder any of the
 * later changes of names. LadybugDB writes by itself, unseen here: its folder is kept as it is or lost as a whole.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type FileOperations, type OpenFile, realFiles } from "../../graph/files.ts";
import type { Random } from "./graph-random-ops.ts";

interface FileNode {
  readonly kind: "file";
  durable: Buffer;
  changes: Change[];
}
interface FolderNode {
  readonly kind: "folder";
  readonly durable: Map<string, Node>;
  changes: NameChange[];
}
type Node = FileNode | FolderNode;

type Change =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly length: number };
/** A name comes (`node`), or goes. */
interface NameChange {
  readonly name: string;
  readonly node: Node | undefined;
}

/** What survives of all that was not forced to the disk. */
export type Survivors = "none" | "some" | "all";

export interface VolatileFiles extends FileOperations {
  /** Called before each operation that changes something, LadybugDB's folder aside. */
  onStep: () => void;
  /** Writes what would be left into an empty folder, at once. `graph`: LadybugDB's folder as it is, or nothing of it. */
  cut(target: string, survivors: Survivors, random: Random, graph: "kept" | "lost"): void;
}

/** Needs: `root` does not exist yet, or is empty. */
export function volatileFiles(root: string, unseen: string): VolatileFiles {
  const disk: FolderNode = newFolder();
  /** What the names stand for now, by path; of the tree above `root` nothing is kept. */
  const present = new Map<string, Node>([[root, disk]]);

  function newFolder(): FolderNode {
    return { kind: "folder", durable: new Map(), changes: [] };
  }
  const isSeen = (path: string) =>
    (path === root || path.startsWith(`${root}/`)) && path !== unseen && !path.startsWith(`${unseen}/`);

  function rename(path: string, node: Node | undefined): void {
    if (node === undefined) present.delete(path);
    else present.set(path, node);
    const folder = present.get(dirname(path));
    if (folder?.kind !== "folder") throw new Error(`${path} lies in no folder that was made`);
    folder.changes.push({ name: path.slice(dirname(path).length + 1), node });
  }

  function fileAt(path: string): FileNode {
    const node = present.get(path);
    if (node?.kind === "file") return node;
    const fresh: FileNode = { kind: "file", durable: Buffer.alloc(0), changes: [] };
    rename(path, fresh);
    return fresh;
  }

  function watched(node: FileNode, file: OpenFile): OpenFile {
    return {
      async write(bytes, position) {
        files.onStep();
        const written = await file.write(bytes, position);
        node.changes.push({ kind: "write", position, bytes: Buffer.from(bytes.subarray(0, written)) });
        return written;
      },
      async sync() {
        files.onStep();
        const count = node.changes.length;
        await file.sync();
        node.durable = contentAfter(node.durable, node.changes.slice(0, count));
        node.changes = node.changes.slice(count);
      },
      async truncate(length) {
        files.onStep();
        await file.truncate(length);
        node.changes.push({ kind: "truncate", length });
      },
      close: () => file.close(),
    };
  }

  const files: VolatileFiles = {
    ...realFiles,
    onStep: () => undefined,
    async openForWriting(path) {
      if (!isSeen(path)) return realFiles.openForWriting(path);
      files.onStep();
      const file = await realFiles.openForWriting(path);
      return watched(fileAt(path), file);
    },
    async makeFolder(folder) {
      if (!isSeen(folder)) return realFiles.makeFolder(folder);
      files.onStep();
      await realFiles.makeFolder(folder);
      // Durable when it returns, by its contract; whether the system was asked for that is seen in a trace of its calls.
      for (const path of ancestors(root, folder)) {
        if (present.has(path)) continue;
        const node = newFolder();
        present.set(path, node);
        const parent = present.get(dirname(path));
        if (parent?.kind === "folder") parent.durable.set(path.slice(dirname(path).length + 1), node);
      }
    },
    async rename(from, to) {
      if (!isSeen(from) || !isSeen(to)) return realFiles.rename(from, to);
      files.onStep();
      await realFiles.rename(from, to);
      const node = present.get(from);
      if (node === undefined) throw new Error(`${from} was never made`);
      rename(to, node);
      rename(from, undefined);
    },
    async remove(path) {
      if (!isSeen(path)) return realFiles.remove(path);
      files.onStep();
      await realFiles.remove(path);
      if (!present.has(path)) return;
      rename(path, undefined);
      for (const below of [...present.keys()]) if (below.startsWith(`${path}/`)) present.delete(below);
    },
    async syncFolder(path) {
      if (!isSeen(path)) return realFiles.syncFolder(path);
      files.onStep();
      const node = present.get(path);
      const count = node?.changes.length ?? 0;
      await realFiles.syncFolder(path);
      if (node?.kind !== "folder") return;
      for (const { name, node: named } of node.changes.slice(0, count)) {
        if (named === undefined) node.durable.delete(name);
        else node.durable.set(name, named);
      }
      node.changes = node.changes.slice(count);
    },
    cut(target, survivors, random, graph) {
      materialise(disk, target, survivors, random);
      if (graph === "kept" && existsSync(unseen)) {
        cpSync(unseen, join(target, relative(root, unseen)), { recursive: true });
      }
    },
  };
  return files;
}

/** `root` and the folders from there down to `folder`. */
function ancestors(root: string, folder: string): readonly string[] {
  const paths: string[] = [];
  for (let path = folder; path.length >= root.length; path = dirname(path)) paths.unshift(path);
  return paths;
}

function materialise(node: Node, path: string, survivors: Survivors, random: Random): void {
  if (node.kind === "file") {
    writeFileSync(path, survivingContent(node, survivors, random));
    return;
  }
  mkdirSync(path, { recursive: true });
  const names = new Map(node.durable);
  for (const { name, node: named } of node.changes) {
    if (survivors === "none" || (survivors === "some" && random(2) === 0)) continue;
    if (named === undefined) names.delete(name);
    else names.set(name, named);
  }
  for (const [name, below] of names) materialise(below, join(path, name), survivors, random);
}

function survivingContent(node: FileNode, survivors: Survivors, random: Random): Buffer {
  if (survivors === "none") return node.durable;
  if (survivors === "all") return contentAfter(node.durable, node.changes);
  const whole = random(node.changes.length + 1);
  const content = contentAfter(node.durable, node.changes.slice(0, whole));
  const next = node.changes[whole];
  if (next?.kind !== "write" || next.bytes.length === 0) return content;
  const kept = next.bytes.subarray(0, random(next.bytes.length));
  const partly = contentAfter(content, [{ ...next, bytes: kept }]);
  if (random(3) > 0) return partly;
  return contentAfter(partly, [
    { kind: "write", position: next.position + kept.length, bytes: Buffer.alloc(next.bytes.length - kept.length) },
  ]);
}

function contentAfter(start: Buffer, changes: readonly Change[]): Buffer {
  let content = start;
  for (const change of changes) {
    const length =
      change.kind === "truncate" ? change.length : Math.max(content.length, change.position + change.bytes.length);
    const next = Buffer.alloc(length);
    content.copy(next, 0, 0, Math.min(content.length, length));
    if (change.kind === "write") change.bytes.copy(next, change.position);
    content = next;
  }
  return content;
}
