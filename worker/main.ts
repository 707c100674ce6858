/**
 * One worker process: `main.js --role graph|devices|workflows|all`. Temporal's address comes in TENURE_TEMPORAL_ADDRESS
 * (set by `tenure up`) or TEMPORAL_ADDRESS. Ends with 0 after SIGTERM or SIGINT, with 1 and a reason otherwise.
 */
import { parseArgs } from "node:util";
import { isStoreError } from "../graph/store-error.ts";
import { defaultDataFolder } from "../runtime/paths.ts";
import { readConfig } from "./config.ts";
import { ROLES, type Role, runWorker } from "./run-worker.ts";

const { values } = parseArgs({ options: { role: { type: "string", default: "all" } } });

function roleOf(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role !== undefined) return role;
  process.stderr.write(`unknown role ${text}; expected ${ROLES.join(", ")}\n`);
  process.exit(2);
}

const address =
  process.env["TENURE_TEMPORAL_ADDRESS"] ??
  process.env["TEMPORAL_ADDRESS"] ??
  (await readConfig(defaultDataFolder())).temporal.address;
if (address === undefined || address === "") {
  process.stderr.write(
    "no Temporal address: set TEMPORAL_ADDRESS or temporal.address in config.yaml, or use `tenure up`, which brings its own server\n",
  );
  process.exit(2);
}

try {
  const worker = await runWorker({
    role: roleOf(values.role),
    dataFolder: defaultDataFolder(),
    temporal: { address, ui: process.env["TENURE_TEMPORAL_UI"] },
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => worker.shutdown());
  // Our supervisor is gone, however it ended: nobody would start or stop us any more.
  process.on("disconnect", () => worker.shutdown());
  if (process.send !== undefined) process.send({ ready: true, api: worker.api });
  await worker.ended;
  process.exit(0);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`tenure worker: ${message}\n`);
  // A second opener cannot help itself by trying again.
  process.exit(isStoreError(error, "already-open") ? 3 : 1);
}
