// The test commands. Prepares the clone, runs vitest, and ends with `N passed, N failed, N skipped`.
//
//   npm test              all that this machine can run      npm test -- FILE..   only these files
//   npm run test:quick    pure code and small units           npm run test:peers   against real servers
//   npm run test:crash    kill -9 at every point, power cuts, full disks; `npm test` takes a few of them
import { join } from "node:path";
import { run } from "./lib/run.mjs";
import { root, runCommand, setUp } from "./lib/setup.mjs";

const kinds = {
  all: { projects: ["unit", "integration", "crash", "peers"], needs: ["temporal", "tests", "yang"] },
  quick: { projects: ["unit"], needs: [] },
  peers: { projects: ["peers"], needs: ["temporal", "tests", "yang"] },
  crash: { projects: ["crash"], needs: ["temporal"], env: { TENURE_CRASH_POINTS: "all" } },
};

const [first, ...others] = process.argv.slice(2);
const named = Object.hasOwn(kinds, first ?? "");
const kind = kinds[named ? first : "all"];
const vitestArgs = named || first === undefined ? others : [first, ...others];

await runCommand(async () => {
  await setUp(["packages", "build", ...kind.needs]);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const projects = kind.projects.flatMap((project) => ["--project", project]);
  const { code } = await run(process.execPath, [vitest, "run", ...projects, ...vitestArgs], {
    cwd: root,
    env: { ...kind.env, ...process.env },
  });
  return code;
});
