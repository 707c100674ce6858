// The test commands. Prepares the clone, runs vitest, and ends with `N passed, N failed, N skipped`.
//
//   npm test              all that this machine can run      npm test -- FILE..   only these files
//   npm run test:quick    pure code and small units           npm run test:peers   against real servers
//   npm run test:crash    kill -9 at every point; `npm test` takes a few of them
import { join } from "node:path";
import { missingPeers } from "./lib/peers.mjs";
import { run } from "./lib/run.mjs";
import { root, runCommand, setUp } from "./lib/setup.mjs";

const kinds = {
  all: { projects: ["unit", "integration", "crash"], peers: true, needs: ["temporal", "tests"] },
  quick: { projects: ["unit"], peers: false, needs: [] },
  peers: { projects: [], peers: true, needs: ["temporal", "tests"] },
  crash: { projects: ["crash"], peers: false, needs: ["temporal"], env: { TENURE_CRASH_POINTS: "all" } },
};

const [first, ...others] = process.argv.slice(2);
const named = Object.hasOwn(kinds, first ?? "");
const kind = kinds[named ? first : "all"];
const vitestArgs = named || first === undefined ? others : [first, ...others];

await runCommand(async () => {
  await setUp(["packages", "build", ...kind.needs]);
  const absent = kind.peers ? missingPeers() : undefined;
  const projects = [...kind.projects, ...(kind.peers && absent === undefined ? ["peers"] : [])];
  const mustHavePeers = absent !== undefined && process.env.CI === "true";
  if (projects.length === 0) {
    process.stdout.write(`${mustHavePeers ? "failed" : "skipped"}: ${absent}\n`);
    process.stdout.write(mustHavePeers ? "0 passed, 1 failed, 0 skipped\n" : "0 passed, 0 failed, 1 skipped\n");
    return mustHavePeers ? 1 : 0;
  }
  const { code } = await run(
    process.execPath,
    [
      join(root, "node_modules", "vitest", "vitest.mjs"),
      "run",
      ...projects.flatMap((project) => ["--project", project]),
      ...vitestArgs,
    ],
    {
      cwd: root,
      env: {
        ...kind.env,
        ...process.env,
        // Read by the reporter, which prints it and counts it.
        ...(absent === undefined ? {} : { [mustHavePeers ? "TENURE_FAILED_PART" : "TENURE_SKIPPED_PART"]: absent }),
      },
    },
  );
  return mustHavePeers ? Math.max(code, 1) : code;
});
