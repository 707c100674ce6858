/** The order of durable steps as the system saw it. SIGKILL proves nothing of it: the system's memory survives that. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import {
  type SystemCall,
  TRACED,
  breaches,
  callsOf,
  isKept,
  outline,
  placesOf,
  readTrace,
} from "../support/graph-system-calls.ts";
import { describePeer } from "../support/peer-suite.ts";

const strace = spawnSync("strace", ["-V"]);
const missing = strace.status === 0 ? undefined : "needs strace to look at system calls";

/** Runs the program under the tracer; the trace of a program that failed is worth nothing. */
function trace(): { readonly folder: string; readonly calls: readonly SystemCall[] } {
  const base = mkdtempSync(join(tmpdir(), "tenure-traced-"));
  try {
    const folder = join(base, "data");
    const out = join(base, "trace");
    const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const program = fileURLToPath(new URL("../support/graph-traced-program.ts", import.meta.url));
    const command = [process.execPath, "--import", loader, program, folder];
    const run = spawnSync("strace", ["-f", "-y", "-s", "300", "-e", `trace=${TRACED}`, "-o", out, ...command], {
      encoding: "utf8",
      timeout: 100_000,
    });
    expect(run.status, run.stderr).toBe(0);
    return { folder, calls: readTrace(readFileSync(out, "utf8")) };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

describePeer("the order of durable steps in system calls", missing, () => {
  let folder = "";
  let calls: readonly SystemCall[] = [];
  const words = (step: string) => outline(callsOf(calls, step), folder);

  beforeAll(() => {
    ({ folder, calls } = trace());
  }, 120_000);

  test("whatever was acknowledged had been forced to the disk, content and names, and nothing is renamed unforced", () => {
    expect(calls.filter((call) => call.said?.startsWith("done ")).length).toBeGreaterThanOrEqual(6);
    expect(breaches(calls, isKept(folder, `${folder}-backup`))).toEqual([]);
  });

  test("a commit: the document, then the record, then the graph, then the acknowledgement", () => {
    const order = words("commit");
    const steps = [
      placesOf(order, "write documents/tmp/..").first,
      placesOf(order, "force documents/tmp/..").first,
      placesOf(order, "rename to documents/../..").first,
      placesOf(order, "force documents/..").last,
      placesOf(order, "write journal/..jsonl").first,
      placesOf(order, "force journal/..jsonl").last,
      placesOf(order, "write graph/graph.lbug.wal").first,
      placesOf(order, "force graph/graph.lbug.wal").first,
    ];
    expect(steps, order.join("\n")).not.toContain(-1);
    expect(steps, order.join("\n")).toEqual([...steps].sort((a, b) => a - b));
  });

  test("the name of a new segment is forced before a record is written into it", () => {
    const order = words("commit");
    const made = placesOf(order, "make journal/..jsonl").first;
    const forced = order.indexOf("force journal", made);
    expect(made, order.join("\n")).toBeGreaterThanOrEqual(0);
    expect(forced).toBeGreaterThan(made);
    expect(placesOf(order, "write journal/..jsonl").first).toBeGreaterThan(forced);
  });

  test("a checkpoint: both files are copied and forced, then their names, and only then is the log folded", () => {
    const order = words("commit");
    const kept = "graph/graph.lbug.before";
    const steps = [
      placesOf(order, `write ${kept}.wal`).first,
      placesOf(order, `force ${kept}.wal`).last,
      placesOf(order, `write ${kept}.tmp`).first,
      placesOf(order, `force ${kept}.tmp`).last,
      placesOf(order, `rename to ${kept}`).first,
      order.indexOf("force graph", placesOf(order, `rename to ${kept}`).first),
      placesOf(order, "rename to graph/graph.lbug.wal.checkpoint").first,
      placesOf(order, "remove graph/graph.lbug.wal.checkpoint").first,
      placesOf(order, `remove ${kept}`).last,
    ];
    expect(steps, order.join("\n")).not.toContain(-1);
    expect(steps, order.join("\n")).toEqual([...steps].sort((a, b) => a - b));
  });

  test("a rebuild: the fresh file is forced before it takes the place of the old one, and its name afterwards", () => {
    const order = words("rebuild");
    const steps = [
      placesOf(order, "write graph/rebuild/graph.lbug").last,
      placesOf(order, "force graph/rebuild/graph.lbug").last,
      placesOf(order, "rename to graph/graph.lbug").first,
      placesOf(order, "force graph").last,
    ];
    expect(steps, order.join("\n")).not.toContain(-1);
    expect(steps, order.join("\n")).toEqual([...steps].sort((a, b) => a - b));
  });

  test("a prune: the snapshot's documents, then both records, and only then are segments removed", () => {
    const order = words("prune");
    const removed = placesOf(order, "remove journal/..jsonl").first;
    const records = order.slice(0, removed);
    expect(removed, order.join("\n")).toBeGreaterThan(0);
    const steps = [
      placesOf(records, "rename to documents/../..").last,
      placesOf(records, "force documents/..").last,
      placesOf(records, "write journal/..jsonl").first,
      placesOf(records, "write journal/..jsonl").last,
      placesOf(records, "force journal/..jsonl").last,
    ];
    expect(steps, order.join("\n")).not.toContain(-1);
    expect(steps, order.join("\n")).toEqual([...steps].sort((a, b) => a - b));
    expect(records.filter((word) => word === "write journal/..jsonl")).toHaveLength(2);
  });

  test("a lock: its line is forced before anybody hears of it", () => {
    expect(words("lock")).toEqual(["write locks/locks.jsonl", "force locks/locks.jsonl"]);
  });
});

test("the reader of traces finds each breach", () => {
  const found = (...lines: string[]) => breaches(readTrace(lines.join("\n")), isKept("/d"));
  const write = '7 pwrite64(5</d/journal/1.jsonl>, "x", 1, 0) = 1';
  const force = "7 fsync(5</d/journal/1.jsonl>) = 0";
  const done = '8 write(1<pipe:[1]>, "done it\\n", 8) = 8';
  expect(found(write, force, done)).toEqual([]);
  expect(found(write, done)).toEqual(["done it: the content of /d/journal/1.jsonl was not forced"]);
  // Begun in time, ended too late.
  expect(
    found(write, "7 fsync(5</d/journal/1.jsonl> <unfinished ...>", done, "7 <... fsync resumed>) = 0"),
  ).toHaveLength(1);
  expect(found(write, force.replace("= 0", "= -1 EIO (Input/output error)"), done)).toHaveLength(1);
  expect(found('7 mkdir("/d/journal", 0700) = 0', done)).toEqual(["done it: the name /d/journal was not forced"]);
  expect(found('7 mkdir("/d/journal", 0700) = 0', "7 fsync(6</d>) = 0", done)).toEqual([]);
  expect(
    found(
      '7 pwrite64(5</d/documents/tmp/1>, "x", 1, 0) = 1',
      '7 rename("/d/documents/tmp/1", "/d/documents/ab/c") = 0',
    ),
  ).toHaveLength(1);
});
