import { causeText } from "./attribute.ts";
import type { Finding } from "./finding.ts";
import { IMPACT_CLASSES } from "./operation.ts";
import type { InsertJson, OperationDocument } from "./operation-json.ts";
import type { PlainJson } from "./plain-json.ts";
import type {
  AffectedService,
  PlanDirection,
  PlanHeader,
  PlanSection,
  SectionService,
  ServiceLine,
} from "./plan-document.ts";

/**
 * The plan as a person reads it: devices by name, in each the operations in plan order, gathered under what caused them, with values before
 * and after, then what stays and why, then the findings; last the services that an accepting plan affects.
 * Everything that the documents say stands here; the documents are what is approved.
 */
export function summarisePlan(header: PlanHeader, sections: readonly PlanSection[]): string {
  const lines = [`${describeDirection(header)}, ${header.policy}`];
  const sorted = [...sections].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const section of sorted) lines.push("", ...sectionLines(section, header.direction));
  const affected = header.affected ?? [];
  if (affected.length > 0) lines.push("", "services", ...affected.flatMap(affectedLines).map((line) => `  ${line}`));
  return `${lines.join("\n")}\n`;
}

function affectedLines({ service, status, because, more }: AffectedService): readonly string[] {
  return [
    `${service} becomes ${status}`,
    ...because.map(({ device, path, reason, required, found }) => {
      const needs = required === undefined ? "to be there" : show(required);
      return `  ${reason}: ${device} ${path}: required ${needs}, found ${show(found)}`;
    }),
    ...(more === undefined ? [] : [`  and ${String(more)} more`]),
  ];
}

function describeDirection(header: PlanHeader): string {
  const options = [
    ...(header.includeDrift ? ["drift included"] : []),
    ...(header.allowUnrelated ? ["unrelated changes allowed"] : []),
  ];
  const suffix = options.length === 0 ? "" : ` (${options.join(", ")})`;
  switch (header.direction) {
    case "change":
      return `change of desired state${suffix}`;
    case "enforce":
      return `drift: the device gets the desired configuration${suffix}`;
    case "accept":
      return `drift: desired state takes what the device has${suffix}`;
  }
}

function sectionLines(section: PlanSection, direction: PlanDirection): readonly string[] {
  const classes = IMPACT_CLASSES.flatMap((impact) => {
    const count = section.impact[impact];
    return count === undefined ? [] : [`${String(count)} ${impact}`];
  });
  const head = `device ${section.name}: ${classes.length === 0 ? "no operations" : classes.join(", ")}`;
  const groups = new Map<string, OperationDocument[]>();
  for (const operation of section.operations) {
    const cause = operation.causes.map(causeText).join(" and ");
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, [operation]);
    else group.push(operation);
  }
  const lines = [section.completeness === "complete" ? head : `${head} (observation ${section.completeness})`];
  for (const [cause, operations] of groups) {
    if (cause !== "") lines.push(`  because of ${cause}`);
    for (const operation of operations) lines.push(...operationLines(operation).map((line) => `    ${line}`));
  }
  for (const service of section.services) lines.push(...serviceLines(service).map((line) => `  ${line}`));
  if (section.findings.length > 0) {
    lines.push("  findings", ...section.findings.map((finding) => `    ${describeFinding(finding, direction)}`));
  }
  return lines;
}

/** One operation: a mark, the path, the values; values of several lines as a line diff below. */
export function operationLines(operation: OperationDocument): readonly string[] {
  const impact = operation.impact === "ordinary" || operation.impact === "delete" ? "" : `  [${operation.impact}]`;
  const { path, before, after } = operation;
  switch (operation.op) {
    case "create": {
      const was = operation.default === undefined ? "" : `, was ${show(operation.default)} by default`;
      const place = operation.insert === undefined ? "" : `, ${describeInsert(operation.insert)}`;
      const gone = (operation.implied ?? []).map((each) => `  - ${each.path}: ${show(each.before)} (goes by itself)`);
      if (isMultiLine(after)) return [`+ ${path}${place}${was}${impact}`, ...lineDiff("", after), ...gone];
      return [`+ ${path}: ${show(after)}${place}${was}${impact}`, ...gone];
    }
    case "replace":
      if (isMultiLine(before) || isMultiLine(after))
        return [`~ ${path}${impact}`, ...lineDiff(before ?? "", after ?? "")];
      return [`~ ${path}: ${show(before)} -> ${show(after)}${impact}`];
    case "delete": {
      const then = operation.default === undefined ? "" : `, then ${show(operation.default)} by default`;
      if (isMultiLine(before)) return [`- ${path}${then}${impact}`, ...lineDiff(before, "")];
      return [`- ${path}: ${show(before)}${then}${impact}`];
    }
    case "move":
      return [
        `> ${path} moves${operation.insert === undefined ? "" : ` ${describeInsert(operation.insert)}`}${impact}`,
      ];
  }
}

