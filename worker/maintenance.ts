import { type StoreErrorDetails, isStoreError } from "../graph/store-error.ts";
import { type GraphStore, openStore } from "../graph/store.ts";
import { defaultDataFolder } from "../runtime/paths.ts";

/** What a maintenance program found: for programs, for people, and whether all is well. */
export interface MaintenanceReport {
  readonly value: object;
  readonly text: string;
  readonly verdict: "sound" | "unsound";
}

const isJson = process.argv.includes("--json");

/** The arguments of the program without its options. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2).filter((each) => !each.startsWith("--"));
}

/**
 * Opens the data folder as its owner (refused while another process owns it), lets `work` look and repair, and prints
 * what it found as `runReported` does.
 */
export async function runMaintenance(work: (store: GraphStore) => Promise<MaintenanceReport>): Promise<void> {
  await runReported(() => withStore(work));
}

/** Runs `work` on the store of the data folder, which this process owns meanwhile; repairs are told on standard error. */
export async function withStore<T>(work: (store: GraphStore) => Promise<T>): Promise<T> {
  const store = await openStore({
    dataFolder: defaultDataFolder(),
    report: (event) => {
      if (!isJson) process.stderr.write(`${JSON.stringify(event)}\n`);
    },
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Prints what `work` found: one JSON object with `--json` among the arguments. Sets the exit code of the process: 0 or 1. */
export async function runReported(work: () => Promise<MaintenanceReport>): Promise<void> {
  try {
    const report = await work();
    process.stdout.write(isJson ? `${JSON.stringify(report.value)}\n` : `${report.text}\n`);
    process.exitCode = report.verdict === "sound" ? 0 : 1;
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(errorText(error));
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  "already-open": "stop the Tenure that owns the folder first",
  "not-empty": "name another folder (TENURE_HOME is the data folder's)",
  "backup-broken": "name the folder that `tenure backup` wrote, or take another backup",
};

function errorText(error: unknown): string {
  const code = isStoreError(error) ? error.code : "internal";
  const details: StoreErrorDetails | undefined = isStoreError(error) ? error.details : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[code];
  if (isJson) return `${JSON.stringify({ code, message, remedy, details })}\n`;
  return `error: ${message}\n${remedy === undefined ? "" : `try: ${remedy}\n`}`;
}
