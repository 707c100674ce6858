import type { CaseMembership, ChoiceSchema, DataSchemaNode, ParentSchemaNode, Schema } from "../model/schema.ts";
import type { Children } from "../model/tree.ts";

/** Do two sibling data nodes stand in different cases of one choice, so that they exclude each other (RFC 7950, section 7.9)? */
export function excludeEachOther(a: DataSchemaNode, b: DataSchemaNode): boolean {
  return a.cases.some((mine) => b.cases.some((other) => other.choice === mine.choice && other.case !== mine.case));
}

/** The choices directly below a parent, or at the top. */
export function choicesBelow(schema: Schema, parent: ParentSchemaNode | undefined): ReadonlyMap<string, ChoiceSchema> {
  return parent === undefined ? schema.rootChoices : parent.choices;
}

/**
 * Is every case that the node stands in the one in use: chosen by data that is there, else the default case (RFC 7950, section 7.9.3)?
 * `children` are the instances beside it.
 */
export function isInUse(node: DataSchemaNode, children: Children, choices: ReadonlyMap<string, ChoiceSchema>): boolean {
  let below = choices;
  for (const membership of node.cases) {
    const choice = below.get(membership.choice);
    if (choice === undefined) return false;
    if ((chosenCase(membership, children) ?? choice.defaultCase) !== membership.case) return false;
    const chosen = choice.cases.find((each) => each.id === membership.case);
    below = new Map(chosen?.choices.map((each) => [each.id, each]));
  }
  return true;
}

/** The case of the membership's choice that has data, if any. */
export function chosenCase({ choice }: Pick<CaseMembership, "choice">, children: Children): string | undefined {
  for (const sibling of children.values()) {
    for (const membership of sibling.schema.cases) {
      if (membership.choice === choice) return membership.case;
    }
  }
  return undefined;
}
