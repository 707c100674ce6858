/**
 * The order of write, fsync, rename and acknowledgement, read from a trace of a process's system calls (`strace -f -y`).
 * A watching file layer sees what the program asks for; this sees what the system was asked for.
 */
import { dirname, join } from "node:path";

export interface SystemCall {
  readonly name: string;
  /** Of the file that is written, forced, made, removed; of a rename, the old name. */
  readonly path: string;
  /** Of a rename. */
  readonly to: string | undefined;
  /** The words of an acknowledgement on standard output. */
  readonly said: string | undefined;
}

/** The calls that tracing must include. */
export const TRACED =
  "openat,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,copy_file_range,sendfile";

const WRITES: ReadonlySet<string> = new Set([
  "write",
  "pwrite64",
  "writev",
  "pwritev",
  "ftruncate",
  "copy_file_range",
  "sendfile",
]);
const FORCES: ReadonlySet<string> = new Set(["fsync", "fdatasync"]);

/**
 * Calls that succeeded. An acknowledgement counts from its beginning and everything else from its end, so that what ran
 * at the same time on another thread is not taken for done before.
 */
export function readTrace(text: string): readonly SystemCall[] {
  const calls: { readonly at: number; readonly call: SystemCall }[] = [];
  const begun = new Map<string, { readonly at: number; readonly text: string }>();
  for (const [at, line] of text.split("\n").entries()) {
    const [, thread, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(thread, { at, text: rest.slice(0, -"<unfinished ...>".length) });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const start = resumed === null ? undefined : begun.get(thread);
    const call = parseCall(start === undefined ? rest : `${start.text}${resumed?.[1] ?? ""}`);
    if (call !== undefined) calls.push({ at: call.said === undefined ? at : (start?.at ?? at), call });
  }
  return calls.sort((a, b) => a.at - b.at).map(({ call }) => call);
}

function parseCall(text: string): SystemCall | undefined {
  const [, name, rest] = /^(\w+)\((.*)$/.exec(text) ?? [];
  if (name === undefined || rest === undefined || / = -1 E/.test(text)) return undefined;
  const quoted = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? "");
  const onDescriptor = /^(\d+)<([^>]*)>/.exec(rest);
  if (name === "write" && onDescriptor?.[1] === "1") {
    return { name, path: "", to: undefined, said: (quoted[0] ?? "").replace(/\\n$/, "") };
  }
  if (WRITES.has(name) || FORCES.has(name)) {
    // copy_file_range and sendfile name the source as well: the one written to is the second, the first.
    const target = name === "copy_file_range" ? /, (\d+)<([^>]*)>/.exec(rest) : onDescriptor;
    return { name, path: target?.[2] ?? "", to: undefined, said: undefined };
  }
  if (name.startsWith("rename")) return { name, path: quoted[0] ?? "", to: quoted[1], said: undefined };
  if (name === "openat" && !rest.includes("O_EXCL")) return undefined;
  return { name, path: quoted[0] ?? "", to: undefined, said: undefined };
}

/** Calls between `begin NAME` and `done NAME`. */
export function callsOf(calls: readonly SystemCall[], name: string): readonly SystemCall[] {
  const begin = calls.findIndex((call) => call.said === `begin ${name}`);
  const done = calls.findIndex((call) => call.said === `done ${name}`);
  if (begin < 0 || done < begin) throw new Error(`the trace has no whole ${name}`);
  return calls.slice(begin + 1, done);
}

/**
 * What breaks the law of durability, in words; none when it is kept: at each acknowledgement everything that was written
 * below `kept` has been forced to the disk, content and names; and nothing is renamed into place before its content was.
 */
export function breaches(calls: readonly SystemCall[], kept: (path: string) => boolean): readonly string[] {
  const breaches: string[] = [];
  const unforced = new Set<string>();
  const names = new Set<string>();
  for (const call of calls) {
    const { name, path, to, said } = call;
    if (said !== undefined) {
      if (!said.startsWith("done ")) continue;
      for (const file of unforced) if (kept(file)) breaches.push(`${said}: the content of ${file} was not forced`);
      for (const one of names) if (kept(one)) breaches.push(`${said}: the name ${one} was not forced`);
    } else if (WRITES.has(name)) {
      unforced.add(path);
    } else if (FORCES.has(name)) {
      unforced.delete(path);
      for (const one of names) if (dirname(one) === path) names.delete(one);
    } else if (to !== undefined) {
      if (unforced.delete(path)) breaches.push(`${path} was renamed to ${to} before its content was forced`);
      names.delete(path);
      names.add(to);
    } else if (name.startsWith("unlink")) {
      unforced.delete(path);
      names.delete(path);
    } else {
      names.add(path);
    }
  }
  return breaches;
}

/** The calls as short words, paths relative to `folder` and without what differs from run to run. */
export function outline(calls: readonly SystemCall[], folder: string): readonly string[] {
  const words: string[] = [];
  for (const { name, path, to } of calls) {
    const target = to ?? path;
    if (!target.startsWith(`${folder}/`)) continue;
    const place = target
      .slice(folder.length + 1)
      .replace(/documents\/tmp\/.*/, "documents/tmp/..")
      .replace(/documents\/[0-9a-f]{2}$/, "documents/..")
      .replace(/documents\/[0-9a-f]{2}\/.*/, "documents/../..")
      .replace(/\d{12}\.jsonl/, "..jsonl");
    const word = `${wordOf(name)} ${place}`;
    if (words.at(-1) !== word) words.push(word);
  }
  return words;
}

function wordOf(name: string): string {
  if (name === "ftruncate") return "truncate";
  if (WRITES.has(name)) return "write";
  if (FORCES.has(name)) return "force";
  if (name.startsWith("rename")) return "rename to";
  if (name.startsWith("unlink")) return "remove";
  return "make";
}

/** Places of the first such call and of the last, for comparisons of order; -1 when there is none. */
export function placesOf(words: readonly string[], word: string): { readonly first: number; readonly last: number } {
  return { first: words.indexOf(word), last: words.lastIndexOf(word) };
}

/** Everything whose loss would lose something acknowledged: not the database, not what is being made. */
export function isKept(folder: string, backup?: string): (path: string) => boolean {
  const areas = ["journal", "documents", "locks", "secrets", "secret-keys"].map((name) => join(folder, name));
  if (backup !== undefined) areas.push(backup);
  return (path) =>
    path === folder ||
    (areas.some((area) => path === area || path.startsWith(`${area}/`)) &&
      !path.startsWith(join(folder, "documents/tmp/")));
}
