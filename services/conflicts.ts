/**
 * Rule 3: inside one submission nobody wins over anybody. Two writers of one item with different values, and two writers
 * of different cases of one choice, are refused, and every writer is named.
 */
import { type Diagnostic, type DiagnosticPlace, type SourcePosition, formatPlace } from "../model/diagnostic.ts";
import { formatInstancePath } from "../model/path.ts";
import { type ParentSchemaNode, childSchemas, isParentSchema } from "../model/schema.ts";
import type { Schema } from "../model/schema.ts";
import { displayValue } from "../model/value.ts";
import type { Yield } from "./compile-instance.ts";

export interface SubmittedYield {
  readonly device: string;
  readonly schema: Schema;
  readonly yield: Yield;
  /** Where the instance that yields it is written. */
  readonly instance: SourcePosition;
}

interface Claim {
  readonly by: SubmittedYield;
  /** What is claimed, as people read it: `9000`, `case trunk`. Equal texts do not contradict each other. */
  readonly what: string;
}

/** One diagnostic of code `conflict` for each item or choice that gets different things in one submission. */
export function conflictsOf(yields: readonly SubmittedYield[]): readonly Diagnostic[] {
  const claims = new Map<string, Claim[]>();
  const claim = (on: string, what: string, by: SubmittedYield): void => {
    claims.set(on, [...(claims.get(on) ?? []), { by, what }]);
  };
  for (const by of yields) {
    const { relation, text, value } = by.yield;
    if (relation !== "owns") continue;
    if (value !== undefined) claim(`${by.device} ${text}`, displayValue(value), by);
    for (const { on, what } of casesOf(by)) claim(on, what, by);
  }
  return [...claims]
    .filter(([, all]) => new Set(all.map((each) => each.what)).size > 1)
    .map(([on, all]) => conflict(on, all));
}

/** The case that each choice on the way gets from this yield. */
function casesOf({
  device,
  schema,
  yield: { path },
}: SubmittedYield): readonly { readonly on: string; readonly what: string }[] {
  const found: { on: string; what: string }[] = [];
  let parent: ParentSchemaNode | undefined;
  for (const [index, segment] of path.entries()) {
    const node = childSchemas(schema, parent).get(`${segment.module}:${segment.name}`);
    for (const membership of node?.cases ?? [])
      found.push({
        on: `${device} ${formatInstancePath(path.slice(0, index))} choice ${membership.choice}`,
        what: `case ${membership.case}`,
      });
    parent = node !== undefined && isParentSchema(node) ? node : undefined;
  }
  return found;
}

function conflict(on: string, claims: readonly Claim[]): Diagnostic {
  const writers = claims.map(({ by, what }) => {
    const [rule, instance] = placesOf(by).map(formatPlace);
    return `${by.yield.service} writes ${what} (${rule ?? ""}, instance ${instance ?? ""})`;
  });
  return {
    code: "conflict",
    severity: "error",
    message: `${on} gets different values in one submission: ${writers.join(", ")}`,
    places: claims.flatMap(({ by }) => placesOf(by)),
    expected: "one value, or one writer",
    remedy: "let one of them own the item and the others depend on it, or submit them one after the other",
  };
}

function placesOf(by: SubmittedYield): readonly DiagnosticPlace[] {
  return [by.yield.writer, by.instance].map((position) => ({ kind: "source", position }));
}
