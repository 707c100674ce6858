import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** Where everything lies inside one data folder. The folder is private to its user. */
export interface DataPaths {
  readonly folder: string;
  /** Its lock says which process owns the folder; it holds no data. */
  readonly ownerLock: string;
  /** Who that is, for people: pid, since when, API address. */
  readonly ownerInfo: string;
  readonly journal: string;
  readonly documents: string;
  readonly sealedDocuments: string;
  readonly graph: string;
  readonly locks: string;
  readonly secretKeys: string;
  readonly configFile: string;
}

/** `TENURE_HOME`, else `tenure` in the user's state directory (XDG: `XDG_STATE_HOME`, else `~/.local/state`). */
export function defaultDataFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const home = environment["TENURE_HOME"];
  if (home !== undefined && home !== "") return resolve(home);
  const state = environment["XDG_STATE_HOME"];
  // The XDG specification has relative paths ignored.
  const base = state !== undefined && isAbsolute(state) ? state : join(homedir(), ".local", "state");
  return join(base, "tenure");
}

export function dataPaths(folder: string): DataPaths {
  return {
    folder,
    ownerLock: join(folder, "owner.lbug"),
    ownerInfo: join(folder, "owner.json"),
    journal: join(folder, "journal"),
    documents: join(folder, "documents"),
    sealedDocuments: join(folder, "secrets"),
    graph: join(folder, "graph"),
    locks: join(folder, "locks"),
    secretKeys: join(folder, "secret-keys"),
    configFile: join(folder, "config.yaml"),
  };
}
