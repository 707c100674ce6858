import type { Command } from "commander";
import { ExitCode } from "../exit-code.ts";
import { type CliRun, addVerb, choice, option } from "../verb.ts";
import type { BaseFormat, ServiceCompileOptions } from "./compile-offline.ts";
import { featuresOption, moduleOption, yangOption } from "./schema-options.ts";

const BASE_FORMATS: readonly BaseFormat[] = ["xml", "json", "goal"];

/** `service compile`, beside the verbs that need a server; what it does is loaded when it runs. */
export function addServiceCompile(service: Command, cli: CliRun): void {
  addVerb<ServiceCompileOptions>(service, cli, {
    usage: "compile <files...>",
    summary:
      "Compile definitions and instances without a server: what every instance yields on its targets, by which rule, and " +
      "what it changes there. Every target is taken to have the modules of --yang and the configuration of --base. " +
      "Exit code 1: the submission would be refused.",
    examples: [
      "tenure service compile --yang examples/yang --base examples/base/two-ports.xml examples/services/trunks.yaml",
      "tenure service compile --yang ./models --base running.xml definition.yaml instances.yaml",
      "tenure service compile --yang ./models --base r1.goal.json --from goal --policy policy.yaml --json service.yaml",
    ],
    options: [
      yangOption(),
      moduleOption(),
      featuresOption(),
      option("--base <file>", "the configuration that the targets have; without it they have none"),
      choice("--from <format>", "how the base is written; without it its first character tells", BASE_FORMATS),
      option("--policy <file>", "a validation policy: its errors refuse, as they would on the pipeline"),
    ],
    run: async ({ session, args, options }) => {
      const { compileOffline } = await import("./compile-offline.ts");
      const compiled = await compileOffline(session, args, options);
      session.result(compiled.result, () => compiled.text);
      return compiled.refused ? ExitCode.failed : ExitCode.ok;
    },
  });
}
