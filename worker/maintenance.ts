import { type GraphStore, openStore } from "../graph/store.ts";
import { isStoreError } from "../graph/store-error.ts";
import { defaultDataFolder } from "../runtime/paths.ts";

/** What a maintenance program found: for programs, for people, and whether all is well. */
export interface MaintenanceReport {
  readonly value: object;
  readonly text: string;
  readonly verdict: "sound" | "unsound";
}

/**
 * Opens the data folder as its owner (refused while another process owns it), lets `work` look and repair, and prints
 * what it found: one JSON object with `--json` among the arguments. Sets the exit code of the process: 0 or 1.
 */
export async function runMaintenance(work: (store: GraphStore) => Promise<MaintenanceReport>): Promise<void> {
  const isJson = process.argv.includes("--json");
  try {
    const store = await openStore({
      dataFolder: defaultDataFolder(),
      report: (event) => {
        if (!isJson) process.stderr.write(`${JSON.stringify(event)}\n`);
      },
    });
    try {
      const report = await work(store);
      process.stdout.write(isJson ? `${JSON.stringify(report.value)}\n` : `${report.text}\n`);
      process.exitCode = report.verdict === "sound" ? 0 : 1;
    } finally {
      await store.close();
    }
  } catch (error) {
    process.exitCode = 1;
    const code = isStoreError(error) ? error.code : "internal";
    const message = error instanceof Error ? error.message : String(error);
    const remedy = code === "already-open" ? "stop the Tenure that owns the folder first" : undefined;
    process.stderr.write(
      isJson
        ? `${JSON.stringify({ code, message, remedy })}\n`
        : `error: ${message}\n${remedy === undefined ? "" : `try: ${remedy}\n`}`,
    );
  }
}
