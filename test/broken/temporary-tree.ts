import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TemporaryTree {
  readonly path: string;
  remove(): void;
}

/**
 * Writes `files` (relative path -> text) into a new folder of the system's temporary directory: probes are wrong on
 * purpose, and a killed run must not leave them in the project.
 */
export function createTemporaryTree(
  files: Readonly<Record<string, string>>,
  { nodeModules }: { readonly nodeModules?: string } = {},
): TemporaryTree {
  const path = mkdtempSync(join(tmpdir(), "tenure-probe-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  if (nodeModules !== undefined) symlinkSync(nodeModules, join(path, "node_modules"), "dir");
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
