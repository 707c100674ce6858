// What a lock file must hold so that `npm ci` accepts it everywhere: pure, used by complete-lock.mjs and its test.

const systems = ["darwin", "linux", "win32", "freebsd", "android"];
const processors = ["x64", "arm64", "arm", "ia32", "ppc64", "s390x", "riscv64"];

/**
 * Compares a parsed lock file (version 3) with what `npm ci` and the project need.
 *
 * Returns one sentence for each finding and the completed lock; `completed` equals `lock` when there is none.
 */
export function inspectLock(lock) {
  const findings = [];
  const packages = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    const { resolved, ...rest } = entry;
    if (resolved === undefined || entry.link === true) {
      packages[path] = entry;
    } else {
      findings.push(`${path} names a registry address`);
      packages[path] = rest;
    }
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (holds(packages, path, name)) continue;
      const { os, cpu } = systemOf(name);
      const version = /\d+\.\d+\.\d+\S*/.exec(range)?.[0];
      if (version === undefined) throw new Error(`${path}: cannot tell a version of ${name} from ${range}`);
      packages[`node_modules/${name}`] = {
        // In the order in which npm writes them, so that a later `npm install` leaves the file alone.
        version,
        ...(cpu === undefined ? {} : { cpu }),
        ...(entry.dev === true ? { dev: true } : {}),
        optional: true,
        os,
      };
      findings.push(`${name} ${version} (optional, of ${path}) is missing`);
    }
  }
  if (findings.length === 0) return { findings, completed: lock };
  const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
  return { findings, completed: { ...lock, packages: sorted } };
}

/** True when Node, asked for `name` from the package at `path`, finds an entry in its folder or one further up. */
function holds(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    if (packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === "") return false;
  }
}

/** Native packages say in their name which system they are for. One that does not must be looked at by a person. */
function systemOf(name) {
  const words = name.split(/[-/]/);
  const os = systems.find((system) => words.includes(system)) ?? (words.includes("windows") ? "win32" : undefined);
  if (os === undefined) throw new Error(`cannot tell from its name for which system ${name} is`);
  const cpu = processors.find((processor) => words.includes(processor));
  return { os: [os], cpu: cpu === undefined ? undefined : [cpu] };
}
