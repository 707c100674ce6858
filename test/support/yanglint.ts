/** yanglint, as a second opinion on modules: runs it on texts, or says what is missing to do so. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { YangSource } from "../../model/yang/compile-yang.ts";

const run = promisify(execFile);

/** What is missing, with the way to get it; undefined when yanglint is there. */
export function missingYanglintProgram(): string | undefined {
  return spawnSync("yanglint", ["--version"]).status === 0
    ? undefined
    : "yanglint is not installed (Debian and Ubuntu: apt-get install libyang2-tools)";
}

export type YanglintAnswer =
  | { readonly kind: "accepts"; readonly output: string }
  | { readonly kind: "refuses"; readonly message: string };

/**
 * Loads all modules among the sources and implements them, with all their features; with `arguments` before the files.
 * A submodule is there for the module that includes it.
 */
export async function askYanglint(
  sources: readonly YangSource[],
  options: { readonly arguments?: readonly string[] } = {},
): Promise<YanglintAnswer> {
  const folder = mkdtempSync(join(tmpdir(), "yanglint-"));
  try {
    for (const { name, text } of sources) writeFileSync(join(folder, name), text);
    const files = sources.filter(({ text }) => !/^\s*submodule\s/m.test(text)).map(({ name }) => name);
    const { stdout } = await run("yanglint", [...(options.arguments ?? []), ...files], {
      cwd: folder,
      maxBuffer: 2 ** 28,
      encoding: "utf8",
    });
    return { kind: "accepts", output: stdout };
  } catch (error) {
    const { stderr = "", message = "" } = error as { readonly stderr?: string; readonly message?: string };
    return { kind: "refuses", message: stderr === "" ? message : stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
