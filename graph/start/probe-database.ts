/**
 * A program of its own: opens the database and says what it holds, before the owner opens it. Some damage makes
 * LadybugDB end the process that opens the file; then it is this one.
 */
import { writeSync } from "node:fs";
import { realFiles } from "../files.ts";
import { openLadybug } from "../ladybug.ts";
import { MODEL } from "../schema/migrations.ts";
import { META, META_OF_ANY_MODEL } from "../statements/reads.ts";

const file = process.argv[2];
if (file === undefined) throw new Error("usage: probe-database FILE");
const database = await openLadybug(file, realFiles);
const [any] = await database.read(META_OF_ANY_MODEL);
const [meta] = any?.["model"] === MODEL ? await database.read(META) : [any];
writeSync(1, `${JSON.stringify(meta ?? {})}\n`);
// Not even an orderly close: nothing may touch the file.
process.kill(process.pid, "SIGKILL");
