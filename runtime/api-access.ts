/** Where the API of the graph's owner answers, and the token it wants: a private file of the data folder. */
import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ApiAccess {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly token: string;
}

export function newApiToken(): string {
  return randomBytes(32).toString("base64url");
}

function accessFile(dataFolder: string): string {
  return join(dataFolder, "api.json");
}

/** Written whole and private (mode 0600) before it is visible under its name. */
export async function writeApiAccess(dataFolder: string, access: ApiAccess): Promise<void> {
  const target = accessFile(dataFolder);
  const temporary = `${target}.${String(process.pid)}`;
  await writeFile(temporary, `${JSON.stringify(access)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, target);
}

/** Undefined when no owner ever listened for this data folder. */
export async function readApiAccess(dataFolder: string): Promise<ApiAccess | undefined> {
  try {
    const value = JSON.parse(await readFile(accessFile(dataFolder), "utf8")) as Partial<ApiAccess>;
    return typeof value.address === "string" && typeof value.token === "string"
      ? { address: value.address, token: value.token }
      : undefined;
  } catch {
    return undefined;
  }
}
