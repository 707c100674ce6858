import { readFileSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { identifyProcess, isRunning, type ProcessIdentity } from "../process-identity.ts";
import { TemporalServerError } from "./temporal-server-error.ts";

/**
 * Who uses a dev server's data file: a small file beside it. Two servers on one file would corrupt each other's
 * history, and a server whose owner was killed must have ended before the next one starts.
 */
interface DataRecord {
  readonly owner: ProcessIdentity;
  /** Absent between the claim and the start of the server. */
  readonly server?: ProcessIdentity;
}

/** A data file claimed for this process. */
export interface DataClaim {
  /** Notes the server that was started, so that whoever comes after a crash can end it. */
  recordServer(pid: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * Claims `dataFile` for this process. A server left behind by an owner that no longer lives is ended first; only the
 * very process that the record names is touched, never one that merely has its number.
 *
 * Rejects with a TemporalServerError, `data-in-use`, while another live process holds the claim.
 */
export async function claimData(dataFile: string): Promise<DataClaim> {
  const recordPath = `${dataFile}.owner.json`;
  const owner = identifyProcess(process.pid);
  if (owner === undefined) throw new Error("cannot read this process's own start time");
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      const file = await open(recordPath, "wx", 0o600);
      await file.writeFile(formatRecord({ owner }));
      await file.close();
      return {
        recordServer: (pid) => {
          const server = identifyProcess(pid);
          return writeFile(recordPath, formatRecord(server === undefined ? { owner } : { owner, server }));
        },
        release: () => rm(recordPath, { force: true }),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const held = readRecord(recordPath);
    if (held !== undefined && isRunning(held.owner)) {
      throw new TemporalServerError(
        "data-in-use",
        `${dataFile} is in use by process ${held.owner.pid}. Stop that one first, or use another data folder.`,
      );
    }
    if (held?.server !== undefined) await endProcess(held.server);
    await rm(recordPath, { force: true });
  }
  throw new TemporalServerError("data-in-use", `${dataFile} is being claimed by several processes at once. Try again.`);
}

function formatRecord(record: DataRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Undefined for a record that was cut off while it was written: its owner died before it started a server. */
function readRecord(path: string): DataRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as DataRecord;
  } catch {
    return undefined;
  }
}

async function endProcess(identity: ProcessIdentity): Promise<void> {
  for (const [signal, limitMs] of [
    ["SIGTERM", 5000],
    ["SIGKILL", 5000],
  ] as const) {
    if (!isRunning(identity)) return;
    process.kill(identity.pid, signal);
    const deadline = Date.now() + limitMs;
    while (isRunning(identity) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (isRunning(identity)) {
    throw new TemporalServerError("data-in-use", `process ${identity.pid} still holds the data and does not end`);
  }
}
