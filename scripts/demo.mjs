// `npm run demo`: prepares the clone, then shows the main job on simulated devices. `-- --yes` answers every question,
// `-- --keep` leaves the data folder.
import { join } from "node:path";
import { run } from "./lib/run.mjs";
import { root, runCommand, setUp } from "./lib/setup.mjs";

await runCommand(async () => {
  // The demo starts a Temporal server of its own, whatever server this machine uses otherwise.
  delete process.env.TEMPORAL_ADDRESS;
  await setUp(["packages", "build", "temporal"]);
  return (await run(process.execPath, [join(root, "dist", "client", "demo", "main.js"), ...process.argv.slice(2)]))
    .code;
});
