/**
 * Folders whose names are on the disk when they are asked for: without that, all that is written in one may be gone
 * after a power cut, however well it was forced itself. For the journal and its neighbours, and for the keys of secrets.
 */
import { mkdir, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder private to the user (0700) and those missing above it. Each name is forced to the disk, the folder's own
 * also where it stood already: whoever made it may have died before that.
 */
export async function makeDurableFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  await makeFolders(path);
  await syncFolder(dirname(path));
}

/** Forces the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * One by one, since Node's own `recursive` tries for ever where a folder that is there takes no folder and says ENOENT
 * (`/proc`, some automounters), and no caller can end it.
 */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || (await exists(parent))) throw error;
    await makeFolders(parent);
    await syncFolder(dirname(parent));
    await makeFolders(path);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The operating system's word for what went wrong (`ENOENT`, ..); undefined for errors that are not its own. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
