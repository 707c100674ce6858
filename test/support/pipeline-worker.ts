/**
 * The worker of the pipeline as a process that a test may kill at any moment: everything of the product, in the role
 * `all`, on the data folder and the Temporal server of its arguments. It ends with whoever started it.
 */
import { parseArgs } from "node:util";
import { runWorker } from "../../worker/run-worker.ts";
import { crashingFiles } from "./pipeline-crashing-files.ts";
import type { FromWorker, ToWorker } from "./pipeline-messages.ts";

const { values } = parseArgs({ options: { folder: { type: "string" }, temporal: { type: "string" } } });
const { folder, temporal } = values;
if (folder === undefined || temporal === undefined)
  throw new Error("usage: pipeline-worker --folder F --temporal HOST:PORT");

const files = crashingFiles();
const worker = await runWorker({
  role: "all",
  dataFolder: folder,
  temporal: { address: temporal, ui: undefined },
  files,
});

function tell(message: FromWorker): void {
  process.send?.(message);
}

process.on("SIGTERM", () => {
  worker.shutdown();
});
// Nobody is left to kill or restart it.
process.on("disconnect", () => process.exit(1));
process.on("message", (message: ToWorker) => {
  switch (message.kind) {
    case "arm":
      files.arm(message.crash);
      break;
    case "count":
      break;
  }
  tell({ kind: "appends", list: files.appends() });
});
tell({ kind: "ready" });
await worker.ended;
process.exit(0);
