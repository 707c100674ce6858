/**
 * Takes one delivery and dies, by its own SIGKILL, at the moment at which its record is on the disk and the graph knows
 * nothing of it yet.
 */
import { writeSync } from "node:fs";
import { openStore } from "../../graph/store.ts";
import { DELIVERIES, isDeliveryName } from "./graph-deliveries.ts";
import { watchedFiles } from "./graph-watched-files.ts";

const [, , folder, name] = process.argv;
if (folder === undefined || !isDeliveryName(name)) throw new Error("usage: graph-delivery-program FOLDER WRITE");

let armed = false;
const files = watchedFiles({
  before: () => undefined,
  after: ({ what, path }) => {
    if (!armed || what !== "sync" || !/journal.*\.jsonl$/.test(path)) return;
    writeSync(1, "journalled\n");
    process.kill(process.pid, "SIGKILL");
  },
});
const store = await openStore({ dataFolder: folder, files });
await DELIVERIES[name].prepare(store);
armed = true;
await DELIVERIES[name].deliver(store);
throw new Error("the delivery was acknowledged, although nothing was to survive its record");
