/** What has to be there because its parent is: mandatory nodes (RFC 7950 section 7.6.5) and choices (section 7.9). */
import type { DataSchemaNode } from "../schema.ts";
import type { ChosenCases } from "./choice-state.ts";
import { isChosen } from "./choice-state.ts";
import type { Findings } from "./finding.ts";
import { type Place, dataPlace, textBelow, textOf } from "./place.ts";
import type { LevelRules, ValidatedNodes } from "./schema-rules.ts";

/** Reports a mandatory leaf, anydata or anyxml that is not there. Needs: the caller knows that it is demanded. */
export function reportMissing(findings: Findings, parent: Place, schema: DataSchemaNode): void {
  findings.add({
    code: "mandatory-missing",
    path: textBelow(parent, schema),
    schemaPath: schema.schemaPath,
    module: schema.module,
    message: `mandatory ${schema.kind} ${schema.name} is missing`,
    position: schema.position,
    expected: `${schema.name} wherever ${parent.schema?.name ?? "the configuration"} is`,
  });
}

/** Checks the choices below one parent: nodes of one case at most, and of one where that is mandatory. */
export function checkChoices(
  findings: Findings,
  parent: Place,
  input: {
    readonly level: LevelRules;
    readonly chosen: ChosenCases;
    readonly nodes: ValidatedNodes;
    /** Is the choice there at all, or under a `when` that is false? */
    readonly allow: (index: number) => boolean;
  },
): void {
  const { level, chosen, nodes, allow } = input;
  for (const [index, { choice, within }] of level.choices.entries()) {
    if (!choice.config && nodes === "config") continue;
    const state = chosen[index];
    const name = localName(choice.id);
    const common = {
      schemaPath: parent.schema?.schemaPath ?? "/",
      module: choice.id.slice(0, choice.id.indexOf(":")),
      position: choice.position,
    };
    if (state?.against !== undefined) {
      findings.add({
        ...common,
        code: "choice-ambiguous",
        path: textOf(dataPlace(parent, state.against)),
        others: [textOf(dataPlace(parent, state.by))],
        message: `${state.by.schema.name} and ${state.against.schema.name} stand in two cases of choice ${name}`,
        expected: "nodes of one case",
      });
    }
    const demanded = choice.mandatory && (within === undefined || isChosen([within], chosen));
    if (state === undefined && demanded && allow(index)) {
      findings.add({
        ...common,
        code: "choice-missing",
        path: textOf(parent),
        message: `mandatory choice ${name} has no case`,
        expected: `one of ${choice.cases.map((each) => localName(each.id)).join(", ")}`,
        concerns: { kind: "choice", name },
      });
    }
  }
}

function localName(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}
