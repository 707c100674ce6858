import { readFile } from "node:fs/promises";
import type { Command, Option } from "commander";
import type {
  ChangeOptions,
  PutServicesRequest,
  ServiceDetail,
  ServiceView,
  StartedSubmission,
} from "../../contract/api.ts";
import type { ProposalDocument } from "../../contract/documents.ts";
import type { Inconsistency } from "../../services/desired-state.ts";
import { CliError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import { exitCodeOfState, openedText } from "./plan-text.ts";
import { proposalText } from "./proposal-text.ts";
import type { Session } from "./session.ts";
import { table } from "./table.ts";
import { type AtRevisionOptions, type CliRun, addVerb, argument, atRevision, choice, noWait, option } from "./verb.ts";
import { waitForSubmission } from "./wait.ts";
import { valueText } from "./words.ts";

interface ChangeFlags {
  readonly preview?: true;
  readonly record?: true;
  readonly policy?: "all-or-nothing" | "per-device";
  readonly includeDrift?: true;
  readonly allowUnrelated?: true;
  readonly wait: boolean;
}

const changeFlags = (): readonly Option[] => [
  option("--preview", "show what would change, go and stay; commit nothing").conflicts("record"),
  option("--record", "change desired state at once; devices follow by a later plan"),
  choice("--policy <policy>", "what happens when one device fails (default all-or-nothing)", [
    "all-or-nothing",
    "per-device",
  ]),
  option("--include-drift", "undo drift on these devices too"),
  option("--allow-unrelated", "apply even if unrelated configuration changed since the plan"),
  noWait(),
];

export function addService(program: Command, cli: CliRun): void {
  const service = program.command("service").description("put, remove and show network services");

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
      return follow(session, await session.api.post<StartedSubmission>("/services", request), options);
    },
  });

  addVerb<ChangeFlags>(service, cli, {
    usage: "remove <name>",
    summary: "Plan the removal of a service: only what no other service needs goes.",
    examples: ["tenure service remove mtu-core", "tenure service remove mtu-core --preview"],
    options: changeFlags(),
    run: async ({ session, args, options }) => {
      const path = `/services/${encodeURIComponent(argument(args, 0))}/removal`;
      return follow(session, await session.api.post<StartedSubmission>(path, changeOptions(options)), options);
    },
  });

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

function changeOptions(flags: ChangeFlags): ChangeOptions {
  return {
    mode: flags.preview === true ? "preview" : flags.record === true ? "record" : "plan",
    ...(flags.policy === undefined ? {} : { policy: flags.policy }),
    includeDrift: flags.includeDrift === true ? "include" : "leave",
    unrelated: flags.allowUnrelated === true ? "allow" : "refuse",
  };
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

async function follow(session: Session, started: StartedSubmission, flags: ChangeFlags): Promise<ExitCode> {
  if (!flags.wait) {
    session.result(
      started,
      () => `submission ${started.submission}, plan ${started.plan}; watch it: tenure plan watch ${started.plan}`,
    );
    return ExitCode.ok;
  }
  const view = await waitForSubmission(session, started.submission);
  if (view.kind === "planned") {
    session.result({ submission: view.submission, ...view.plan }, () => openedText(view.plan));
    return exitCodeOfState(view.plan.state);
  }
  const proposal = JSON.parse(await session.api.getText(`/documents/${view.proposal}`)) as ProposalDocument;
  if (flags.record === true && view.revision === undefined) {
    throw new CliError({
      code: "stale",
      message: "desired state moved while this was compiled; nothing was recorded",
      remedy: "put it again",
    });
  }
  session.result(
    { submission: view.submission, proposal: view.proposal, revision: view.revision, content: proposal },
    () => {
      const head = view.revision === undefined ? "nothing was recorded" : `recorded as revision ${view.revision}`;
      return `${proposalText(proposal)}${head}\n`;
    },
  );
  return ExitCode.ok;
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
  const rows = detail.links.map((link) => [link.device, link.relation, link.path, valueText(link.value), link.scope]);
  return `${head.join("\n")}\n\n${table(["device", "relation", "path", "required", "scope"], rows, "no items")}`;
}

function inconsistencyText({ reason, path, required, found, by, revision }: Inconsistency): string {
  const who = by === undefined ? "" : ` by service ${by}`;
  const now = found === undefined ? "nothing" : valueText(found);
  return `${reason}${who} in revision ${revision}: ${path} requires ${valueText(required)}, is ${now}`;
}
