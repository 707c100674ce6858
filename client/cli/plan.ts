import { existsSync } from "node:fs";
import type { Command } from "commander";
import type {
  ApprovePlanRequest,
  CreatePlanRequest,
  DecidePlanRequest,
  DecisionAnswer,
  PlanDetail,
  PlanSummary,
  StartedSubmission,
} from "../../contract/api.ts";
import { summarisePlan } from "../../plan/summarise-plan.ts";
import { CliError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import { followPlan } from "./follow-plan.ts";
import { type PlanDocuments, fetchPlan, loadPlan, savePlan } from "./plan-file.ts";
import { exitCodeOfState, openedText, planStateText, planTable } from "./plan-text.ts";
import type { Session } from "./session.ts";
import { type CliRun, addVerb, argument, choice, noWait, option, repeated } from "./verb.ts";
import { waitForSubmission } from "./wait.ts";

interface CreateOptions {
  readonly device?: readonly string[];
  readonly direction: "enforce" | "accept";
  readonly path?: readonly string[];
  readonly policy?: "all-or-nothing" | "per-device";
  readonly allowUnrelated?: true;
  readonly out?: string;
  readonly wait: boolean;
}
interface ShowOptions {
  readonly as: "text" | "json" | "netconf";
  readonly observation?: string;
  readonly out?: string;
}
interface ApproveOptions {
  readonly digest: string;
  readonly comment?: string;
  readonly hold?: true;
  readonly wait: boolean;
}

export function addPlan(program: Command, cli: CliRun): void {
  const plan = program.command("plan").description("create, read, decide and watch plans");

  addVerb<CreateOptions>(plan, cli, {
    usage: "create",
    summary:
      "Plan against drift: enforce gives the device the desired configuration, accept takes what the device has.",
    examples: [
      "tenure plan create --device r1",
      "tenure plan create --device r1 --direction accept",
      "tenure plan create --device r1 --path \"/ietf-interfaces:interfaces/interface[name='eth0']\" --out r1.plan",
    ],
    options: [
      repeated("--device <name>", "device, may be repeated; without it all"),
      choice("--direction <direction>", "which side gives way", ["enforce", "accept"]).default("enforce"),
      repeated("--path <path>", "only at and below this instance path, may be repeated"),
      choice("--policy <policy>", "what happens when one device fails (default per-device)", [
        "all-or-nothing",
        "per-device",
      ]),
      option("--allow-unrelated", "apply even if unrelated configuration changed since the plan"),
      option("--out <file>", "save the plan to a file"),
      noWait(),
    ],
    run: ({ session, options }) => create(session, options),
  });

  addVerb(plan, cli, {
    usage: "list",
    summary: "All plans, in the order in which they were made.",
    examples: ["tenure plan list"],
    run: async ({ session }) => {
      const plans = await session.api.get<readonly PlanSummary[]>("/plans");
      session.result(plans, () => planTable(plans, "no plans"));
      return ExitCode.ok;
    },
  });

  addVerb<ShowOptions>(plan, cli, {
    usage: "show <plan>",
    summary: "A plan, or a plan file: operations with cause and impact, what stays and why, the digest.",
    examples: [
      "tenure plan show p-abcdefgh",
      "tenure plan show p-abcdefgh --as netconf",
      "tenure plan show p-abcdefgh --observation r1",
      "tenure plan show r1.plan",
    ],
    options: [
      choice("--as <form>", "text for people, json, or what NETCONF devices are sent", [
        "text",
        "json",
        "netconf",
      ]).default("text"),
      option("--observation <device>", "what was read of this device when the plan was made"),
      option("--out <file>", "save the plan to a file"),
    ],
    run: ({ session, args, options }) => show(session, argument(args, 0), options),
  });

  addVerb(plan, cli, {
    usage: "watch <plan>",
    summary: "Follow a plan until it ends. Exit code 0 only if all of it is applied.",
    examples: ["tenure plan watch p-abcdefgh"],
    run: ({ session, args }) => followPlan(session, argument(args, 0)),
  });

  addVerb<ApproveOptions>(plan, cli, {
    usage: "approve <plan>",
    summary:
      "Approve a plan by its digest, apply it and wait for the outcome. Exit code 0 only if all of it is applied.",
    examples: [
      "tenure plan approve p-abcdefgh --digest 3f0c..",
      'tenure plan approve p-abcdefgh --digest 3f0c.. --hold --comment "tonight"',
    ],
    options: [
      option("--digest <sha256>", "the digest that `plan show` gave").makeOptionMandatory(),
      option("--comment <text>", "kept with the approval"),
      option("--hold", "approve now, apply at `plan apply`"),
      noWait(),
    ],
    run: async ({ session, args, options }) => {
      const id = argument(args, 0);
      const request: ApprovePlanRequest = {
        digest: options.digest,
        hold: options.hold === true ? "hold" : "start",
        ...(options.comment === undefined ? {} : { comment: options.comment }),
      };
      const answer = await session.api.post<DecisionAnswer>(`/plans/${encodeURIComponent(id)}/approve`, request);
      if (answer.notice !== undefined) session.remark(answer.notice);
      return options.hold === true || !options.wait ? decided(session, answer) : followPlan(session, id);
    },
  });

  addVerb<{ readonly wait: boolean }>(plan, cli, {
    usage: "apply <plan>",
    summary: "Apply a plan that was approved with --hold, and wait for the outcome.",
    examples: ["tenure plan apply p-abcdefgh"],
    options: [noWait()],
    run: async ({ session, args, options }) => {
      const id = argument(args, 0);
      const answer = await session.api.post<DecisionAnswer>(`/plans/${encodeURIComponent(id)}/apply`, {});
      return options.wait ? followPlan(session, id) : decided(session, answer);
    },
  });

  for (const [verb, summary, mandatory] of [
    ["reject", "Say no to a plan, and why.", "mandatory"],
    ["withdraw", "Take a plan back before it is approved or applied.", "optional"],
    [
      "cancel",
      "Stop a plan: nothing is applied, or what was prepared is taken back. Refused after its decision.",
      "optional",
    ],
  ] as const) {
    const comment = option("--comment <text>", "why");
    addVerb<{ readonly comment?: string }>(plan, cli, {
      usage: `${verb} <plan>`,
      summary,
      examples: [`tenure plan ${verb} p-abcdefgh --comment "wrong VLAN"`],
      options: [mandatory === "mandatory" ? comment.makeOptionMandatory() : comment],
      run: async ({ session, args, options }) => {
        const request: DecidePlanRequest = options.comment === undefined ? {} : { comment: options.comment };
        const path = `/plans/${encodeURIComponent(argument(args, 0))}/${verb}`;
        const answer = await session.api.post<DecisionAnswer>(path, request);
        return verb === "cancel" ? cancelled(session, answer) : decided(session, answer);
      },
    });
  }
}

function decided(session: Session, answer: DecisionAnswer): ExitCode {
  session.result(answer, () => `plan ${answer.plan} is ${answer.state}`);
  return ExitCode.ok;
}

/** The answer to a cancel has the state in which it was taken; what that state leaves behind is put away after it. */
function cancelled(session: Session, answer: DecisionAnswer): ExitCode {
  session.result(
    answer,
    () =>
      `plan ${answer.plan} was ${answer.state}; it is being cancelled, see its end: tenure plan watch ${answer.plan}`,
  );
  return ExitCode.ok;
}

async function create(session: Session, options: CreateOptions): Promise<ExitCode> {
  const request: CreatePlanRequest = {
    direction: options.direction,
    unrelated: options.allowUnrelated === true ? "allow" : "refuse",
    ...(options.device === undefined ? {} : { devices: options.device }),
    ...(options.path === undefined ? {} : { paths: options.path }),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
  };
  const started = await session.api.post<StartedSubmission>("/plans", request);
  if (!options.wait) {
    session.result(started, () => `plan ${started.plan}; watch it: tenure plan watch ${started.plan}`);
    return ExitCode.ok;
  }
  const view = await waitForSubmission(session, started.submission);
  if (view.kind !== "planned")
    throw new CliError({ code: "bad-answer", message: `submission ${started.submission} gave no plan` });
  if (options.out !== undefined)
    await savePlan(session, await fetchPlan(session, view.plan.plan, view.plan.digest), options.out);
  session.result({ submission: view.submission, ...view.plan }, () => openedText(view.plan));
  return exitCodeOfState(view.plan.state);
}

async function show(session: Session, name: string, options: ShowOptions): Promise<ExitCode> {
  if (existsSync(name)) {
    const documents = await loadPlan(name);
    if (options.as === "netconf" || options.observation !== undefined) {
      throw new CliError({
        code: "needs-owner",
        message: "this needs the device's schema; a plan file does not hold it",
        remedy: `tenure plan show ${documents.plan}`,
      });
    }
    printPlan(session, { documents, detail: undefined }, options);
    return ExitCode.ok;
  }
  const path = `/plans/${encodeURIComponent(name)}`;
  if (options.observation !== undefined) {
    const content = await session.api.getText(`${path}/observations/${encodeURIComponent(options.observation)}`);
    session.result(JSON.parse(content) as object, () => JSON.stringify(JSON.parse(content), undefined, 2));
    return ExitCode.ok;
  }
  if (options.as === "netconf") {
    const devices = await session.api.get<readonly { readonly name: string; readonly edits: readonly string[] }[]>(
      `${path}/netconf`,
    );
    session.result(devices, () =>
      devices.map((device) => `<!-- ${device.name} -->\n${device.edits.map((edit) => `${edit}\n`).join("")}`).join(""),
    );
    return ExitCode.ok;
  }
  const detail = await session.api.get<PlanDetail>(path);
  const documents = await fetchPlan(session, detail.plan, detail.digest);
  if (options.out !== undefined) await savePlan(session, documents, options.out);
  printPlan(session, { documents, detail }, options);
  return ExitCode.ok;
}

function printPlan(
  session: Session,
  plan: { readonly documents: PlanDocuments; readonly detail: PlanDetail | undefined },
  options: ShowOptions,
): void {
  const { documents, detail } = plan;
  const value = {
    ...detail,
    plan: documents.plan,
    digest: documents.digest,
    header: documents.header,
    sectionDocuments: documents.sections,
  };
  session.result(value, () => {
    if (options.as === "json") return JSON.stringify(value, undefined, 2);
    const head = detail === undefined ? `plan ${documents.plan}\ndigest ${documents.digest}\n` : planStateText(detail);
    return `${head}\n${summarisePlan(documents.header, documents.sections)}`;
  });
}
