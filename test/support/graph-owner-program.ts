/** Opens the store of a folder, says so, and holds it until it is killed. */
import { openStore } from "../../graph/store.ts";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: graph-owner-program FOLDER");
const store = await openStore({ dataFolder: folder });
await store.announce("http://127.0.0.1:1");
process.stdout.write(`open ${process.pid}\n`);
setInterval(() => undefined, 60_000);
