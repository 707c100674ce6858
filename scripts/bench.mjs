// `npm run bench`: how fast, beside programs that others made. Without a name it lists the benches.
import { dirname, join } from "node:path";
import { run } from "./lib/run.mjs";
import { SetupError, root, runCommand, setUp } from "./lib/setup.mjs";
import { yangSets } from "./lib/yang-sets.mjs";

await runCommand(async () => {
  const args = process.argv.slice(2);
  await setUp(["packages"]);
  const inputs = needsPublicModules(args) ? await publicModules() : [];
  const command = ["--import", "tsx", join(root, "bench", "main.ts"), ...args, ...inputs];
  return (await run(process.execPath, command, { cwd: root })).code;
});

/** Only the part `compile` of bench `model` looks at modules of others. */
function needsPublicModules(args) {
  if (!args.includes("model")) return false;
  const parts = args.flatMap((arg, index) =>
    arg === "--part" ? [args[index + 1]] : arg.startsWith("--part=") ? [arg.slice(7)] : [],
  );
  return parts.length === 0 || parts.includes("compile");
}

/** Where they are. That they cannot be had makes some figures missing, and is no reason not to measure the others. */
async function publicModules() {
  try {
    await setUp(["yang"]);
    const pyang = join(root, ".venv", "bin", "pyang");
    const [set] = await yangSets({ only: ["openconfig"] });
    return ["--openconfig", dirname(set.files[0].path), "--pyang", pyang];
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return ["--missing", error.message.trim().split("\n").at(-1)];
  }
}
