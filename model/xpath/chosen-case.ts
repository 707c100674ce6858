/** Which case of a choice data has chosen (RFC 7950 section 7.9.3). */
import type { CaseMembership, CaseSchema, ChoiceSchema } from "../schema.ts";

/**
 * Are all the cases that a node stands in chosen, outermost first: by a node of it that is stored, or as the default
 * where no other case has one? `choices` are those of the data node that holds the node, which `isStored` asks about by
 * id. An inner choice is looked for in its case alone, since it may have the name of the outer one.
 */
export function areChosen(
  memberships: readonly CaseMembership[],
  choices: Iterable<ChoiceSchema>,
  isStored: (id: string) => boolean,
): boolean {
  let below: Iterable<ChoiceSchema> = choices;
  for (const membership of memberships) {
    const chosen = chosenCase(membership, below, isStored);
    if (chosen === undefined) return false;
    below = chosen.choices;
  }
  return true;
}

function chosenCase(
  { choice: choiceId, case: caseId }: CaseMembership,
  choices: Iterable<ChoiceSchema>,
  isStored: (id: string) => boolean,
): CaseSchema | undefined {
  for (const choice of choices) {
    if (choice.id !== choiceId) continue;
    const own = choice.cases.find((each) => each.id === caseId);
    if (own?.nodes.some(isStored) === true) return own;
    const other = choice.cases.some((each) => each !== own && each.nodes.some(isStored));
    return !other && choice.defaultCase === caseId ? own : undefined;
  }
  return undefined;
}
