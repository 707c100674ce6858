import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { JournalRecord } from "../../graph/journal/record.ts";

/** What the journal of a data folder holds, as it lies on the disk, without opening it. */
export function journalRecords(dataFolder: string): readonly JournalRecord[] {
  const folder = join(dataFolder, "journal");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalRecord);
}
