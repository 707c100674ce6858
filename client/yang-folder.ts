import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { YangSource } from "../model/yang/compile-yang.ts";
import { usageError } from "./cli-error.ts";
import { readTextFile, unreadable } from "./text-file.ts";

export interface YangFile {
  /** Below the folder, without `.yang`. */
  readonly name: string;
  /** `name` is the path of the file, so that findings point into it. */
  readonly source: YangSource;
}

/**
 * Every `.yang` file of a folder and of the folders in it, sorted by path; names that begin with a dot are passed over.
 * A link to a file counts as the file; a link to a folder is not followed, so that no circle is. What a file holds and
 * not what it is called decides which module and revision it is. Throws `unreadable`, `not-utf8`, and a usage error for
 * a folder without any module.
 */
export async function readYangFolder(folder: string): Promise<readonly YangFile[]> {
  const paths = await yangFilesOf(folder);
  if (paths.length === 0) throw usageError(`${folder} holds no .yang file`);
  const files: YangFile[] = [];
  // A few at a time: a vendor's set has a thousand files, and a process may not open so many at once.
  for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
    const some = paths.slice(from, from + FILES_AT_ONCE);
    files.push(
      ...(await Promise.all(
        some.map(async (path) => ({
          name: relative(folder, path).replace(/\.yang$/, ""),
          source: { name: path, text: (await readTextFile(path)).text },
        })),
      )),
    );
  }
  return files;
}

const FILES_AT_ONCE = 64;

async function yangFilesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await yangFilesOf(path)));
    else if (entry.name.endsWith(".yang") && (entry.isFile() || (await isLinkToFile(path)))) found.push(path);
  }
  return found;
}

async function isLinkToFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    throw unreadable(path, error);
  }
}
