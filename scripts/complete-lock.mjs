// Completes package-lock.json so that `npm ci` accepts it on every system.
//
// A registry mirror need not hold the native packages of systems it never serves. npm then leaves such optional
// packages out when it writes the lock, and `npm ci` afterwards refuses the lock for lacking them (EUSAGE). This script
// adds an entry for each optional package that the lock names but does not hold, limited to its own system, so nobody
// tries to install it elsewhere. It also removes `resolved` addresses: which registry to use is the machine's
// setting, not the project's.
//
//   node scripts/complete-lock.mjs           rewrite the lock where needed (run it after every `npm install`)
//   node scripts/complete-lock.mjs --check   change nothing; exit 1 and say what is missing
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inspectLock } from "./lib/lock-file.mjs";

const lockPath = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(lockPath, "utf8"));
const { findings, completed } = inspectLock(lock);

if (findings.length === 0) {
  process.stderr.write("package-lock.json is complete\n");
} else if (process.argv.includes("--check")) {
  for (const finding of findings) process.stderr.write(`package-lock.json: ${finding}\n`);
  process.stderr.write("run: node scripts/complete-lock.mjs\n");
  process.exitCode = 1;
} else {
  writeFileSync(lockPath, `${JSON.stringify(completed, null, 2)}\n`);
  for (const finding of findings) process.stderr.write(`package-lock.json, mended: ${finding}\n`);
}
