import type { Command } from "commander";
import type { DefinitionDetail, DefinitionView } from "../../contract/api.ts";
import { ExitCode } from "./exit-code.ts";
import { table } from "./table.ts";
import { type AtRevisionOptions, type CliRun, addVerb, argument, atRevision } from "./verb.ts";

export function addDefinition(program: Command, cli: CliRun): void {
  const definition = program.command("definition").description("list and show service definitions");
  addVerb<AtRevisionOptions>(definition, cli, {
    usage: "list",
    summary: "All service definitions.",
    examples: ["tenure definition list", "tenure definition list --revision 12"],
    options: atRevision(),
    run: async ({ session, options }) => {
      const query = { revision: options.revision, at: options.at };
      const definitions = await session.api.get<readonly DefinitionView[]>("/definitions", query);
      session.result(definitions, () =>
        table(
          ["name", "version", "revision"],
          definitions.map((each) => [each.name, each.version, String(each.revision)]),
          "no definitions",
        ),
      );
      return ExitCode.ok;
    },
  });
  addVerb<AtRevisionOptions>(definition, cli, {
    usage: "show <name>",
    summary: "The document of a definition.",
    examples: [
      "tenure definition show mtu",
      "tenure definition show mtu --revision 12",
      "tenure definition show mtu > mtu.json",
    ],
    options: atRevision(),
    run: async ({ session, args, options }) => {
      const path = `/definitions/${encodeURIComponent(argument(args, 0))}`;
      const query = { revision: options.revision, at: options.at };
      const detail = await session.api.get<DefinitionDetail>(path, query);
      // The document alone goes to standard output: it can be kept as a file, edited and put; errors name its lines.
      session.remark(`definition ${detail.name} ${detail.version}, revision ${detail.revision}`);
      session.result(detail, () => JSON.stringify(detail.content, undefined, 2));
      return ExitCode.ok;
    },
  });
}
