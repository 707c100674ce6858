import type { Command } from "commander";
import type { ParentSchemaNode, Schema } from "../../../model/schema.ts";
import { expressionWarnings } from "../../../model/validation/expression-warnings.ts";
import { formatTreeDiagram } from "../../../model/yang/tree-diagram.ts";
import { ExitCode } from "../exit-code.ts";
import { table } from "../table.ts";
import { type CliRun, addVerb, argument } from "../verb.ts";
import { plural, reportWarnings } from "./findings.ts";
import { type ModuleOptions, featuresOption, moduleOption } from "./schema-options.ts";
import { compileAll, invalidYang, loadYang, moduleSelector, selectModules } from "./schema.ts";

export function addYang(program: Command, cli: CliRun): void {
  const yang = program.command("yang").description("check YANG modules and draw their trees");

  addVerb<ModuleOptions>(yang, cli, {
    usage: "check <dir>",
    summary: "Compile the modules of a folder and say everything that is wrong with them, with file, line and column.",
    examples: ["tenure yang check ./models", "tenure yang check ./models --module ietf-ip --json"],
    options: [moduleOption(), featuresOption()],
    run: async ({ session, args, options }) => {
      const folder = argument(args, 0);
      const { sources, features } = await loadYang(folder, options);
      const compiled = compileAll(folder, sources, { implement: selectModules(options.module), features });
      const modules = modulesOf(compiled.schema);
      const nodes = countNodes(compiled.schema);
      const warnings = [...compiled.warnings, ...expressionWarnings(compiled.schema)];
      session.result({ modules, nodes, warnings }, () => {
        const rows = modules.map((each) => [each.name, each.revision ?? "", each.role, each.features.join(" ")]);
        const total = `${plural(modules.length, "module")}, ${plural(nodes, "data node")}, no error`;
        return `${table(["module", "revision", "role", "features"], rows, "no modules")}\n${total}\n`;
      });
      reportWarnings(session, warnings);
      return ExitCode.ok;
    },
  });

  addVerb<Pick<ModuleOptions, "features">>(yang, cli, {
    usage: "tree <dir> <module...>",
    summary: "Draw the tree diagrams of modules (RFC 8340). MODULE is NAME or NAME@REVISION.",
    examples: ["tenure yang tree ./models ietf-interfaces", "tenure yang tree ./models ietf-interfaces ietf-ip"],
    options: [featuresOption()],
    run: async ({ session, args, options }) => {
      const [folder = "", ...modules] = args;
      const { sources, features } = await loadYang(folder, options);
      const drawn = formatTreeDiagram(sources, { modules: modules.map(moduleSelector), features });
      if (drawn.kind === "error") throw invalidYang(folder, drawn.diagnostics);
      session.result({ modules, tree: drawn.value, warnings: drawn.warnings }, () => drawn.value);
      reportWarnings(session, drawn.warnings);
      return ExitCode.ok;
    },
  });
}

interface ModuleLine {
  readonly name: string;
  readonly revision?: string;
  readonly namespace: string;
  readonly role: "implemented" | "imported";
  readonly features: readonly string[];
}

function modulesOf(schema: Schema): readonly ModuleLine[] {
  return [...schema.modules.values()]
    .map(
      ({ name, revision, namespace, importOnly, features }): ModuleLine => ({
        name,
        ...(revision === undefined ? {} : { revision }),
        namespace,
        role: importOnly ? "imported" : "implemented",
        features,
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function countNodes(within: Schema | ParentSchemaNode): number {
  const children = "roots" in within ? within.roots : within.children;
  let count = children.size;
  for (const child of children.values())
    if (child.kind === "container" || child.kind === "list") count += countNodes(child);
  return count;
}