function describeInsert(insert: InsertJson): string {
  return insert.where === "first" || insert.where === "last" ? insert.where : `${insert.where} ${insert.anchor}`;
}

function isMultiLine(value: PlainJson | undefined): value is string {
  return typeof value === "string" && value.includes("\n");
}

/** Secrets by the beginning of their fingerprint, everything else as JSON. */
function show(value: PlainJson | undefined): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null && "keyId" in value && "hmac" in value) {
    const { keyId, hmac } = value;
    if (typeof keyId === "string" && typeof hmac === "string") return `secret ${keyId}:${hmac.slice(0, 12)}`;
  }
  return JSON.stringify(value, (_name, each: PlainJson) => (isSealed(each) ? show(each) : each));
}

function isSealed(value: PlainJson): boolean {
  return typeof value === "object" && value !== null && "keyId" in value && "hmac" in value;
}

/** What the two texts have in common at either end is left out but for one line around it. CR and a missing final newline are shown. */
function lineDiff(before: PlainJson, after: PlainJson): readonly string[] {
  const old = linesOf(before);
  const next = linesOf(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const context = (index: number): readonly string[] => {
    const line = old[index];
    return line === undefined ? [] : [`    ${line}`];
  };
  return [
    ...context(start - 1),
    ...old.slice(start, old.length - end).map((line) => `  - ${line}`),
    ...next.slice(start, next.length - end).map((line) => `  + ${line}`),
    ...context(old.length - end),
  ];
}

function linesOf(value: PlainJson): readonly string[] {
  if (value === "") return [];
  const lines = (typeof value === "string" ? value : show(value)).replaceAll("\r", "\\r").split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last} (no newline at the end)`];
}

function serviceLines(service: SectionService): readonly string[] {
  const effect = { put: "is put", removed: "is removed", affected: "is affected" }[service.effect];
  return [`service ${service.service} ${effect}`, ...service.lines.map((line) => `  ${describeLine(line)}`)];
}

function describeLine(line: ServiceLine): string {
  switch (line.kind) {
    case "removed": {
      const existed =
        line.existedSince === undefined
          ? ""
          : `, existed before the service since revision ${String(line.existedSince)}`;
      const value = line.existedValue === undefined ? "" : ` with value ${show(line.existedValue)}`;
      return `goes: ${line.path}${line.unowned === true ? ", owned by nobody" : ""}${existed}${value}`;
    }
    case "kept": {
      const edges = line.keptBy.map(
        ({ service, relation, path = "it" }) => `${service} ${relation === "owns" ? "owns" : "depends on"} ${path}`,
      );
      const value = line.value === undefined ? "" : ` at ${show(line.value)}`;
      const why = [line.reason, ...edges, ...(line.heldBy ?? [])].join("; ");
      return `stays${value}: ${line.path}, ${why}; set by ${line.setBy}`;
    }
    case "overrides":
      return `overrides ${line.overridden}: ${line.path} ${show(line.before)} -> ${show(line.after)}; ${line.overridden} becomes inconsistent`;
    case "missing":
      return line.found === undefined
        ? `depends on ${line.path}, which is not there`
        : `depends on ${line.path} at ${show(line.required)}, which is ${show(line.found)}`;
  }
}

/** One finding in a line. */
export function describeFinding(finding: Finding, direction: PlanDirection): string {
  switch (finding.kind) {
    case "explicitness":
      return `${finding.path}: ${show(finding.value)} is in effect on both sides, written ${finding.desired === "set" ? "only in desired state" : "only on the device"}`;
    case "server-default":
      return `${finding.path}: the device reports ${show(finding.found)} as default, the schema says ${show(finding.schemaDefault)}`;
    case "unverifiable":
      return finding.reason === "secret-key"
        ? `${finding.path}: cannot be compared, the secret is sealed under another key`
        : `${finding.path}: cannot be compared, the opaque content is encoded in another way`;
    case "reference-cycle":
      return `these need each other and go in one edit: ${finding.paths.join(", ")}`;
    case "drift": {
      const found =
        finding.op === "move"
          ? "stands at another place"
          : `expected ${show(finding.expected)}, found ${show(finding.found)}`;
      if (finding.scope === "unrelated") return `unrelated drift, left alone: ${finding.path}: ${found}`;
      return direction === "accept"
        ? `desired state takes what the device has: ${finding.path}: ${found}`
        : `drift that this plan overwrites: ${finding.path}: ${found}`;
    }
    case "validation": {
      const tag = finding.errorAppTag === undefined ? "" : ` (${finding.errorAppTag})`;
      const error = finding.severity === "error" ? ", an error by the validation policy" : "";
      return `breaks a rule of the device's modules${error}: ${finding.path}: ${finding.message}${tag}`;
    }
    case "validation-standing":
      return `rules of the device's modules that are broken already and stay so: ${String(finding.count)}`;
  }
}
