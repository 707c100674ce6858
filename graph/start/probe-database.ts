/**
 * A program of its own: opens the database and says what it holds, before the owner opens it. Some damage makes
 * LadybugDB end the process that opens the file; then it is this one.
 */
import { writeSync } from "node:fs";
import { realFiles } from "../files.ts";
import { openLadybug } from "../ladybug.ts";
import { META } from "../statements/reads.ts";

const file = process.argv[2];
if (file === undefined) throw new Error("usage: probe-database FILE");
const database = await openLadybug(file, realFiles);
const [meta] = await database.read(META);
writeSync(1, `${JSON.stringify(meta ?? {})}\n`);
// Not even an orderly close: nothing may touch the file.
process.kill(process.pid, "SIGKILL");
