import type { Command } from "commander";
import type { ReadDataOptions } from "../../../codec/data-reading.ts";
import type { DiagnosticSeverity } from "../../../model/diagnostic.ts";
import type { Schema } from "../../../model/schema.ts";
import {
  type JudgedFinding,
  type PolicyJudgement,
  type ValidationPolicy,
  applyValidationPolicy,
  defaultValidationPolicy,
} from "../../../model/validation/policy.ts";
import { validateTree } from "../../../model/validation/validate-tree.ts";
import { type TextFile, readTextFile } from "../../text-file.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliRun, addVerb, argument, choice, option } from "../verb.ts";
import { DATA_FORMATS, type DataFormat, formatOfFile, readData } from "./data-file.ts";
import { findingLine, plural } from "./findings.ts";
import { readPolicyFile } from "./policy-file.ts";
import { type SchemaOptions, featuresOption, moduleOption, yangOption } from "./schema-options.ts";
import { loadSchema } from "./schema.ts";

interface ValidateOptions extends SchemaOptions {
  readonly from?: DataFormat;
  readonly nodes: ReadDataOptions["nodes"];
  readonly failOn: DiagnosticSeverity;
  readonly policy?: string;
}

export function addValidate(program: Command, cli: CliRun): void {
  addVerb<ValidateOptions>(program, cli, {
    usage: "validate <file>",
    summary:
      "Check a whole configuration against its modules: names, types, keys, mandatory, choices, counts, unique, " +
      "references, when and must. FILE - is standard input. Exit code 1: something is wrong.",
    examples: [
      "tenure validate --yang ./models running.xml",
      "tenure validate --yang ./models --module ietf-interfaces --json - < config.json",
      "tenure validate --yang ./models --fail-on error running.xml",
    ],
    options: [
      yangOption(),
      moduleOption(),
      featuresOption(),
      choice("--from <format>", "how the file is written; without it the file's first character tells", DATA_FORMATS),
      choice("--nodes <which>", "config leaves state data alone; all holds it to its constraints too", [
        "config",
        "all",
      ]).default("config"),
      option("--policy <file>", "a validation policy: severities, and exemptions with their reasons"),
      choice("--fail-on <severity>", "the least severity that makes the exit code 1", ["warning", "error"]).default(
        "warning",
      ),
    ],
    run: async ({ session, args, options }) => {
      const file = await readTextFile(argument(args, 0));
      const policy = options.policy === undefined ? defaultValidationPolicy : await readPolicyFile(options.policy);
      const schema = await loadSchema(session, options);
      const judged = judgedBy(policy, schema, file, options);
      const { findings } = judged;
      const errors = findings.filter((each) => each.severity === "error").length;
      const warnings = findings.length - errors;
      session.result({ file: file.name, errors, warnings, policy: policy.name, ...judged }, () =>
        reportText(file.name, judged),
      );
      const bad = options.failOn === "error" ? errors : findings.length;
      return bad > 0 ? ExitCode.failed : ExitCode.ok;
    },
  });
}

function reportText(name: string, { findings, exempted, ignored, unused, constraints }: Judgement): string {
  const errors = findings.filter((each) => each.severity === "error").length;
  const counts = [
    findings.length === 0 ? "valid" : `${plural(errors, "error")}, ${plural(findings.length - errors, "warning")}`,
    ...(exempted.length === 0 ? [] : [`${String(exempted.length)} exempted`]),
    ...(ignored === 0 ? [] : [`${String(ignored)} ignored`]),
    ...(constraints === "checked" ? [] : ["constraints not checked"]),
  ];
  const lines = [
    ...findings.map(findingLine),
    ...exempted.map(({ finding, reason }) => `exempted (${reason}): ${findingLine(finding)}`),
    ...unused.map(({ reason }) => `no finding needs this exemption any more: ${reason}`),
    `${name}: ${counts.join(", ")}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** `unread`: the data does not fit its modules, so that no constraint could be looked at. */
interface Judgement extends PolicyJudgement<JudgedFinding> {
  readonly constraints: "checked" | "unread";
}

/**
 * What the readers find goes alone: a tree that is not whole would fail rules that the whole one keeps. No policy makes
 * their errors less, since that would call data valid that nobody has looked at.
 */
function judgedBy(policy: ValidationPolicy, schema: Schema, file: TextFile, options: ValidateOptions): Judgement {
  const { nodes } = options;
  const read = readData(schema, file, { format: options.from ?? formatOfFile(file), nodes });
  if (read.kind === "ok") {
    const found: readonly JudgedFinding[] = [...read.warnings, ...validateTree(read.value, { nodes })];
    return { ...applyValidationPolicy(policy, found), constraints: "checked" };
  }
  const errors = read.diagnostics.filter((each) => each.severity === "error");
  const { findings, exempted, ignored } = applyValidationPolicy(
    policy,
    read.diagnostics.filter((each) => each.severity !== "error"),
  );
  return { findings: [...errors, ...findings], exempted, ignored, unused: [], constraints: "unread" };
}
