/**
 * A submission compiled as the pipeline would, on devices that are nothing but a schema and a configuration: no service
 * stands on them yet, and what they have was imported.
 */
import { createHash } from "node:crypto";
import serialize from "canonicalize";
import { itemsOf, treeFromItems } from "../../../codec/items.ts";
import { parseGoal } from "../../../goal/device-goal.ts";
import { type Diagnostic, type Result, formatPlace } from "../../../model/diagnostic.ts";
import type { Item } from "../../../model/item.ts";
import type { DataSchemaNode, Schema } from "../../../model/schema.ts";
import type { DataTree } from "../../../model/tree.ts";
import { displayValue } from "../../../model/value.ts";
import type { ValidationFinding } from "../../../model/validation/finding.ts";
import type { ValidationPolicy } from "../../../model/validation/policy.ts";
import { judgeChange } from "../../../plan/validation-findings.ts";
import { CompileBudget } from "../../../services/compile-budget.ts";
import { compileDefinition } from "../../../services/compile-definition.ts";
import type { Yield } from "../../../services/compile-instance.ts";
import { type KnownDefinition, compileInstances, prepareInstances } from "../../../services/compile-targets.ts";
import type { DesiredDevice, DesiredState, LinkScope, RevisionBody } from "../../../services/desired-state.ts";
import { type InstanceDocument, type Submission, readSubmission } from "../../../services/documents.ts";
import type { Explanation } from "../../../services/explanation.ts";
import { findDefinition } from "../../../services/find-definition.ts";
import { type Proposal, type PutInstance, propose } from "../../../services/propose.ts";
import { CliError } from "../../cli-error.ts";
import { readTextFile } from "../../text-file.ts";
import { explanationText } from "../proposal-text.ts";
import type { Session } from "../session.ts";
import { table } from "../table.ts";
import { formatOfFile, readData } from "./data-file.ts";
import { findingLine, plural } from "./findings.ts";
import { readPolicyFile } from "./policy-file.ts";
import { loadSchema } from "./schema.ts";
import type { SchemaOptions } from "./schema-options.ts";

export type BaseFormat = "xml" | "json" | "goal";

export interface ServiceCompileOptions extends SchemaOptions {
  readonly base?: string;
  /** How the base is written; undefined: as its first character tells. */
  readonly from?: BaseFormat;
  readonly policy?: string;
}

export interface CompiledItem {
  readonly service: string;
  readonly relation: "owns" | "depends";
  readonly path: string;
  readonly value?: string;
  readonly scope: LinkScope;
  readonly onRemove: "delete" | "keep";
  /** `file:line:column` of what says it. */
  readonly rule: string;
}

export interface CompiledDevice {
  readonly device: string;
  readonly items: readonly CompiledItem[];
  /** What changes on top of the base, and why. */
  readonly explanations: readonly Explanation[];
  /** Rules of the modules that the base keeps and the result breaks. */
  readonly findings: readonly ValidationFinding[];
}

export interface CompiledServices {
  readonly devices: readonly CompiledDevice[];
  readonly services: readonly {
    readonly name: string;
    readonly definition: string;
    readonly version: string;
    readonly status: "consistent" | "inconsistent";
  }[];
}

export interface OfflineCompilation {
  readonly result: CompiledServices;
  readonly text: string;
  /** By the validation policy; whatever else is wrong is thrown. */
  readonly refused: boolean;
}

/** Throws `refused` with every error of the first stage that found one, and what reading files throws. */
export async function compileOffline(
  session: Session,
  names: readonly string[],
  options: ServiceCompileOptions,
): Promise<OfflineCompilation> {
  const files = await Promise.all(names.map(readTextFile));
  const submission = accepted(readSubmission(files));
  const policy = options.policy === undefined ? undefined : await readPolicyFile(options.policy);
  const schema = await loadSchema(session, options);
  const base = await readBase(schema, options);
  const changes = await compileChanges(submission, schema);
  const { state, proposal } = proposalOf(submission, { base, changes });
  const result = resultOf({ base, changes, state, proposal }, policy);
  const findings = result.devices.flatMap((each) => each.findings);
  const refused = policy !== undefined && findings.some((each) => each.severity === "error");
  return { result, text: textOf(result, refused ? policy.name : undefined), refused };
}

function accepted<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  throw refusal(result.diagnostics);
}

function refusal(diagnostics: readonly Diagnostic[]): CliError {
  return new CliError({
    code: "refused",
    message: `the submission is refused: ${plural(diagnostics.length, "error")}`,
    diagnostics,
  });
}

async function readBase(schema: Schema, { base, from }: ServiceCompileOptions): Promise<DataTree> {
  if (base === undefined) return accepted(treeFromItems(schema, []));
  const file = await readTextFile(base);
  const read =
    from === "goal"
      ? parseGoal(schema, file.text, { source: file.name })
      : readData(schema, file, { format: from ?? formatOfFile(file), nodes: "config" });
  if (read.kind === "ok") return read.value;
  const message = `${file.name} does not fit the modules: ${plural(read.diagnostics.length, "error")}`;
  throw new CliError({ code: "invalid-data", message, diagnostics: read.diagnostics });
}

