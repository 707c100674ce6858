import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder that holds Tenure's `package.json`: a clone or an installed package. Code runs from `runtime/` or from
 * `dist/runtime/`, so the folder is searched upwards rather than counted.
 */
export const packageRoot = findPackageRoot(import.meta.dirname);

function findPackageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder))
      throw new Error("package.json of tenure is missing: the installation is incomplete");
  }
}
