/** The difference of two revisions as people read it: `+` comes, `-` goes, `~` changes. */
import type { DiffView } from "../../contract/api.ts";
import type { Inconsistency, ServiceStatus } from "../../services/desired-state.ts";
import { itemText, valueText } from "./words.ts";

export function diffText(diff: DiffView): string {
  const lines = [
    ...diff.definitions.map(definitionLine),
    ...diff.services.flatMap(serviceLines),
    ...diff.statuses.flatMap(statusLines),
    ...diff.moduleSets.map(
      ({ device, before, after }) => `~ ${device} module set: ${digest(before)} -> ${digest(after)}`,
    ),
    ...diff.items.map(itemLine),
    ...diff.links.map(linkLine),
  ];
  return lines.length === 0 ? "no difference\n" : lines.map((line) => `${line}\n`).join("");
}

function definitionLine({ definition, before, after }: DiffView["definitions"][number]): string {
  if (before === undefined) return `+ definition ${definition} ${after?.version ?? ""}`;
  if (after === undefined) return `- definition ${definition} ${before.version}`;
  return `~ definition ${definition}: ${before.version} -> ${after.version}`;
}

function serviceLines({ service, change, differs, before, after }: DiffView["services"][number]): readonly string[] {
  if (change === "added") return [`+ service ${service} on ${after?.targets.join(", ") ?? ""}`];
  if (change === "removed") return [`- service ${service} on ${before?.targets.join(", ") ?? ""}`];
  return differs.map((what) => {
    switch (what) {
      case "parameters":
        return `~ service ${service} parameters: ${JSON.stringify(before?.parameters)} -> ${JSON.stringify(after?.parameters)}`;
      case "targets":
        return `~ service ${service} targets: ${before?.targets.join(", ") ?? ""} -> ${after?.targets.join(", ") ?? ""}`;
      case "definition":
        return `~ service ${service} definition: ${named(before)} -> ${named(after)}`;
    }
  });
}

function named(form: DiffView["services"][number]["before"]): string {
  return form === undefined ? "none" : `${form.definition.name} ${form.definition.version}`;
}

function itemLine({ device, path, before, after }: DiffView["items"][number]): string {
  if (before === undefined) return `+ ${device} ${path}: ${itemText(after)}`;
  if (after === undefined) return `- ${device} ${path}: ${itemText(before)}`;
  return `~ ${device} ${path}: ${itemText(before)} -> ${itemText(after)}`;
}

function linkLine({ device, path, service, relation, change, before, after }: DiffView["links"][number]): string {
  const what = `${service} ${relation === "owns" ? "owns" : "depends on"} ${device} ${path}`;
  switch (change) {
    case "added":
      return `+ ${what}${after === undefined ? "" : ` as ${valueText(after)}`}`;
    case "removed":
      return `- ${what}${before === undefined ? "" : ` as ${valueText(before)}`}`;
    case "changed":
      return `~ ${what}: ${valueText(before)} -> ${valueText(after)}`;
  }
}

/** That a service which comes or goes is or was consistent goes without saying. */
function statusLines({ service, before, after }: DiffView["statuses"][number]): readonly string[] {
  const isPlain = (before === undefined || after === undefined) && (before ?? after)?.kind === "consistent";
  return isPlain ? [] : [`~ status of ${service}: ${status(before)} -> ${status(after)}`];
}

function status(of: ServiceStatus | undefined): string {
  if (of === undefined) return "no service";
  if (of.kind === "consistent") return "consistent";
  return `inconsistent (${of.because.map(becauseText).join("; ")})`;
}

function becauseText({ reason, by, device, path, revision }: Inconsistency): string {
  return `${reason}${by === undefined ? "" : ` by ${by}`} at ${device} ${path} since ${revision}`;
}

function digest(of: string | undefined): string {
  return of === undefined ? "none" : of.slice(0, 12);
}
