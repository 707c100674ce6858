/** Which case of each choice is the one of the data (RFC 7950 section 7.9). */
import type { DataNode } from "../tree.ts";
import type { LevelRules, Membership, NodeRules } from "./schema-rules.ts";

/** By index into `LevelRules.choices`; a choice without data has none. */
export type ChosenCases = readonly (ChosenCase | undefined)[];

export interface ChosenCase {
  readonly case: string;
  /** The first node that chose it, and the first of another case beside it. */
  readonly by: DataNode;
  readonly against: DataNode | undefined;
}

const NONE: ChosenCases = [];

export function chosenCases(level: LevelRules, children: Iterable<DataNode>): ChosenCases {
  if (level.choices.length === 0) return NONE;
  const chosen: (ChosenCase | undefined)[] = level.choices.map(() => undefined);
  for (const node of children) {
    for (const { choice, case: name } of level.nodes.get(node.schema)?.memberships ?? []) {
      const standing = chosen[choice];
      if (standing === undefined) chosen[choice] = { case: name, by: node, against: undefined };
      else if (standing.case !== name) {
        if (standing.against === undefined) chosen[choice] = { ...standing, against: node };
        // Below the wrong case nothing is chosen.
        break;
      }
    }
  }
  return chosen;
}

/** Does data choose all these cases? Only then do they demand anything (RFC 7950 sections 7.6.5, 7.7.5, 7.9.4). */
export function isChosen(memberships: readonly Membership[], chosen: ChosenCases): boolean {
  return memberships.every((each) => chosen[each.choice]?.case === each.case);
}

/** May defaults of the node be in use: are its cases chosen, or the default cases of choices without data (section 7.6.1)? */
export function isInUse(rules: NodeRules, level: LevelRules, chosen: ChosenCases): boolean {
  return rules.memberships.every(
    (each) => (chosen[each.choice]?.case ?? level.choices[each.choice]?.choice.defaultCase) === each.case,
  );
}
