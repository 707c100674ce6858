import type { ProposalDocument } from "../../contract/documents.ts";
import type { Explanation } from "../../services/explanation.ts";
import { setByText, valueText } from "./words.ts";

/** A proposal as a person reads it: by device what is set, goes and stays, and why. */
export function proposalText(proposal: ProposalDocument): string {
  const names = new Map(proposal.wishes.map((wish) => [wish.device, wish.name]));
  const services = proposal.services.map((each) => `service ${each.name} is ${each.effect}`);
  const definitions = proposal.definitions.map((each) => `definition ${each.name} ${each.version}`);
  const lines = [...definitions, ...services];
  const devices = [...new Set(proposal.explanations.map((each) => each.device))];
  for (const device of devices) {
    lines.push(`device ${names.get(device) ?? device}`);
    for (const each of proposal.explanations) if (each.device === device) lines.push(`  ${explanationText(each)}`);
  }
  for (const { service, status } of proposal.statuses) lines.push(`service ${service} becomes ${status}`);
  if (proposal.explanations.length === 0) lines.push("no item changes");
  return `${lines.join("\n")}\n`;
}

function explanationText(each: Explanation): string {
  switch (each.kind) {
    case "set":
      return `~ ${each.path}: ${each.before === undefined ? "nothing" : valueText(each.before)} -> ${valueText(each.after)} (${each.service})`;
    case "created":
      return `+ ${each.path} (${each.service})`;
    case "overrides":
      return `! ${each.path}: ${valueText(each.before)} -> ${valueText(each.after)}, ${each.service} overrides ${each.overridden}`;
    case "removed": {
      const { existedBefore } = each;
      const existed =
        existedBefore === undefined ? "" : `; it existed before the service since revision ${existedBefore.since}`;
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
        ...each.referrers.map((referrer) => `${referrer} refers to it`),
      ];
      const why = keepers.length === 0 ? each.reason : keepers.join("; ");
      const value = each.value === undefined ? "" : ` at ${valueText(each.value)}`;
      const setter = each.setBy === undefined ? "" : `; set by ${setByText(each.setBy)}`;
      return `= ${each.path} stays${value}: ${why}${setter}`;
    }
    case "missing":
      return `? ${each.path}: ${each.service} depends on it, but it is not there`;
  }
}
