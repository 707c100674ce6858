import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { PutServicesRequest, ServiceDetail, ServiceView, StartedSubmission } from "../../contract/api.ts";
import type { Inconsistency } from "../../services/desired-state.ts";
import { CliError } from "../cli-error.ts";
import { type ChangeFlags, changeFlags, changeOptions, followChange } from "./change.ts";
import { ExitCode } from "./exit-code.ts";
import { addServiceCompile } from "./offline/service-compile.ts";
import { table } from "./table.ts";
import { type AtRevisionOptions, type CliRun, addVerb, argument, atRevision } from "./verb.ts";
import { CONDITION_HEADS, conditionRow, valueText } from "./words.ts";

export function addService(program: Command, cli: CliRun): void {
  const service = program.command("service").description("put, remove, pause, compile and show network services");

  addVerb<ChangeFlags>(service, cli, {
    usage: "put <files...>",
    summary:
      "Compile definitions and instances and plan the change. Prints plan id and digest; nothing is applied before it is approved.",
    examples: [
      "tenure service put mtu.yaml",
      "tenure service put definition.yaml instance.yaml --preview",
      "tenure service put mtu.yaml --policy per-device --json",
    ],
    options: changeFlags(),
    run: async ({ session, args, options }) => {
      const request: PutServicesRequest = {
        ...changeOptions(options),
        files: await Promise.all(args.map(readSubmitted)),
      };
      return followChange(session, await session.api.post<StartedSubmission>("/services", request), options);
    },
  });

  addVerb<ChangeFlags>(service, cli, {
    usage: "remove <name>",
    summary: "Plan the removal of a service: only what no other service needs goes.",
    examples: ["tenure service remove mtu-core", "tenure service remove mtu-core --preview"],
    options: changeFlags(),
    run: async ({ session, args, options }) => {
      const path = `/services/${encodeURIComponent(argument(args, 0))}/removal`;
      return followChange(session, await session.api.post<StartedSubmission>(path, changeOptions(options)), options);
    },
  });

  for (const [verb, summary] of [
    [
      "pause",
      "Stop writes for a service, until it is resumed; imports and drift checks go on, and it can be put and planned.",
    ],
    ["resume", "Let writes for a service go on."],
  ] as const) {
    addVerb(service, cli, {
      usage: `${verb} <name>`,
      summary,
      examples: [`tenure service ${verb} mtu-core`],
      run: async ({ session, args }) => {
        const view = await session.api.post<ServiceView>(`/services/${encodeURIComponent(argument(args, 0))}/${verb}`);
        session.result(view, () => `service ${view.name} is ${view.paused === "paused" ? "paused" : "active"}`);
        return ExitCode.ok;
      },
    });
  }

  addServiceCompile(service, cli);

  addVerb<AtRevisionOptions>(service, cli, {
    usage: "list",
    summary: "All service instances.",
    examples: ["tenure service list", "tenure service list --revision 12"],
    options: atRevision(),
    run: async ({ session, options }) => {
      const services = await session.api.get<readonly ServiceView[]>("/services", {
        revision: options.revision,
        at: options.at,
      });
      session.result(services, () =>
        table(
          ["name", "definition", "targets", "status", "revision"],
          services.map((each) => [
            each.name,
            definitionText(each),
            each.targets.join(" "),
            statusText(each),
            String(each.revision),
          ]),
          "no services",
        ),
      );
      return ExitCode.ok;
    },
  });

  addVerb<AtRevisionOptions>(service, cli, {
    usage: "show <name>",
    summary: "Parameters, status, and every item that a service owns or depends on.",
    examples: ["tenure service show mtu-core", "tenure service show mtu-core --at 2030-01-31T12:00:00Z"],
    options: atRevision(),
    run: async ({ session, args, options }) => {
      const query = { revision: options.revision, at: options.at };
      const detail = await session.api.get<ServiceDetail>(`/services/${encodeURIComponent(argument(args, 0))}`, query);
      session.result(detail, () => serviceText(detail));
      return ExitCode.ok;
    },
  });
}

async function readSubmitted(name: string): Promise<{ readonly name: string; readonly text: string }> {
  try {
    return { name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await readFile(name)) };
  } catch (error) {
    throw new CliError(
      {
        code: "unreadable",
        message: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      },
      error,
    );
  }
}

function definitionText({ definition }: ServiceView): string {
  return `${definition.name} ${definition.version}`;
}

function statusText({ status, paused }: ServiceView): string {
  return paused === "paused" ? `${status.kind}, paused` : status.kind;
}

function serviceText(detail: ServiceDetail): string {
  const head = [
    `service ${detail.name}, definition ${definitionText(detail)}, put in revision ${detail.revision}`,
    `targets ${detail.targets.join(", ")}`,
    `parameters ${JSON.stringify(detail.parameters)}`,
    `status ${statusText(detail)}`,
    ...(detail.status.kind === "inconsistent"
      ? detail.status.because.map((each) => `  ${inconsistencyText(each)}`)
      : []),
  ];
  const conditions =
    detail.conditions.length === 0 ? "" : `\n${table(CONDITION_HEADS, detail.conditions.map(conditionRow), "")}`;
  const rows = detail.links.map((link) => [link.device, link.relation, link.path, valueText(link.value), link.scope]);
  return `${head.join("\n")}\n\n${table(["device", "relation", "path", "required", "scope"], rows, "no items")}${conditions}`;
}

function inconsistencyText({ reason, device, path, required, found, by, revision }: Inconsistency): string {
  const who = by === undefined ? "" : ` by service ${by}`;
  const now = found === undefined ? "nothing" : valueText(found);
  return `${reason}${who} in revision ${revision}: ${device} ${path} requires ${valueText(required)}, is ${now}`;
}
