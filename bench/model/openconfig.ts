/** The public OpenConfig set, as much of it as each program takes. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../measure.ts";

export interface OpenConfigSet {
  readonly directory: string;
  /** Every main module of OpenConfig in the directory, sorted. */
  readonly modules: readonly string[];
}

export function openConfigSet(directory: string): OpenConfigSet {
  const modules = readdirSync(directory)
    .filter((name) => /^openconfig-.*\.yang$/.test(name))
    .filter((name) => /^\s*module\s/m.test(readFileSync(join(directory, name), "utf8")))
    .map((name) => name.replace(/(@[0-9-]+)?\.yang$/, ""))
    .sort();
  return { directory, modules };
}

/**
 * Everything implemented, with all features, as on our side. Without the first it leaves the identities of modules that
 * are only imported out, and refuses the defaults of network-instance that name them.
 */
export function yanglintArguments(set: OpenConfigSet): readonly string[] {
  const features = set.modules.flatMap((name) => ["-F", `${name}:*`]);
  const files = set.modules.map((name) => join(set.directory, `${name}.yang`));
  return ["-Q", "-i", "-i", ...features, "-p", set.directory, ...files];
}

export function pyangArguments(set: OpenConfigSet): readonly string[] {
  return ["--path", set.directory, ...set.modules.map((name) => join(set.directory, `${name}.yang`))];
}

/**
 * The part of the set that yanglint loads: modules are offered in alphabetical order and kept when all kept before still
 * load with them. Gives also what it refused.
 */
export async function loadableByYanglint(
  set: OpenConfigSet,
): Promise<{ readonly set: OpenConfigSet; readonly refused: readonly string[] }> {
  const loads = async (modules: readonly string[]): Promise<boolean> => {
    return (await runProgram("yanglint", yanglintArguments({ ...set, modules }))).code === 0;
  };
  const kept: string[] = [];
  const refused: string[] = [];
  // Those that do not load even alone cost a fraction of a second; the others are offered half of the rest at a time.
  const offer = async (modules: readonly string[]): Promise<void> => {
    if (modules.length === 0) return;
    if (await loads([...kept, ...modules])) kept.push(...modules);
    else if (modules.length === 1) refused.push(...modules);
    else {
      const middle = modules.length >> 1;
      await offer(modules.slice(0, middle));
      await offer(modules.slice(middle));
    }
  };
  await offer(set.modules);
  return { set: { directory: set.directory, modules: kept }, refused };
}
