import type { ProposalDocument, ProposalFinding } from "../../contract/documents.ts";
import { compareText } from "../../model/compare-text.ts";
import type { Explanation } from "../../services/explanation.ts";
import { setByText, valueText } from "./words.ts";

/** A proposal as a person reads it: by device what is set, goes and stays, and why. */
export function proposalText(proposal: ProposalDocument): string {
  const names = new Map(proposal.wishes.map((wish) => [wish.device, wish.name]));
  const services = proposal.services.map((each) => `service ${each.name} is ${each.effect}`);
  const definitions = proposal.definitions.map(
    (each) => `definition ${each.name} ${each.version}${each.effect === "removed" ? " goes" : ""}`,
  );
  const head = proposal.to === undefined ? [] : [`back to revision ${proposal.to}`];
  const lines = [...head, ...definitions, ...services];
  for (const each of proposal.explanations) if (each.kind === "left-alone") lines.push(explanationText(each));
  const gone = new Set(proposal.services.filter(({ effect }) => effect === "removed").map(({ name }) => name));
  const explained = proposal.explanations.filter(
    // That a service which is removed holds nothing any more goes without saying.
    (each) =>
      each.kind !== "left-alone" && !(each.kind === "relinked" && each.change === "ended" && gone.has(each.service)),
  );
  const nameOf = (device: string): string => names.get(device) ?? device;
  const devices = [...new Set(explained.map((each) => each.device))].sort((a, b) => compareText(nameOf(a), nameOf(b)));
  for (const device of devices) {
    lines.push(`device ${nameOf(device)}`);
    for (const each of explained) if (each.device === device) lines.push(`  ${explanationText(each)}`);
  }
  for (const { service, status } of proposal.statuses) lines.push(`service ${service} becomes ${status}`);
  for (const each of proposal.findings ?? []) lines.push(findingText(each));
  if (proposal.moreFindings !== undefined)
    lines.push(`and ${String(proposal.moreFindings)} more rules of the devices' modules that this would break`);
  if (explained.length === 0) lines.push("no item changes");
  return `${lines.join("\n")}\n`;
}

/** A rule that the proposal would break, in a line. */
function findingText({ severity, name, path, message, code }: ProposalFinding): string {
  return `${severity}: device ${name} ${path}: ${message} [${code}]`;
}

/** What an item without an owner's claim has to do with the one it keeps. */
const HOLDING: Readonly<Partial<Record<Extract<Explanation, { readonly kind: "kept" }>["reason"], string>>> = {
  referenced: "refers to it",
  "holds-others": "stays in it",
  "holds-unowned": "stands in it and is nobody's",
};

/** One explanation in a line. */
export function explanationText(each: Explanation): string {
  switch (each.kind) {
    case "set":
      return each.before === undefined
        ? `+ ${each.path}: ${valueText(each.after)} (${each.service})`
        : `~ ${each.path}: ${valueText(each.before)} -> ${valueText(each.after)} (${each.service})`;
    case "created":
      return `+ ${each.path} (${each.service})`;
    case "overrides":
      return `! ${each.path}: ${valueText(each.before)} -> ${valueText(each.after)}, ${each.service} overrides ${each.overridden}`;
    case "removed": {
      const { existedBefore } = each;
      const value = existedBefore?.value === undefined ? "" : ` with value ${valueText(existedBefore.value)}`;
      const existed =
        existedBefore === undefined
          ? ""
          : `; it existed before the service since revision ${existedBefore.since}${value}`;
      return `- ${each.path} (${each.service}${existed})`;
    }
    case "swept":
      return `- ${each.path}: owned by nobody, goes with ${each.with}`;
    case "case-ended":
      return `- ${each.path}: the other case of a choice, ended by ${each.by}`;
    case "kept": {
      const keepers = [
        ...each.keepers.map(
          (keeper) =>
            `${keeper.service} ${keeper.relation === "owns" ? "owns" : "depends on"} ${keeper.path === each.path ? "it" : keeper.path}`,
        ),
        ...each.referrers.map((holder) => `${holder} ${HOLDING[each.reason] ?? ""}`),
      ];
      const why = keepers.length === 0 ? each.reason : keepers.join("; ");
      const value = each.value === undefined ? "" : ` at ${valueText(each.value)}`;
      const setter = each.setBy === undefined ? "" : `; set by ${setByText(each.setBy)}`;
      return `= ${each.path} stays${value}: ${why}${setter}`;
    }
    case "missing":
      return each.found === undefined
        ? `? ${each.path}: ${each.service} depends on it, but it is not there`
        : `? ${each.path}: ${each.service} depends on it at ${valueText(each.required)}, but it is at ${valueText(each.found)}`;
    case "restored":
      return restoredText(each);
    case "undone":
      return `- ${each.path}${each.before === undefined ? "" : `: ${valueText(each.before)}`}: not there at revision ${each.revision} (set by ${setByText(each.setBy)})`;
    case "relinked": {
      const verb = each.relation === "owns" ? "owns" : "depends on";
      const how = { added: "again", changed: "as it did then", ended: "no longer" }[each.change];
      return `@ ${each.path}: ${each.service} ${verb} it ${how}`;
    }
    case "left-alone":
      return each.reason === "removed"
        ? `= device ${each.name} was removed since: left alone`
        : `= device ${each.name} was first imported later: left alone`;
  }
}

function restoredText(each: Extract<Explanation, { readonly kind: "restored" }>): string {
  const { path, before, after, revision } = each;
  const why = `(as at revision ${revision}, set by ${setByText(each.setBy)})`;
  switch (each.change) {
    case "added":
      return `+ ${path}${after === undefined ? "" : `: ${valueText(after)}`} ${why}`;
    case "changed":
      return after === undefined ? `~ ${path} ${why}` : `~ ${path}: ${valueText(before)} -> ${valueText(after)} ${why}`;
    case "flag":
      return `= ${path} stays, retained or not as at revision ${revision}`;
  }
}

/** What to do once it is recorded: nothing of it is on a device yet. Empty where no item changes. */
export function followText({ wishes, explanations }: ProposalDocument): string {
  const moved = new Set(explanations.filter(changesAnItem).map(({ device }) => device));
  const names = wishes.flatMap(({ device, name }) => (moved.has(device) ? [name] : [])).sort(compareText);
  if (names.length === 0) return "";
  return `the devices do not have it yet; next: tenure plan create ${names.map((name) => `--device ${name}`).join(" ")}\n`;
}

function changesAnItem(each: Explanation): boolean {
  switch (each.kind) {
    case "set":
    case "created":
    case "removed":
    case "swept":
    case "case-ended":
    case "undone":
      return true;
    case "restored":
      return each.change !== "flag";
    case "overrides":
    case "kept":
    case "missing":
    case "relinked":
    case "left-alone":
      return false;
  }
}
