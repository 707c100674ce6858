// Our schema against yanglint's, node by node: kind, config, type with its restrictions, keys and their order,
// ordered-by, default, mandatory, presence, min- and max-elements; of data, operations and notifications.
//
// yanglint loads all modules of a set or none, so those that it refuses are taken out, with all that import them, until
// it loads the rest; they are listed with its reasons. A difference needs an entry in yanglint-exceptions.json with the
// RFC section that makes ours right; an entry without a difference is a failure too.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { schemaFacts } from "./schema-facts.mjs";
import { infoReader } from "./yanglint-info.mjs";

const here = import.meta.dirname;
const SHOWN = 20;

/**
 * `set` is `{ name, folder, files: [{ path, name, kind }] }`. `compile` takes sources and the names of the modules to
 * implement and gives a schema or throws; without it the built compiler is taken.
 * Gives `{ passed, failed, skipped, lines }`: a module passed when all its nodes are equal or excepted; those that
 * yanglint refuses are skipped. Where yanglint is not installed everything is skipped, and fails under CI=true.
 */
export async function compareWithYanglint(set, { compile = compileBuilt } = {}) {
  if (spawnSync("yanglint", ["--version"]).status !== 0) {
    const line = "yanglint is not installed (Debian and Ubuntu: apt-get install libyang2-tools)";
    const fails = process.env.CI === "true";
    return { passed: 0, failed: fails ? 1 : 0, skipped: fails ? 0 : 1, lines: [line] };
  }
  const folder = mkdtempSync(join(tmpdir(), "yanglint-"));
  try {
    for (const { path } of set.files) cpSync(path, join(folder, basename(path)));
    const { loaded, refused } = loadable(set, folder);
    const theirs = await printed(loaded, folder);
    const sources = set.files.map(({ path }) => ({ name: basename(path), text: readFileSync(path, "utf8") }));
    const names = loaded.map(({ name }) => name);
    const ours = schemaFacts(await compile(sources, names), names);
    return judge(set, { names, refused, ours, theirs });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compileBuilt(sources, names) {
  const { compileYang } = await import(join(here, "..", "..", "dist", "model", "yang", "compile-yang.js"));
  const { formatDiagnostic } = await import(join(here, "..", "..", "dist", "model", "diagnostic.js"));
  const implement = names.map((name) => ({ name }));
  const result = compileYang(sources, { implement, features: "all" });
  if (result.kind === "ok") return result.value;
  throw new Error(result.diagnostics.map(formatDiagnostic).join("\n"));
}

/** The modules of the set that yanglint loads together, and the others with the reason. */
function loadable(set, folder) {
  const texts = new Map(set.files.map((file) => [file.name, readFileSync(file.path, "utf8")]));
  let loaded = set.files.filter(({ kind }) => kind === "module");
  const refused = [];
  for (;;) {
    const answer = load(loaded, folder);
    if (answer.status === 0) return { loaded, refused };
    // The first name is that of the module in which the reason lies; others were on the way to it.
    const names = [...answer.stderr.matchAll(/Parsing (?:schema )?module "([^"]+?)(?:@[^"]*)?(?:\.yang)?" failed/g)];
    const guilty = names.map(([, name]) => name).find((name) => loaded.some((each) => each.name === name));
    const asked = names.at(-1)?.[1];
    const root = guilty ?? asked;
    if (root === undefined || !loaded.some(({ name }) => name === asked || name === root))
      throw new Error(`yanglint fails on the set ${set.name}, and does not say by which module:\n${answer.stderr}`);
    const reason = /libyang err : (.*)/.exec(answer.stderr)?.[1] ?? "no reason given";
    const out = new Set([root, asked]);
    for (let size = 0; size < out.size; ) {
      size = out.size;
      for (const { name } of loaded) if ([...out].some((each) => imports(texts.get(name) ?? "", each))) out.add(name);
    }
    for (const { name } of loaded)
      if (out.has(name)) refused.push({ name, reason: name === root ? reason : `imports ${root}` });
    loaded = loaded.filter(({ name }) => !out.has(name));
  }
}

function imports(text, name) {
  return new RegExp(`\\bimport\\s+["']?${name.replaceAll(".", "\\.")}["']?\\s*\\{`).test(text);
}

function load(modules, folder) {
  const args = ["-Q", ...loading(modules)];
  return spawnSync("yanglint", args, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Everything implemented, with all features: by itself yanglint switches those of modules off that others imported first. */
function loading(modules) {
  const features = modules.flatMap(({ name }) => ["-F", `${name}:*`]);
  return ["-i", "-i", ...features, ...modules.map(({ path }) => basename(path))];
}

/** What yanglint prints of the modules, read as it comes. */
async function printed(modules, folder) {
  const child = spawn("yanglint", ["-Q", "-Q", "-f", "info", ...loading(modules)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  const reader = infoReader();
  for await (const line of createInterface({ input: child.stdout })) reader.line(line);
  if ((await ended) !== 0) throw new Error("yanglint loads the modules and does not print them");
  return reader.end();
}

function judge(set, { names, refused, ours, theirs }) {
  const exceptions = JSON.parse(readFileSync(join(here, "yanglint-exceptions.json"), "utf8")).filter(
    (each) => each.set === set.name,
  );
  const used = new Set();
  const differing = new Map();
  let excepted = 0;
  for (const difference of differences(ours, theirs)) {
    const exception = exceptions.find((each) => explains(each, difference));
    if (exception !== undefined) {
      used.add(exception);
      excepted += 1;
      continue;
    }
    const module = difference.path.slice(1, difference.path.indexOf(":"));
    differing.set(module, [...(differing.get(module) ?? []), difference]);
  }
  const lines = [
    `${names.length} modules compared, ${ours.length} nodes (yanglint ${theirs.length}), ` +
      `${excepted} differences excepted, ${[...differing.values()].flat().length} not`,
  ];
  for (const each of exceptions) {
    if (used.has(each))
      lines.push(`excepted: ${each.path} ${each.property}: RFC 7950 section ${each.section}: ${each.because}`);
    else lines.push(`FAILED an exception explains nothing: ${each.path} ${each.property}`);
  }
  for (const { name, reason } of refused) lines.push(`yanglint refuses ${name}: ${reason}`);
  for (const each of [...differing.values()].flat().slice(0, SHOWN))
    lines.push(`FAILED ${each.path} ${each.property}: ours ${each.ours ?? "-"}, yanglint ${each.theirs ?? "-"}`);
  const stale = exceptions.filter((each) => !used.has(each)).length;
  return { passed: names.length - differing.size, failed: differing.size + stale, skipped: refused.length, lines };
}

function explains(exception, { path, property }) {
  return exception.property === property && new RegExp(`^(?:${exception.path})$`).test(path);
}

/** Nodes of one path on both sides; two modules may have given a parent nodes of one name, so there can be several. */
function* differences(ours, theirs) {
  const [left, right] = [byPath(ours), byPath(theirs)];
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const [here, there] = [left.get(path) ?? [], right.get(path) ?? []];
    if (here.length !== there.length) {
      yield { path, property: "node", ours: `${here.length} nodes`, theirs: `${there.length} nodes` };
      continue;
    }
    for (const [index, facts] of here.entries()) {
      const other = there[index];
      for (const property of new Set([...Object.keys(facts), ...Object.keys(other)])) {
        if (facts[property] !== other[property])
          yield { path, property, ours: facts[property], theirs: other[property] };
      }
    }
  }
}

function byPath(nodes) {
  const found = new Map();
  for (const { path, facts } of nodes) {
    const list = found.get(path);
    if (list === undefined) found.set(path, [facts]);
    else list.push(facts);
  }
  for (const list of found.values())
    if (list.length > 1) list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return found;
}

/** What is wrong with the list of exceptions itself. */
export function faultyYanglintExceptions() {
  const file = join(here, "yanglint-exceptions.json");
  if (!existsSync(file)) return ["there is no yanglint-exceptions.json"];
  return JSON.parse(readFileSync(file, "utf8")).flatMap((each) =>
    /^\d+(\.\d+)*$/.test(each.section ?? "") && (each.because ?? "") !== ""
      ? []
      : [`${each.path} ${each.property} names no section of RFC 7950 and no reason`],
  );
}
