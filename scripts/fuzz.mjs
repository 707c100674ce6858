// npm run fuzz: hostile texts for the readers of XML, JSON and YANG, for a bounded time.
//
//   npm run fuzz                                  60 s, divided among the targets
//   npm run fuzz -- --seconds 600 --seed 7        longer, and the same texts as any other run with that seed
//   npm run fuzz -- --target json                 one target (may be repeated)
//   npm run fuzz -- --target json --seed 7 --iteration 1234     one text again
//
// A finding (a crash, too long or too much memory for one text, data lost on the way) is saved in .cache/fuzz with its
// seed and iteration, and makes the run fail. Ends with `N passed, N failed, N skipped`.
import { join } from "node:path";
import { run } from "./lib/run.mjs";
import { root, runCommand, setUp } from "./lib/setup.mjs";

await runCommand(async () => {
  await setUp(["packages"]);
  const program = join(root, "test", "fuzz", "main.ts");
  const findings = join(root, ".cache", "fuzz");
  const args = ["--import", "tsx", program, "--findings", findings, ...process.argv.slice(2)];
  return (await run(process.execPath, args, { cwd: root })).code;
});