async function compileChanges({ definitions, instances }: Submission, schema: Schema): Promise<readonly PutInstance[]> {
  const errors: Diagnostic[] = [];
  const known = new Map<InstanceDocument, KnownDefinition>();
  for (const definition of definitions) {
    const compiled = compileDefinition(definition);
    if (compiled.kind === "error") errors.push(...compiled.diagnostics);
  }
  for (const instance of instances) {
    const found = findDefinition(instance, { given: definitions, stored: [], services: [] });
    if (found.kind === "error") errors.push(...found.diagnostics);
    else if (found.value.kind === "given") {
      const { definition } = found.value;
      known.set(instance, { definition, document: digestOf(definition.json) });
    }
  }
  const prepared = prepareInstances(known);
  if (prepared.kind === "error") errors.push(...prepared.diagnostics);
  if (errors.length > 0 || prepared.kind === "error")
    throw refusal([...new Map(errors.map((each) => [JSON.stringify(each), each])).values()]);
  const budget = new CompileBudget();
  const targetOf = (name: string) => ({ id: name, device: name, schema, budget, isSecret });
  return accepted(
    await compileInstances(prepared.value, { targetOf, canonicalText, breathe: () => Promise.resolve() }),
  );
}

/** What a profile adds to this is known to the pipeline only. */
function isSecret({ extensions }: DataSchemaNode): boolean {
  return extensions.some(({ module, name }) => module === "tenure-extensions" && name === "tenure-secret");
}

interface Compilation {
  readonly base: DataTree;
  readonly changes: readonly PutInstance[];
  readonly state: DesiredState;
  readonly proposal: Proposal;
}

function proposalOf(
  { definitions, instances }: Submission,
  { base, changes }: Pick<Compilation, "base" | "changes">,
): Pick<Compilation, "state" | "proposal"> {
  const names = [...new Set(instances.flatMap((instance) => instance.targets.map(({ name }) => name)))].sort();
  const items = new Map(
    itemsOf(base).map((item) => [item.path, { item, setBy: { kind: "import" }, since: 1, retained: false } as const]),
  );
  const state: DesiredState = {
    revision: 1,
    devices: new Map(
      names.map((name) => [name, { device: name, name, moduleSet: "", items, links: [] } satisfies DesiredDevice]),
    ),
    services: new Map(),
    definitions: new Map(),
  };
  const schemas = new Map(names.map((name) => [name, base.schema]));
  const writes = definitions.map(({ name, version, json }) => ({ name, version, document: digestOf(json) }));
  return { state, proposal: accepted(propose(state, schemas, changes, writes)) };
}

function resultOf(compilation: Compilation, policy: ValidationPolicy | undefined): CompiledServices {
  const { changes, proposal, state } = compilation;
  const inconsistent = new Set(
    proposal.body.statuses.filter(({ status }) => status.kind === "inconsistent").map(({ service }) => service),
  );
  return {
    devices: [...state.devices.keys()].map((device) => deviceOf(device, compilation, policy)),
    services: changes.map(({ name, definition }) => ({
      name,
      definition: definition.name,
      version: definition.version,
      status: inconsistent.has(name) ? "inconsistent" : "consistent",
    })),
  };
}

function deviceOf(
  device: string,
  { base, changes, proposal }: Compilation,
  policy: ValidationPolicy | undefined,
): CompiledDevice {
  const writes = proposal.body.devices.find((each) => each.device === device);
  const scopes = new Map(
    writes?.putLinks.map((link) => [`${link.service} ${link.relation} ${link.path}`, link.scope] as const),
  );
  const itemOf = (each: Yield): CompiledItem => ({
    service: each.service,
    relation: each.relation,
    path: each.text,
    ...(each.value === undefined ? {} : { value: displayValue(each.value) }),
    scope: scopes.get(`${each.service} ${each.relation} ${each.text}`) ?? each.scope ?? "node",
    onRemove: each.onRemove,
    rule: formatPlace({ kind: "source", position: each.writer }),
  });
  const after = afterWrites(base, writes);
  return {
    device,
    items: changes.flatMap((change) => change.yields.get(device) ?? []).map(itemOf),
    explanations: proposal.explanations.filter((each) => each.device === device),
    findings: after === undefined ? [] : judgeChange(base, after, policy).introduced,
  };
}

function afterWrites(base: DataTree, writes: RevisionBody["devices"][number] | undefined): DataTree | undefined {
  if (writes === undefined) return undefined;
  const items = new Map<string, Item>(itemsOf(base).map((item) => [item.path, item]));
  for (const path of writes.remove) items.delete(path);
  for (const { item } of writes.put) items.set(item.path, item);
  return accepted(treeFromItems(base.schema, [...items.values()]));
}

function textOf({ devices, services }: CompiledServices, refusedBy: string | undefined): string {
  const lines = services.map(
    ({ name, definition, version, status }) => `service ${name}, definition ${definition} ${version}: ${status}`,
  );
  for (const { device, items, explanations, findings } of devices) {
    const rows = items.map((each) => [
      each.relation,
      each.value === undefined ? each.path : `${each.path} = ${shown(each.value)}`,
      each.scope,
      each.onRemove,
      each.service,
      each.rule,
    ]);
    const head = ["relation", "item", "scope", "on remove", "service", "rule"];
    lines.push("", `device ${device}`, ...indented(table(head, rows, "no items")));
    const changes = explanations.map(explanationText);
    lines.push(
      ...(changes.length === 0
        ? ["  changes nothing of the base"]
        : ["  changes", ...changes.map((each) => `    ${each}`)]),
    );
    if (findings.length > 0) lines.push("  breaks", ...findings.map((each) => `    ${findingLine(each)}`));
  }
  if (services.length === 0) lines.push("no instances: the definitions are right as far as can be told without one");
  if (refusedBy !== undefined) lines.push("", `refused by validation policy ${refusedBy}`);
  return lines.map((line) => `${line}\n`).join("");
}

function indented(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}

/** A table has one line for an item. */
function shown(value: string): string {
  return /[\u0000-\u001f\u007f]/.test(value) ? JSON.stringify(value) : value;
}

function canonicalText(json: unknown): string {
  return serialize(json) ?? "{}";
}

function digestOf(json: unknown): string {
  return createHash("sha256").update(canonicalText(json)).digest("hex");
}
