/**
 * Tree diagrams of our own modules: which modules each shows, and where it lies. The files were first made by pyang; the
 * peer test holds them against the pyang at hand.
 */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { YangSource } from "../../model/yang/compile-yang.ts";

/** Modules whose nodes show everything that a diagram can say. */
export const DIAGRAM_MODULES = fileURLToPath(new URL("../golden/yang-tree/modules/", import.meta.url));

export interface DiagramCase {
  readonly title: string;
  readonly modules: readonly string[];
  readonly file: URL;
}

function diagram(name: string, title: string, modules: readonly string[]): DiagramCase {
  return { title, modules, file: new URL(`../golden/yang-tree/${name}.txt`, import.meta.url) };
}

export const DIAGRAM_CASES: readonly DiagramCase[] = [
  diagram("01-every-kind", "every kind of node, with two submodules", ["diagram-base"]),
  diagram("02-augment-sections", "augments to a module that is not shown", ["diagram-more"]),
  diagram("03-augments-in-place", "augments to a module that is shown", ["diagram-base", "diagram-more"]),
  diagram("04-deviations", "deviations", ["diagram-base", "diagram-deviations"]),
  diagram("05-version-1", "leafrefs from YANG 1 to another module", ["diagram-old"]),
  diagram("06-submodule", "a submodule by itself", ["diagram-base-ports"]),
  diagram("07-several", "modules in the order asked for, one without nodes among them", [
    "diagram-old",
    "diagram-deviations",
    "diagram-more",
    "diagram-base",
  ]),
  diagram("08-nothing", "a module without nodes", ["diagram-deviations"]),
];

export function diagramSources(): readonly YangSource[] {
  return readdirSync(DIAGRAM_MODULES).map((name) => ({
    name,
    text: readFileSync(`${DIAGRAM_MODULES}${name}`, "utf8"),
  }));
}
