/**
 * The expected tree diagrams of our own modules, asked again of the command line of pyang: a file that somebody changed
 * by hand to suit our compiler fails here. `npm run test:yang` does the same for public modules.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { DIAGRAM_CASES, DIAGRAM_MODULES } from "../support/tree-diagrams.ts";

const pyang = fileURLToPath(new URL("../../.venv/bin/pyang", import.meta.url));
const missing = existsSync(pyang) ? undefined : "pyang is not in .venv (npm run test:peers puts it there)";

describePeer("pyang draws the expected tree diagrams", missing, () => {
  let empty = "";
  beforeAll(() => {
    empty = mkdtempSync(join(tmpdir(), "tenure-pyang-"));
  });
  afterAll(() => {
    rmSync(empty, { recursive: true });
  });

  it.each(DIAGRAM_CASES)("of $title", ({ modules, file }) => {
    const files = modules.map((name) => join(DIAGRAM_MODULES, `${name}.yang`));
    // Its own modules stay out of the search path.
    const env = { ...process.env, HOME: empty, YANG_INSTALL: empty, YANG_MODPATH: "" };
    const ran = spawnSync(pyang, ["-f", "tree", "-p", DIAGRAM_MODULES, ...files], { encoding: "utf8", env });
    expect({ complaints: ran.stderr, status: ran.status }).toEqual({ complaints: "", status: 0 });
    expect(ran.stdout).toBe(readFileSync(file, "utf8"));
  });
});
