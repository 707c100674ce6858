import type { ProposalDocument } from "../../contract/documents.ts";
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
  const explained = proposal.explanations.filter((each) => each.kind !== "left-alone");
  const devices = [...new Set(explained.map((each) => each.device))];
  for (const device of devices) {
    lines.push(`device ${names.get(device) ?? device}`);
    for (const each of explained) if (each.device === device) lines.push(`  ${explanationText(each)}`);
  }
  for (const { service, status } of proposal.statuses) lines.push(`service ${service} becomes ${status}`);
  if (explained.length === 0) lines.push("no item changes");
  return `${lines.join("\n")}\n`;
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
      return `~ ${each.path}: ${each.before === undefined ? "nothing" : valueText(each.before)} -> ${valueText(each.after)} (${each.service})`;
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
          (keeper) => `${keeper.service} ${keeper.relation === "owns" ? "owns" : "depends on"} ${keeper.path}`,
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
