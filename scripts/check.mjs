// `npm run check`: everything that holds the code's form, cheapest first. Stops at the first part that fails.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sourceFolders } from "./lib/layers.mjs";
import { run } from "./lib/run.mjs";
import { root, runCommand, setUp } from "./lib/setup.mjs";

const program = (...path) => join(root, "node_modules", ...path);
const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));

const parts = [
  ["format", program("@biomejs", "biome", "bin", "biome"), "format"],
  ["types", program("typescript", "bin", "tsc"), "-b"],
  ["lint", program("eslint", "bin", "eslint.js"), "--max-warnings", "0", "."],
  [
    "import table",
    program("dependency-cruiser", "bin", "dependency-cruise.mjs"),
    ...["--config", ".dependency-cruiser.mjs", "--output-type", "err-long", ...folders],
  ],
  ["probes that must fail", program("vitest", "vitest.mjs"), "run", "--project", "broken"],
  ["lock file", join(root, "scripts", "complete-lock.mjs"), "--check"],
];

await runCommand(async () => {
  await setUp(["packages"]);
  const started = Date.now();
  for (const [name, ...command] of parts) {
    const start = Date.now();
    const { code } = await run(process.execPath, command, { cwd: root });
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    process.stderr.write(`check: ${name}: ${code === 0 ? "passed" : "FAILED"} (${seconds} s)\n`);
    if (code !== 0) return code;
  }
  process.stderr.write(`check: all passed (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
  return 0;
});
