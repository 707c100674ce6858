// Compiles and bundles when sources have changed: `npm run build`, and `prepare` at the end of `npm ci`.
import { build, runCommand } from "./lib/setup.mjs";

await runCommand(async () => {
  await build();
  return 0;
});
