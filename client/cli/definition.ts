import type { Command } from "commander";
import type { DefinitionDetail, DefinitionView } from "../../contract/api.ts";
import { ExitCode } from "./exit-code.ts";
import { table } from "./table.ts";
import { type CliRun, addVerb, argument } from "./verb.ts";

export function addDefinition(program: Command, cli: CliRun): void {
  const definition = program.command("definition").description("list and show service definitions");
  addVerb(definition, cli, {
    usage: "list",
    summary: "All service definitions.",
    examples: ["tenure definition list"],
    run: async ({ session }) => {
      const definitions = await session.api.get<readonly DefinitionView[]>("/definitions");
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
  addVerb(definition, cli, {
    usage: "show <name>",
    summary: "The document of a definition.",
    examples: ["tenure definition show mtu"],
    run: async ({ session, args }) => {
      const detail = await session.api.get<DefinitionDetail>(`/definitions/${encodeURIComponent(argument(args, 0))}`);
      session.result(
        detail,
        () =>
          `definition ${detail.name} ${detail.version}, revision ${detail.revision}\n${JSON.stringify(detail.content, undefined, 2)}\n`,
      );
      return ExitCode.ok;
    },
  });
}
