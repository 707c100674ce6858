// Public YANG modules to compare with: four sets from PyPI, fetched when they are needed and never committed, and the
// modules that pyang brings along.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./run.mjs";
import { SetupError, root } from "./setup.mjs";

/** Source packages, by the number of modules and submodules that they hold. `quick` ones take seconds. */
const packages = [
  { name: "openconfig", package: "ydk-models-openconfig", version: "0.1.9", files: 120, quick: true },
  { name: "ietf", package: "ydk-models-ietf", version: "0.1.6", files: 29, quick: true },
  { name: "ios-xe", package: "ydk-models-cisco-ios-xe", version: "16.9.3.post1", files: 421, quick: false },
  { name: "ios-xr", package: "ydk-models-cisco-ios-xr", version: "6.6.3", files: 912, quick: false },
];

/** Names of all sets, in the order in which they are compared. */
export const setNames = [...packages.map(({ name }) => name), "pyang"];

const python = join(root, ".venv", "bin", "python");
const cache = join(root, ".cache", "yang-sets");

/**
 * The sets to compare, each `{ name, folder, files: [{ path, name, kind }] }` with the files sorted by path.
 *
 * `only`: "all", "quick", or the names wanted. `from`: a folder that holds the packages already, packed or unpacked;
 * without it they are fetched with pip and kept in .cache/. Throws a SetupError where a set cannot be had whole.
 */
export async function yangSets({ only, from }) {
  const unknown = Array.isArray(only) ? only.find((name) => !setNames.includes(name)) : undefined;
  if (unknown !== undefined) throw new SetupError(`There is no set ${unknown}; there are ${setNames.join(", ")}.`);
  const wanted = ({ name, quick }) => (Array.isArray(only) ? only.includes(name) : only === "all" || quick);
  const sets = [];
  for (const each of packages.filter(wanted)) {
    const folder = await packageFolder(each, from);
    const set = readSet(each.name, folder);
    if (set.files.length !== each.files)
      throw new SetupError(
        `${each.package} ${each.version} should hold ${each.files} modules, and ${folder} holds ${set.files.length}.\n` +
          `- A fetch may have been cut off: remove ${folder}, then run this again.`,
      );
    sets.push(set);
  }
  if (wanted({ name: "pyang", quick: true })) sets.push(readSet("pyang", await pyangFolder()));
  return sets;
}

async function packageFolder({ package: name, version }, from) {
  const label = `${name}-${version}`;
  const packed = `${label}.tar.gz`;
  if (from !== undefined) {
    if (existsSync(join(from, label))) return join(from, label);
    if (existsSync(join(from, packed))) return unpack(join(from, packed), label);
    throw new SetupError(`${from} holds neither ${label} nor ${packed}.`);
  }
  const folder = join(cache, label);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  process.stderr.write(`test:yang: fetching ${name} ${version} (pip download)\n`);
  const args = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"];
  const { code, text } = await run(python, ["-m", "pip", ...args, "--dest", cache, `${name}==${version}`], {
    output: "keep",
    cwd: root,
  });
  if (code !== 0 || !existsSync(join(cache, packed)))
    throw new SetupError(
      `${text.trimEnd().split("\n").slice(-12).join("\n")}\n\npip could not fetch ${name} ${version}.\n` +
        "- No network, or a mirror is needed: set PIP_INDEX_URL (or pip's own configuration), then run this again.\n" +
        `- Or fetch ${packed} elsewhere, and name its folder: npm run test:yang -- --sets DIR`,
    );
  const unpacked = await unpack(join(cache, packed), label);
  rmSync(join(cache, packed));
  return unpacked;
}

/** Unpacks beside the place and moves there at the end, so that a folder that exists is whole. */
async function unpack(archive, label) {
  const folder = join(cache, label);
  const partial = join(cache, `partial-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const { code, text } = await run("tar", ["-xzf", archive, "-C", partial], { output: "keep" });
  if (code !== 0) throw new SetupError(`${text}\ntar could not unpack ${archive}.`);
  renameSync(join(partial, label), folder);
  rmSync(partial, { recursive: true, force: true });
  return folder;
}

/** Where the installed pyang keeps its modules. */
async function pyangFolder() {
  const folder = join(root, ".venv", "share", "yang", "modules");
  if (existsSync(folder)) return folder;
  throw new SetupError(`The modules that pyang brings along are not in ${folder}: is it another version of pyang?`);
}

function readSet(name, folder) {
  const paths = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(".yang"))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
    .sort();
  return { name, folder, files: paths.map((path) => ({ path, ...headOf(path) })) };
}

/** Name and kind as the text has them, read without any of the compilers that are compared. */
function headOf(path) {
  const text = readFileSync(path, "utf8").replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
  const [, kind, name] = /^\s*(module|submodule)\s+["']?([\w.-]+)/.exec(text) ?? [];
  return { name: name ?? basename(path).replace(/(@.*)?\.yang$/, ""), kind: kind ?? "module" };
}
